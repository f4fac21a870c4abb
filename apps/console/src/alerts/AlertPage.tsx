import { useState } from "react"
import { Link } from "wouter"
import { useDocuments } from "../api/Definitions.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { lastPathSegment } from "../components/AddressBar.ts"
import { DescriptionList, Property } from "../components/DescriptionList.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card, Page } from "../components/Page.tsx"
import { DateTime, useNow } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import table from "../components/Table.module.css"
import { DeliveryTable } from "../deliveries/DeliveryTable.tsx"
import { type Alert, durationText, remarkOf } from "./AlertQueries.ts"
import { Conditions } from "./AlertTable.tsx"

/** An alert: its conditions, its lifetime and its notifications. */
const AlertPage = () => {
  const [id] = useState(lastPathSegment)
  const now = useNow()
  const query = useDocuments("alerts", { name: id }, { pollMs })
  const back = { href: "/alerts", text: "Alerts" }
  const alert = query.data?.[0]
  if (alert === undefined) {
    return (
      <Page title="Alert" back={back}>
        <QueryError query={query} />
        {query.data !== undefined && (
          <Notice kind="warn">
            Alert not found. Its ID is wrong, or it was deleted after the retention time.
          </Notice>
        )}
      </Page>
    )
  }
  const { slo, objective, alertPolicy, severity, conditions, triggeredAt, resolvedAt } = alert.spec
  return (
    <Page
      title={`Alert on ${slo.name}`}
      back={back}
      subtitle={
        <>
          <StatusBadge status={alert.spec.status} />
          <span>Duration: {durationText(alert, now)}</span>
        </>
      }
    >
      <QueryError query={query} />
      <Card title="Conditions">
        <Conditions conditions={conditions} />
        {remarkOf(alert) !== undefined && <p className="dim">{remarkOf(alert)}</p>}
        <DescriptionList>
          <Property name="SLO">
            <Link href={`/slos/${slo.project}/${slo.name}`}>{slo.name}</Link>{" "}
            <span className="dim">{slo.project}</span>
          </Property>
          {objective !== undefined && <Property name="Objective">{objective.name}</Property>}
          {alertPolicy !== undefined && (
            <Property name="Alert policy">
              {alertPolicy.name} <span className="dim">{alertPolicy.project}</span>
            </Property>
          )}
          {severity !== undefined && <Property name="Severity">{severity}</Property>}
          <Property name="Triggered">
            <DateTime at={triggeredAt} />
          </Property>
          {resolvedAt !== undefined && (
            <Property name={alert.spec.status === "canceled" ? "Canceled" : "Resolved"}>
              <DateTime at={resolvedAt} />
            </Property>
          )}
          <Property name="Alert ID">
            <code>{alert.metadata.name}</code>
          </Property>
        </DescriptionList>
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
  const deliveries = query.data?.data
  return (
    <Card
      title="Notifications"
      aside={<Link href={`/deliveries?alert=${encodeURIComponent(alertId)}`}>View all deliveries</Link>}
    >
      <QueryError query={query} />
      {deliveries?.length === 0 && (
        <p className="dim">
          {alert.spec.alertMethods.length === 0
            ? "This alert has no alert methods, so no notifications were sent."
            : "No deliveries. They may have been deleted after the retention time."}
        </p>
      )}
      {deliveries !== undefined && deliveries.length > 0 && (
        <div className={table.inset}>
          <DeliveryTable deliveries={deliveries} label="Notifications" />
        </div>
      )}
    </Card>
  )
}
