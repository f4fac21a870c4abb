import { alerts } from "@tocsin/api"
import { acknowledgeAlert, listHeldAlerts, receiveAlert } from "@tocsin/domain"
import * as Effect from "effect/Effect"
import { everyProject, projectOf } from "../frame/RequestParameters.ts"
import { serve } from "../serve/Serve.ts"
import { alertToDocument, listAlertDocuments } from "./AlertDocuments.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { apiVersionOf } from "@tocsin/domain/kernel"

export const alertsRoutes = serve(alerts, {
  receiveAlert: ({ organization, "idempotency-key": idempotencyKey, body }) =>
    Effect.map(
      receiveAlert(organization, { idempotencyKey, body }),
      ({ isChanged, ...receipt }) => ({ status: isChanged ? 202 : 200, value: receipt }) as const,
    ),
  acknowledgeAlert: Effect.fnUntraced(function* ({ organization, caller, id, body }) {
    const alert = yield* acknowledgeAlert(organization, id, caller.clientId, body.note)
    const { vendorPrefix } = yield* DefinitionOptions
    return alertToDocument(alert, apiVersionOf(vendorPrefix))
  }),
  listAlerts: ({ organization }, request) => listAlertDocuments(organization, request),
  listHeldAlerts: ({ organization, slo }, request) => {
    const project = projectOf(request)
    return Effect.map(
      listHeldAlerts(organization, {
        ...(project !== everyProject && { project }),
        ...(slo && { name: slo }),
      }),
      ({ items: data, hasMore }) => ({ data, hasMore }),
    )
  },
})
