import { Badge } from "@mantine/core"
import { objectiveState } from "@tocsin/domain/internal/status/ObjectiveState"
import { Link } from "wouter"
import { AlertTable, useActiveAlerts, usePastAlerts } from "../alerts/AlertTable.tsx"
import type { Schemas } from "../api/Client.ts"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { DefinitionYaml } from "../components/DefinitionYaml.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Card, Page } from "../components/Page.tsx"
import { durationText } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { BudgetBar } from "./BudgetBar.tsx"
import { budgetText, burnText, reliabilityText, targetText } from "./NumberFormat.ts"
import { objectiveStatuses, type ObjectiveStatus } from "./ObjectiveStatus.ts"
import { PolicyBacktest } from "./PolicyBacktest.tsx"
import { PolicyExplanation } from "./PolicyExplanation.tsx"
import { SloHistory } from "./SloHistory.tsx"
import { SloReplay } from "./SloReplay.tsx"
import { SloReports } from "./SloReports.tsx"
import { SloSource } from "./SloSource.tsx"
import { SloTargets } from "./SloTargets.tsx"
import css from "./SloPage.module.css"

/** An SLO: its status, history, alerts, alert policies and definition. */
const SloPage = ({ project, name }: DefinitionKey) => {
  const query = api.useQuery(
    "get",
    "/api/v2/slos/{sloName}",
    { params: { path: { sloName: name }, header: { project } } },
    { refetchInterval: poll(pollMs) },
  )
  const { data } = query
  const error = <QueryError query={query} missing={`SLO ${name} was not found in project ${project}.`} />
  const back = { href: "/slos", text: "SLOs" }
  if (data === undefined) {
    return (
      <Page title={name} back={back}>
        {error}
      </Page>
    )
  }
  return (
    <Page
      title={data.displayName || data.name}
      back={back}
      subtitle={
        <>
          <span>
            <bdi>{data.project.displayName || data.project.name}</bdi> /{" "}
            <bdi>{data.service.displayName || data.service.name}</bdi>
          </span>
          {Object.entries(data.labels ?? {}).flatMap(([key, values]) =>
            values.map((value) => (
              <Badge key={`${key}:${value}`} variant="light" color="gray" fw={400}>
                {key}: {value}
              </Badge>
            )),
          )}
        </>
      }
    >
      {error}
      <SloSource project={project} name={name} />
      {data.description !== "" && <p className="description">{data.description}</p>}
      <div className={css.objectives}>
        {objectiveStatuses(data).map((objective) => (
          <Objective key={objective.key} objective={objective} />
        ))}
      </div>
      <SloHistory
        project={project}
        name={name}
        objectives={data.objectives}
        hasComposite={data.composite !== undefined}
      />
      <Alerts project={project} name={name} />
      <AlertPolicies
        project={project}
        name={name}
        objectives={data.objectives.map((objective) => objective.name)}
      />
      <SloTargets project={project} name={name} />
      <SloReplay project={project} name={name} />
      <SloReports project={project} name={name} />
      <DefinitionYaml kind="slos" project={project} name={name} />
    </Page>
  )
}
export default SloPage

const Objective = ({ objective }: { readonly objective: ObjectiveStatus }) => {
  const { name, target, reliability, burnRate } = objective
  const { errorBudgetRemaining: seconds, errorBudgetRemainingPercentage: budget } = objective
  return (
    <Card title={name} aside={<StatusBadge status={objectiveState(objective)} />}>
      {reliability === undefined ? (
        <p className="dim">
          The time window contains no counts. Target: {targetText(target)}. Send counts to the API or check
          the data source of the indicator.
        </p>
      ) : (
        <dl className={css.figures}>
          <div>
            <dt>Reliability</dt>
            <dd className={reliability < target ? "bad" : undefined}>{reliabilityText(reliability)}</dd>
            <dd className="dim small">
              {reliability < target ? "Below" : "Meets"} the target of {targetText(target)}
            </dd>
          </div>
          {budget !== undefined && (
            <div>
              <dt>Error budget remaining</dt>
              <dd className={budget <= 0 ? "bad" : undefined}>{budgetText(budget)}</dd>
              <dd>
                <BudgetBar objective={objective} />
              </dd>
              {seconds !== undefined && (
                <dd className="dim small">
                  {seconds < 0 ? "Overspent by " : "Remaining: "}
                  {durationText(seconds * 1000)}
                </dd>
              )}
            </div>
          )}
          <div>
            <dt>Burn rate</dt>
            <dd>{burnRate === undefined ? <span className="dim">No data</span> : burnText(burnRate)}</dd>
            <dd className="dim small">Last hour. At 1×, the budget lasts the whole window.</dd>
          </div>
        </dl>
      )}
    </Card>
  )
}

const Alerts = ({ project, name }: DefinitionKey) => {
  const active = useActiveAlerts({ project, slo: name })
  const past = usePastAlerts({ project, slo: name }, alertDays, 20)
  const alerts =
    active.data && past.data && [...active.data.pages, ...past.data.pages].flatMap(({ data }) => data)
  return (
    <Card title="Alerts">
      <AlertTable
        query={active.error === null ? past : active}
        items={alerts}
        label="Alerts of this SLO"
        more="Load older alerts"
        empty={<p className="dim">No alerts in the last {alertDays} days.</p>}
        isInCard
        isOfOneSlo
      />
    </Card>
  )
}

/** How many days of past alerts an SLO's page shows. */
const alertDays = 30

interface WithObjectives {
  /** The names of the objectives, by group. */
  readonly objectives: ReadonlyArray<string>
}

const AlertPolicies = ({ project, name, objectives }: DefinitionKey & WithObjectives) => {
  const query = useDocuments("slos", { project, name })
  const definition = query.data?.[0]
  const policies = definition?.spec.alertPolicies ?? []
  return (
    <Card title="Alert policies">
      <QueryError query={query} />
      {definition !== undefined && policies.length === 0 && (
        <p className="dim">
          This SLO has no alert policy, so it sends no alerts. List alert policies under{" "}
          <code>spec.alertPolicies</code> of its definition.
        </p>
      )}
      {policies.length > 0 && (
        <Policies project={project} name={name} policies={policies} objectives={objectives} />
      )}
    </Card>
  )
}

const Policies = ({
  project,
  name,
  policies,
  objectives,
}: DefinitionKey & WithObjectives & { readonly policies: ReadonlyArray<string> }) => {
  const query = useDocuments("alertpolicies", { project, name: [...policies] })
  return (
    <>
      <QueryError query={query} />
      <ul className={css.policies}>
        {query.data?.map(({ metadata, spec }) => (
          <li key={metadata.name}>
            <p>
              <strong>{metadata.displayName ?? metadata.name}</strong>{" "}
              <span className="dim">{spec.severity} severity</span>
            </p>
            {spec.description !== undefined && <p>{spec.description}</p>}
            <p className="dim small">
              Triggers on {triggerText(spec)}. Resolves {spec.coolDown ?? "5m"} after that has cleared.
            </p>
            <p className="small">
              {spec.alertMethods === undefined || spec.alertMethods.length === 0 ? (
                <span className="dim">No alert methods</span>
              ) : (
                <>
                  Notifies{" "}
                  {spec.alertMethods.map(({ metadata: method }, at) => (
                    <span key={`${method.project}/${method.name}`}>
                      {at > 0 && ", "}
                      <Link href={`/alert-methods/${method.project ?? project}/${method.name}`}>
                        {method.name}
                      </Link>
                    </span>
                  ))}
                </>
              )}
            </p>
            <PolicyExplanation project={project} name={name} policy={metadata.name} />{" "}
            <PolicyBacktest project={project} name={name} policy={metadata.name} objectives={objectives} />
          </li>
        ))}
      </ul>
    </>
  )
}

type PolicySpec = Schemas["AlertPolicyDefinition"]["spec"]

type Condition = NonNullable<PolicySpec["conditions"]>[number]

const triggerText = ({ conditions, conditionGroups, sreWorkbook }: PolicySpec): string => {
  if (sreWorkbook !== undefined) return `the burn rates that the SRE Workbook recommends for a ${sreWorkbook}`
  const groups = conditionGroups?.map((group) => group.conditions) ?? [conditions ?? []]
  return groups.map((group) => group.map(conditionText).join(" and ")).join(", or on ")
}

const conditionText = (condition: Condition): string => {
  const { measurement, value, op, lastsFor, minEvents, minBadEvents } = condition
  const alertingWindow = "alertingWindow" in condition ? condition.alertingWindow : undefined
  const operator = op === undefined ? "" : `${{ gt: ">", gte: "≥", lt: "<", lte: "≤" }[op]} `
  return [
    `${measurementNames[measurement]} ${operator}${value}`,
    ...(alertingWindow === undefined ? [] : [`over ${alertingWindow}`]),
    ...(lastsFor === undefined ? [] : [`for ${lastsFor}`]),
    ...(minEvents === undefined ? [] : [`with ≥ ${minEvents} events`]),
    ...(minBadEvents === undefined ? [] : [`with ≥ ${minBadEvents} bad events`]),
  ].join(" ")
}

const measurementNames: Readonly<Record<Condition["measurement"], string>> = {
  averageBurnRate: "average burn rate",
  burnedBudget: "burned budget",
  timeToBurnBudget: "time to burn the budget",
  timeToBurnEntireBudget: "time to burn the entire budget",
  budgetDrop: "budget drop",
}
