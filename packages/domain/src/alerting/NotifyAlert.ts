import * as Effect from "effect/Effect"
import type { AlertMethod } from "../alert-method/AlertMethod.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { DefinitionStore, type DefinitionStoreIsUnavailable } from "../definition/DefinitionStore.ts"
import type { Notification } from "../notification/Notification.ts"
import type { Service } from "../slo/Service.ts"
import type { Slo } from "../slo/Slo.ts"
import type { Alert } from "./Alert.ts"
import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import type { AlertChange } from "./AlertStore.ts"

/** What a notification tells beside the alert itself, as far as it is known. */
export interface AlertContext {
  readonly organization: OrganizationId
  readonly slo: Slo | undefined
  readonly service: Service | undefined
  readonly policy: AlertPolicy | undefined
}

/**
 * Writes an alert and tells its state to alert methods: an open one rings, of any other the end is told. Of
 * `deliveryIds` there are at least as many as methods.
 *
 * Source: decision 0301.
 */
export const ringing = (
  context: AlertContext,
  alert: Alert,
  methods: ReadonlyArray<ProjectKey>,
  deliveryIds: ReadonlyArray<string>,
): AlertChange => {
  const rings = methods.map((alertMethod, index) => ({
    notification: notificationOf(context, alert, deliveryIds[index] ?? ""),
    alertMethod,
  }))
  const deliveries = rings.map(({ notification, alertMethod }) => ({ id: notification.id, alertMethod }))
  return { put: alert, rings, receipt: { alertId: alert.id, isChanged: true, deliveries } }
}

/** Leaves an alert as it is. */
export const unchanged = (alertId: string): AlertChange => ({
  rings: [],
  receipt: { alertId, isChanged: false, deliveries: [] },
})

/** Whether each alert method asks for the end of alerts, by `projectKeyText`; one that is gone does not. */
export const readSendsResolution = (
  organization: OrganizationId,
  methods: ReadonlyArray<ProjectKey>,
): Effect.Effect<ReadonlyMap<string, boolean>, DefinitionStoreIsUnavailable, DefinitionStore> =>
  Effect.map(readAlertMethods(organization, methods), (methodByKey) => {
    const asks = (key: string): boolean => methodByKey.get(key)?.spec.webhook.sendResolution ?? false
    return new Map(methods.map(projectKeyText).map((key) => [key, asks(key)]))
  })

/** Those of the alert methods that exist, by `projectKeyText`. */
export const readAlertMethods = (
  organization: OrganizationId,
  methods: ReadonlyArray<ProjectKey>,
): Effect.Effect<ReadonlyMap<string, AlertMethod>, DefinitionStoreIsUnavailable, DefinitionStore> =>
  Effect.gen(function* () {
    if (methods.length === 0) return new Map()
    const found = yield* (yield* DefinitionStore).findAll(organization, "AlertMethod", methods)
    return new Map(found.map(({ definition }) => [projectKeyText(definition.metadata), definition]))
  })

/**
 * Those of an alert's methods that ask for its end, by `readSendsResolution`; `undefined` when it has rung others since that
 * was read.
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

const notificationOf = (
  { organization, slo, service, policy }: AlertContext,
  alert: Alert,
  id: string,
): Notification => {
  // What is gone by now is told by its name.
  const { objective: objectiveName, alertPolicy } = alert.subject
  const objective = slo?.spec.objectives.find(({ name }) => name === objectiveName)
  const isOpen = alert.status === "triggered"
  return {
    id,
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
  }
}

/** As `$anomaly_type` tells it. Source: decision 0201. */
const anomalyTexts = { NoData: "no_data" } as const
