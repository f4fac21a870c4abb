import type { Alert } from "@tocsin/domain/internal/alerting/Alert"
import { AlertStore } from "@tocsin/domain/internal/alerting/AlertStore"
import { DefinitionStore, type DefinitionQuery } from "@tocsin/domain/internal/definition/DefinitionStore"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/internal/metadata/ObjectKey"
import { pageSizeMax } from "@tocsin/domain/internal/pagination/Page"
import { enforceRateLimit } from "@tocsin/domain/internal/rate-limit/RateLimiter"
import * as Effect from "effect/Effect"
import { costlyReadsPolicy } from "../frame/CostlyRequests.ts"
import { isMatch, type Matcher } from "../promql/Query.ts"
import { QueryFailed } from "../promql/QueryErrors.ts"
import { type Labels, labelsKey } from "../promql/Series.ts"
import { alertsMetric, seriesOfSlo, type SloSeriesKey } from "./SloMetrics.ts"

/** Most series of SLOs, and of alerts, that the selectors of one request can have in all. */
export const selectedSeriesMax = 20_000

/** Most SLOs that are read for one request. */
export const selectedSlosMax = 50_000

/** Most alerts, the newest, that the series of alerts are made of. */
export const selectedAlertsMax = 2_000

/** Most steps of comparing labels in one request: one for each comparison, and those of regular expressions. */
export const matchStepsMax = 100_000_000

/** Steps of comparing labels that count as one unit of costly reads: they take at most some 15 ms. */
export const matchStepsPerUnit = 500_000

/** The series that each of some selectors selects, in the order of project and SLO. */
export const selectSloSeries = Effect.fnUntraced(function* (
  organization: OrganizationId,
  selectors: ReadonlyArray<ReadonlyArray<Matcher>>,
) {
  const store = yield* DefinitionStore
  const { areMatching, charge } = matchersOf(organization, selectors)
  const query = definitionQuery(selectors)
  const selected = selectors.map((): Array<SloSeriesKey> => [])
  if (selectors.length === 0) return selected
  let [sloCount, seriesCount] = [0, 0]
  let after: ProjectKey | undefined
  for (;;) {
    const page = { limit: pageSizeMax, ...(after !== undefined && { after }) }
    const { items, hasMore } = yield* store.list(organization, query, page)
    sloCount += items.length
    if (sloCount > selectedSlosMax) {
      return yield* new QueryFailed({
        detail: `there are more than ${selectedSlosMax} SLOs; select them by project, such as {project="shop"}`,
      })
    }
    for (const slo of items) {
      for (const series of seriesOfSlo(slo)) {
        for (const [index, isMatching] of areMatching.entries()) {
          if (!isMatching(series.labels)) continue
          selected[index]?.push(series)
          seriesCount++
        }
        yield* charge
      }
      if (seriesCount > selectedSeriesMax) return yield* tooManySeries()
    }
    const last = items.at(-1)?.definition.metadata
    if (!hasMore || last === undefined) return selected
    after = { project: last.project, name: last.name }
    yield* Effect.yieldNow
  }
})

const tooManySeries = (): QueryFailed =>
  new QueryFailed({
    detail: `the query selects more than ${selectedSeriesMax} series; select fewer, for example by project`,
  })

/** Reads only the projects and names that all selectors require. */
const definitionQuery = (selectors: ReadonlyArray<ReadonlyArray<Matcher>>): DefinitionQuery<"SLO"> => {
  const required = (label: string): ReadonlySet<string | undefined> =>
    new Set(
      selectors.map(
        (matchers) => matchers.find((each) => each.label === label && each.operator === "=")?.value,
      ),
    )
  const [project, ...projects] = required("project")
  const names = [...required("slo")]
  return {
    kind: "SLO",
    ...(project !== undefined && projects.length === 0 && { project }),
    ...(names.every((name) => name !== undefined) && { names }),
  }
}

/**
 * For each of some selectors, whether labels match it; what was compared once is remembered. `charge` is to be run between
 * labels: it charges the organization for comparing labels, lets other requests take their turn, and fails when they take
 * too long.
 */
const matchersOf = (organization: OrganizationId, selectors: ReadonlyArray<ReadonlyArray<Matcher>>) => {
  let [steps, charged] = [0, 0]
  const areMatching = selectors.map((matchers) => {
    const compared = matchers.map((matcher) => {
      const known = new Map<string, boolean>()
      return (text: string): boolean => {
        steps++
        const before = known.get(text)
        if (before !== undefined) return before
        steps += (matcher.regex?.matchSize ?? 0) * text.length
        const result = isMatch(matcher, text)
        known.set(text, result)
        return result
      }
    })
    return (labels: Labels): boolean =>
      matchers.every(({ label }, index) => compared[index]?.(labels.get(label) ?? "") === true)
  })
  const charge = Effect.suspend(() => {
    const units = Math.floor((steps - charged) / matchStepsPerUnit)
    charged += units * matchStepsPerUnit
    return units === 0 ? Effect.void : chargeSteps(organization, units, steps)
  })
  return { areMatching, charge }
}

const chargeSteps = Effect.fnUntraced(function* (organization: OrganizationId, units: number, steps: number) {
  if (steps > matchStepsMax) {
    return yield* new QueryFailed({
      detail: "the selectors of the query take too long; use fewer ones, or shorter regular expressions",
    })
  }
  yield* enforceRateLimit(organization, costlyReadsPolicy, "", units)
  yield* Effect.yieldNow
})

/** The alerts of each series of alerts that matches one of the selectors, as far as they were open between two instants. */
export const selectAlertSeries = Effect.fnUntraced(function* (
  organization: OrganizationId,
  selectors: ReadonlyArray<ReadonlyArray<Matcher>>,
  range: { readonly from: number; readonly to: number },
) {
  const { areMatching, charge } = matchersOf(organization, selectors)
  const selected = selectors.map(() => new Map<string, { labels: Labels; alerts: Array<Alert> }>())
  // Most queries name a metric that is not that of alerts.
  const isName = (matcher: Matcher): boolean => matcher.label === "__name__"
  if (!selectors.some((matchers) => matchers.filter(isName).every((each) => isMatch(each, alertsMetric)))) {
    return selected.map((): ReadonlyArray<AlertSeries> => [])
  }
  const store = yield* AlertStore
  let seriesCount = 0
  let after: { readonly triggeredAt: number; readonly id: string } | undefined
  for (let count = 0; count < selectedAlertsMax;) {
    const page = { limit: pageSizeMax, ...(after !== undefined && { after }) }
    const { items, hasMore } = yield* store.list(
      organization,
      { activeFrom: range.from, to: range.to + 1 },
      page,
    )
    for (const alert of items) {
      const labels = alertLabels(alert)
      const key = labelsKey(labels)
      for (const [index, isMatching] of areMatching.entries()) {
        if (!isMatching(labels)) continue
        const known = selected[index]?.get(key)
        const series = known ?? { labels, alerts: [] }
        series.alerts.push(alert)
        if (known === undefined) seriesCount++
        selected[index]?.set(key, series)
      }
      yield* charge
      if (seriesCount > selectedSeriesMax) return yield* tooManySeries()
    }
    count += items.length
    const last = items.at(-1)
    if (!hasMore || last === undefined) break
    after = { triggeredAt: last.triggeredAt, id: last.id }
  }
  return selected.map((series): ReadonlyArray<AlertSeries> => [...series.values()])
})

/** A series of alerts, and the alerts that it is made of. */
export interface AlertSeries {
  readonly labels: Labels
  readonly alerts: ReadonlyArray<Alert>
}

const alertLabels = ({ subject, severity }: Alert): Labels =>
  new Map(
    [
      ["__name__", alertsMetric],
      ["alertname", subject.alertPolicy?.name ?? subject.anomaly ?? ""],
      ["alertstate", "firing"],
      ["objective", subject.objective ?? ""],
      ["project", subject.slo.project],
      ["severity", severity ?? ""],
      ["slo", subject.slo.name],
    ].flatMap(([name = "", value = ""]) => (value === "" ? [] : [[name, value] as const])),
  )
