import { Button } from "@mantine/core"
import { useState } from "react"
import { Link } from "wouter"
import { useDisplayNames, useDocuments } from "../api/Definitions.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { lastPathSegment } from "../components/Filters.tsx"
import { NamedObject } from "../components/NamedObject.tsx"
import { Card, DescriptionList, Page } from "../components/Page.tsx"
import { DateTime, useNow } from "../components/RelativeTime.tsx"
import { DeliveryTable } from "../deliveries/DeliveryTable.tsx"
import { IncidentOfAlert } from "../incidents/IncidentOfAlert.tsx"
import { t } from "../language/Text.tsx"
import { timeText } from "../time/TimeZone.ts"
import { useIsEditor } from "../session/Session.ts"
import { SilencedNotice } from "../silences/SilencedNotice.tsx"
import { SilenceMenu } from "../silences/SilenceMenu.tsx"
import { acknowledge, AcknowledgeButton } from "./AcknowledgeButton.tsx"
import { shownName } from "../components/ObjectName.ts"
import { minuteMs, minuteOf } from "../time/Minute.ts"
import { type Alert, alertDuration, alertOf, isUnacknowledged, severityName } from "./Alert.ts"
import { AlertCharts, rangeOf } from "./AlertCharts.tsx"
import { eventsOf, objectiveAt } from "./AlertEvents.ts"
import { AlertMeasurements } from "./AlertMeasurements.tsx"
import { HeldNotice } from "./HeldNotice.tsx"
import { Conditions, StatusNotes } from "./AlertTable.tsx"
import { AlertState } from "./AlertState.tsx"
import { useOnset } from "./Onset.ts"
import { AlertTimeline } from "./AlertTimeline.tsx"
import css from "./Alert.module.css"

/** An alert: what happened when, what was measured, and what can be done about it. */
const AlertPage = () => {
  const [id] = useState(lastPathSegment)
  const now = useNow()
  const query = useDocuments("alerts", { name: id }, { refetchInterval: poll(pollMs) })
  const isEditor = useIsEditor()
  const document = query.data?.[0]
  const error = (
    <QueryError
      query={query}
      missing={t("Alert not found. Its ID is wrong, or it was deleted after the retention time.")}
    />
  )
  const back = { href: "/alerts", text: t("Alerts") }
  if (document === undefined) {
    return (
      <Page title={t("Alert")} back={back}>
        {error}
      </Page>
    )
  }
  const alert = alertOf(document)
  return (
    <Page
      title={t("Alert on {slo}", { slo: shownName(alert.slo) })}
      back={back}
      subtitle={
        <>
          <AlertState alert={alert} />
          <span>{t("Duration: {duration}", { duration: alertDuration(alert, now) })}</span>
        </>
      }
      actions={
        <>
          {isEditor && isUnacknowledged(alert) && <AcknowledgeButton id={id} onDone={query.refetch} />}
          <Actions alert={alert} isEditor={isEditor} now={now} />
        </>
      }
    >
      {error}
      {alert.status === "triggered" && <SilencedNotice slo={alert.slo} alertPolicy={alert.alertPolicy} />}
      {alert.alertPolicy !== undefined && (
        <HeldNotice
          project={alert.slo.project}
          slo={alert.slo.name}
          alertPolicy={alert.alertPolicy.name}
          objective={alert.objective}
          isOfOneSlo
        />
      )}
      <History alert={alert} now={now} />
    </Page>
  )
}
export default AlertPage

/** Links to what is done about an alert, with the SLO and the time filled in. */
const Actions = ({
  alert: { slo, objective, alertPolicy, triggeredAt, resolvedAt, ...alert },
  isEditor,
  now,
}: {
  readonly alert: Alert
  readonly isEditor: boolean
  readonly now: number
}) => {
  const whole: Alert = { slo, objective, alertPolicy, triggeredAt, resolvedAt, ...alert }
  const range = rangeOf(whole, now)
  const before = useExplained(whole, alert.triggeredMetricAt, 60, now).data
  const onset = useOnset(whole, objectiveAt(before, whole, (before?.minutes.length ?? 0) - 1), isEditor)
  const name = `${slo.project}/${slo.name}`
  const sloParameters = new URLSearchParams({
    from: timeText(range.from),
    to: timeText(range.to),
    at: triggeredAt,
    ...(objective !== undefined && { objective }),
  })
  const adjustment = new URLSearchParams({
    slo: name,
    // What led to the alert was bad before it.
    from: timeText(Math.min(onset, minuteOf(Date.parse(triggeredAt)))),
    // At least the minute of the trigger.
    to: timeText(Math.max(Date.parse(resolvedAt ?? "") || now, Date.parse(triggeredAt) + 60_000)),
  })
  return (
    <>
      <Button component={Link} href={`/slos/${name}?${sloParameters}`} variant="default">
        {t("View SLO at that time")}
      </Button>
      {isEditor && (
        <Button component={Link} href={`/budget-adjustments/new?${adjustment}`} variant="default">
          {t("Exclude this range")}
        </Button>
      )}
      {isEditor && alert.status === "triggered" && (
        <SilenceMenu
          slo={slo}
          alertPolicy={alertPolicy}
          acknowledge={isUnacknowledged(whole) ? () => acknowledge(alert.id, {}) : undefined}
        />
      )}
      {isEditor && (
        <IncidentOfAlert alert={{ id: alert.id, sloName: shownName(slo), severity: alert.severity }} />
      )}
    </>
  )
}

const History = ({ alert, now }: { readonly alert: Alert; readonly now: number }) => {
  const isOpen = alert.status === "triggered"
  const deliveries = api.useQuery(
    "get",
    "/api/deliveries",
    { params: { query: { alertId: alert.id, limit: 100 } } },
    { refetchInterval: poll(pollMs) },
  )
  const before = useExplained(alert, alert.triggeredMetricAt, 60, now)
  const atEnd = useExplained(alert, alert.status === "resolved" ? alert.resolvedMetricAt : undefined, 1, now)
  const { alertPolicy } = alert
  const policy = useDocuments(
    "alertpolicies",
    { project: alertPolicy?.project ?? "", name: alertPolicy?.name ?? "" },
    { staleTime: 60_000, ...(alertPolicy === undefined && { enabled: false }) },
  ).data?.[0]
  const methodName = useDisplayNames("alertmethods")
  const evidence = api.useQuery(
    "get",
    "/api/alerts/{id}/evidence",
    { params: { path: { id: alert.id } } },
    { refetchInterval: poll(5 * pollMs), enabled: alert.evidence !== undefined },
  )
  const events = eventsOf({
    alert,
    deliveries: deliveries.data?.data ?? [],
    methodName,
    // When conditions were met first is computed from the counts of now, and so unknown once these were changed.
    before: evidence.data?.isChanged === true ? undefined : before.data,
    atEnd: atEnd.data,
    coolDown: policy === undefined ? undefined : (policy.spec.coolDown ?? "5m"),
  })
  const measured = alert.evidence ?? objectiveAt(before.data, alert, (before.data?.minutes.length ?? 0) - 1)
  return (
    <>
      <div className={css.columns}>
        <Card title={t("Timeline")}>
          <AlertTimeline events={events} isOpen={isOpen} />
        </Card>
        <Card title={t("Conditions")}>
          {measured === undefined ? (
            <div>
              <Conditions alert={alert} />
            </div>
          ) : (
            <>
              <p className="dim small">
                {alert.evidence === undefined
                  ? t("Measurements when the alert triggered, computed from the current counts.")
                  : t("Measurements when the alert triggered. They never change.")}
              </p>
              <AlertMeasurements groups={measured.conditionGroups} evidence={evidence.data} />
              <div>
                <StatusNotes alert={alert} />
              </div>
            </>
          )}
          <Details alert={alert} />
        </Card>
      </div>
      <Card title={t("Charts of that time")}>
        <AlertCharts alert={alert} now={now} />
      </Card>
      <Card
        title={t("Notifications")}
        aside={
          <Link href={`/deliveries?alert=${encodeURIComponent(alert.id)}`}>{t("View all deliveries")}</Link>
        }
      >
        <DeliveryTable
          query={deliveries}
          items={deliveries.data?.data.slice(0, 20)}
          label={t("Notifications")}
          isInCard
          empty={
            <p className="dim">
              {alert.isSilenced
                ? t("Silenced: no notifications were sent.")
                : alert.alertMethods.length === 0
                  ? t("This alert has no alert methods, so no notifications were sent.")
                  : t("No deliveries. They may have been deleted after the retention time.")}
            </p>
          }
        />
      </Card>
    </>
  )
}

/** What the conditions were in the minutes that end with one, of an alert with a policy. */
const useExplained = (alert: Alert, lastMinute: string | undefined, minutes: number, now: number) => {
  const { slo, alertPolicy, isAnomaly } = alert
  // A minute that is under way cannot be explained yet.
  const end = Math.min(Date.parse(lastMinute ?? "") + minuteMs, minuteOf(now))
  const query = Number.isNaN(end)
    ? {}
    : { from: new Date(end - minutes * 60_000).toISOString(), to: new Date(end).toISOString() }
  return api.useQuery(
    "get",
    "/api/slos/{sloName}/explain",
    {
      params: {
        path: { sloName: slo.name },
        header: { project: slo.project },
        query: { alertPolicy: alertPolicy?.name ?? "", ...query },
      },
    },
    {
      enabled: alertPolicy !== undefined && !isAnomaly && !Number.isNaN(end),
      staleTime: Infinity,
    },
  )
}

const Details = ({ alert }: { readonly alert: Alert }) => {
  const { slo, objectiveName, alertPolicy, severity, triggeredAt, resolvedAt, acknowledgement } = alert
  return (
    <DescriptionList
      properties={[
        [t("SLO"), <NamedObject {...slo} href={`/slos/${slo.project}/${slo.name}`} />],
        [t("Objective"), objectiveName],
        [
          t("Alert policy"),
          alertPolicy && (
            <NamedObject
              {...alertPolicy}
              href={`/alert-policies/${alertPolicy.project}/${alertPolicy.name}`}
            />
          ),
        ],
        [t("Severity"), severity && severityName(severity)],
        [t("Triggered"), <DateTime at={triggeredAt} />],
        [
          t("Acknowledged"),
          acknowledgement && (
            <>
              <DateTime at={acknowledgement.at} />{" "}
              <span className="dim">{t("by {by}", { by: acknowledgement.by })}</span>
              {acknowledgement.note !== undefined && <div className="break">{acknowledgement.note}</div>}
            </>
          ),
        ],
        [
          alert.status === "canceled" ? t("Canceled") : t("Resolved"),
          resolvedAt && <DateTime at={resolvedAt} />,
        ],
        [t("Alert ID"), <code>{alert.id}</code>],
      ]}
    />
  )
}
