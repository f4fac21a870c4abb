import { useState } from "react"
import { Link } from "wouter"
import { call } from "../api/Call.ts"
import { readDocuments } from "../api/Definitions.ts"
import { pollMs, useResource } from "../api/Resource.ts"
import { DeliveryTable } from "../deliveries/DeliveryTable.tsx"
import { lastOfPath } from "../shell/Address.ts"
import { At, useNow } from "../shell/Ago.tsx"
import { Fact, Facts } from "../shell/Facts.tsx"
import { Failure } from "../shell/Failure.tsx"
import { Notice } from "../shell/Notice.tsx"
import { Card, Page } from "../shell/Page.tsx"
import { StateChip } from "../shell/StateChip.tsx"
import table from "../shell/Table.module.css"
import { type Alert, lengthText, remarkOf } from "./Alert.ts"
import { Conditions } from "./AlertTable.tsx"

/** One alert: what was met, of what, since when, and what was sent. */
const AlertPage = () => {
  const [id] = useState(lastOfPath)
  const now = useNow()
  const { data, failure, reload } = useResource(
    `alert/${id}`,
    (signal) => readDocuments("alerts", { name: id }, signal),
    pollMs,
  )
  const back = { href: "/alerts", text: "Alerts" }
  const alert = data?.[0]
  if (alert === undefined) {
    return (
      <Page title="Alert" back={back}>
        {failure !== undefined && <Failure failure={failure} retry={reload} />}
        {data !== undefined && <Notice kind="warn">There is no alert of this ID, or it is forgotten.</Notice>}
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
          <StateChip state={alert.spec.status} />
          <span>
            {resolvedAt === undefined ? "for" : "lasted"} {lengthText(alert, now)}
          </span>
        </>
      }
    >
      {failure !== undefined && <Failure failure={failure} />}
      <Card title="What was met">
        <Conditions conditions={conditions} />
        {remarkOf(alert) !== undefined && <p className="dim">{remarkOf(alert)}</p>}
        <Facts>
          <Fact name="SLO">
            <Link href={`/slos/${slo.project}/${slo.name}`}>{slo.name}</Link>{" "}
            <span className="dim">{slo.project}</span>
          </Fact>
          {objective !== undefined && <Fact name="Objective">{objective.name}</Fact>}
          {alertPolicy !== undefined && (
            <Fact name="Alert policy">
              {alertPolicy.name} <span className="dim">{alertPolicy.project}</span>
            </Fact>
          )}
          {severity !== undefined && <Fact name="Severity">{severity}</Fact>}
          <Fact name="Triggered">
            <At at={triggeredAt} />
          </Fact>
          {resolvedAt !== undefined && (
            <Fact name="Over">
              <At at={resolvedAt} />
            </Fact>
          )}
          <Fact name="Alert ID">
            <code>{alert.metadata.name}</code>
          </Fact>
        </Facts>
      </Card>
      <Sent alert={alert} />
    </Page>
  )
}
export default AlertPage

const Sent = ({ alert }: { readonly alert: Alert }) => {
  const id = alert.metadata.name
  const { data, failure, reload } = useResource(
    `deliveries-of-alert/${id}`,
    (signal) => call("GET /api/deliveries", { query: { alertId: id, limit: 20 }, signal }),
    pollMs,
  )
  const deliveries = data?.data
  return (
    <Card
      title="What was sent"
      aside={<Link href={`/deliveries?alert=${encodeURIComponent(id)}`}>All deliveries of this alert</Link>}
    >
      {failure !== undefined && <Failure failure={failure} retry={reload} />}
      {deliveries?.length === 0 && (
        <p className="dim">
          {alert.spec.alertMethods.length === 0 ? "It rings nobody." : "The log does not hold it any more."}
        </p>
      )}
      {deliveries !== undefined && deliveries.length > 0 && (
        <div className={table.inset}>
          <DeliveryTable deliveries={deliveries} label="What was sent" />
        </div>
      )}
    </Card>
  )
}
