import type { AlertCoverage } from "@tocsin/api"
import { Link } from "wouter"
import { severityName } from "../alerts/Alert.ts"
import { api, poll } from "../api/Queries.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { ListTable, RowLink } from "../components/ListTable.tsx"
import { countText, shareText } from "../components/NumberFormat.ts"
import { Notice } from "../components/Notice.tsx"
import { Card, Page } from "../components/Page.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import { SilentReach } from "./AlertCoverage.tsx"

const useCoverage = () =>
  api.useQuery("get", "/api/console/alert-coverage", {}, { refetchInterval: poll(60_000) })

/** Which SLOs and alert policies notify nobody, how often each policy has alerted, and what it caught. */
const AlertCoveragePage = () => {
  const query = useCoverage()
  const { data } = query
  return (
    <Page
      title={t("Alert coverage")}
      subtitle={t("SLOs that notify nobody, and the alerts of each policy in the last 30 days.")}
    >
      {data === undefined ? (
        <QueryError query={query} />
      ) : (
        <>
          {data.withoutPolicy.count + data.withoutMethod.count === 0 && data.slos > 0 && (
            <Notice kind="ok">{t("Every SLO has an alert policy that notifies someone.")}</Notice>
          )}
          {data.hasMoreSlos && (
            <Notice kind="info">
              {t("There are more SLOs than these {count}.", { count: countText(data.slos) })}
            </Notice>
          )}
          <Uncovered
            title={t("SLOs without an alert policy")}
            text={t("They send no alerts.")}
            slos={data.withoutPolicy}
          />
          <Uncovered
            title={t("SLOs whose alerts notify nobody")}
            text={t("Their alert policies have no alert methods, or only disabled and paused ones.")}
            slos={data.withoutMethod}
          />
          <Policies coverage={data} query={query} />
        </>
      )}
    </Page>
  )
}
export default AlertCoveragePage

const Uncovered = ({
  title,
  text,
  slos: { count, slos },
}: {
  readonly title: string
  readonly text: string
  readonly slos: AlertCoverage["withoutPolicy"]
}) =>
  count > 0 && (
    <Card title={`${title} (${countText(count)})`}>
      <p className="dim">{text}</p>
      <ul className="name-list">
        {slos.map(({ slo: { project, name }, displayName }) => (
          <li key={`${project}/${name}`}>
            <Link href={`/slos/${project}/${name}?tab=policies`}>
              <bdi>{displayName}</bdi>
            </Link>{" "}
            <span className="dim small">{project}</span>
          </li>
        ))}
      </ul>
      {slos.length < count && (
        <p className="dim small">
          {t("Only the first {count} are listed.", { count: countText(slos.length) })}
        </p>
      )}
    </Card>
  )

const Policies = ({
  coverage: { policies, hasMorePolicies },
  query,
}: {
  readonly coverage: AlertCoverage
  readonly query: ReturnType<typeof useCoverage>
}) => (
  <Card title={t("Alert policies")}>
    <ListTable
      query={query}
      // The noisiest first.
      items={policies.toSorted((a, b) => b.alerts - a.alerts)}
      label={t("Alert policies")}
      keyOf={({ policy }) => `${policy.project}/${policy.name}`}
      empty={<p className="dim">{t("No alert policies yet")}</p>}
      isInCard
      columns={[
        {
          name: t("Name"),
          cell: ({ policy: { project, name }, displayName }) => (
            <>
              <RowLink href={`/alert-policies/${project}/${name}`}>{displayName}</RowLink>
              <div className="dim small">{`${project} / ${name}`}</div>
            </>
          ),
        },
        { name: t("Severity"), isLabeled: true, cell: ({ severity }) => severityName(severity) },
        {
          name: t("Notifies"),
          cell: ({ reach }) => (reach === "notifies" ? t("Yes") : <SilentReach reach={reach} />),
        },
        { name: t("SLOs"), isLabeled: true, isNumber: true, cell: ({ slos }) => countText(slos) },
        {
          name: t("Alerts"),
          isLabeled: true,
          isNumber: true,
          cell: ({ alerts, open }) => (
            <>
              {countText(alerts)}
              {open > 0 && <div className="dim small">{t("{count} open", { count: countText(open) })}</div>}
            </>
          ),
        },
        {
          name: t("Latest alert"),
          isLabeled: true,
          cell: ({ latestAt }) =>
            latestAt === undefined ? (
              <span className="dim">{t("None in 30 days")}</span>
            ) : (
              <RelativeTime at={latestAt} />
            ),
        },
        {
          name: t("Budget caught"),
          isLabeled: true,
          isNumber: true,
          cell: ({ budgetCaught }) =>
            budgetCaught === undefined ? <span className="dim">–</span> : shareText(budgetCaught, 3),
        },
      ]}
    />
    <p className="dim small">
      {t(
        "Budget caught: of the error budget that the alerted objectives burned in 30 days, the share burned while the policy's alerts were open.",
      )}
    </p>
    {hasMorePolicies && (
      <p className="dim small">
        {t("Only the first {count} are listed.", { count: countText(policies.length) })}
      </p>
    )}
  </Card>
)
