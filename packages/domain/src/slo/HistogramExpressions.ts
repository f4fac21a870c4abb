import type { HistogramType } from "./Indicator.ts"

/**
 * The PromQL of a histogram's events in a minute: those of at most a value, and all.
 *
 * Of `latency_seconds{job="a"}` and 1, classic: `sum(increase(latency_seconds_bucket{job="a",le=~"1|1\\.0"}[1m]))` and
 * `sum(increase(latency_seconds_count{job="a"}[1m]))`. Prometheus 3 writes the bound 1 as `1.0`.
 */
export const histogramExpressions = (
  series: string,
  type: HistogramType,
  groupBy: ReadonlyArray<string> = [],
): { readonly goodOf: (value: number) => string; readonly total: string } => {
  const brace = series.indexOf("{")
  const name = (brace === -1 ? series : series.slice(0, brace)).trim()
  const matchers = brace === -1 ? "" : series.slice(brace + 1, series.lastIndexOf("}")).replace(/,\s*$/, "")
  const sum = groupBy.length === 0 ? "sum" : `sum by (${groupBy.join(", ")}) `
  if (type === "native") {
    const growth = `${sum}(increase(${series}[1m]))`
    // Not the count of the sum: histograms around a reset cannot be subtracted everywhere, but their counts can.
    const total = `${sum}(histogram_count(increase(${series}[1m])))`
    // There is no share of no values.
    const goodOf = (value: number): string =>
      `histogram_fraction(-Inf, ${value}, ${growth}) * (${total} > 0) or ${total}`
    return { goodOf, total }
  }
  const selector = (suffix: string, ...more: ReadonlyArray<string>): string =>
    `${name}_${suffix}{${[...(matchers.trim() === "" ? [] : [matchers]), ...more].join(",")}}`
  return {
    goodOf: (value) => `${sum}(increase(${selector("bucket", `le=~"${boundPattern(value)}"`)}[1m]))`,
    total: `${sum}(increase(${selector("count")}[1m]))`,
  }
}

/**
 * A regular expression, in a string of PromQL, of the ways in which the bound of a bucket is written: clients of Go and Python write 1
 * as `1` and a million as `1e+06`, that of Java writes `1.0` and `1000000.0`, and Prometheus 3 writes `1.0` and `1e+06`.
 */
export const boundPattern = (value: number): string =>
  boundSpellings(value)
    .map((spelling) => spelling.replaceAll(/[.+]/g, "\\\\$&"))
    .join("|")

const boundSpellings = (value: number): ReadonlyArray<string> => {
  const plain = String(value)
  const [digits = "", exponent = ""] = value.toExponential().split("e")
  const power = Number(exponent)
  // As Go's shortest form has it.
  const isScientific = value !== 0 && (power < -4 || power >= 6)
  const sign = power < 0 ? "-" : "+"
  const scientific = `${digits}e${sign}${String(Math.abs(power)).padStart(2, "0")}`
  return [
    ...new Set([
      ...(plain.includes("e") ? [] : [plain]),
      ...(Number.isInteger(value) && !plain.includes("e") ? [`${plain}.0`] : []),
      ...(isScientific ? [scientific] : []),
    ]),
  ]
}
