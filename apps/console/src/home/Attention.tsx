import type { Overview, OverviewObjective } from "@tocsin/api"
import { Button, Paper } from "@mantine/core"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { useDisplayNames } from "../api/Definitions.ts"
import { api } from "../api/Queries.ts"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { Check } from "../components/Icon.tsx"
import { RowLink } from "../components/ListTable.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { SilentReach } from "../alert-policies/AlertCoverage.tsx"
import { severityName } from "../alerts/Alert.ts"
import { incidentHref, incidentSeverityName, ownerText, useOpenIncidents } from "../incidents/Incident.ts"
import { OpenIncident } from "../incidents/OpenIncident.tsx"
import { rich, t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { BudgetBar } from "../slos/BudgetBar.tsx"
import { budgetText, burnText, countText, targetText } from "../components/NumberFormat.ts"
import css from "./Home.module.css"

type Objective = OverviewObjective

/** What needs attention, the most urgent first; each line leads to where something can be done about it. */
export const Attention = ({
  overview,
  onChanged,
}: {
  readonly overview: Overview
  readonly onChanged: () => void
}) => {
  const { alerts, lowestBudgets, fastestBurns, exhausting, closing } = overview
  const { silentPolicies, alertMethods, sources, withoutData } = overview
  const incidents = useOpenIncidents(incidentsMax)
  const isCalm = [
    incidents,
    alerts.newest,
    lowestBudgets,
    fastestBurns,
    exhausting,
    closing,
    silentPolicies,
    alertMethods,
    sources,
    withoutData,
  ].every((items) => items.length === 0)
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">{t("Needs attention")}</h2>
      <Paper className={css.panel}>
        {isCalm ? (
          <div className={css.calm}>
            <Check />
            <p>
              <strong>{t("Nothing needs attention.")}</strong>
              <span className="dim">
                {t(
                  "No alert is open, every SLO has data and enough error budget, and all notifications arrive.",
                )}
              </span>
            </p>
          </div>
        ) : (
          <>
            <Section
              title={t("Open incidents")}
              href="/incidents?status=open"
              items={incidents}
              keyOf={({ id }) => id}
            >
              {({ id, title, severity, status, owner, startedAt }) => (
                <>
                  <span className={css.what}>
                    <RowLink href={incidentHref(id)}>{title}</RowLink>
                    <span className="dim small">
                      {incidentSeverityName(severity)} · <RelativeTime at={startedAt} />
                    </span>
                  </span>
                  <span className={css.state}>
                    <StatusBadge status={status} />
                  </span>
                  <span className={css.action}>
                    <span className="dim small">{ownerText({ owner })}</span>
                  </span>
                </>
              )}
            </Section>
            <OpenAlerts alerts={alerts} onChanged={onChanged} />
            <Objectives
              title={t("Lowest error budgets")}
              href="/slos?sort=budget"
              objectives={lowestBudgets}
              figure={(objective) => <Budget objective={objective} />}
            />
            <Objectives
              title={t("Burning fastest")}
              href="/slos?sort=-burn"
              objectives={fastestBurns}
              figure={({ burnRate = 0 }) => (
                <>
                  <strong>{burnText(burnRate)}</strong> <span className="dim small">{t("burn rate")}</span>
                </>
              )}
            />
            <Objectives
              title={t("Error budget soon exhausted")}
              objectives={exhausting}
              figure={({ exhaustedAt }) => (
                <span className="dim small">
                  {rich("exhausted <time></time>", {
                    time: () => (
                      <strong>
                        <RelativeTime at={exhaustedAt} />
                      </strong>
                    ),
                  })}
                </span>
              )}
            />
            <Objectives
              title={t("Time windows about to end")}
              objectives={closing}
              figure={(objective) => (
                <>
                  <span className="dim small">
                    {rich("ends <time></time>", { time: () => <RelativeTime at={objective.endsAt} /> })}
                  </span>
                  <Budget objective={objective} />
                </>
              )}
            />
            <SilentPolicies policies={overview.silentPolicies} />
            <Methods overview={overview} />
            <Sources sources={sources} />
            <WithoutData overview={overview} />
          </>
        )}
      </Paper>
    </section>
  )
}

/** How many open incidents are listed. */
const incidentsMax = 5

/** The items of one kind, with a link to all of them; nothing without items. */
const Section = <T,>({
  title,
  href,
  linkText = t("View all"),
  items,
  keyOf,
  children,
}: {
  readonly title: string
  readonly href?: string
  readonly linkText?: string
  readonly items: ReadonlyArray<T>
  readonly keyOf: (item: T) => string
  readonly children: (item: T) => ReactNode
}) =>
  items.length > 0 && (
    <section className={css.section} aria-label={title}>
      <header>
        <h3>{title}</h3>
        {href !== undefined && (
          <Link href={href} aria-label={`${linkText}: ${title}`}>
            {linkText}
          </Link>
        )}
      </header>
      <ul>
        {items.map((item) => (
          <li key={keyOf(item)} className={css.item}>
            {children(item)}
          </li>
        ))}
      </ul>
    </section>
  )

const keyText = ({ project, name }: { readonly project: string; readonly name: string }): string =>
  `${project}/${name}`

const OpenAlerts = ({
  alerts,
  onChanged,
}: {
  readonly alerts: Overview["alerts"]
  readonly onChanged: () => void
}) => {
  const isEditor = useIsEditor()
  const acknowledge = api.useMutation("post", "/api/alerts/{id}/acknowledge", { onSuccess: onChanged })
  const pending = acknowledge.isPending ? acknowledge.variables.params.path.id : undefined
  return (
    <>
      <Section
        title={t("Open alerts")}
        href="/alerts"
        linkText={
          alerts.open > alerts.newest.length
            ? t("View all {count}", { count: countText(alerts.open) })
            : t("View all")
        }
        items={alerts.newest}
        keyOf={({ id }) => id}
      >
        {({
          id,
          sloDisplayName,
          objectiveDisplayName,
          severity,
          isNoData,
          isSilenced,
          acknowledgedBy,
          triggeredAt,
        }) => (
          <>
            <span className={css.what}>
              <RowLink href={`/alerts/${encodeURIComponent(id)}`}>
                {isNoData ? t("No data for {slo}", { slo: sloDisplayName }) : sloDisplayName}
              </RowLink>
              <span className="dim small">
                {objectiveDisplayName !== undefined && (
                  <>
                    <bdi>{objectiveDisplayName}</bdi> ·{" "}
                  </>
                )}
                {severity && `${severityName(severity)} · `}
                {isSilenced && `${t("silenced")} · `}
                <RelativeTime at={triggeredAt} />
              </span>
            </span>
            <span className={css.action}>
              {isEditor && (
                <OpenIncident
                  className="no-kiosk"
                  size="compact-sm"
                  alert={{ id, sloName: sloDisplayName, severity }}
                />
              )}
              {acknowledgedBy !== undefined ? (
                <span className="dim small">{t("Acknowledged by {name}", { name: acknowledgedBy })}</span>
              ) : isEditor ? (
                <Button
                  className="no-kiosk"
                  variant="default"
                  size="compact-sm"
                  loading={pending === id}
                  aria-label={t("Acknowledge the alert on {slo}", { slo: sloDisplayName })}
                  onClick={() => acknowledge.mutate({ params: { path: { id } } })}
                >
                  {t("Acknowledge")}
                </Button>
              ) : (
                <span className="dim small">{t("Not acknowledged")}</span>
              )}
            </span>
          </>
        )}
      </Section>
      <ErrorNotice error={acknowledge.error} />
    </>
  )
}

const Objectives = <O extends Objective>({
  title,
  href,
  objectives,
  figure,
}: {
  readonly title: string
  readonly href?: string
  readonly objectives: ReadonlyArray<O>
  readonly figure: (objective: O) => ReactNode
}) => (
  <Section
    title={title}
    items={objectives}
    keyOf={({ slo, name = "" }) => `${keyText(slo)} ${name}`}
    {...(href !== undefined && { href })}
  >
    {(each) => (
      <>
        <span className={css.what}>
          <RowLink href={`/slos/${keyText(each.slo)}`}>{each.sloDisplayName}</RowLink>
          <span className="dim small">
            {t("{objective} · target {target}", {
              objective: each.displayName ?? each.name ?? t("Composite"),
              target: targetText(each.target),
            })}
          </span>
        </span>
        <span className={css.state}>
          <StatusBadge status={each.state} />
        </span>
        <span className={css.action}>{figure(each)}</span>
      </>
    )}
  </Section>
)

const Budget = ({ objective }: { readonly objective: Objective }) => {
  const { errorBudgetRemainingPercentage: budget, target } = objective
  if (budget === undefined) return <span className="dim small">{t("no data")}</span>
  return (
    <span className={css.budget}>
      <strong className={budget <= 0 ? "bad" : ""}>{budgetText(budget)}</strong>
      <BudgetBar objective={{ ...objective, key: "", name: "", target }} />
    </span>
  )
}

const SilentPolicies = ({ policies }: { readonly policies: Overview["silentPolicies"] }) => (
  <Section
    title={t("Alert policies that notify nobody")}
    href="/alert-coverage"
    items={policies}
    keyOf={({ policy }) => keyText(policy)}
  >
    {({ policy, displayName, severity, slos, reach }) => (
      <>
        <span className={css.what}>
          <RowLink href={`/alert-policies/${keyText(policy)}`}>{displayName}</RowLink>
          <span className="dim small">
            {severityName(severity)} · {t("{count, plural, one {# SLO} other {# SLOs}}", { count: slos })}
          </span>
        </span>
        <span className={css.state}>
          <SilentReach reach={reach} />
        </span>
      </>
    )}
  </Section>
)

const Methods = ({ overview: { alertMethods } }: { readonly overview: Overview }) => {
  const methodName = useDisplayNames("alertmethods", {}, { enabled: alertMethods.length > 0 })
  return (
    <Section
      title={t("Alert methods that do not notify")}
      href="/alert-methods"
      items={alertMethods}
      keyOf={({ alertMethod }) => keyText(alertMethod)}
    >
      {({ alertMethod, state, failures }) => (
        <>
          <span className={css.what}>
            <RowLink href={`/alert-methods/${keyText(alertMethod)}`}>{methodName(alertMethod)}</RowLink>
            <span className="dim small">{alertMethod.project}</span>
          </span>
          <span className={css.state}>
            <StatusBadge status={state} />
          </span>
          <span className={css.action}>
            {failures > 0 && (
              <span className="dim small">
                {t("{count, plural, one {# failed attempt} other {# failed attempts}}", { count: failures })}
              </span>
            )}
          </span>
        </>
      )}
    </Section>
  )
}

const Sources = ({ sources }: { readonly sources: Overview["sources"] }) => (
  <Section
    title={t("Data sources with problems")}
    href="/data-sources"
    items={sources}
    keyOf={({ server, firstSlo }) => `${server} ${keyText(firstSlo)}`}
  >
    {({ server, slos, firstSlo, isUnavailable, detail, at }) => (
      <>
        <span className={css.what}>
          <RowLink
            href={
              isUnavailable && slos > 1 && isDataSource(server)
                ? `/data-sources/${server}`
                : `/slos/${keyText(firstSlo)}`
            }
          >
            {isUnavailable ? server : t("{slo} from {server}", { slo: firstSlo.name, server })}
          </RowLink>
          <span className="dim small">{detail}</span>
        </span>
        <span className={css.action}>
          <span className="dim small">
            {t("{count, plural, one {# SLO} other {# SLOs}}", { count: slos })} · <RelativeTime at={at} />
          </span>
        </span>
      </>
    )}
  </Section>
)

/** Rather than the address of a server. */
const isDataSource = (server: string): boolean => !server.includes("://")

const WithoutData = ({ overview: { withoutData, states } }: { readonly overview: Overview }) => (
  <Section
    title={t("SLOs without data")}
    href="/slos?state=noData"
    linkText={
      states === undefined ? t("View all") : t("View all {count}", { count: countText(states.noData) })
    }
    items={withoutData}
    keyOf={({ slo }) => keyText(slo)}
  >
    {({ slo, displayName }) => (
      <>
        <span className={css.what}>
          <RowLink href={`/slos/${keyText(slo)}`}>{displayName}</RowLink>
          <span className="dim small">{slo.project}</span>
        </span>
        <span className={css.state}>
          <StatusBadge status="noData" />
        </span>
      </>
    )}
  </Section>
)
