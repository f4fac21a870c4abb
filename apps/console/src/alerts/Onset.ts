import { useQuery } from "@tanstack/react-query"
import { queryClient } from "../api/Queries.ts"
import type { Range } from "../chart/Scale.ts"
import { objectiveStatuses } from "../slos/ObjectiveStatus.ts"
import { readSeries, statusOptions } from "../slos/SloQueries.ts"
import { type Series, tracksOf } from "../slos/SloSeries.ts"
import { stepMsOf } from "../slos/TimeRange.ts"
import { dayMs, minuteMs, minuteOf } from "../time/Minute.ts"
import { timeText } from "../time/TimeZone.ts"
import type { Alert } from "./Alert.ts"
import type { ExplainedObjective } from "./AlertEvents.ts"

/**
 * When what an alert is about began, in Unix milliseconds: the first minute in what its conditions measured at the trigger that burned the
 * budget at least as fast as they require. The minute of the trigger, where that is not known.
 */
export const useOnset = (
  alert: Alert,
  measured: ExplainedObjective | undefined,
  isWanted: boolean,
): number => {
  const { id, slo, objective = "", triggeredAt, triggeredMetricAt } = alert
  const { data } = useQuery({
    queryKey: ["onset", id],
    enabled: isWanted && measured !== undefined,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const status = await queryClient.fetchQuery(statusOptions(slo))
      const objectives = objectiveStatuses(status).filter(({ key }) => key === objective)
      const found = async (range: Range): Promise<Range | undefined> => {
        const query = { from: timeText(range.from), to: timeText(range.to) }
        const series = await readSeries(slo, query, signal)
        return firstBurning(series, objectives, alert.burnRate)
      }
      const starts = rangesOf(measured).map((each) => Date.parse(each.from))
      if (starts.length === 0) return null
      const to = minuteOf(Date.parse(triggeredMetricAt ?? triggeredAt)) + minuteMs
      const from = Math.max(Math.min(...starts), to - onsetMaxMs)
      let step = await found({ from, to })
      // Of a long range, a step is many minutes.
      for (let finer = 0; finer < 2 && step !== undefined && step.to - step.from > minuteMs; finer++)
        step = (await found(step)) ?? step
      return step?.from ?? null
    },
  })
  return data ?? minuteOf(Date.parse(triggeredAt))
}

/** Longest time before the trigger in which the onset is looked for, in milliseconds: longer than the longest usual alerting window. */
const onsetMaxMs = 3 * dayMs

/**
 * The conditions of the groups that were met; of all groups if the counts have changed since. A burned budget is measured from the start of
 * the time window on, which is not when this alert's problem began.
 */
const rangesOf = (measured: ExplainedObjective | undefined) => {
  const groups = measured?.conditionGroups ?? []
  const met = groups.filter(({ isMet }) => isMet)
  return (met.length > 0 ? met : groups)
    .flatMap(({ conditions }) => conditions)
    .filter(({ measurement }) => measurement !== "burnedBudget")
}

/** The first step whose own burn rate is at least `rate`, or else the first that is worse than the target. */
const firstBurning = (
  series: Series,
  objectives: ReturnType<typeof objectiveStatuses>,
  rate: number,
): Range | undefined => {
  const [track] = tracksOf(series, objectives)
  if (track === undefined) return undefined
  const { target, stepReliability } = track
  const first = (least: number): number =>
    stepReliability.findIndex((good) => good !== null && (1 - good) / (1 - target) >= least * (1 - 1e-9))
  const at = first(rate)
  const index = at === -1 ? first(1) : at
  if (index === -1) return undefined
  const stepMs = stepMsOf(series.step)
  const from = Date.parse(series.from) + index * stepMs
  return { from, to: Math.min(from + stepMs, Date.parse(series.to)) }
}
