import { webhookUrlOf } from "./ParsedValues.ts"
import {
  type AlertMethod,
  type AttemptOutcome,
  type CustomHeader,
  type Notification,
  type NotificationContent,
  uuidV7,
} from "@tocsin/domain/adapter"
import type { ProjectKey } from "@tocsin/domain/kernel"
import { AlertStore, DefinitionStore, DeliveryQueue } from "@tocsin/domain/ports"
import { parseTemplate } from "@tocsin/domain/template"
import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** An alert method that sends the SLO's name and the notification's ID to `https://<name>.example.com/hook`. */
export const aMethod = (
  key: ProjectKey,
  {
    url = `https://${key.name}.example.com/hook`,
    template = '{"slo":"$slo_name","id":"$notification_id","status":"$alert_status"}',
    ...webhook
  }: {
    readonly url?: string
    readonly template?: string
    readonly headers?: ReadonlyArray<CustomHeader>
    readonly sendResolution?: boolean
  } = {},
): AlertMethod => ({
  kind: "AlertMethod",
  metadata: { project: key.project, name: key.name },
  spec: {
    webhook: {
      body: { text: template, template: Result.getOrThrow(parseTemplate(template)) },
      headers: [],
      sendResolution: false,
      ...webhook,
      url: Redacted.make(webhookUrlOf(url)),
    },
  },
})

/** The facts of an alert of the SLO `shop/checkout`. */
export const aNotificationContent = (organization: string, at = 0): NotificationContent => ({
  event: "alert.triggered",
  organization,
  at,
  alertId: "alert-1",
  conditions: [],
  slo: { project: "shop", name: "checkout" },
})

/** The facts of an alert of the SLO `shop/checkout`, for one alert method. */
export const aNotification = (organization: string, id: string, at = 0): Notification => ({
  ...aNotificationContent(organization, at),
  id,
})

/** Stores one event that notifies the methods; returns the deliveries' IDs, in their order. */
export const notify = (
  organization: string,
  methods: ReadonlyArray<ProjectKey>,
  given?: ReadonlyArray<string>,
  event: NotificationContent["event"] = "alert.triggered",
  alertId = "alert-1",
) =>
  Effect.gen(function* () {
    const ids = given ?? (yield* Effect.replicateEffect(uuidV7, methods.length))
    const deliveries = methods.map((alertMethod, index) => ({ id: ids[index] ?? "", alertMethod }))
    const content = { ...aNotificationContent(organization), event, alertId }
    const change = {
      event: { content, deliveries },
      receipt: { alertId, isChanged: true, deliveries: [] },
    }
    const reads = { subject: { slo: { project: "shop", name: "checkout" } }, id: undefined }
    yield* (yield* AlertStore).change(organization, reads, undefined, () => Result.succeed(change))
    return ids
  })

/** Claims and settles until nothing is due at this moment; answers the IDs of what it settled, in that order. */
export const settleAllDue = (outcome: AttemptOutcome) =>
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const settled: Array<string> = []
    for (;;) {
      const { claims } = yield* queue.claim({ limit: 500, leaseMs: 30_000 })
      if (claims.length === 0) return settled
      settled.push(...claims.map(({ delivery }) => delivery.notification.id))
      yield* queue.settle(
        claims.map(({ claimId, delivery }) => ({
          claimId,
          attempt: { number: delivery.attempt, startedAt: 0, durationMs: 3 },
          outcome,
          random: 0.5,
        })),
      )
    }
  })

/** Removes an alert method. */
export const removeMethod = (organization: string, key: ProjectKey) =>
  Effect.flatMap(DefinitionStore, (store) =>
    store.change(organization, [], () =>
      Result.succeed({ put: [], remove: [{ kind: "AlertMethod" as const, ...key }] }),
    ),
  )
