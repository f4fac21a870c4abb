import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Codec, decode, described, named } from "../codec/Codec.ts"
import { object } from "../codec/Containers.ts"
import type { Issue } from "../codec/Issue.ts"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { Count } from "../counts/CountStore.ts"
import { type DecodeOptions, proposedDefinition } from "../definition/DecodeDefinition.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import type { RateLimitPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { polledIndicatorOf } from "../slo/PolledIndicator.ts"
import { slo, type Slo } from "../slo/Slo.ts"
import type { IndicatorProblem } from "./IndicatorStore.ts"
import { findSource, readCounts } from "./PollIndicator.ts"
import { indicatorSettleMs } from "./PollPlan.ts"

/** Minutes before now that a test of an indicator reads. */
export const indicatorTestMinutes = 60

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

const anySlo = proposedDefinition("SLO", slo)

const proposedSlo: Codec<Slo, DecodeOptions> = {
  ...anySlo,
  read: (input, path, issues, options) => {
    const definition = anySlo.read(input, path, issues, options)
    if (definition === undefined || definition.spec.indicator?.prometheus !== undefined) return definition
    return issues.add(
      `${path}.spec.indicator.prometheus`,
      "required",
      "is required: it has the expressions to test",
    )
  },
}

export const indicatorTestRequest = named(
  object({ definition: described(proposedSlo, "An SLO with an indicator, which need not be stored") }),
  "IndicatorTestRequest",
)

/** Nothing was read. */
export class IndicatorTestIsInvalid extends Data.TaggedError("IndicatorTestIsInvalid")<{
  readonly issues: ReadonlyArray<Issue>
}> {}

/** What an indicator gives for the last hour. */
export interface IndicatorTest {
  readonly range: MinuteRange
  /** The minutes of the range that have a count, in order: of one objective for all, unless objectives differ. */
  readonly counts: ReadonlyArray<Count>
  readonly isPerObjective: boolean
  readonly problem?: Omit<IndicatorProblem, "at">
}

/**
 * Reads the last hour of a proposed SLO's indicator, as it is read after the SLO is applied; stores nothing (spec/data-sources
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
  const { definition } = decoded.success
  const indicator = polledIndicatorOf(definition)
  if (indicator === undefined) return yield* Effect.die("the codec requires an indicator")
  const source = yield* findSource(organization, indicator)
  if (source === undefined) {
    const path = "definition.spec.indicator.prometheus.dataSource"
    const message = "names a DataSource that does not exist"
    return yield* new IndicatorTestIsInvalid({ issues: [{ path, code: "not_found", message }] })
  }
  yield* enforceRateLimit(organization, testIndicatorPolicy, "")
  const to = minuteOf(
    (yield* Clock.currentTimeMillis) - Math.max(indicatorSettleMs, source.queryDelay?.ms ?? 0),
  )
  const range = { from: to - indicatorTestMinutes * minuteMs, to }
  return yield* readCounts(organization, definition, indicator, source, range, range.from).pipe(
    Effect.map(({ counts, problem }): IndicatorTest => {
      // Events are the same for every objective.
      const isPerObjective = indicator.thresholds !== undefined || indicator.prometheus.groupBy !== undefined
      const [first] = counts
      return {
        range,
        counts: isPerObjective ? counts : counts.filter(({ objective }) => objective === first?.objective),
        isPerObjective,
        ...(problem && { problem }),
      }
    }),
    Effect.catch(({ reason, detail }) =>
      Effect.succeed<IndicatorTest>({
        range,
        counts: [],
        isPerObjective: false,
        problem: { reason, detail },
      }),
    ),
  )
})
