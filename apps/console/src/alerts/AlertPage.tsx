import { Button } from "@mantine/core"
import { useState } from "react"
import { Link } from "wouter"
import { useDocuments } from "../api/Definitions.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { ErrorNotice, QueryError } from "../components/ErrorNotice.tsx"
import { lastPathSegment } from "../components/Filters.tsx"
import { Card, DescriptionList, Page } from "../components/Page.tsx"
import { DateTime, useNow } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { DeliveryTable } from "../deliveries/DeliveryTable.tsx"
import { useIsEditor } from "../session/Session.ts"
import { type Alert, alertDuration, Conditions } from "./AlertTable.tsx"

/** An alert: its conditions, its lifetime and its notifications, and a button to acknowledge it. */
const AlertPage = () => {
  const [id] = useState(lastPathSegment)
  const now = useNow()
  const query = useDocuments("alerts", { name: id }, { refetchInterval: poll(pollMs) })
  const isEditor = useIsEditor()
  const acknowledge = api.useMutation("post", "/api/alerts/{id}/acknowledge", {
    onSuccess: () => query.refetch(),
  })
  const alert = query.data?.[0]
  const error = (
    <QueryError
      query={query}
      missing="Alert not found. Its ID is wrong, or it was deleted after the retention time."
    />
  )
  const back = { href: "/alerts", text: "Alerts" }
  if (alert === undefined) {
    return (
      <Page title="Alert" back={back}>
        {error}
      </Page>
    )
  }
  const { slo, objective, alertPolicy, severity, status, triggeredAt, resolvedAt, acknowledgement } =
    alert.spec
  return (
    <Page
      title={`Alert on ${slo.name}`}
      back={back}
      subtitle={
        <>
          <StatusBadge status={status} />
          <span>Duration: {alertDuration(alert, now)}</span>
        </>
      }
      actions={
        isEditor &&
        status === "triggered" &&
        acknowledgement === undefined && (
          <Button
            loading={acknowledge.isPending}
            onClick={() => acknowledge.mutate({ params: { path: { id } } })}
          >
            Acknowledge alert
          </Button>
        )
      }
    >
      {error}
      <ErrorNotice error={acknowledge.error} />
      <Card title="Conditions">
        <div>
          <Conditions alert={alert} />
        </div>
        <DescriptionList
          properties={[
            [
              "SLO",
              <>
                <Link href={`/slos/${slo.project}/${slo.name}`}>{slo.name}</Link>{" "}
                <span className="dim">{slo.project}</span>
              </>,
            ],
            ["Objective", objective?.name],
            [
              "Alert policy",
              alertPolicy && (
                <>
                  {alertPolicy.name} <span className="dim">{alertPolicy.project}</span>
                </>
              ),
            ],
            ["Severity", severity],
            ["Triggered", <DateTime at={triggeredAt} />],
            [
              "Acknowledged",
              acknowledgement && (
                <>
                  <DateTime at={acknowledgement.at} /> <span className="dim">by {acknowledgement.by}</span>
                </>
              ),
            ],
            [status === "canceled" ? "Canceled" : "Resolved", resolvedAt && <DateTime at={resolvedAt} />],
            ["Alert ID", <code>{alert.metadata.name}</code>],
          ]}
        />
      </Card>
      <Notifications alert={alert} />
    </Page>
  )
}
export default AlertPage

const Notifications = ({ alert }: { readonly alert: Alert }) => {
  const alertId = alert.metadata.name
  const query = api.useQuery(
    "get",
    "/api/deliveries",
    { params: { query: { alertId, limit: 20 } } },
    { refetchInterval: poll(pollMs) },
  )
  return (
    <Card
      title="Notifications"
      aside={<Link href={`/deliveries?alert=${encodeURIComponent(alertId)}`}>View all deliveries</Link>}
    >
      <DeliveryTable
        query={query}
        items={query.data?.data}
        label="Notifications"
        isInCard
        empty={
          <p className="dim">
            {alert.spec.alertMethods.length === 0
              ? "This alert has no alert methods, so no notifications were sent."
              : "No deliveries. They may have been deleted after the retention time."}
          </p>
        }
      />
    </Card>
  )
}
