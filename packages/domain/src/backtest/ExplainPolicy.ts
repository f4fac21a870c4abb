import * as Clock from "effect/Clock"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { groupsOf } from "../alert-policy/ConditionGroups.ts"
import { budgetsOf, holdsOf } from "../alerting/AlertCandidate.ts"
import type { HoldReason } from "../alerting/HoldReason.ts"
import { lifecyclesBefore } from "../alerting/EvaluateAlerts.ts"
import { type ExplainedCondition, explainCondition, holdText } from "../alerting/ExplainCondition.ts"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { CountStore } from "../counts/CountStore.ts"
import { warningContext } from "../definition/WarningRules.ts"
import { readMinutesWithEvents, timeSlicesAreSparse } from "../definition/SparseTimeSlices.ts"
import type { Warning } from "../codec/Warning.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { parseTimeRange } from "../status/DataRange.ts"
import { SloNotFound, sloKey } from "../status/FindSlo.ts"
import { readSlos } from "../status/ReadSlos.ts"
import { type DueSlo, SloStore } from "../status/SloStore.ts"
import { componentsOf, readHistories } from "./BacktestPolicy.ts"
import { BacktestClock, countStoreAt, definitionStoreOf } from "./RunBacktest.ts"

/** Longest range over which an alert policy is explained, in minutes. */
export const explainedMinutesMax = 60

/** Which conditions of an alert policy are met at a minute. */
export interface ExplainedMinute {
  /** The start of the minute, in Unix milliseconds. */
  readonly at: number
  /** One entry for each objective of the SLO. */
  readonly objectives: ReadonlyArray<{
    /** Absent for the legacy composite. */
    readonly name?: string
    /** All conditions of one group must be met. */
    readonly groups: ReadonlyArray<ReadonlyArray<ExplainedCondition>>
    /** Why conditions that are met trigger no alert; absent where they do, and where none are. */
    readonly held?: ExplainedHold
  }>
}

/** Why conditions that are met trigger no alert. */
export interface ExplainedHold {
  /** The reason as a code. */
  readonly reason: HoldReason
  /** A sentence without a full stop. */
  readonly detail: string
}

/** For each minute of a range, which conditions of an alert policy are met, and why no alert is triggered. */
export interface ExplainedPolicy {
  /** The explained minutes, at most `explainedMinutesMax`. */
  readonly range: MinuteRange
  /** One entry for each minute of the range, earliest first. */
  readonly minutes: ReadonlyArray<ExplainedMinute>
  /** By the counts of the SLO, with paths relative to it. */
  readonly warnings: ReadonlyArray<Warning>
}

/** The project of the SLO has no alert policy with this name. */
export class AlertPolicyNotFound extends TaggedError("AlertPolicyNotFound")<{
  /** The project of the SLO. */
  readonly project: string
  /** The requested name; empty if the request has none. */
  readonly name: string
}> {}

/**
 * Says for each minute of a range, and each objective of an SLO, which conditions of an alert policy are met at its end, and
 * why: by the code that evaluates alerts, from the counts that are known now. By default of the last minute.
 */
export const explainPolicy = Effect.fnUntraced(function* (
  organization: OrganizationId,
  request: {
    readonly project?: string | undefined
    readonly name: string
    readonly alertPolicy?: string | undefined
    readonly from?: string | undefined
    readonly to?: string | undefined
  },
) {
  const key = yield* Effect.fromResult(sloKey(request.project, request.name))
  const definitions = yield* DefinitionStore
  const found = Option.getOrUndefined(yield* (yield* SloStore).findForStatus(organization, key))
  if (found === undefined) return yield* new SloNotFound(key)
  const { slo, adjustments, pastChanges, readTo, recent, componentsUnread, evaluation } = found
  const policyKey = { project: key.project, name: request.alertPolicy ?? "" }
  const policy = Option.getOrUndefined(yield* definitions.find(organization, "AlertPolicy", policyKey))
  if (policy === undefined) return yield* new AlertPolicyNotFound(policyKey)

  const range = yield* rangeOf(request, yield* Clock.currentTimeMillis)
  const components = yield* definitions.findAll(organization, "SLO", componentsOf(slo.definition))
  const histories = yield* readHistories(organization, slo, components, policy.definition, range)
  const clock = new BacktestClock(range.from)
  const due: DueSlo = {
    organization,
    slo,
    policies: [policy],
    silences: [],
    adjustments,
    ...(pastChanges !== undefined && { pastChanges }),
    ...(readTo !== undefined && { readTo }),
    ...(recent !== undefined && { recent }),
    ...(componentsUnread !== undefined && { componentsUnread }),
    evaluation,
    revision: "0.0",
  }
  const lifecycles = yield* lifecyclesBefore(due)
  const minutes: Array<ExplainedMinute> = []
  for (let at = range.from; at < range.to; at += minuteMs) {
    clock.now = at + minuteMs
    const readings = yield* readSlos([due]).pipe(
      Effect.provideService(Clock.Clock, clock.service),
      Effect.provideService(CountStore, countStoreAt(histories, clock)),
      Effect.provideService(DefinitionStore, definitionStoreOf(components)),
      // The stores cannot fail.
      Effect.orDie,
    )
    const objectives = readings.flatMap((reading) => {
      const holds = holdsOf(reading, lifecycles)
      return Array.from(budgetsOf(reading), ([track, budget]) => {
        const reason = holds.get(track)
        return {
          ...(track !== overallTrack && { name: track }),
          groups: groupsOf(policy.definition.spec, budget.at.lengthMs).map((group) =>
            group.map((condition) => explainCondition(condition, budget)),
          ),
          ...(reason !== undefined && { held: { reason, detail: holdText(reason, pastChanges) } }),
        }
      })
    })
    minutes.push({ at, objectives })
    yield* Effect.yieldNow
  }
  const counted = yield* readMinutesWithEvents(organization, [slo.definition])
  const warnings = timeSlicesAreSparse(slo.definition, warningContext([], counted))
  const explained: ExplainedPolicy = { range, minutes, warnings }
  return explained
})

const rangeOf = Effect.fnUntraced(function* (
  query: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: number,
) {
  const latest = minuteOf(now)
  if (!query.from && !query.to) return { from: latest - minuteMs, to: latest }
  const given = yield* Effect.fromResult(parseTimeRange(query))
  const range = { from: minuteOf(given.from), to: Math.min(minuteOf(given.to), latest) }
  if (range.from >= range.to) {
    const detail = "from must be at least a minute before to, and before the current minute"
    return yield* new ParameterIsInvalid({ code: "range_invalid", propertyName: "from", detail })
  }
  if (range.to - range.from > explainedMinutesMax * minuteMs) {
    const detail = `from and to must be at most ${explainedMinutesMax} minutes apart`
    return yield* new ParameterIsInvalid({ code: "range_too_long", propertyName: "to", detail })
  }
  return range
})
