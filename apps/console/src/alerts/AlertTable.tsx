import { Link } from "wouter"
import { RelativeTime, useNow } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import table from "../components/Table.module.css"
import { type Alert, durationText, remarkOf } from "./AlertQueries.ts"
import css from "./Alerts.module.css"

/** A table of alerts, each with a link to its page. */
export const AlertTable = ({
  alerts,
  label,
  isOfOneSlo = false,
}: {
  readonly alerts: ReadonlyArray<Alert>
  readonly label: string
  /** The page names the SLO of all alerts. */
  readonly isOfOneSlo?: boolean
}) => {
  const now = useNow()
  return (
    <table className={`${table.table} ${css.alerts}`} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">{isOfOneSlo ? "Objective" : "SLO"}</th>
          <th scope="col">Conditions</th>
          <th scope="col">Severity</th>
          <th scope="col">Triggered</th>
          <th scope="col">Duration</th>
        </tr>
      </thead>
      <tbody>
        {alerts.map((alert) => {
          const { metadata, spec } = alert
          return (
            <tr key={`${metadata.project}/${metadata.name}`} className={table.row}>
              <td>
                <StatusBadge status={spec.status} />
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
                <RelativeTime at={spec.triggeredAt} />
              </td>
              <td data-label="Duration" className={table.nowrap}>
                {durationText(alert, now)}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** The conditions that were met, one per line. */
export const Conditions = ({ conditions }: { readonly conditions: ReadonlyArray<string> }) =>
  conditions.length === 0 ? (
    <span className="dim">Not specified</span>
  ) : (
    <ul className={css.conditions}>
      {conditions.map((condition, at) => (
        <li key={at}>{condition}</li>
      ))}
    </ul>
  )
