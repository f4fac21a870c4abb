import { kindWithArticle } from "../definition/Kinds.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Codec } from "../codec/Codec.ts"
import type { IssueList } from "../codec/Issue.ts"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { Count } from "../counts/CountStore.ts"
import { type DecodeOptions, proposedDefinition } from "../definition/DecodeDefinition.ts"
import { referenceHint } from "../definition/ReferenceHints.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { isOwnIndicator, type PolledIndicator, polledIndicatorOf } from "../slo/PolledIndicator.ts"
import type { DataSource } from "../slo/DataSource.ts"
import { slo, type Slo } from "../slo/Slo.ts"
import { findSource } from "./FindSource.ts"
import type { IndicatorProblem } from "./IndicatorStore.ts"
import { indicatorSettleMs } from "./PollPlan.ts"
import { readCounts } from "./ReadCounts.ts"

/** Minutes of a proposed SLO that are read at once. */
const partMs = 360 * minuteMs

const anySlo = proposedDefinition("SLO", slo)

/** An SLO with an indicator, as the property of a request. */
export const proposedSlo: Codec<Slo, DecodeOptions> = {
  ...anySlo,
  read: (input, path, issues, options) => {
    const definition = anySlo.read(input, path, issues, options)
    if (definition === undefined || polledIndicatorOf(definition) !== undefined) return definition
    return issues.add(
      `${path}.spec.indicator.prometheus`,
      "required",
      "is required: it has the expressions to read",
    )
  },
}

/** An SLO that need not be stored, and where its counts are read. */
export interface ProposedSlo {
  readonly definition: Slo
  readonly indicator: PolledIndicator
  readonly source: DataSource["spec"]["prometheus"]
}

/** Finds the data source of the SLO in the `definition` of a request. Without one, adds an issue and returns `undefined`. */
export const findProposed = Effect.fnUntraced(function* (
  organization: OrganizationId,
  definition: Slo,
  issues: IssueList,
) {
  const indicator = polledIndicatorOf(definition)
  if (indicator === undefined) return yield* Effect.die("the codec requires an indicator")
  const source = yield* findSource(organization, indicator)
  if (source === undefined) {
    const at = "definition.spec.indicator"
    const path = isOwnIndicator(indicator) ? `${at}.metricSource.name` : `${at}.prometheus.dataSource`
    const key = isOwnIndicator(indicator)
      ? indicator.source
      : { kind: "DataSource" as const, ...(indicator.prometheus.dataSource ?? { project: "", name: "" }) }
    const hint = yield* referenceHint(organization, key, [])
    const message = `references ${kindWithArticle(key.kind)} that does not exist: ${key.name} in project ${key.project}${hint}`
    return issues.add(path, "not_found", message)
  }
  const proposed: ProposedSlo = { definition, indicator, source }
  return proposed
})

/** The latest range of a length, in whole steps, whose values have settled. */
export const settledRange = (
  { source }: ProposedSlo,
  { lengthMs, stepMs }: { readonly lengthMs: number; readonly stepMs: number },
) =>
  Effect.map(Clock.currentTimeMillis, (now): MinuteRange => {
    const end = minuteOf(now - Math.max(indicatorSettleMs, source.queryDelay?.ms ?? 0))
    const to = end - (end % stepMs)
    return { from: to - lengthMs, to }
  })

export interface ProposedCounts {
  /** By minute, for each objective that is not composite. */
  readonly counts: ReadonlyArray<Count>
  /** Whether the server could be read to the end; a problem of values alone leaves it whole. */
  readonly isWhole: boolean
  readonly problem: Omit<IndicatorProblem, "at"> | undefined
}

/** Reads the counts of a range as they are read after the SLO is applied, up to the first part that cannot be read. */
export const readProposed = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { definition, indicator, source }: ProposedSlo,
  range: MinuteRange,
) {
  const counts: Array<Count> = []
  let problem: ProposedCounts["problem"]
  let isWhole = true
  for (let from = range.from; from < range.to && isWhole; from += partMs) {
    const part = { from, to: Math.min(range.to, from + partMs) }
    const read = yield* Effect.result(readCounts(organization, definition, indicator, source, part, from))
    if (Result.isFailure(read)) {
      const { reason, detail } = read.failure
      problem = { reason, detail }
      isWhole = false
    } else {
      for (const count of read.success.counts) counts.push(count)
      // A series that began within the range is no problem.
      problem = read.success.problem
    }
  }
  const result: ProposedCounts = { counts, isWhole, problem }
  return result
})
