import { Link } from "wouter"
import { severityName } from "../alerts/Alert.ts"
import { type DefinitionKey, useDisplayNames, useDocuments } from "../api/Definitions.ts"
import { AlertTable, useActiveAlerts } from "../alerts/AlertTable.tsx"
import { NamedObject } from "../components/NamedObject.tsx"
import { Card, DescriptionList } from "../components/Page.tsx"
import { StoredWarnings } from "../components/Warnings.tsx"
import { DefinitionPage } from "../history/DefinitionPage.tsx"
import { t } from "../language/Text.tsx"
import { SilentReach, useReach } from "./AlertCoverage.tsx"
import { BacktestCard } from "./BacktestCard.tsx"
import { conditionText } from "./PolicyText.ts"
import type { AlertPolicy } from "./PolicyValues.ts"

/** An alert policy: when it alerts, whom it notifies, its open alerts, a backtest, and its definition. */
const AlertPolicyPage = ({ project, name }: DefinitionKey) => {
  const query = useDocuments("alertpolicies", { project, name })
  const policy = query.data?.[0]
  return (
    <DefinitionPage
      kind="alertpolicies"
      project={project}
      name={name}
      query={query}
      definition={policy}
      deleteText={t("Its open alerts are canceled. A policy that an SLO references cannot be deleted.")}
    >
      {policy !== undefined && (
        <>
          {policy.spec.description !== undefined && <p className="description">{policy.spec.description}</p>}
          <StoredWarnings kind="alertpolicy" project={project} name={name} />
          <Configuration policy={policy} />
          <Active project={project} name={name} />
          <BacktestCard definition={policy} isValid />
        </>
      )}
    </DefinitionPage>
  )
}
export default AlertPolicyPage

const Configuration = ({ policy: { metadata, spec } }: { readonly policy: AlertPolicy }) => {
  const groups =
    spec.conditionGroups?.map(({ conditions }) => conditions) ?? (spec.conditions ? [spec.conditions] : [])
  const methodName = useDisplayNames("alertmethods")
  const reach = useReach()({ metadata, spec })
  const method = (key: { name: string; project?: string }) => {
    const project = key.project ?? metadata.project
    return (
      <div key={`${project}/${key.name}`}>
        <NamedObject
          project={project}
          name={key.name}
          displayName={methodName({ project, name: key.name })}
          href={`/alert-methods/${project}/${key.name}`}
        />
      </div>
    )
  }
  return (
    <Card title={t("Configuration")}>
      <DescriptionList
        properties={[
          [t("Severity"), severityName(spec.severity)],
          [
            t("Conditions"),
            spec.sreWorkbook === undefined
              ? groups.map((conditions, at) => (
                  // Groups have no names, and keep their order.
                  // oxlint-disable-next-line react/no-array-index-key
                  <div key={at}>
                    {at > 0 && <span className="dim">{t("or")}</span>}
                    {conditions.map((condition) => (
                      <div key={JSON.stringify(condition)}>{conditionText(condition)}</div>
                    ))}
                  </div>
                ))
              : spec.sreWorkbook === "page"
                ? t("SRE Workbook: page")
                : t("SRE Workbook: ticket"),
          ],
          [t("Cool-down"), spec.coolDown ?? "5m"],
          [
            t("Alert methods"),
            <>
              {spec.alertMethods?.map((each) => method(each.metadata))}
              <SilentReach reach={reach} />
            </>,
          ],
          [
            t("Notified again"),
            spec.renotify &&
              t("every {every}, at most {count} times", {
                every: spec.renotify.every,
                count: spec.renotify.atMost,
              }),
          ],
          [
            t("Escalation"),
            spec.then?.map(({ after, alertMethods }) => (
              <div key={after}>
                {t("after {after}", { after })} {alertMethods.map((each) => method(each.metadata))}
              </div>
            )),
          ],
        ]}
      />
    </Card>
  )
}

const Active = ({ project, name }: DefinitionKey) => {
  const { query } = useActiveAlerts({ project, alertPolicy: name })
  return (
    <Card
      title={t("Open alerts")}
      aside={
        <Link href={`/alerts?${new URLSearchParams({ project, policy: name })}`}>{t("View all alerts")}</Link>
      }
    >
      <AlertTable
        query={query}
        items={query.data?.pages[0]?.data}
        label={t("Open alerts")}
        isInCard
        empty={<p className="dim">{t("No open alerts for this policy.")}</p>}
      />
    </Card>
  )
}
