import { Button } from "@mantine/core"
import { Link } from "wouter"
import type { Pages } from "../api/Pages.ts"
import { Ago, useNow } from "../shell/Ago.tsx"
import { StateChip } from "../shell/StateChip.tsx"
import table from "../shell/Table.module.css"
import { type Alert, isOpen, lengthText, remarkOf } from "./Alert.ts"
import css from "./Alerts.module.css"

/** Alerts, a row each, which leads to the alert. */
export const AlertTable = ({
  alerts,
  label,
  isOfOneSlo = false,
}: {
  readonly alerts: ReadonlyArray<Alert>
  readonly label: string
  /** All are of one SLO, which the page names already. */
  readonly isOfOneSlo?: boolean
}) => {
  const now = useNow()
  return (
    <table className={`${table.table} ${css.alerts}`} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">{isOfOneSlo ? "Objective" : "SLO"}</th>
          <th scope="col">Conditions</th>
          <th scope="col">Severity</th>
          <th scope="col">Triggered</th>
          <th scope="col">Lasted</th>
        </tr>
      </thead>
      <tbody>
        {alerts.map((alert) => {
          const { metadata, spec } = alert
          return (
            <tr key={`${metadata.project}/${metadata.name}`} className={table.row}>
              <td>
                <StateChip state={spec.status} />
              </td>
              <td>
                <Link href={`/alerts/${encodeURIComponent(metadata.name)}`} className={table.link}>
                  {isOfOneSlo ? (spec.objective?.name ?? "All objectives") : spec.slo.name}
                </Link>
                {!isOfOneSlo && (
                  <div className="dim small">
                    {spec.slo.project}
                    {spec.objective !== undefined && ` / ${spec.objective.name}`}
                  </div>
                )}
              </td>
              <td>
                <Conditions conditions={spec.conditions} />
                {remarkOf(alert) !== undefined && <p className="dim small">{remarkOf(alert)}</p>}
              </td>
              <td data-label="Severity">{spec.severity}</td>
              <td data-label="Triggered" className={table.nowrap}>
                <Ago at={spec.triggeredAt} />
              </td>
              <td data-label={isOpen(alert) ? "For" : "Lasted"} className={table.nowrap}>
                {lengthText(alert, now)}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** Asks for the next page of past alerts, below a table of them; nothing once all are there. */
export const OlderAlerts = ({ past }: { readonly past: Pages<Alert> }) =>
  past.more !== undefined && (
    <div className={table.more}>
      <Button variant="default" loading={past.isReadingMore} onClick={past.more}>
        Show older alerts
      </Button>
    </div>
  )

/** The conditions that were met, one a line. */
export const Conditions = ({ conditions }: { readonly conditions: ReadonlyArray<string> }) =>
  conditions.length === 0 ? (
    <span className="dim">None were told</span>
  ) : (
    <ul className={css.conditions}>
      {conditions.map((condition, at) => (
        <li key={at}>{condition}</li>
      ))}
    </ul>
  )
