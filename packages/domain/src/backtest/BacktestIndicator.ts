import * as Effect from "effect/Effect"
import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import { described, named, type TypeOf } from "../codec/Codec.ts"
import { list, object } from "../codec/Containers.ts"
import { IssueList } from "../codec/Issue.ts"
import { dayMs, hourOf, minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { groupBy } from "../collections/GroupBy.ts"
import type { Count, TrackHour } from "../counts/CountStore.ts"
import { emptyHour, withCounts } from "../counts/HourOfCounts.ts"
import {
  findProposed,
  type ProposedCounts,
  proposedSlo,
  readProposed,
  settledRange,
} from "../data-source/ReadProposed.ts"
import { testIndicatorPolicy } from "../data-source/TestIndicator.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import { type OrganizationId, projectKeyText } from "../metadata/ObjectKey.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import { groupByOf } from "../slo/ObjectiveGroups.ts"
import { plainOf } from "../slo/Objectives.ts"
import type { Slo } from "../slo/Slo.ts"
import { BacktestIsInvalid, backtestObjectivesMax, backtestOf, chargeBacktest } from "./BacktestPolicy.ts"
import { inParts } from "../work/Parts.ts"
import { makeCountHistory } from "./CountHistory.ts"
import { findPolicy, notStored, policyChoice } from "./PolicyChoice.ts"
import { runBacktest } from "./RunBacktest.ts"

/** Most alert policies that one backtest of an indicator evaluates. */
export const indicatorBacktestPoliciesMax = 10

/** The codec of a backtest request for an SLO that need not be stored. */
export const indicatorBacktestRequest = named(
  object({
    definition: described(
      proposedSlo,
      `An SLO with an indicator, which need not be stored. It has at most ${backtestObjectivesMax} objectives, composite ones not counted, and no groupBy`,
    ),
    policies: described(
      list(policyChoice, { min: 1, max: indicatorBacktestPoliciesMax }),
      "The alert policies to evaluate, which the SLO need not reference",
    ),
  }),
  "IndicatorBacktestRequest",
)

/** What was read for a backtest of an SLO that need not be stored. */
export interface IndicatorHistory extends ProposedCounts {
  /** Without composite objectives. */
  readonly slo: Slo
  readonly policies: ReadonlyArray<StoredDefinition<AlertPolicy>>
  readonly range: MinuteRange
}

/**
 * Reads the last day of the indicator of an SLO that need not be stored, by the minute; stores nothing (spec/backtests §6).
 *
 * A server that cannot be read is a result. Fails with `BacktestIsInvalid`, and with `RateLimitIsExceeded`.
 */
export const readIndicatorHistory = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { definition, policies: choices }: TypeOf<typeof indicatorBacktestRequest>,
) {
  const issues = new IssueList()
  const slo = plainPartOf(definition)
  if (groupByOf(slo.spec) !== undefined) {
    const message = "is not supported by a backtest of an SLO that is not stored"
    issues.add("definition.spec.indicator.prometheus.groupBy", "not_allowed_value", message)
  }
  if (slo.spec.objectives.length > backtestObjectivesMax) {
    const message = `must have at most ${backtestObjectivesMax} objectives for a backtest`
    issues.add("definition.spec.objectives", "too_many", message)
  }
  const proposed = yield* findProposed(organization, slo, issues)
  const policies: Array<StoredDefinition<AlertPolicy>> = []
  for (const [index, choice] of choices.entries()) {
    const path = `policies[${index}].alertPolicy`
    const policy = yield* findPolicy(organization, slo.metadata.project, choice, path, issues)
    if (policy !== undefined) policies.push(policy)
  }
  if (proposed === undefined || !issues.isEmpty) {
    return yield* new BacktestIsInvalid({ issues: issues.sorted() })
  }
  // It reads as much as a test of the indicator does.
  yield* enforceRateLimit(organization, testIndicatorPolicy, "")
  const range = yield* settledRange(proposed, { lengthMs: dayMs, stepMs: minuteMs })
  const history: IndicatorHistory = {
    ...(yield* readProposed(organization, proposed, range)),
    slo,
    policies,
    range,
  }
  return history
})

/** Evaluates each policy over what was read, as if there had been no counts before; none without all of the day, or without counts. */
export const backtestIndicator = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { slo, policies, range, counts, isWhole }: IndicatorHistory,
) {
  if (!isWhole || counts.length === 0) return []
  for (const { definition } of policies) yield* chargeBacktest(organization, slo, definition, range)
  const history = yield* inParts(() => makeCountHistory(slo, hoursOf(counts), range))
  const histories = new Map([[projectKeyText(slo.metadata), history]])
  const stored = notStored(slo)
  return yield* Effect.forEach(policies, (policy) =>
    runBacktest({
      organization,
      slo: stored,
      policy,
      components: [],
      adjustments: [],
      histories,
      range,
    }).pipe(Effect.map((result) => backtestOf(result, slo, range))),
  )
})

/** Composite objectives measure counts of other SLOs. */
const plainPartOf = (definition: Slo): Slo => {
  const { composite: _, ...spec } = definition.spec
  return { ...definition, spec: { ...spec, objectives: [...plainOf(spec.objectives)] } }
}

const hoursOf = (counts: ReadonlyArray<Count>): ReadonlyArray<TrackHour> =>
  [...groupBy(counts, ({ objective, at }) => `${hourOf(at)} ${objective}`).values()].flatMap((ofHour) => {
    const [first] = ofHour
    if (first === undefined) return []
    return { track: first.objective, at: hourOf(first.at), counts: withCounts(emptyHour, ofHour) }
  })
