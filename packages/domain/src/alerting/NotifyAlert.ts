import * as Effect from "effect/Effect"
import type { AlertMethod } from "../alert-method/AlertMethod.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { NotificationContent } from "../notification/Notification.ts"
import type { Service } from "../slo/Service.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import type { Slo } from "../slo/Slo.ts"
import type { Alert } from "./Alert.ts"
import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import type { AlertChange } from "./AlertStore.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** The definitions that a notification shows, as far as they still exist. */
export interface AlertContext {
  readonly organization: OrganizationId
  readonly slo: Slo | undefined
  readonly service: Service | undefined
  readonly policy: AlertPolicy | undefined
  /** When the error budget of the subject is exhausted at the pace of the last hour, in Unix milliseconds. */
  readonly budgetExhaustedAt?: number
}

/** Writes an alert and notifies alert methods of its state. There are at least as many `deliveryIds` as methods. */
export const notifyMethods = (
  context: AlertContext,
  alert: Alert,
  methods: ReadonlyArray<ProjectKey>,
  deliveryIds: ReadonlyArray<string>,
): AlertChange => {
  const deliveries = methods.map((alertMethod, index) => ({ id: deliveryIds[index] ?? "", alertMethod }))
  return {
    put: alert,
    ...(deliveries.length > 0 && { event: { content: contentOf(context, alert), deliveries } }),
    receipt: { alertId: alert.id, isChanged: true, deliveries },
  }
}

export const unchanged = (alertId: string): AlertChange => ({
  receipt: { alertId, isChanged: false, deliveries: [] },
})

/** Whether each alert method has `sendResolution`, by `projectKeyText`; one that was deleted has not. */
export const readSendsResolution = (
  organization: OrganizationId,
  methods: ReadonlyArray<ProjectKey>,
): Effect.Effect<ReadonlyMap<string, boolean>, StoreIsUnavailable, DefinitionStore> =>
  Effect.map(readAlertMethods(organization, methods), (methodByKey) => {
    const sendsResolution = (key: string): boolean =>
      methodByKey.get(key)?.spec.webhook.sendResolution ?? false
    return new Map(methods.map(projectKeyText).map((key) => [key, sendsResolution(key)]))
  })

/** Those of the alert methods that exist, by `projectKeyText`. */
export const readAlertMethods = (
  organization: OrganizationId,
  methods: ReadonlyArray<ProjectKey>,
): Effect.Effect<ReadonlyMap<string, AlertMethod>, StoreIsUnavailable, DefinitionStore> =>
  Effect.gen(function* () {
    if (methods.length === 0) return new Map()
    const found = yield* (yield* DefinitionStore).findAll(organization, "AlertMethod", methods)
    return new Map(found.map(({ definition }) => [projectKeyText(definition.metadata), definition]))
  })

/**
 * The notified alert methods that have `sendResolution`; `undefined` when the alert has notified others since
 * `readSendsResolution` was called.
 */
export const resolutionRecipients = (
  { alertMethods }: Alert,
  sendsResolution: ReadonlyMap<string, boolean>,
): ReadonlyArray<ProjectKey> | undefined => {
  const isKnown = alertMethods.every((method) => sendsResolution.has(projectKeyText(method)))
  return isKnown
    ? alertMethods.filter((method) => sendsResolution.get(projectKeyText(method)) === true)
    : undefined
}

const contentOf = (
  { organization, slo, service, policy, budgetExhaustedAt }: AlertContext,
  alert: Alert,
): NotificationContent => {
  // What was deleted meanwhile is named, without its details.
  const { objective: objectiveName, alertPolicy } = alert.subject
  const objective = slo && objectivesOf(slo).find(({ name }) => name === objectiveName)
  const isOpen = alert.status === "triggered"
  return {
    event: isOpen ? (alert.anomaly === undefined ? "alert.triggered" : "no_data.detected") : "alert.resolved",
    organization,
    at: isOpen ? alert.triggeredAt : (alert.resolvedAt ?? alert.triggeredAt),
    alertId: alert.id,
    ...(alert.severity !== undefined && { severity: alert.severity }),
    conditions: alert.conditions,
    slo: {
      ...alert.subject.slo,
      ...(slo?.metadata.displayName !== undefined && { displayName: slo.metadata.displayName }),
      ...(slo?.metadata.labels !== undefined && { labels: slo.metadata.labels }),
    },
    ...(service !== undefined && {
      service: {
        name: service.metadata.name,
        ...(service.metadata.labels !== undefined && { labels: service.metadata.labels }),
      },
    }),
    ...(objectiveName !== undefined && {
      objective: {
        name: objectiveName,
        ...(objective?.displayName !== undefined && { displayName: objective.displayName }),
      },
    }),
    ...(alertPolicy !== undefined && {
      alertPolicy: {
        name: alertPolicy.name,
        ...(policy?.spec.description !== undefined && { description: policy.spec.description }),
        ...(policy?.metadata.labels !== undefined && { labels: policy.metadata.labels }),
      },
    }),
    ...(alert.anomaly !== undefined && {
      noDataAlertAfter: alert.anomaly.alertAfter,
      anomalyType: anomalyTexts[alert.anomaly.type],
    }),
    ...(budgetExhaustedAt !== undefined && { budgetExhaustedAt }),
  }
}

/** The values of `$anomaly_type`. */
const anomalyTexts = { NoData: "no_data" } as const
