import { formatTime, formatValue } from "../promql/FormatValue.ts"
import {
  compareLabels,
  type EvaluatedSeries,
  type Labels,
  type SampledSeries,
  type Value,
} from "../promql/Series.ts"

/** The result of an instant query as the JSON of Prometheus, with at most `limit` series. */
export const instantJson = (value: Value, time: number, limit: number): string => {
  switch (value.kind) {
    case "scalar":
      return dataJson("scalar", pairJson(time, value.values[0] ?? 0))
    case "string":
      return dataJson("string", `[${formatTime(time)},${JSON.stringify(value.value)}]`)
    case "vector": {
      const present = value.series.filter(({ has }) => has[0] === 1)
      const items = present
        .slice(0, limit)
        .map(
          ({ labels, values }) =>
            `{"metric":${labelsJson(labels)},"value":${pairJson(time, values[0] ?? 0)}}`,
        )
      return dataJson("vector", `[${items.join(",")}]`, present.length > limit)
    }
    case "range": {
      const to = value.ends[0] ?? time
      const series = value.series
        .map((each) => samplesWithin(each, to - value.rangeMs, to))
        .filter(({ times }) => times.length > 0)
      const items = series.slice(0, limit).map(({ labels, times, values }) => {
        const pairs = times.map((at, index) => pairJson(at, values[index] ?? 0))
        return `{"metric":${labelsJson(labels)},"values":[${pairs.join(",")}]}`
      })
      return dataJson("matrix", `[${items.join(",")}]`, series.length > limit)
    }
  }
}

/** The result of a range query, its series sorted by their labels. */
export const rangeJson = (value: Value, times: Float64Array, limit: number): string => {
  const series: ReadonlyArray<EvaluatedSeries> =
    value.kind === "scalar"
      ? [{ labels: new Map(), values: value.values, has: new Uint8Array(times.length).fill(1) }]
      : value.kind === "vector"
        ? value.series.filter(({ has }) => has.includes(1))
        : []
  const items = series
    .toSorted((a, b) => compareLabels(a.labels, b.labels))
    .slice(0, limit)
    .map(({ labels, values, has }) => {
      const pairs: Array<string> = []
      for (const [index, time] of times.entries()) {
        if (has[index] === 1) pairs.push(pairJson(time, values[index] ?? 0))
      }
      return `{"metric":${labelsJson(labels)},"values":[${pairs.join(",")}]}`
    })
  return dataJson("matrix", `[${items.join(",")}]`, series.length > limit)
}

/** A successful response with some data. */
export const successJson = (data: string, isTruncated = false): string =>
  `{"status":"success","data":${data}${isTruncated ? `,"warnings":["results truncated due to limit"]` : ""}}`

export const labelsJson = (labels: Labels): string =>
  `{${[...labels]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(",")}}`

const dataJson = (type: string, result: string, isTruncated = false): string =>
  successJson(`{"resultType":"${type}","result":${result}}`, isTruncated)

const pairJson = (time: number, value: number): string => `[${formatTime(time)},"${formatValue(value)}"]`

const samplesWithin = ({ labels, times, values }: SampledSeries, after: number, to: number) => {
  const places = Array.from(times, (time, place) => (time > after && time <= to ? place : -1)).filter(
    (place) => place >= 0,
  )
  return {
    labels,
    times: places.map((place) => times[place] ?? 0),
    values: places.map((place) => values[place] ?? 0),
  }
}
