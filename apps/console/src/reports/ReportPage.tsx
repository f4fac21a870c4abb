import type { Report } from "@tocsin/api"
import { statedResult } from "@tocsin/domain/forms"
import { Link } from "wouter"
import { type DefinitionKey, useDisplayNames } from "../api/Definitions.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { ListTable, readQuery } from "../components/ListTable.tsx"
import { NamedObject } from "../components/NamedObject.tsx"
import { countText, shareText, targetText } from "../components/NumberFormat.ts"
import { Card, DescriptionList, Page } from "../components/Page.tsx"
import { DateTime, durationText } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { rich, t } from "../language/Text.tsx"
import { windowText } from "../slos/WindowText.ts"
import {
  budgetFigure,
  figureColumn,
  noFigure,
  reliabilityFigure,
  reportedObjectives,
  shareFigure,
} from "./ReportFigures.tsx"
import { Adjustments, badgeOf, Range, SignedFiles, useSigned } from "./ReportParts.tsx"
import { SignatureCard } from "./SignatureCard.tsx"

/** A report: what it says, what of it was signed, and whether that is so. */
const ReportPage = ({ id }: { readonly id: string }) => {
  const query = useSigned<Report>("report", id)
  const { data } = query
  if (data === undefined) {
    return (
      <Page title={t("Report")} back={{ href: "/slos", text: t("SLOs") }}>
        <QueryError query={query} missing={t("Report not found. Check its ID.")} />
      </Page>
    )
  }
  const { document: report, text } = data
  const slo = `/slos/${report.project}/${report.slo}`
  return (
    <Page
      title={t("SLO report: {slo}", { slo: report.displayName })}
      back={[
        { href: "/slos", text: t("SLOs") },
        { href: `${slo}?tab=reports`, text: report.displayName },
      ]}
      subtitle={<Range range={report.period} />}
      actions={<SignedFiles of="report" id={id} />}
    >
      <Objectives report={report} />
      <Card title={t("About this report")}>
        <DescriptionList
          properties={[
            [
              t("SLO"),
              <>
                <NamedObject
                  project={report.project}
                  name={report.slo}
                  displayName={report.displayName}
                  href={slo}
                />
              </>,
            ],
            [t("Service"), <ServiceLink project={report.project} name={report.service} />],
            [t("Period"), <Range range={report.period} />],
            [t("Time window"), windowText(report.timeWindow)],
            [t("Created"), <DateTime at={report.createdAt} />],
          ]}
        />
      </Card>
      <Alerts report={report} />
      <Adjustments {...report} />
      <SignatureCard id={id} text={text} />
    </Page>
  )
}
export default ReportPage

const Objectives = ({ report }: { readonly report: Report }) => {
  const { budgetingMethod, period, window, minCoverage } = report
  const rows = reportedObjectives(report)
  return (
    <Card title={t("Objectives")}>
      <p className="dim">
        {window.from === period.from && window.to === period.to
          ? t("The figures cover the whole period.")
          : rich("The figures cover the time window that ends with the period: {from} to {to}.", {
              from: <DateTime at={window.from} />,
              to: <DateTime at={window.to} />,
            })}{" "}
        {minCoverage !== undefined &&
          t(
            "Coverage is the share of its minutes that have counts. Below {min}, an objective is missed or has insufficient data.",
            { min: shareText(minCoverage) },
          )}
      </p>
      <ListTable
        query={{ ...readQuery, data: rows }}
        items={rows}
        label={t("Objectives")}
        keyOf={({ name }) => name}
        empty={null}
        isInCard
        columns={[
          { name: t("Objective"), cell: ({ displayName }) => <bdi>{displayName}</bdi> },
          { ...figureColumn(t("Target")), cell: ({ target }) => targetText(target) },
          { ...figureColumn(t("SLI")), cell: ({ reliability }) => reliabilityFigure(reliability) },
          {
            name: t("Result"),
            cell: (measured) => <StatusBadge status={badgeOf[statedResult(measured)]} />,
          },
          { ...figureColumn(t("Coverage")), cell: ({ coverage }) => shareFigure(coverage) },
          {
            ...figureColumn(t("Error budget remaining")),
            cell: ({ errorBudgetRemainingPercentage: budget, errorBudgetRemaining: seconds }) => (
              <>
                {budgetFigure(budget)}
                {seconds !== undefined && budgetingMethod === "Timeslices" && (
                  <div className="dim small">
                    {seconds < 0
                      ? t("Overspent by {duration}", { duration: durationText(seconds * 1000) })
                      : t("Remaining: {duration}", { duration: durationText(seconds * 1000) })}
                  </div>
                )}
              </>
            ),
          },
          {
            ...figureColumn(budgetingMethod === "Timeslices" ? t("Good minutes") : t("Good events")),
            cell: ({ good, total }) =>
              good === undefined || total === undefined
                ? noFigure()
                : t("{good} of {total}", { good: countText(good), total: countText(total) }),
          },
        ]}
      />
    </Card>
  )
}

/** The report has the name of the service alone. */
const ServiceLink = (key: DefinitionKey) => {
  const serviceName = useDisplayNames("services", key)
  return <NamedObject {...key} displayName={serviceName(key)} href={`/services/${key.project}/${key.name}`} />
}

const Alerts = ({ report: { alerts, hasMoreAlerts, objectives, project } }: { readonly report: Report }) => {
  const policyName = useDisplayNames("alertpolicies", { project }, { enabled: alerts.length > 0 })
  return (
    <Card title={t("Alerts in this period")}>
      <ListTable
        query={{ ...readQuery, data: alerts }}
        items={alerts}
        label={t("Alerts in this period")}
        keyOf={({ id }) => id}
        empty={<p className="dim">{t("No alerts triggered in this period.")}</p>}
        isInCard
        columns={[
          {
            name: t("Triggered"),
            cell: ({ id, triggeredAt }) => (
              <Link href={`/alerts/${encodeURIComponent(id)}`}>
                <DateTime at={triggeredAt} />
              </Link>
            ),
          },
          { name: t("Status"), cell: ({ status }) => <StatusBadge status={status} /> },
          {
            name: t("Alert policy"),
            isLabeled: true,
            cell: ({ alertPolicy, anomaly }) =>
              alertPolicy !== undefined ? (
                <NamedObject
                  {...alertPolicy}
                  displayName={policyName(alertPolicy)}
                  href={`/alert-policies/${alertPolicy.project}/${alertPolicy.name}`}
                />
              ) : anomaly === undefined ? undefined : (
                t("Missing data")
              ),
          },
          {
            name: t("Objective"),
            isLabeled: true,
            cell: ({ objective }) =>
              objectives.find(({ name }) => name === objective)?.displayName ?? objective,
          },
          {
            name: t("Ended"),
            isLabeled: true,
            cell: ({ resolvedAt }) => resolvedAt !== undefined && <DateTime at={resolvedAt} />,
          },
        ]}
      />
      {alerts.some(({ status }) => status === "triggered") && (
        <p className="dim small">
          {t("Alerts with the status Triggered were open when the report was created.")}
        </p>
      )}
      {hasMoreAlerts && (
        <p className="dim small">
          {t("Only the latest {count} alerts are listed.", { count: countText(alerts.length) })}
        </p>
      )}
    </Card>
  )
}
