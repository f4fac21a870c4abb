import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { exhaustionAt } from "../status/Forecast.ts"
import type { DueSlo } from "../status/SloStore.ts"
import { type Alert, canceledAsDeleted } from "./Alert.ts"
import type { SloReading } from "../status/ReadSlos.ts"
import type { AlertCandidate } from "./AlertCandidate.ts"
import type { AlertLifecycle, AlertTransition } from "./AlertLifecycle.ts"
import { type AlertChange, type AlertLookupResult, AlertStore, StatusHasChanged } from "./AlertStore.ts"
import { distinct } from "./Escalation.ts"
import { conditionsRecord, recordOf } from "./AlertRecord.ts"
import { durationText } from "../alert-policy/ConditionText.ts"
import { evidenceOf } from "./ExplainCondition.ts"
import {
  type AlertContext,
  resolutionRecipients,
  readSendsResolution,
  notifyMethods,
  unchanged,
} from "./NotifyAlert.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

interface TransitionInput {
  readonly evaluated: SloReading
  readonly candidate: AlertCandidate
  readonly serviceOf: ReturnType<typeof readService>
}

/** A transition with everything read that it needs, except for the alert itself, which the transaction reads. */
export interface AlertPlan {
  readonly candidate: AlertCandidate
  readonly alertId: string | undefined
  /** Fails with `StatusHasChanged` when the alert has other recipients than were read: read and evaluate it again. */
  readonly decide: (
    lookedUp: AlertLookupResult,
  ) => Result.Result<
    { readonly change: AlertChange; readonly lifecycle: AlertLifecycle | undefined },
    StatusHasChanged
  >
}

export type DueTransition = Exclude<AlertTransition, { readonly kind: "none" }>

export const planTransition = (
  input: TransitionInput,
  transition: DueTransition,
): Effect.Effect<AlertPlan, StoreIsUnavailable, AlertStore | DefinitionStore> => {
  switch (transition.kind) {
    case "trigger":
      return trigger(input, transition)
    case "notify":
      return notify(input, transition)
    case "escalate":
      return escalate(input, transition)
    case "close":
      return close(input, transition)
    case "notifyResolution":
      return notifyResolution(input, transition)
  }
}

type TransitionOf<K> = Extract<AlertTransition, { readonly kind: K }>

/** Opens an alert, or adopts the open one: an external alert, or one of an evaluation of a replaced SLO. */
const trigger = (input: TransitionInput, transition: TransitionOf<"trigger">) =>
  Effect.gen(function* () {
    const { evaluated, candidate } = input
    const { due } = evaluated
    const { isSilenced } = transition
    const alertMethods = isSilenced ? [] : methodsOf(due, candidate)
    const metricAt = evaluated.counts.latestAt(candidate.subject.objective ?? overallTrack)
    const id = yield* uuidV7
    const context = yield* readContext(input)
    const alert: Alert = {
      id,
      subject: candidate.subject,
      status: "triggered",
      ...judgedBy(due, candidate, transition),
      ...recordOf(context, candidate.subject),
      definedAt: Math.max(due.slo.createdAt, candidate.policy?.createdAt ?? 0),
      alertMethods,
      ...(isSilenced && { isSilenced }),
      triggeredAt: evaluated.now,
      ...(metricAt !== undefined && { triggeredMetricAt: metricAt }),
    }
    const deliveryIds = yield* Effect.replicateEffect(uuidV7, alertMethods.length)
    return planOf(candidate, undefined, ({ latest }) => {
      const open = latest?.status === "triggered" ? latest : undefined
      if (open !== undefined && open.definedAt === alert.definedAt) {
        const lifecycle = transition.lifecycleOf({ alertId: open.id, isSilenced: open.isSilenced ?? false })
        return Result.succeed({ change: unchanged(open.id), lifecycle })
      }
      return Result.succeed({
        change: {
          ...notifyMethods(context, alert, alertMethods, deliveryIds),
          ...(open !== undefined && { closed: canceledAsDeleted(open, evaluated.now) }),
        },
        lifecycle: transition.lifecycleOf({ alertId: id, isSilenced }),
      })
    })
  })

/** Notifies of a silenced alert, unless an external report closed it or notified of it in the meantime. */
const notify = (input: TransitionInput, { alertId, lifecycle }: TransitionOf<"notify">) =>
  Effect.gen(function* () {
    const { candidate } = input
    const { due } = input.evaluated
    const alertMethods = methodsOf(due, candidate)
    const context = yield* readContext(input)
    const deliveryIds = yield* Effect.replicateEffect(uuidV7, alertMethods.length)
    return planOf(candidate, alertId, ({ withId }) => {
      if (withId?.status !== "triggered" || withId.isSilenced !== true) {
        return Result.succeed({ change: unchanged(alertId), lifecycle })
      }
      const { isSilenced: _, ...open } = withId
      return Result.succeed({
        change: notifyMethods(context, { ...open, alertMethods }, alertMethods, deliveryIds),
        lifecycle,
      })
    })
  })

/** Sends an open alert again or to other alert methods, unless it was acknowledged or an external report closed it. */
const escalate = (input: TransitionInput, { alertId, due, lifecycleOf }: TransitionOf<"escalate">) =>
  Effect.gen(function* () {
    const context = yield* readContext(input)
    const deliveryIds = yield* Effect.replicateEffect(uuidV7, due.recipients.length)
    return planOf(input.candidate, alertId, ({ withId }) => {
      if (withId?.status !== "triggered" || withId.acknowledgement !== undefined)
        return Result.succeed({ change: unchanged(alertId), lifecycle: lifecycleOf(true) })
      const alert = { ...withId, alertMethods: distinct([...withId.alertMethods, ...due.recipients]) }
      return Result.succeed({
        change: notifyMethods(context, alert, due.recipients, deliveryIds),
        lifecycle: lifecycleOf(false),
      })
    })
  })

/**
 * Closes the open alert: the evaluated one or, if an external report resolved that, the one opened by a later report.
 * If no alert is open any more, no notification is sent.
 */
const close = (input: TransitionInput, { alertId, reason, closingOf }: TransitionOf<"close">) =>
  Effect.gen(function* () {
    const { evaluated, candidate } = input
    const lookup = { subject: candidate.subject, id: alertId }
    const expected = openOf(yield* (yield* AlertStore).find(evaluated.due.organization, lookup))
    const { context, sendsResolution, deliveryIds } = yield* readForResolution(input, expected)
    const metricAt = evaluated.counts.latestAt(candidate.subject.objective ?? overallTrack)
    return planOf(candidate, alertId, (lookedUp) => {
      const open = openOf(lookedUp)
      if (open === undefined)
        return Result.succeed({ change: unchanged(alertId), lifecycle: closingOf(undefined).lifecycle })
      const recipients = resolutionRecipients(open, sendsResolution)
      if (recipients === undefined) return Result.fail(new StatusHasChanged())
      const { isNotified, lifecycle } = closingOf({ alertId: open.id, isSilenced: open.isSilenced ?? false })
      const closed: Alert = {
        ...open,
        status: reason === undefined ? "resolved" : "canceled",
        ...(reason !== undefined && { reason }),
        resolvedAt: Math.max(evaluated.now, open.triggeredAt),
        ...(metricAt !== undefined && { resolvedMetricAt: metricAt }),
      }
      return Result.succeed({
        change: notifyMethods(context, closed, isNotified ? recipients : [], deliveryIds),
        lifecycle,
      })
    })
  })

/** Sends the resolution of a closed alert, unless it was triggered again meanwhile. */
const notifyResolution = (input: TransitionInput, { alertId, lifecycle }: TransitionOf<"notifyResolution">) =>
  Effect.gen(function* () {
    const { evaluated, candidate } = input
    const lookup = { subject: candidate.subject, id: alertId }
    const { withId: expected } = yield* (yield* AlertStore).find(evaluated.due.organization, lookup)
    const { context, sendsResolution, deliveryIds } = yield* readForResolution(input, expected)
    return planOf(candidate, alertId, ({ withId }) => {
      if (withId === undefined || withId.status === "triggered") {
        return Result.succeed({ change: unchanged(alertId), lifecycle })
      }
      const recipients = resolutionRecipients(withId, sendsResolution)
      if (recipients === undefined) return Result.fail(new StatusHasChanged())
      const { put: _, ...change } = notifyMethods(context, withId, recipients, deliveryIds)
      return Result.succeed({ change, lifecycle })
    })
  })

/** The open alert of the subject; there is at most one. */
const openOf = ({ withId, latest }: AlertLookupResult): Alert | undefined =>
  [withId, latest].find((alert) => alert?.status === "triggered")

const readForResolution = (input: TransitionInput, alert: Alert | undefined) =>
  Effect.gen(function* () {
    const context = yield* readContext(input)
    const sendsResolution = yield* readSendsResolution(
      input.evaluated.due.organization,
      alert?.alertMethods ?? [],
    )
    const deliveryIds = yield* Effect.replicateEffect(uuidV7, sendsResolution.size)
    return { context, sendsResolution, deliveryIds }
  })

const planOf = (
  candidate: AlertCandidate,
  alertId: string | undefined,
  decide: AlertPlan["decide"],
): AlertPlan => ({ candidate, alertId, decide })

export const readService = ({ organization, slo }: DueSlo) =>
  Effect.flatMap(DefinitionStore, (store) => {
    const { metadata, spec } = slo.definition
    return store.find(organization, "Service", { project: metadata.project, name: spec.service })
  })

/** Reads the context of notifications; a policy that was detached from the SLO may still exist. */
const readContext = ({ evaluated, candidate: { policy, subject }, serviceOf }: TransitionInput) =>
  Effect.gen(function* () {
    const { at, counts, due } = evaluated
    const { organization, slo } = due
    const track = subject.objective ?? overallTrack
    const budgetExhaustedAt = exhaustionAt(slo.definition, track, at, counts)
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
      ...(budgetExhaustedAt !== undefined && { budgetExhaustedAt }),
    } satisfies AlertContext
  })

const methodsOf = ({ slo }: DueSlo, { policy }: AlertCandidate): ReadonlyArray<ProjectKey> =>
  policy?.definition.spec.alertMethods ?? slo.definition.spec.anomalyConfig?.noData.alertMethods ?? []

const judgedBy = (
  { slo }: DueSlo,
  { policy, groups, budget }: AlertCandidate,
  { holding, metSince }: TransitionOf<"trigger">,
): Pick<Alert, "severity" | "conditions" | "policyConditions" | "evidence" | "anomaly"> => {
  if (policy !== undefined) {
    const met = holding.flatMap((index) =>
      (groups[index] ?? []).map((condition, at) => ({ condition, metSince: metSince[index]?.[at] })),
    )
    return {
      severity: policy.definition.spec.severity,
      ...conditionsRecord(met),
      ...(budget !== undefined && { evidence: evidenceOf(groups, budget) }),
    }
  }
  const noData = slo.definition.spec.anomalyConfig?.noData
  if (noData === undefined) return { conditions: [] }
  return {
    conditions: [`No data for ${durationText(noData.alertAfter)}`],
    anomaly: { type: "NoData", alertAfter: noData.alertAfter.text },
  }
}
