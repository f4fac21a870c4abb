import { Badge, Button, Tabs } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { objectiveState, objectiveStates } from "@tocsin/domain/forms"
import { type ReactNode, useDeferredValue, useState } from "react"
import { Link } from "wouter"
import { type Alert, alertOf } from "../alerts/Alert.ts"
import { useActiveAlerts } from "../alerts/AlertTable.tsx"
import { openAlertsStatus } from "../slos/OpenAlerts.ts"
import { HeldNotice } from "../alerts/HeldNotice.tsx"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { firstReadMs } from "../api/Queries.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { lazy } from "../components/Lazy.tsx"
import { useFilters } from "../components/Filters.tsx"
import { Card, Page } from "../components/Page.tsx"
import { durationText } from "../components/RelativeTime.tsx"
import { StoredWarnings } from "../components/Warnings.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { DeleteButton } from "../editor/DeleteButton.tsx"
import { listText, t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { SilencedNotice } from "../silences/SilencedNotice.tsx"
import { SilenceMenu } from "../silences/SilenceMenu.tsx"
import { BudgetBar } from "../slos/BudgetBar.tsx"
import { budgetText, burnText, reliabilityText, targetText } from "../components/NumberFormat.ts"
import { isPolled } from "../slos/SloIndicator.ts"
import { objectiveStatuses, type ObjectiveStatus } from "../slos/ObjectiveStatus.ts"
import { Skeleton } from "../components/Skeleton.tsx"
import { SloHeader } from "./SloHeader.tsx"
import { SloOverview } from "../slos/SloOverview.tsx"
import { statusOptions } from "../slos/SloQueries.ts"
import css from "./SloPage.module.css"
import { SloSource } from "./SloSource.tsx"

// Code that the overview does not need.
const SloAlerts = lazy(() => import("./SloAlerts.tsx"))
const SloPolicies = lazy(() => import("./SloPolicies.tsx"))
const SloAdjustments = lazy(() => import("./SloAdjustments.tsx"))
const SloReports = lazy(() => import("./SloReports.tsx"))
const MoveSlo = lazy(async () => ({ default: (await import("../slos/SloMove.tsx")).MoveSlo }))
const DefinitionYaml = lazy(async () => ({
  default: (await import("../history/DefinitionYaml.tsx")).DefinitionYaml,
}))

/** An SLO: its status and history, its alerts and policies, and how it is defined. */
const SloPage = ({ project, name }: DefinitionKey) => {
  const isEditor = useIsEditor()
  const [isMoving, setIsMoving] = useState(false)
  const query = useQuery(statusOptions({ project, name }))
  const alerts = useActiveAlerts({ project, slo: name })
  const documents = useDocuments("slos", { project, name }, { staleTime: firstReadMs })
  const definition = documents.data?.[0]
  // Drawn in slices, between which the browser can respond, and with the definition: the header would move what is below it.
  const data = useDeferredValue(documents.isPending ? undefined : query.data)
  const error = (
    <QueryError
      query={query}
      missing={t("SLO {name} was not found in project {project}.", { name, project })}
    />
  )
  const back = { href: "/slos", text: t("SLOs") }
  if (data === undefined) {
    return (
      <Page title={name} back={back}>
        {error}
        {query.error === null && <Skeleton />}
      </Page>
    )
  }
  const statuses = objectiveStatuses(data)
  const worst = objectiveStates.find((state) => statuses.some((each) => objectiveState(each) === state))
  // The figures of the previous definition, until the new ones are computed.
  const isComputing = statuses.some(({ isOutdated }) => isOutdated === true)
  const title = data.displayName || data.name
  // The figures of another SLO would be wrong.
  const areAlertsRead = !alerts.query.isPending && !alerts.query.isPlaceholderData
  const open = areAlertsRead ? (alerts.items?.map(alertOf) ?? []) : []
  const openStatus = statusOf(open)
  return (
    <Page
      title={title}
      {...(open.length > 0 && { tabTitle: t("Alert: {title}", { title }) })}
      back={back}
      subtitle={
        <>
          {openStatus !== undefined && (
            <Link href={`/slos/${project}/${name}?tab=alerts`}>
              <StatusBadge status={openStatus} />
            </Link>
          )}
          {open.length > 0 && <span>{openText(open)}</span>}
          {/* An SLO with an open alert is not simply healthy, nor one whose alerts are not read yet. */}
          {worst !== undefined &&
            !(isComputing && worst === "noData") &&
            (worst !== "healthy" || (openStatus === undefined && areAlertsRead)) && (
              <StatusBadge status={worst} />
            )}
          {isComputing && <StatusBadge status="computing" />}
          <span>
            <bdi>{data.project.displayName || data.project.name}</bdi> /{" "}
            <bdi>{data.service.displayName || data.service.name}</bdi>
          </span>
          {Object.entries(data.labels ?? {}).flatMap(([key, values]) =>
            values.map((value) => (
              <Badge key={`${key}=${value}`} variant="light" color="gray" fw="normal">
                {key}={value}
              </Badge>
            )),
          )}
        </>
      }
      actions={
        isEditor && (
          <>
            <SilenceMenu slo={{ project, name }} />
            <Button variant="default" onClick={() => setIsMoving(true)}>
              {t("Move")}
            </Button>
            <Button component={Link} href={`/slos/${project}/${name}/edit`}>
              {t("Edit")}
            </Button>
            <DeleteButton kind="slos" definition={{ project, name }} label={t("Delete SLO")} listHref="/slos">
              <p>
                {t(
                  "Its counts and annotations are deleted with it, and its open alerts are canceled. Its reports stay.",
                )}
              </p>
            </DeleteButton>
          </>
        )
      }
    >
      {error}
      <SilencedNotice slo={{ project, name }} />
      <HeldNotice project={project} slo={name} isOfOneSlo />
      <SloSource project={project} name={name} />
      <StoredWarnings kind="slo" project={project} name={name} />
      {data.description !== "" && <p className="description">{data.description}</p>}
      <SloHeader project={project} name={name} slo={data} spec={definition?.spec} />
      <div className={css.objectives}>
        {statuses.map((objective) => (
          <Objective
            key={objective.key}
            objective={objective}
            isRead={isPolled(definition)}
            isOfMinutes={data.budgetingMethod === "Timeslices"}
            openStatus={statusOf(open.filter((each) => (each.objective ?? "") === objective.key))}
          />
        ))}
      </div>
      <SloTabs
        tabs={[
          {
            value: "",
            label: t("Overview"),
            content: () => (
              <SloOverview
                project={project}
                name={name}
                title={title}
                objectives={statuses}
                spec={definition?.spec}
              />
            ),
          },
          {
            value: "alerts",
            label: t("Alerts"),
            content: () => <SloAlerts project={project} name={name} />,
          },
          {
            value: "policies",
            label: t("Alert policies"),
            content: () => (
              <SloPolicies
                project={project}
                name={name}
                policies={definition?.spec.alertPolicies ?? []}
                objectives={data.objectives.map((objective) => objective.name)}
              />
            ),
          },
          {
            value: "adjustments",
            label: t("Adjustments"),
            content: () => <SloAdjustments project={project} name={name} />,
          },
          {
            value: "reports",
            label: t("Reports"),
            content: () => <SloReports project={project} name={name} />,
          },
          {
            value: "definition",
            label: t("Definition"),
            content: () => <DefinitionYaml kind="slos" project={project} name={name} />,
          },
        ]}
      />
      {isMoving && <MoveSlo project={project} name={name} onClose={() => setIsMoving(false)} />}
    </Page>
  )
}
export default SloPage

interface Tab {
  /** In the address; empty for the first one. */
  readonly value: string
  readonly label: string
  readonly content: () => ReactNode
}

const SloTabs = ({ tabs }: { readonly tabs: ReadonlyArray<Tab> }) => {
  const { values, set } = useFilters(["tab"])
  const active = tabs.find(({ value }) => value === values.tab) ?? tabs[0]
  const idOf = (value: string): string => (value === "" ? "overview" : value)
  return (
    <Tabs
      value={idOf(active?.value ?? "")}
      onChange={(id) => set({ tab: id === "overview" || id === null ? "" : id }, true)}
      keepMounted={false}
    >
      <div className={css.tabs}>
        <Tabs.List>
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={idOf(value)}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </div>
      {tabs.map(({ value, content }) => (
        <Tabs.Panel key={value} value={idOf(value)} pt="lg">
          {value === active?.value && content()}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

/** How many alerts are open, and who has acknowledged them. */
const openText = (open: ReadonlyArray<Alert>): string => {
  const owners = new Set(open.flatMap(({ acknowledgement }) => acknowledgement?.by ?? []))
  const count = t("{count, plural, one {# open alert} other {# open alerts}}", { count: open.length })
  return owners.size === 0
    ? count
    : t("{alerts}, acknowledged by {owners}", { alerts: count, owners: listText([...owners]) })
}

const statusOf = (open: ReadonlyArray<Alert>) =>
  openAlertsStatus(open.length, open.filter(({ acknowledgement }) => acknowledgement !== undefined).length)

const Objective = ({
  objective,
  isRead,
  isOfMinutes,
  openStatus,
}: {
  readonly objective: ObjectiveStatus
  /** Whether its counts are read from a data source. */
  readonly isRead: boolean
  /** Whether its error budget is time, which alone is lost or left in hours. */
  readonly isOfMinutes: boolean
  /** Of its open alerts, if there are any. */
  readonly openStatus: ReturnType<typeof statusOf>
}) => {
  const { name, target, reliability, burnRate, isOutdated = false } = objective
  const state = objectiveState(objective)
  const { errorBudgetRemaining: seconds, errorBudgetRemainingPercentage: budget } = objective
  return (
    <Card
      title={name}
      aside={
        <StatusBadge
          status={
            isOutdated && reliability === undefined
              ? "computing"
              : ((state === "healthy" ? openStatus : undefined) ?? state)
          }
        />
      }
    >
      {isOutdated && (
        <p className="dim small" role="status">
          {reliability === undefined
            ? t("Computing the status of the changed definition…")
            : t(
                "Computing the status of the changed definition… Until then, the previous figures are shown.",
              )}
        </p>
      )}
      {reliability === undefined && isOutdated ? null : reliability === undefined ? (
        <p className="dim">
          {isRead
            ? t(
                "No counts in the time window yet. Target: {target}. Counts are read from the data source every minute.",
                { target: targetText(target) },
              )
            : t("No counts in the time window yet. Target: {target}. Send counts to the API.", {
                target: targetText(target),
              })}
        </p>
      ) : (
        <dl className={css.figures}>
          <div>
            <dt>{t("SLI")}</dt>
            <dd className={reliability < target ? "bad" : undefined}>{reliabilityText(reliability)}</dd>
            <dd className="dim small">
              {reliability < target
                ? t("Below the target of {target}", { target: targetText(target) })
                : t("Meets the target of {target}", { target: targetText(target) })}
            </dd>
          </div>
          {budget !== undefined && (
            <div>
              <dt>{t("Error budget remaining")}</dt>
              <dd className={budget <= 0 ? "bad" : undefined}>{budgetText(budget)}</dd>
              <dd>
                <BudgetBar objective={objective} />
              </dd>
              {seconds !== undefined && isOfMinutes && (
                <dd className="dim small">
                  {seconds < 0
                    ? t("Overspent by {duration}", { duration: durationText(seconds * 1000) })
                    : t("Remaining: {duration}", { duration: durationText(seconds * 1000) })}
                </dd>
              )}
            </div>
          )}
          <div>
            <dt>{t("Burn rate")}</dt>
            <dd>
              {burnRate === undefined ? <span className="dim">{t("No data")}</span> : burnText(burnRate)}
            </dd>
            <dd className="dim small">{t("Last hour. At 1×, the budget lasts the whole window.")}</dd>
          </div>
        </dl>
      )}
    </Card>
  )
}
