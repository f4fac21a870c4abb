import { deliveries, type delivery } from "@tocsin/api"
import type { Delivery } from "@tocsin/domain/adapter"
import { findDelivery, listDeliveries, requestResend } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { serve } from "../serve/Serve.ts"

export const deliveriesRoutes = serve(deliveries, {
  listDeliveries: ({ organization, page, state, event, ...filter }) =>
    Effect.map(
      listDeliveries(organization, { ...page, ...filter, states: state, events: event }),
      ({ items, ...listed }) => ({ ...listed, items: items.map(deliveryOf) }),
    ),
  findDelivery: ({ organization, id }) =>
    Effect.map(findDelivery(organization, id), ({ delivery, attempts }) => ({
      ...deliveryOf(delivery),
      attempts,
    })),
  resendDelivery: ({ organization, id }) =>
    Effect.map(requestResend(organization, id), (delivery) => ({ status: 202, value: deliveryOf(delivery) })),
})

/** A delivery as the API describes it. */
export const deliveryOf = ({ notification, ...progress }: Delivery): typeof delivery.Type => {
  const { project, name, displayName } = notification.slo
  return {
    ...progress,
    id: notification.id,
    event: notification.event,
    ...(notification.alertId !== "" && { alertId: notification.alertId }),
    slo: { project, name, ...(displayName !== undefined && { displayName }) },
    ...(progress.state === "pending" && { nextAttemptAt: progress.dueAt }),
  }
}
