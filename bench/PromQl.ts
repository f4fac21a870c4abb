import { checkPromQl } from "@tocsin/promql"
import { evaluateOver } from "@tocsin/promql/evaluate"
import type { SampledSeries } from "@tocsin/promql/series"
import * as Effect from "effect/Effect"
import { compare, type Comparison, inProcess } from "./Compare.ts"
import { amount, roundsOf } from "./Length.ts"

const minuteMs = 60_000
const seriesCount = amount(100, 10)
const minutes = amount(1_440, 120)

/** Checking a query, and evaluating it by the minute over a day of 100 counters, beside a loop that sums all their increases. */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const query = 'sum by (code) (rate(requests_total{job="shop"}[5m])) > 0'
  const times = Array.from({ length: minutes }, (_, minute) => minute * minuteMs)
  const series = Array.from({ length: seriesCount }, (_, index): SampledSeries => ({
    labels: new Map([
      ["__name__", "requests_total"],
      ["job", "shop"],
      ["code", `${index % 5}`],
      ["instance", `${index}`],
    ]),
    times,
    values: times.map((_, minute) => minute * (index + 1)),
  }))
  let sink = 0
  const repeated = (once: (round: number) => number) => (operations: number) => {
    for (let round = 0; round < operations; round++) sink += once(round)
  }
  const options = { time: "cpu", ...roundsOf(15, 3) } as const
  const comparisons = [
    await compare(
      `Checking a query of ${query.length} characters`,
      [
        inProcess(
          "JSON.parse of the same text",
          repeated((round) => `${JSON.parse(JSON.stringify(`${query}${round}`))}`.length),
        ),
        inProcess(
          "checkPromQl of a new query",
          repeated((round) => checkPromQl(`${query}${round + sink}`).length + 1),
        ),
      ],
      options,
    ),
    await compare(
      `Evaluating sum by (rate) over ${seriesCount} series at ${minutes} times`,
      [
        inProcess(
          "a loop over all values",
          repeated(() => series.reduce((sum, { values }) => sum + lastOf(values), 0)),
        ),
        inProcess(
          "evaluateOver",
          repeated(() => {
            const value = Effect.runSync(evaluateOver(query, series, { times, pause: () => Effect.void }))
            return value.kind === "vector" ? value.series.length : 0
          }),
        ),
      ],
      options,
    ),
  ]
  if (sink === 0) throw new Error("nothing was evaluated")
  return comparisons
}

const lastOf = (values: ArrayLike<number>): number => {
  let sum = 0
  for (let index = 1; index < values.length; index++) sum += (values[index] ?? 0) - (values[index - 1] ?? 0)
  return sum
}
