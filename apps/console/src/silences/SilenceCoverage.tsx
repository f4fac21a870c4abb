import type { Schemas } from "../api/Client.ts"
import { Link } from "wouter"
import { Card } from "../components/Page.tsx"
import { DateTime } from "../components/RelativeTime.tsx"

export type Coverage = Schemas["SilencePreview"]

/** What a silence covers now, and when it is active. */
export const SilenceCoverage = ({ coverage }: { readonly coverage: Coverage }) => {
  const { slos, hasMoreSlos, alerts, hasMoreAlerts, periods } = coverage
  return (
    <>
      <Card title="Active periods">
        {periods.length === 0 ? (
          <p className="dim">The silence has ended.</p>
        ) : (
          <ul aria-label="Active periods">
            {periods.map(({ startTime, endTime }) => (
              <li key={startTime}>
                <DateTime at={startTime} /> to <DateTime at={endTime} />
              </li>
            ))}
          </ul>
        )}
      </Card>
      <Card title={`SLOs (${slos.length}${hasMoreSlos ? "+" : ""})`}>
        {slos.length === 0 ? (
          <p className="dim">No SLO has these labels now.</p>
        ) : (
          <ul aria-label="Silenced SLOs">
            {slos.map(({ project, name, displayName }) => (
              <li key={name}>
                <Link href={`/slos/${project}/${name}`}>{displayName ?? name}</Link>
              </li>
            ))}
          </ul>
        )}
      </Card>
      <Card title={`Open alerts (${alerts.length}${hasMoreAlerts ? "+" : ""})`}>
        {alerts.length === 0 ? (
          <p className="dim">None of these SLOs has an open alert that the silence covers.</p>
        ) : (
          <ul aria-label="Silenced alerts">
            {alerts.map(({ metadata, spec }) => (
              <li key={metadata.name}>
                <Link href={`/alerts/${encodeURIComponent(metadata.name)}`}>Alert on {spec.slo.name}</Link>{" "}
                <span className="dim">
                  {[spec.objective?.name, spec.alertPolicy?.name].filter(Boolean).join(", ")}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  )
}
