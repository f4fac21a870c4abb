import * as Effect from "effect/Effect"
import { nearestName } from "../codec/NearestName.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { Warning } from "../codec/Warning.ts"
import { queriesOfSlo, type UsedQuery } from "../definition/QueriesDoNotCount.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { groupByOf } from "../slo/ObjectiveGroups.ts"
import type { PromQlAdvisor } from "../slo/PromQlAdvice.ts"
import type { PromQlContext } from "../slo/PromQlCheck.ts"
import type { Slo } from "../slo/Slo.ts"
import type { IndicatorProblem } from "./IndicatorStore.ts"
import { MetricSource } from "./MetricSource.ts"
import type { ProposedSlo } from "./ReadProposed.ts"

/** What was read for a proposed SLO. */
export interface Reading {
  readonly range: MinuteRange
  readonly hasCounts: boolean
  readonly problem: Omit<IndicatorProblem, "at"> | undefined
}

/**
 * What a test of an indicator warns of beside its definition: that nothing was found, several series, or more good events than all.
 * `known` are the warnings of the definition. Paths are those of the definition.
 */
export const readingWarnings = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { definition, source }: ProposedSlo,
  { range, hasCounts, problem }: Reading,
  known: ReadonlyArray<Warning>,
  { promqlAdvisor }: PromQlContext,
) {
  if (problem?.reason === "several_series" && promqlAdvisor !== undefined)
    return severalSeries(definition, promqlAdvisor, known)
  if (problem?.reason === "good_above_total") return goodAboveTotal(definition, known)
  if (problem !== undefined || hasCounts) return []
  const queries = mainQueries(definition)
  if (promqlAdvisor === undefined || source === undefined) return noSeries(queries, () => "")
  const query = { organization, server: source, label: "__name__", ...range }
  // A server that does not list its metrics is no failure of the test.
  const listed = yield* (yield* MetricSource)
    .readNames(query)
    .pipe(Effect.catch(() => Effect.succeed({ names: [], isComplete: false })))
  const names = new Set(listed.names)
  return noSeries(queries, ({ expression, suffix }) => {
    if (!listed.isComplete) return ""
    const missing = promqlAdvisor
      .metricNames(expression)
      .map((name) => name + suffix)
      .filter((name) => !names.has(name))
    return missing
      .map((name) => {
        const nearest = nearestName(name, names)
        return `: the server had no samples of ${name}; ${nearest === undefined ? "check its name, or, if it is new, wait until it has been scraped for two minutes" : `did you mean ${nearest}?`}`
      })
      .join("")
  })
})

/** A query, and what its metrics have after their names. */
interface MainQuery extends Pick<UsedQuery, "path" | "expression"> {
  readonly suffix: string
}

/** The queries without whose series there are no counts. */
const mainQueries = (slo: Slo): ReadonlyArray<MainQuery> => {
  const { histogram } = slo.spec.indicator?.prometheus ?? {}
  if (histogram !== undefined) {
    const suffix = histogram.type === "native" ? "" : "_bucket"
    return [{ path: "spec.indicator.prometheus.histogram.series", expression: histogram.series, suffix }]
  }
  return queriesOfSlo(slo)
    .filter(({ use, path }) => use === "total" || use === "value" || path.includes(".total."))
    .map((each) => ({ ...each, suffix: "" }))
}

const noSeries = (
  queries: ReadonlyArray<MainQuery>,
  why: (query: MainQuery) => string,
): ReadonlyArray<Warning> =>
  queries.map((query) => ({
    path: query.path,
    code: "no_series",
    message: `returned no series in this time${why(query) || ". Check the names of metrics and labels; if they are new, wait until they have been scraped for two minutes"}`,
  }))

/** Each suggestion also corrects what is known to be wrong with its query. */
const severalSeries = (
  slo: Slo,
  advisor: PromQlAdvisor,
  known: ReadonlyArray<Warning>,
): ReadonlyArray<Warning> => {
  if (groupByOf(slo.spec) !== undefined) return []
  return queriesOfSlo(slo).flatMap(({ path, expression, use }): ReadonlyArray<Warning> => {
    const corrected = known.find((each) => each.path === path && each.suggestion !== undefined)?.suggestion
    const suggestion = advisor.oneSeries(corrected ?? expression, use)
    if (suggestion === undefined) return []
    const message =
      "can return several series, and must return one. Aggregate them or, to have an objective for each, name their labels in groupBy"
    return [{ path, code: "several_series", message, suggestion }]
  })
}

const goodAboveTotal = (slo: Slo, known: ReadonlyArray<Warning>): ReadonlyArray<Warning> => {
  const queries = queriesOfSlo(slo)
  const isExplained = known.some(
    ({ path, code }) => code !== "foreign_placeholder" && queries.some((each) => each.path === path),
  )
  return queries
    .filter(({ path }) => /\.(?:good|bad)(?:\.|$)/.test(path))
    .map(({ path }): Warning => {
      const [, part = "good"] = /\.(good|bad)(?:\.|$)/.exec(path) ?? []
      const what = part === "good" ? "has more events than total" : "is negative"
      const message = isExplained
        ? `${what}, as one of the queries does not return the number of events in the last minute. Correct it first`
        : part === "good"
          ? `${what}. Check that both count the same events, and that they are not swapped`
          : `${what}. Specify a query that counts the bad events`
      return { path, code: "good_above_total", message }
    })
}
