import type { Alert } from "@tocsin/domain/alerting"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import { pageSizeMax } from "@tocsin/domain/pagination"
import { AlertStore, type DefinitionQuery, DefinitionStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import {
  type InParts,
  isMatch,
  type Labels,
  labelsKey,
  type Matcher,
  QueryFailed,
} from "@tocsin/promql/series"
import { alertsMetric, seriesOfSlo, sloMetrics, type SloMetric, type SloSeriesKey } from "./SloMetrics.ts"

/** Most series of SLOs, and of alerts, that the selectors of one request can have in all. */
export const selectedSeriesMax = 20_000

/** Most SLOs that are read for one request. */
const selectedSlosMax = 50_000

/** Most alerts, the newest, that the series of alerts are made of. */
const selectedAlertsMax = 2_000

/** Most steps of comparing labels in one request, and of reading what has them. */
const matchStepsMax = 100_000_000

/** Steps of comparing labels that take as long as going through a value. */
const matchStepsPerValue = 2

/** Steps for each comparison, before those of a regular expression. */
const comparedSteps = 3

/** Steps for reading an SLO or alert, and for each of its series. */
const madeSteps = 100

/** Steps after which they are charged. */
const chargedSteps = 20_000

/** Texts that are compared before the steps may be charged. */
const textsAtOnce = 64

/** The series that each of some selectors selects, in the order of project and SLO. */
export const selectSloSeries = Effect.fnUntraced(function* <E, R>(
  organization: OrganizationId,
  selectors: ReadonlyArray<ReadonlyArray<Matcher>>,
  inParts: InParts<E, R>,
) {
  const store = yield* DefinitionStore
  const { areOfMetric, areMatching, spend, charge } = matchersOf(selectors, inParts)
  const query = definitionQuery(selectors)
  const selected = selectors.map((): Array<SloSeriesKey> => [])
  // Most queries name a metric.
  const selectorsOf = new Map<SloMetric, ReadonlyArray<number>>()
  for (const metric of sloMetrics) {
    const places = [...selectors.keys()].filter((place) => areOfMetric[place]?.(metric.name) === true)
    if (places.length > 0) selectorsOf.set(metric, places)
    yield* charge
  }
  const metrics = [...selectorsOf.keys()]
  if (metrics.length === 0) return selected
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
      spend(madeSteps)
      for (const series of seriesOfSlo(slo, metrics)) {
        spend(madeSteps)
        for (const place of selectorsOf.get(series.metric) ?? []) {
          if (areMatching[place]?.(series.labels) !== true) continue
          selected[place]?.push(series)
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

export const tooManySeries = (): QueryFailed =>
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
 * For each of some selectors, whether the name of a metric and labels match it; what was compared once is remembered. `spend` counts
 * other steps. `charge` is to be run between labels: it counts the steps as work, and fails when there are too many.
 */
const matchersOf = <E, R>(selectors: ReadonlyArray<ReadonlyArray<Matcher>>, inParts: InParts<E, R>) => {
  let [steps, charged] = [0, 0]
  const compared = selectors.map((matchers) =>
    matchers.map((matcher) => {
      const known = new Map<string, boolean>()
      const isMatching = (text: string): boolean => {
        steps += comparedSteps
        const before = known.get(text)
        if (before !== undefined) return before
        steps += (matcher.regex?.matchSize ?? 0) * text.length
        const result = isMatch(matcher, text)
        known.set(text, result)
        return result
      }
      return { label: matcher.label, isMatching }
    }),
  )
  const areOfMetric = compared.map(
    (matchers) => (name: string) =>
      matchers.every(({ label, isMatching }) => label !== "__name__" || isMatching(name)),
  )
  const areMatching = compared.map(
    (matchers) => (labels: Labels) =>
      matchers.every(({ label, isMatching }) => isMatching(labels.get(label) ?? "")),
  )
  const charge = Effect.suspend((): Effect.Effect<void, QueryFailed | E, R> => {
    const more = steps - charged
    if (more < chargedSteps) return Effect.void
    charged = steps
    if (steps > matchStepsMax) return tooManySteps()
    return inParts(function* (work) {
      if (work.charge(more / matchStepsPerValue)) yield
    })
  })
  const spend = (more: number): void => {
    steps += more
  }
  return { compared, areOfMetric, areMatching, spend, charge }
}

/**
 * For each label that a selector has conditions on, 1 at the places of the texts that meet all of them. `undefined` if a condition is on a
 * label that no series has, and an empty text does not meet it.
 */
export const acceptedTexts = Effect.fnUntraced(function* <E, R>(
  matchers: ReadonlyArray<Matcher>,
  textsOf: (label: string) => ReadonlyArray<string> | undefined,
  inParts: InParts<E, R>,
) {
  const { compared, charge } = matchersOf([matchers], inParts)
  const accepted = new Map<string, Uint8Array>()
  for (const { label, isMatching } of compared[0] ?? []) {
    const texts = textsOf(label)
    if (texts === undefined) {
      if (!isMatching("")) return undefined
      continue
    }
    const known = accepted.get(label) ?? new Uint8Array(texts.length).fill(1)
    accepted.set(label, known)
    for (const [code, text] of texts.entries()) {
      if (known[code] === 1 && !isMatching(text)) known[code] = 0
      if (code % textsAtOnce === 0) yield* charge
    }
    yield* charge
  }
  return accepted
})

const tooManySteps = (): QueryFailed =>
  new QueryFailed({
    detail: "the selectors of the query take too long; use fewer ones, or shorter regular expressions",
  })

/** The alerts of each series of alerts that matches one of the selectors, as far as they were open between two instants. */
export const selectAlertSeries = Effect.fnUntraced(function* <E, R>(
  organization: OrganizationId,
  selectors: ReadonlyArray<ReadonlyArray<Matcher>>,
  range: { readonly from: number; readonly to: number },
  inParts: InParts<E, R>,
) {
  const { areOfMetric, areMatching, spend, charge } = matchersOf(selectors, inParts)
  const selected = selectors.map(() => new Map<string, { labels: Labels; alerts: Array<Alert> }>())
  // Most queries name a metric that is not that of alerts.
  if (!areOfMetric.some((isOfMetric) => isOfMetric(alertsMetric))) {
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
      spend(madeSteps)
      const labels = alertLabels(alert)
      const key = labelsKey(labels)
      for (const [index, isMatching] of areMatching.entries()) {
        if (!isMatching(labels)) continue
        const known = selected[index]?.get(key)
        const series = known ?? { labels, alerts: [] }
        series.alerts.push(alert)
        if (known === undefined) seriesCount++
        selected[index]?.set(key, series)
        spend(comparedSteps)
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
