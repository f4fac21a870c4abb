import { csvOf, saveText } from "../chart/SaveChart.ts"
import type { Series, Track } from "./SloSeries.ts"
import { stepMsOf } from "./TimeRange.ts"
import { timeText } from "../time/TimeZone.ts"

/** Saves what the charts show as CSV, a line for each step and objective. */
export const saveSeries = (slo: string, series: Series, tracks: ReadonlyArray<Track>): void => {
  const stepMs = stepMsOf(series.step)
  const from = Date.parse(series.from)
  const rows = tracks.flatMap((track) =>
    track.budget.map((budget, at) => [
      timeText(from + at * stepMs),
      slo,
      track.name,
      track.counts?.good[at] ?? null,
      track.counts?.total[at] ?? null,
      track.stepReliability[at] ?? null,
      track.reliability[at] ?? null,
      budget,
      track.burnRate[at] ?? null,
    ]),
  )
  saveText(
    `${slo}-${series.from.slice(0, 10)}-${series.to.slice(0, 10)}.csv`,
    "text/csv",
    csvOf([csvHeader, ...rows]),
  )
}

const csvHeader = [
  "start",
  "slo",
  "objective",
  "good",
  "total",
  "stepReliability",
  "reliability",
  "errorBudgetRemainingPercentage",
  "burnRate",
]
