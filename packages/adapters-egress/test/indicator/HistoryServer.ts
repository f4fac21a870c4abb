import type { MetricHistory } from "@tocsin/testing/contracts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type RangeQuery, startPrometheus } from "../../../../test/indicator/PrometheusServer.ts"

/** Starts a server on loopback that answers the queries of the contract of metric sources as Prometheus does. */
export const serveHistory = (
  history: ReadonlyArray<MetricHistory>,
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() =>
      startPrometheus((query) => {
        const data = query.path.startsWith("/api/v1/label")
          ? namesOf(history, new URL(query.path, "http://server"))
          : seriesOf(history, query)
        const response =
          data === undefined
            ? { status: "error", errorType: "bad_data", error: "parse error: unclosed left parenthesis" }
            : { status: "success", data }
        const status = data === undefined ? 400 : 200
        return { status, contentType: "application/json", body: JSON.stringify(response) }
      }),
    ),
    ({ close }) => Effect.promise(close),
  ).pipe(Effect.map(({ url }) => url))

const seriesOf = (history: ReadonlyArray<MetricHistory>, { query, start, end, step }: RangeQuery) => {
  if (query.split("(").length !== query.split(")").length) return undefined
  const metric = /contract_\w+/.exec(query)?.[0]
  const [, label = ""] = / by \((\w+)\)/.exec(query) ?? []
  const isSummed = /^(?:sum|time\(\) - min)\b/.test(query)
  const groups = new Map<string, Array<MetricHistory>>()
  for (const series of history.filter(({ name }) => name === metric)) {
    const labels = isSummed
      ? Object.fromEntries(Object.entries(series.labels).filter(([name]) => name === label))
      : series.labels
    const key = JSON.stringify(labels)
    groups.set(key, [...(groups.get(key) ?? []), series])
  }
  const result = [...groups].flatMap(([labels, all]) => {
    const values: Array<readonly [number, string]> = []
    for (let at = start; at <= end; at += step) {
      const each = all.flatMap((series) => valueAt(series, at, query) ?? [])
      const sum = each.reduce((left, right) => left + right, 0)
      if (each.length > 0) values.push([at, textOf(query.startsWith("time()") ? Math.max(...each) : sum)])
    }
    return values.length === 0 ? [] : [{ metric: JSON.parse(labels), values }]
  })
  return { resultType: "matrix", result }
}

/** As Prometheus writes a value. */
const textOf = (value: number): string => String(value).replace("Infinity", "Inf")

/** The part of the query within its aggregation, of one series. */
const valueAt = ({ samples }: MetricHistory, seconds: number, query: string): number | undefined => {
  const last = (from: number, to: number) =>
    samples.findLast(({ at }) => at > (seconds - from) * 1_000 && at <= (seconds - to) * 1_000)
  const now = last(60, 0)
  if (!query.includes("increase(") && !query.startsWith("time()")) return now?.value
  const lookback = Number(/\[(\d+)s[\]:]/.exec(query)?.[1] ?? 3_600)
  const before = last(lookback + 60, 60)
  if (now === undefined || before === undefined) return undefined
  const lately = last(120, 60)
  const hasFallen = lately !== undefined && now.value < lately.value && now.value >= lately.value * 0.95
  if (query.includes("unless") && lately !== undefined) {
    return hasFallen && !query.startsWith("time()") ? Number.NEGATIVE_INFINITY : undefined
  }
  if (query.startsWith("time()")) return seconds - before.at / 1_000
  if (hasFallen) return lately.value - (last(180, 120)?.value ?? lately.value)
  return now.value < before.value ? now.value : now.value - before.value
}

const namesOf = (history: ReadonlyArray<MetricHistory>, { pathname, searchParams }: URL) => {
  const [from, to] = ["start", "end"].map((name) => Number(searchParams.get(name)) * 1_000)
  const matchers = searchParams.get("match[]") ?? ""
  const metric = /__name__="(\w+)"/.exec(matchers)?.[1]
  const pattern = /=~("(?:[^"\\]|\\.)*")/.exec(matchers)?.[1]
  const found = history
    .filter(({ name }) => metric === undefined || name === metric)
    .filter(({ samples }) => samples.some(({ at }) => at >= (from ?? 0) && at <= (to ?? 0)))
    .map(({ name, labels }): Readonly<Record<string, string>> => ({ __name__: name, ...labels }))
  const [, label] = /^\/api\/v1\/label\/([^/]+)\/values$/.exec(pathname) ?? []
  if (label === undefined) return [...new Set(found.flatMap((labels) => Object.keys(labels)))].toSorted()
  const matches =
    pattern === undefined ? /^/ : new RegExp(`^${JSON.parse(pattern).replace("(?i)", "")}$`, "i")
  const values = found.flatMap((labels) => labels[label] ?? []).filter((value) => matches.test(value))
  return [...new Set(values)].toSorted()
}
