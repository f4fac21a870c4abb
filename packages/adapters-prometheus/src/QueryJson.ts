import {
  formatTime,
  formatValue,
  type Labels,
  labelsValues,
  type Parts,
  placeFrom,
  QueryFailed,
  sortedByLabels,
  type Value,
  type Work,
} from "@tocsin/promql/series"
import type { ReducedSeries } from "@tocsin/promql/evaluate"
import { responsePointsMax } from "./QueryParameters.ts"
import type { AlertSeries } from "./SelectSeries.ts"

/** As many values are gone through in the time that writing a point takes. */
const pointValues = 8

/** The result of an instant query as the JSON of Prometheus, with at most `limit` series. */
export function* instantJson(value: Value, time: number, limit: number, work: Work): Parts<string> {
  switch (value.kind) {
    case "scalar":
      return dataJson("scalar", pairJson(formatTime(time), formatValue(value.values[0] ?? 0)))
    case "string":
      return dataJson("string", `[${formatTime(time)},${JSON.stringify(value.value)}]`)
    case "vector": {
      const present = value.series.filter(({ has }) => has[0] === 1)
      const at = formatTime(time)
      const items: Array<string> = []
      for (const { labels, values } of present.slice(0, limit)) {
        if (work.spend(labelsValues)) yield
        items.push(`{"metric":${labelsJson(labels)},"value":${pairJson(at, formatValue(values[0] ?? 0))}}`)
      }
      return dataJson("vector", `[${items.join(",")}]`, present.length > limit)
    }
    case "range": {
      const to = value.ends[0] ?? time
      const after = to - value.rangeMs
      const series = value.series.flatMap(({ labels, times, values }): ReadonlyArray<WrittenSeries> => {
        // Times are whole milliseconds.
        const [from, until] = [placeFrom(times, after + 1), placeFrom(times, to + 1)]
        const timeAt = (place: number): string => formatTime(times[place] ?? 0)
        return from < until ? [{ labels, from, until, timeAt, values }] : []
      })
      return yield* matrixJson(series, limit, work)
    }
  }
}

/** Series that are written in one part. */
export const seriesAtOnce = 250

/** As `instantJson`, in parts of some series, which need no more memory than one of them. */
export function* seriesJson(
  series: ReducedSeries,
  time: number,
  limit: number,
): Generator<string, void, undefined> {
  const at = formatTime(time)
  const length = Math.min(series.length, limit)
  for (let from = 0; from < length || from === 0; from += seriesAtOnce) {
    const items: Array<string> = []
    for (let index = from; index < Math.min(length, from + seriesAtOnce); index++) {
      const labels = labelsJson(series.labelsAt(index))
      items.push(`{"metric":${labels},"value":${pairJson(at, formatValue(series.valueAt(index)))}}`)
    }
    const [start, end] = dataJson("vector", "[\n]", series.length > limit).split("\n")
    const isLast = from + seriesAtOnce >= length
    yield `${from === 0 ? start : ","}${items.join(",")}${isLast ? end : ""}`
  }
}

/** The result of a range query, its series sorted by their labels. */
export function* rangeJson(value: Value, times: Float64Array, limit: number, work: Work): Parts<string> {
  const written = Array.from(times, formatTime)
  const all = { from: 0, until: times.length, timeAt: (place: number): string => written[place] ?? "" }
  const series: ReadonlyArray<WrittenSeries> =
    value.kind === "scalar"
      ? [{ ...all, labels: new Map(), values: value.values }]
      : value.kind === "vector"
        ? value.series.filter(({ has }) => has.includes(1)).map((each) => ({ ...all, ...each }))
        : []
  const sorted = sortedByLabels(series, ({ labels }) => labels)
  return yield* matrixJson(sorted, limit, work)
}

/** A series, and which of its values are written. */
interface WrittenSeries {
  readonly labels: Labels
  readonly values: ArrayLike<number>
  /** 1 for each place that has a value; absent: all have. */
  readonly has?: Uint8Array
  readonly from: number
  readonly until: number
  readonly timeAt: (place: number) => string
}

function* matrixJson(series: ReadonlyArray<WrittenSeries>, limit: number, work: Work): Parts<string> {
  const items: Array<string> = []
  let points = 0
  for (const { labels, values, has, from, until, timeAt } of series.slice(0, limit)) {
    if (work.spend(labelsValues)) yield
    const pairs: Array<string> = []
    let [last, text] = [Number.NaN, "NaN"]
    for (let place = from; place < until; place++) {
      if (has?.[place] === 0) continue
      if (work.spend(pointValues)) yield
      if (++points > responsePointsMax) {
        throw new QueryFailed({
          detail: `the result has more than ${responsePointsMax} points; select fewer series, a shorter range or a longer step`,
        })
      }
      const value = values[place] ?? 0
      // Many values are the same as the one before.
      if (!Object.is(value, last)) [last, text] = [value, formatValue(value)]
      pairs.push(pairJson(timeAt(place), text))
    }
    items.push(`{"metric":${labelsJson(labels)},"values":[${pairs.join(",")}]}`)
  }
  return dataJson("matrix", `[${items.join(",")}]`, series.length > limit)
}

/** A successful response with some data. */
export const successJson = (data: string, isTruncated = false): string =>
  `{"status":"success","data":${data}${isTruncated ? `,"warnings":["results truncated due to limit"]` : ""}}`

/** The open alerts of these series; each series has one or, for a time, several that are open. */
export function* alertsJson(series: ReadonlyArray<AlertSeries>, work: Work): Parts<string> {
  const items: Array<string> = []
  for (const { labels, alerts } of series) {
    for (const { triggeredAt, resolvedAt } of alerts) {
      if (work.spend(labelsValues)) yield
      if (resolvedAt !== undefined) continue
      const { __name__: _, alertstate: state, ...named } = Object.fromEntries(labels)
      items.push(
        JSON.stringify({
          labels: named,
          annotations: {},
          state,
          activeAt: new Date(Math.floor(triggeredAt)).toISOString(),
          value: "1e+00",
        }),
      )
    }
  }
  return successJson(`{"alerts":[${items.join(",")}]}`)
}

export const labelsJson = (labels: Labels): string =>
  `{${[...labels]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(",")}}`

const dataJson = (type: string, result: string, isTruncated = false): string =>
  successJson(`{"resultType":"${type}","result":${result}}`, isTruncated)

const pairJson = (time: string, value: string): string => `[${time},"${value}"]`
