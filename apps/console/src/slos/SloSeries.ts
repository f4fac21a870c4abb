import type { DefinitionDocument, SloSeries } from "@tocsin/api"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { bodyOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { poll } from "../api/Queries.ts"
import { mondayOf } from "../chart/DayWeeks.ts"
import type { Values } from "../chart/Scale.ts"
import { minuteMs, minuteOf } from "../time/Minute.ts"
import { type BurnRates, readSeries, seriesOptions, seriesRefreshMs } from "./SloQueries.ts"
import { timeText } from "../time/TimeZone.ts"
import type { TimeRange } from "./TimeRange.ts"

export type SloSpec = DefinitionDocument<"SLO">["spec"]

export type Series = SloSeries

/** The series of an SLO over a range. */
export const useSeries = ({ project, name }: DefinitionKey, range: TimeRange, burnRates?: BurnRates) =>
  useQuery({ ...seriesOptions({ project, name }, range, burnRates), placeholderData: keepPreviousData })

/** How many weeks the calendar of days has. */
const calendarWeeks = 53

/** A series of days, of the last year. */
export const useDays = ({ project, name }: DefinitionKey) =>
  useQuery({
    queryKey: ["series", project, name, "days"],
    queryFn: ({ signal }) => {
      const now = Date.now()
      const query = {
        from: timeText(mondayOf(now, calendarWeeks - 1)),
        to: timeText(minuteOf(now) + minuteMs),
        step: "1d",
      } as const
      return readSeries({ project, name }, query, signal)
    },
    refetchInterval: poll(10 * seriesRefreshMs),
  })

/** What happened to an SLO while a series lasts. */
export const useAnnotations = ({ project, name }: DefinitionKey, series: Series | undefined) =>
  useQuery({
    queryKey: ["annotations", project, name, series?.from, series?.to],
    enabled: series !== undefined,
    queryFn: ({ signal }) =>
      bodyOf(
        client.GET("/api/slos/{sloName}/annotations", {
          params: {
            path: { sloName: name },
            header: { project },
            query: { from: series?.from ?? "", to: series?.to ?? "" },
          },
          signal,
        }),
      ),
    refetchInterval: poll(seriesRefreshMs),
    placeholderData: keepPreviousData,
  })

/** An objective, or the legacy composite, as charts show it. */
export interface Track {
  /** Empty for the legacy composite. */
  readonly name: string
  readonly label: string
  readonly target: number
  readonly latestAt?: string | undefined
  readonly budget: Values
  readonly reliability: Values
  readonly stepReliability: Values
  readonly burnRate: Values
  readonly counts?: { readonly good: Values; readonly total: Values } | undefined
}

/** The objectives of a series in their order, the legacy composite first. */
export const tracksOf = (
  series: Series,
  objectives: ReadonlyArray<{ readonly key: string; readonly name: string; readonly target: number }>,
): ReadonlyArray<Track> =>
  objectives.flatMap(({ key, name, target }) => {
    const found = key === "" ? series.composite : series.objectives.find((each) => each.name === key)
    if (found === undefined) return []
    const { errorBudgetRemainingPercentage: budget, ...metrics } = found
    return [{ counts: undefined, ...metrics, name: key, label: name, target, budget }]
  })
