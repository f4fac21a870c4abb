import type { SilencePreview } from "@tocsin/api"
import { Link } from "wouter"
import { shownName } from "../components/ObjectName.ts"
import { Card } from "../components/Page.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { rich, t } from "../language/Text.tsx"

export type Coverage = SilencePreview

/** What a silence covers now, and when it is active. */
export const SilenceCoverage = ({ coverage }: { readonly coverage: Coverage }) => {
  const { slos, hasMoreSlos, alerts, hasMoreAlerts, periods } = coverage
  return (
    <>
      <Card title={t("Active periods")}>
        {periods.length === 0 ? (
          <p className="dim">{t("The silence has ended.")}</p>
        ) : (
          <ul aria-label={t("Active periods")}>
            {periods.map(({ startTime, endTime }) => (
              <li key={startTime}>
                {rich("{from} to {to}", { from: <DateTime at={startTime} />, to: <DateTime at={endTime} /> })}
              </li>
            ))}
          </ul>
        )}
      </Card>
      <Card title={t("SLOs ({count})", { count: `${slos.length}${hasMoreSlos ? "+" : ""}` })}>
        {slos.length === 0 ? (
          <p className="dim">{t("No SLO has these labels now.")}</p>
        ) : (
          <ul aria-label={t("Silenced SLOs")}>
            {slos.map(({ project, name, displayName }) => (
              <li key={name}>
                <Link href={`/slos/${project}/${name}`}>{displayName ?? name}</Link>
              </li>
            ))}
          </ul>
        )}
      </Card>
      <Card title={t("Open alerts ({count})", { count: `${alerts.length}${hasMoreAlerts ? "+" : ""}` })}>
        {alerts.length === 0 ? (
          <p className="dim">{t("None of these SLOs has an open alert that the silence covers.")}</p>
        ) : (
          <ul aria-label={t("Silenced alerts")}>
            {alerts.map(({ metadata, spec }) => (
              <li key={metadata.name}>
                <Link href={`/alerts/${encodeURIComponent(metadata.name)}`}>
                  {t("Alert on {slo}", { slo: shownName(spec.slo) })}
                </Link>{" "}
                <span className="dim">
                  {[
                    spec.objective?.displayName ?? spec.objective?.name,
                    spec.alertPolicy && shownName(spec.alertPolicy),
                  ]
                    .filter((each) => each !== undefined)
                    .join(" · ")}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  )
}
