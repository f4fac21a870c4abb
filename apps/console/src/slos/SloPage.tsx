import { Link } from "wouter"
import { useOpenAlerts, usePastAlerts } from "../alerts/Alert.ts"
import { AlertTable, OlderAlerts } from "../alerts/AlertTable.tsx"
import type { Schemas } from "../api/ApiTypes.ts"
import { call } from "../api/Call.ts"
import { readDocuments } from "../api/Definitions.ts"
import { pollMs, useResource } from "../api/Resource.ts"
import { Definition } from "../shell/Definition.tsx"
import { Failure } from "../shell/Failure.tsx"
import { Notice } from "../shell/Notice.tsx"
import { Card, Page } from "../shell/Page.tsx"
import table from "../shell/Table.module.css"
import { BudgetBar } from "./BudgetBar.tsx"
import { budgetText, burnText, secondsText, shareText, targetText } from "./Numbers.ts"
import { OverTime } from "./OverTime.tsx"
import css from "./SloPage.module.css"
import { type Standing, situationsOf } from "./Standing.ts"

/** What names an SLO. */
interface Key {
  readonly project: string
  readonly name: string
}

/** One SLO: how it stands, how it went, its alerts, its alert policies and its definition. */
const SloPage = ({ project, name }: Key) => {
  const { data, failure, reload } = useResource(
    `slo/${project}/${name}`,
    (signal) => call("GET /api/v2/slos/{sloName}", { path: { sloName: name }, headers: { project }, signal }),
    pollMs,
  )
  const back = { href: "/slos", text: "SLOs" }
  if (data === undefined) {
    return (
      <Page title={name} back={back}>
        {failure?.status === 404 ? (
          <Notice kind="warn">There is no SLO of this name in the project {project}.</Notice>
        ) : (
          failure !== undefined && <Failure failure={failure} retry={reload} />
        )}
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
          <Labels labels={data.labels} />
        </>
      }
    >
      {failure !== undefined && <Failure failure={failure} />}
      {data.description !== "" && <p className="description">{data.description}</p>}
      <div className={css.objectives}>
        {situationsOf(data).map((standing) => (
          <Objective key={standing.key} standing={standing} />
        ))}
      </div>
      <OverTime
        project={project}
        name={name}
        objectives={data.objectives}
        hasComposite={data.composite !== undefined}
      />
      <Alerts project={project} name={name} />
      <AlertPolicies project={project} name={name} />
      <Definition kind="slos" project={project} name={name} />
    </Page>
  )
}
export default SloPage

const Labels = ({ labels = {} }: { readonly labels: Schemas["Slo"]["labels"] }) => (
  <>
    {Object.entries(labels).flatMap(([key, values]) =>
      values.map((value) => (
        <span key={`${key}:${value}`} className={css.label}>
          {key}: {value}
        </span>
      )),
    )}
  </>
)

const Objective = ({ standing }: { readonly standing: Standing }) => {
  const { name, target, reliability, burnRate } = standing
  const { errorBudgetRemaining: seconds, errorBudgetRemainingPercentage: budget } = standing
  return (
    <Card title={name} aside={<span className="dim">Target {targetText(target)}</span>}>
      {reliability === undefined ? (
        <p className="no-data">No data in the window: nothing was counted yet, or the counts stopped.</p>
      ) : (
        <dl className={css.figures}>
          <div>
            <dt>Reliability</dt>
            <dd className={reliability < target ? css.bad : undefined}>{shareText(reliability)}</dd>
            <dd className="dim small">{reliability < target ? "below the target" : "on target"}</dd>
          </div>
          {budget !== undefined && (
            <div>
              <dt>Budget left</dt>
              <dd className={budget <= 0 ? css.bad : undefined}>{budgetText(budget)}</dd>
              <dd>
                <BudgetBar fraction={budget} />
              </dd>
              {seconds !== undefined && (
                <dd className="dim small">
                  {seconds < 0
                    ? `overspent by ${secondsText(seconds)}`
                    : `${secondsText(seconds)} of bad time left`}
                </dd>
              )}
            </div>
          )}
          <div>
            <dt>Burn rate</dt>
            <dd>{burnRate === undefined ? <span className="dim">no data</span> : burnText(burnRate)}</dd>
            <dd className="dim small">in the last hour; at 1× the budget lasts the window</dd>
          </div>
        </dl>
      )}
    </Card>
  )
}

const Alerts = ({ project, name }: Key) => {
  const open = useOpenAlerts({ project, slo: name })
  const past = usePastAlerts({ project, slo: name }, alertDays, 20)
  const failure = open.failure ?? past.failure
  const alerts = open.data && past.items && [...open.data.data, ...past.items]
  return (
    <Card title="Alerts">
      {failure !== undefined && (
        <Failure failure={failure} retry={open.failure === undefined ? past.reload : open.reload} />
      )}
      {alerts?.length === 0 && <p className="dim">It was not in danger in the last {alertDays} days.</p>}
      {alerts !== undefined && alerts.length > 0 && (
        <div className={table.inset}>
          <AlertTable alerts={alerts} label="Alerts of this SLO, the open ones first" isOfOneSlo />
          <OlderAlerts past={past} />
        </div>
      )}
    </Card>
  )
}

/** How far back an SLO's page tells of alerts. */
const alertDays = 30

const AlertPolicies = ({ project, name }: Key) => {
  const { data, failure, reload } = useResource(`definition/slos/${project}/${name}`, (signal) =>
    readDocuments("slos", { project, name }, signal),
  )
  const definition = data?.[0]
  const policies = definition?.spec.alertPolicies ?? []
  return (
    <Card title="Alert policies">
      {failure !== undefined && <Failure failure={failure} retry={reload} />}
      {definition !== undefined && policies.length === 0 && (
        <p className="dim">It names none, so nobody is rung when it is in danger.</p>
      )}
      {policies.length > 0 && <Policies project={project} names={policies} />}
    </Card>
  )
}

const Policies = ({
  project,
  names,
}: {
  readonly project: string
  readonly names: ReadonlyArray<string>
}) => {
  const { data, failure, reload } = useResource(`policies/${project}/${names.join()}`, (signal) =>
    readDocuments("alertpolicies", { project, name: names }, signal),
  )
  if (data === undefined) return failure === undefined ? null : <Failure failure={failure} retry={reload} />
  return (
    <ul className={css.policies}>
      {data.map(({ metadata, spec }) => {
        return (
          <li key={metadata.name}>
            <div className={css.policyHead}>
              <strong>{metadata.displayName ?? metadata.name}</strong>
              <span className="dim">{spec.severity} severity</span>
            </div>
            {spec.description !== undefined && <p>{spec.description}</p>}
            <p className="dim small">
              {spec.conditions.map(conditionText).join(" and ")}; resolves after {spec.coolDown ?? "5m"}{" "}
              without
            </p>
            <p className="small">
              {spec.alertMethods === undefined || spec.alertMethods.length === 0 ? (
                <span className="dim">Rings nobody</span>
              ) : (
                <>
                  Rings{" "}
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
          </li>
        )
      })}
    </ul>
  )
}

type Condition = Schemas["AlertPolicyDefinition"]["spec"]["conditions"][number]

const conditionText = (condition: Condition): string => {
  const { measurement, value, op } = condition
  const alertingWindow = "alertingWindow" in condition ? condition.alertingWindow : undefined
  const lastsFor = "lastsFor" in condition ? condition.lastsFor : undefined
  const sign = op === undefined ? "" : `${{ gt: ">", gte: "≥", lt: "<", lte: "≤" }[op]} `
  const span =
    alertingWindow !== undefined
      ? ` over ${alertingWindow}`
      : lastsFor !== undefined
        ? ` for ${lastsFor}`
        : ""
  return `${measurementNames[measurement]} ${sign}${value}${span}`
}

const measurementNames: Readonly<Record<Condition["measurement"], string>> = {
  averageBurnRate: "average burn rate",
  burnedBudget: "burned budget",
  timeToBurnBudget: "time to burn the budget",
  timeToBurnEntireBudget: "time to burn the entire budget",
  budgetDrop: "drop of the budget",
}
