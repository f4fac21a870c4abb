import { Box } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { useLocation } from "wouter"
import { groupBy } from "@tocsin/domain/forms"
import { useDocuments } from "../api/Definitions.ts"
import { poll } from "../api/Queries.ts"
import type { Range } from "../chart/Scale.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import type { BurnLine } from "../slos/ChartParts.tsx"
import { shownName } from "../components/ObjectName.ts"
import { t } from "../language/Text.tsx"
import { ActionCharts } from "../slos/ActionCharts.tsx"
import { burnThresholds } from "../slos/BurnThresholds.ts"
import { objectiveStatuses } from "../slos/ObjectiveStatus.ts"
import { AnnotationList } from "../slos/SloAnnotations.tsx"
import { statusOptions } from "../slos/SloQueries.ts"
import { tracksOf, useAnnotations, useSeries } from "../slos/SloSeries.ts"
import { rangeToParameters, stepMsOf } from "../slos/TimeRange.ts"
import { windowLengthMs } from "../slos/WindowText.ts"
import { dayMs, hourMs, minuteMs, minuteOf } from "../time/Minute.ts"
import type { Alert } from "./Alert.ts"

/** The range limit of the server, less room for whole steps. */
const longestMs = 398 * dayMs

/** The time around an alert, from before its trigger to its end or until now, in whole minutes. */
export const rangeOf = ({ triggeredAt, resolvedAt }: Alert, now: number): Range => {
  const start = Date.parse(triggeredAt)
  const end = resolvedAt === undefined ? now : Date.parse(resolvedAt)
  const margin = Math.min(Math.max(hourMs, (end - start) / 4), dayMs)
  const from = minuteOf(start - margin)
  const to = Math.min(minuteOf(now), minuteOf(end + margin), from + longestMs)
  return { from, to: Math.max(to, from + minuteMs) }
}

/**
 * The burn rates that the conditions of an alert measured, by window: those of all groups if the evidence has them, otherwise of
 * the conditions that were met.
 */
const burnWindowsOf = ({
  evidence,
  policyConditions,
  triggeredAt,
}: Alert): ReadonlyArray<Omit<BurnLine, "values">> => {
  const measured =
    evidence?.conditionGroups
      .flatMap(({ conditions }) => conditions)
      // At the start of a calendar window, a condition without an alerting window measures less than the server does.
      .filter(({ from, to }) => Date.parse(to) - Date.parse(from) >= 5 * minuteMs)
      .map(({ measurement, from, to, threshold, value }) => ({
        measurement,
        window: durationName(Date.parse(to) - Date.parse(from)),
        threshold,
        value,
      })) ??
    policyConditions.map(({ measurement, alertingWindow = "1h", value }) => ({
      measurement,
      window: alertingWindow,
      threshold: Number(value),
      value: undefined,
    }))
  const byWindow = groupBy(
    measured.filter(({ measurement }) => measurement === "averageBurnRate"),
    ({ window }) => window,
  )
  return Array.from(byWindow, ([window, conditions]) => {
    const value = conditions.find((each) => each.value !== undefined)?.value
    return {
      window,
      thresholds: [...new Set(conditions.map(({ threshold }) => threshold))].toSorted((a, b) => a - b),
      ...(value !== undefined && { measured: { at: Date.parse(triggeredAt), value } }),
    }
  }).slice(0, linesMax)
}

/** As many as the server measures. */
const linesMax = 6

/** A whole number of minutes as alert policies write it: 90m. */
const durationName = (ms: number): string => (ms % hourMs === 0 ? `${ms / hourMs}h` : `${ms / minuteMs}m`)

/**
 * The charts of the objective around an alert, which is a band in them, with the thresholds of its policy and whatever else
 * happened then. They are read, selected and explained as on the page of the SLO.
 */
export const AlertCharts = ({ alert, now }: { readonly alert: Alert; readonly now: number }) => {
  const { slo, objective = "", alertPolicy } = alert
  const [, navigate] = useLocation()
  // An open alert is drawn again every minute.
  const { from, to } = rangeOf(alert, minuteOf(now))
  const lines = useMemo(() => burnWindowsOf(alert), [alert])
  const series = useSeries(
    slo,
    { kind: "custom", from, to },
    lines.length === 0 ? undefined : { objective, window: lines.map(({ window }) => window) },
  )
  const annotations = useAnnotations(slo, series.data)
  const status = useQuery({ ...statusOptions(slo), refetchInterval: poll() })
  const [definition] = useDocuments("slos", slo).data ?? []
  const policies = useDocuments(
    "alertpolicies",
    { project: alertPolicy?.project ?? "", name: alertPolicy?.name ?? "" },
    { enabled: alertPolicy !== undefined },
  )
  const shown = useMemo(
    () =>
      status.data === undefined ? [] : objectiveStatuses(status.data).filter(({ key }) => key === objective),
    [status.data, objective],
  )
  const tracks = useMemo(
    () => (series.data === undefined ? [] : tracksOf(series.data, shown)),
    [series.data, shown],
  )
  const [window] = definition?.spec.timeWindows ?? []
  if (series.data === undefined) {
    return (
      <>
        <QueryError query={series} missing={t("The SLO was deleted.")} />
        {series.isPending && <Box h={510} />}
      </>
    )
  }
  if (status.data !== undefined && shown.length === 0)
    return <p className="dim">{t("The objective was removed from the SLO.")}</p>
  return (
    <ActionCharts
      {...slo}
      subject={shownName(slo)}
      frame={{
        from: Date.parse(series.data.from),
        to: Date.parse(series.data.to),
        until: Date.parse(series.data.to),
        stepMs: stepMsOf(series.data.step),
      }}
      tracks={tracks}
      annotations={annotations.data?.annotations ?? []}
      thresholds={window === undefined ? [] : burnThresholds(policies.data ?? [], windowLengthMs(window))}
      burns={lines.flatMap(({ window, ...line }) => {
        const found = series.data.burnRates?.find((each) => each.window === window)
        return found === undefined ? [] : [{ ...line, window, values: found.values }]
      })}
      forecast={undefined}
      isPaired
      spec={definition?.spec}
      policies={alertPolicy === undefined ? [] : [alertPolicy.name]}
      // What was measured at the trigger is read at first.
      cursor={Date.parse(alert.triggeredAt)}
      onZoom={(range) =>
        navigate(
          `/slos/${slo.project}/${slo.name}?${new URLSearchParams({
            ...rangeToParameters({ kind: "custom", ...range }),
            ...(alert.objective !== undefined && { objective: alert.objective }),
          })}`,
        )
      }
      below={() => (
        <>
          <QueryError query={annotations} />
          {annotations.data !== undefined && <AnnotationList list={annotations.data} slo={slo} />}
        </>
      )}
    />
  )
}
