import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { decode, described, named } from "../codec/Codec.ts"
import { object, optional } from "../codec/Containers.ts"
import { type Issue, IssueList } from "../codec/Issue.ts"
import { literals } from "../codec/Leaves.ts"
import { dayMs, minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { Count } from "../counts/CountStore.ts"
import type { DecodeOptions } from "../definition/DecodeDefinition.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import type { RateLimitPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { groupByOf } from "../slo/ObjectiveGroups.ts"
import { isOwnIndicator } from "../slo/PolledIndicator.ts"
import { plainOf } from "../slo/Objectives.ts"
import { readWarnings } from "../definition/WarningRules.ts"
import { sortedWarnings, type Warning, warningsBelow } from "../codec/Warning.ts"
import type { IndicatorProblem } from "./IndicatorStore.ts"
import { readingWarnings } from "./ReadingWarnings.ts"
import { findProposed, proposedSlo, readProposed, settledRange } from "./ReadProposed.ts"

/** Minutes before now that a test of an indicator reads. */
export const indicatorTestMinutes = 60

/** What a test of an indicator reads. */
const indicatorTestRanges = ["hour", "day"] as const

/** Minutes whose counts are added up in a test of a day. */
export const dayStepMinutes = 5

/** Most objectives with counts of their own in a test of a day. */
const dayObjectivesMax = 20

/** Most tests of indicators, per window and organization. */
export const indicatorTestsPerWindow = 5

/** Window of the rate limit for tests of indicators, in milliseconds. */
export const indicatorTestWindowMs = 10_000

/** How often an organization may test indicators. */
export const testIndicatorPolicy: RateLimitPolicy = {
  name: "test-indicator",
  limit: indicatorTestsPerWindow,
  windowMs: indicatorTestWindowMs,
}

/** The codec of a test request for the indicator of an SLO that need not be stored. */
export const indicatorTestRequest = named(
  object({
    definition: described(proposedSlo, "An SLO with an indicator, which need not be stored"),
    range: optional(
      described(
        literals(indicatorTestRanges),
        `The last hour, each minute (default), or the last day, in steps of ${dayStepMinutes} minutes. A day is not supported with groupBy or more than ${dayObjectivesMax} objectives with values of their own`,
      ),
    ),
  }),
  "IndicatorTestRequest",
)

/** Nothing was read. */
export class IndicatorTestIsInvalid extends TaggedError("IndicatorTestIsInvalid")<{
  /** Every issue of the request, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** What an indicator gives for the last hour or day. */
export interface IndicatorTest {
  /** The queried minutes, up to the latest minute that is ready to be read. */
  readonly range: MinuteRange
  /** Minutes that each count is of. */
  readonly stepMinutes: number
  /** The steps of the range that have a count, in order: of one objective for all, unless objectives differ. */
  readonly counts: ReadonlyArray<Count>
  /** Whether `counts` has entries for every objective instead of only the first. */
  readonly isPerObjective: boolean
  /** Why the query failed, or what is wrong with its values; absent if there is no problem. */
  readonly problem?: Omit<IndicatorProblem, "at">
  /** Paths are those of the request. */
  readonly warnings: ReadonlyArray<Warning>
}

/**
 * Reads the last hour or day of a proposed SLO's indicator, as it is read after the SLO is applied; stores nothing (spec/data-sources
 * §9).
 *
 * A server that cannot be read is a result. Fails with `IndicatorTestIsInvalid`, and with `RateLimitIsExceeded`.
 */
export const testIndicator = Effect.fnUntraced(function* (
  organization: OrganizationId,
  body: unknown,
  options: DecodeOptions,
) {
  const decoded = decode(indicatorTestRequest, body, options)
  if (Result.isFailure(decoded)) return yield* new IndicatorTestIsInvalid({ issues: decoded.failure })
  const { definition, range: wanted = "hour" } = decoded.success
  const isDay = wanted === "day"
  const issues = new IssueList()
  const proposed = yield* findProposed(organization, definition, issues)
  if (proposed === undefined) return yield* new IndicatorTestIsInvalid({ issues: issues.sorted() })
  const { indicator } = proposed
  const isGrouped = groupByOf(definition.spec) !== undefined
  const isPerObjective = isOwnIndicator(indicator) || indicator.thresholds !== undefined || isGrouped
  const objectives = isPerObjective ? plainOf(definition.spec.objectives).length : 1
  if (isDay && (isGrouped || objectives > dayObjectivesMax)) {
    const message = `must be hour with groupBy, or with more than ${dayObjectivesMax} objectives`
    return yield* new IndicatorTestIsInvalid({
      issues: [{ path: "range", code: "not_allowed_value", message }],
    })
  }
  yield* enforceRateLimit(organization, testIndicatorPolicy, "")
  const stepMinutes = isDay ? dayStepMinutes : 1
  const stepMs = stepMinutes * minuteMs
  const lengthMs = isDay ? dayMs : indicatorTestMinutes * minuteMs
  const range = yield* settledRange(proposed, { lengthMs, stepMs })
  const { counts: all, problem } = yield* readProposed(organization, proposed, range)
  // Events are the same for every objective.
  const first = plainOf(definition.spec.objectives)[0]?.name
  const own = isPerObjective ? all : all.filter(({ objective }) => objective === first)
  const counts = inSteps(own, stepMs)
  const known = yield* readWarnings(organization, definition, options)
  const reading = { range, hasCounts: counts.length > 0, problem }
  const found = yield* readingWarnings(organization, proposed, reading, known, options)
  const test: IndicatorTest = {
    range,
    stepMinutes,
    counts: isDay ? counts.toSorted((a, b) => a.at - b.at) : counts,
    isPerObjective,
    ...(problem && { problem }),
    warnings: warningsBelow("definition", sortedWarnings([...withoutSuggestions(known, found), ...found])),
  }
  return test
})

/** Warnings without the suggestions of queries for which `others` suggest more. */
const withoutSuggestions = (
  warnings: ReadonlyArray<Warning>,
  others: ReadonlyArray<Warning>,
): ReadonlyArray<Warning> =>
  warnings.map(({ suggestion, ...warning }) =>
    suggestion === undefined || others.some((each) => each.path === warning.path && each.suggestion)
      ? warning
      : { ...warning, suggestion },
  )

/** The counts of minutes, added up in steps of the range. */
const inSteps = (counts: ReadonlyArray<Count>, stepMs: number): ReadonlyArray<Count> => {
  if (stepMs === minuteMs) return counts
  const sums = new Map<string, Count>()
  for (const { objective, at, good, total } of counts) {
    const start = Math.floor(at / stepMs) * stepMs
    const key = `${start} ${objective}`
    const sum = sums.get(key)
    sums.set(key, { objective, at: start, good: (sum?.good ?? 0) + good, total: (sum?.total ?? 0) + total })
  }
  return [...sums.values()]
}
