import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ProjectKey } from "../metadata/ObjectKey.ts"
import { DefinitionStore, type DefinitionStoreIsUnavailable } from "../definition/DefinitionStore.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import type { SloDue } from "../status/SloStore.ts"
import { type Alert, canceledAsDeleted } from "./Alert.ts"
import type { AlertLifecycle, AlertTransition } from "./AlertLifecycle.ts"
import {
  type AlertChange,
  type OpenAlerts,
  AlertStore,
  type AlertStoreIsUnavailable,
  StatusHasChanged,
} from "./AlertStore.ts"
import { conditionText, durationText } from "./ConditionText.ts"
import {
  type AlertContext,
  resolutionRecipients,
  readSendsResolution,
  ringing,
  unchanged,
} from "./NotifyAlert.ts"
import type { EvaluatedSlo, EvaluatedAlert } from "./EvaluatedAlert.ts"

/** An alert for which something is to be done. */
interface AlertSituation {
  readonly seen: EvaluatedSlo
  readonly watched: EvaluatedAlert
  /** Reads the service of the SLO, once for many alerts. */
  readonly serviceOf: ReturnType<typeof readService>
}

/** What is to be done for an alert: what it looks at, and what follows from that for it and its life. */
export interface AlertPlan {
  readonly watched: EvaluatedAlert
  readonly alertId: string | undefined
  /** Fails with `StatusHasChanged` when others were rung than had been read: it is to be read and evaluated again. */
  readonly decide: (
    found: OpenAlerts,
  ) => Result.Result<
    { readonly change: AlertChange; readonly life: AlertLifecycle | undefined },
    StatusHasChanged
  >
}

/** A step that changes something. */
export type StepToDo = Exclude<AlertTransition, { readonly kind: "none" }>

/**
 * Plans a step: reads all that it needs beside the alert itself.
 *
 * Source: decisions 0610, 0612 and 0613.
 */
export const planStep = (
  standing: AlertSituation,
  step: StepToDo,
): Effect.Effect<
  AlertPlan,
  AlertStoreIsUnavailable | DefinitionStoreIsUnavailable,
  AlertStore | DefinitionStore
> => {
  switch (step.kind) {
    case "trigger":
      return trigger(standing, step)
    case "ring":
      return ring(standing, step)
    case "end":
      return end(standing, step)
    case "notifyResolution":
      return notifyResolution(standing, step)
  }
}

type StepOf<K> = Extract<AlertTransition, { readonly kind: K }>

/** Opens an alert, or takes over the one that is open: from outside, or of an evaluation whose SLO was replaced. */
const trigger = (standing: AlertSituation, step: StepOf<"trigger">) =>
  Effect.gen(function* () {
    const { seen, watched } = standing
    const { due } = seen
    const { isSilenced } = step
    const alertMethods = isSilenced ? [] : methodsOf(due, watched)
    const metricAt = seen.told.latestAt(watched.subject.objective ?? overallTrack)
    const id = yield* uuidV7
    const alert: Alert = {
      id,
      subject: watched.subject,
      status: "triggered",
      ...judgedBy(due, watched),
      definedAt: Math.max(due.slo.createdAt, watched.policy?.createdAt ?? 0),
      alertMethods,
      ...(isSilenced && { isSilenced }),
      triggeredAt: seen.now,
      ...(metricAt !== undefined && { triggeredMetricAt: metricAt }),
    }
    const context = yield* readContext(standing)
    const deliveryIds = yield* Effect.replicateEffect(uuidV7, alertMethods.length)
    return planOf(watched, undefined, ({ latest }) => {
      const open = latest?.status === "triggered" ? latest : undefined
      if (open !== undefined && open.definedAt === alert.definedAt) {
        const life = step.lifeOf({ alertId: open.id, isSilenced: open.isSilenced ?? false })
        return Result.succeed({ change: unchanged(open.id), life })
      }
      return Result.succeed({
        change: {
          ...ringing(context, alert, alertMethods, deliveryIds),
          ...(open !== undefined && { ended: canceledAsDeleted(open, seen.now) }),
        },
        life: step.lifeOf({ alertId: id, isSilenced }),
      })
    })
  })

/** Rings for an alert that was held back, unless it was ended or rung from outside meanwhile. */
const ring = (standing: AlertSituation, { alertId, life }: StepOf<"ring">) =>
  Effect.gen(function* () {
    const { watched } = standing
    const { due } = standing.seen
    const alertMethods = methodsOf(due, watched)
    const context = yield* readContext(standing)
    const deliveryIds = yield* Effect.replicateEffect(uuidV7, alertMethods.length)
    return planOf(watched, alertId, ({ withId }) => {
      if (withId?.status !== "triggered" || withId.isSilenced !== true) {
        return Result.succeed({ change: unchanged(alertId), life })
      }
      const { isSilenced: _, ...open } = withId
      return Result.succeed({
        change: ringing(context, { ...open, alertMethods }, alertMethods, deliveryIds),
        life,
      })
    })
  })

/**
 * Ends the alert that is open: the one that was, or one that came from outside after that had been ended from outside;
 * where none is open any more, nobody is told again.
 */
const end = (standing: AlertSituation, { alertId, reason, endingOf }: StepOf<"end">) =>
  Effect.gen(function* () {
    const { seen, watched } = standing
    const reads = { subject: watched.subject, id: alertId }
    const known = openOf(yield* (yield* AlertStore).find(seen.due.organization, reads))
    const { context, sendsResolution, deliveryIds } = yield* readForEnd(standing, known)
    const metricAt = seen.told.latestAt(watched.subject.objective ?? overallTrack)
    return planOf(watched, alertId, (found) => {
      const open = openOf(found)
      if (open === undefined)
        return Result.succeed({ change: unchanged(alertId), life: endingOf(undefined).life })
      const hearers = resolutionRecipients(open, sendsResolution)
      if (hearers === undefined) return Result.fail(new StatusHasChanged())
      const { isTold, life } = endingOf({ alertId: open.id, isSilenced: open.isSilenced ?? false })
      const ended: Alert = {
        ...open,
        status: reason === undefined ? "resolved" : "canceled",
        ...(reason !== undefined && { reason }),
        resolvedAt: Math.max(seen.now, open.triggeredAt),
        ...(metricAt !== undefined && { resolvedMetricAt: metricAt }),
      }
      return Result.succeed({ change: ringing(context, ended, isTold ? hearers : [], deliveryIds), life })
    })
  })

/** Tells the end of an alert, unless it was triggered again meanwhile. */
const notifyResolution = (standing: AlertSituation, { alertId, life }: StepOf<"notifyResolution">) =>
  Effect.gen(function* () {
    const { seen, watched } = standing
    const reads = { subject: watched.subject, id: alertId }
    const { withId: known } = yield* (yield* AlertStore).find(seen.due.organization, reads)
    const { context, sendsResolution, deliveryIds } = yield* readForEnd(standing, known)
    return planOf(watched, alertId, ({ withId }) => {
      if (withId === undefined || withId.status === "triggered") {
        return Result.succeed({ change: unchanged(alertId), life })
      }
      const hearers = resolutionRecipients(withId, sendsResolution)
      if (hearers === undefined) return Result.fail(new StatusHasChanged())
      const { put: _, ...rings } = ringing(context, withId, hearers, deliveryIds)
      return Result.succeed({ change: rings, life })
    })
  })

/** The open alert of the subject; there is at most one. */
const openOf = ({ withId, latest }: OpenAlerts): Alert | undefined =>
  [withId, latest].find((alert) => alert?.status === "triggered")

/** What is needed to tell the end of an alert. */
const readForEnd = (standing: AlertSituation, alert: Alert | undefined) =>
  Effect.gen(function* () {
    const context = yield* readContext(standing)
    const sendsResolution = yield* readSendsResolution(
      standing.seen.due.organization,
      alert?.alertMethods ?? [],
    )
    const deliveryIds = yield* Effect.replicateEffect(uuidV7, sendsResolution.size)
    return { context, sendsResolution, deliveryIds }
  })

const planOf = (
  watched: EvaluatedAlert,
  alertId: string | undefined,
  decide: AlertPlan["decide"],
): AlertPlan => ({ watched, alertId, decide })

/** Reads the service that an SLO is of. */
export const readService = ({ organization, slo }: SloDue) =>
  Effect.flatMap(DefinitionStore, (store) => {
    const { metadata, spec } = slo.definition
    return store.find(organization, "Service", { project: metadata.project, name: spec.service })
  })

/** What the alert's notifications tell beside it; the policy of an alert that is no longer the SLO's may still exist. */
const readContext = ({ seen, watched: { policy, subject }, serviceOf }: AlertSituation) =>
  Effect.gen(function* () {
    const { organization, slo } = seen.due
    const store = yield* DefinitionStore
    const service = yield* serviceOf
    const stored =
      policy === undefined && subject.alertPolicy !== undefined
        ? yield* store.find(organization, "AlertPolicy", subject.alertPolicy)
        : Option.fromNullishOr(policy)
    return {
      organization,
      slo: slo.definition,
      service: Option.getOrUndefined(service)?.definition,
      policy: Option.getOrUndefined(stored)?.definition,
    } satisfies AlertContext
  })

const methodsOf = ({ slo }: SloDue, { policy }: EvaluatedAlert): ReadonlyArray<ProjectKey> =>
  policy?.definition.spec.alertMethods ?? slo.definition.spec.anomalyConfig?.noData.alertMethods ?? []

const judgedBy = (
  { slo }: SloDue,
  { policy }: EvaluatedAlert,
): Pick<Alert, "severity" | "conditions" | "anomaly"> => {
  if (policy !== undefined) {
    const { severity, conditions } = policy.definition.spec
    return { severity, conditions: conditions.map(conditionText) }
  }
  const noData = slo.definition.spec.anomalyConfig?.noData
  if (noData === undefined) return { conditions: [] }
  return {
    conditions: [`No data for ${durationText(noData.alertAfter)}`],
    anomaly: { type: "NoData", alertAfter: noData.alertAfter.text },
  }
}
