import { Box } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { useLocation } from "wouter"
import { useDocuments } from "../api/Definitions.ts"
import { poll } from "../api/Queries.ts"
import type { Range } from "../chart/Scale.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
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

const weekMs = 7 * dayMs

/** The time around an alert, at most the 7 days that follow its trigger, in whole minutes. */
export const rangeOf = ({ triggeredAt, resolvedAt }: Alert, now: number): Range => {
  const start = Date.parse(triggeredAt)
  const end = resolvedAt === undefined ? now : Date.parse(resolvedAt)
  const margin = Math.max(hourMs, (end - start) / 4)
  const from = minuteOf(start - margin)
  const to = Math.min(minuteOf(now), minuteOf(end + margin), from + weekMs)
  return { from, to: Math.max(to, from + minuteMs) }
}

/**
 * The charts of the objective around an alert, which is a band in them, with the thresholds of its policy and whatever else
 * happened then. They are read, selected and explained as on the page of the SLO.
 */
export const AlertCharts = ({ alert, now }: { readonly alert: Alert; readonly now: number }) => {
  const { slo, objective = "", alertPolicy } = alert
  const [, navigate] = useLocation()
  // An open alert is drawn again every minute.
  const { from, to } = rangeOf(alert, minuteOf(now))
  const series = useSeries(slo, { kind: "custom", from, to })
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
