import type { DefinitionDocument } from "@tocsin/api"
import { SilentReach, useReach } from "../alert-policies/AlertCoverage.tsx"
import { conditionText as clauseOf } from "../alert-policies/PolicyText.ts"
import { Link } from "wouter"
import { type DefinitionKey, useDisplayNames, useDocuments } from "../api/Definitions.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { useFilters } from "../components/Filters.tsx"
import { shownName } from "../components/ObjectName.ts"
import { Card } from "../components/Page.tsx"
import { listOf, rich, t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { TimeInput } from "../components/TimeInput.tsx"
import { PolicyBacktest } from "../slos/PolicyBacktest.tsx"
import { PolicyExplanation } from "../slos/PolicyExplanation.tsx"
import { minuteOf } from "../time/Minute.ts"
import { PolicyTable } from "./PolicyTable.tsx"
import css from "./SloPage.module.css"

/** The alert policies of an SLO: what they trigger on, why they are met at a time, and how often they would have been. */
const SloPolicies = ({
  project,
  name,
  policies,
  objectives,
}: DefinitionKey & {
  readonly policies: ReadonlyArray<string>
  readonly objectives: ReadonlyArray<string>
}) => {
  const isEditor = useIsEditor()
  const query = useDocuments(
    "alertpolicies",
    { project, name: [...policies] },
    { enabled: policies.length > 0 },
  )
  const reachOf = useReach()
  const { values, set } = useFilters(["at", "explain", "backtest"])
  const at = Date.parse(values.at)
  return (
    <Card
      title={t("Alert policies")}
      aside={
        policies.length > 0 && (
          <TimeInput
            size="xs"
            label={t("Explain at")}
            placeholder={t("Now")}
            value={values.at}
            onChange={(time) => set({ at: time })}
          />
        )
      }
    >
      <QueryError query={query} />
      {policies.length === 0 && (
        <p className="dim">
          {t("This SLO has no alert policy, so it sends no alerts.")}{" "}
          {isEditor && (
            <Link href={`/slos/${project}/${name}/edit?step=alerts`}>{t("Add alert policy")}</Link>
          )}
        </p>
      )}
      {policies.length > 0 && (
        <ul className={css.policies}>
          {query.data?.map(({ metadata, spec }, index) => (
            <li key={metadata.name}>
              <p>
                <strong>{metadata.displayName ?? metadata.name}</strong>{" "}
                <span className="dim">{severityText(spec.severity)}</span>
              </p>
              {spec.description !== undefined && <p>{spec.description}</p>}
              <p className="dim small">
                {t("Triggers on {conditions}. Resolves when this has not been met for {coolDown}.", {
                  conditions: triggerText(spec),
                  coolDown: spec.coolDown ?? "5m",
                })}
              </p>
              <Notified project={project} methods={spec.alertMethods ?? []} />
              <SilentReach reach={reachOf({ metadata, spec })} />
              {index < measuredPoliciesMax && (
                <PolicyTable
                  project={project}
                  name={name}
                  policy={metadata.name}
                  policyName={shownName(metadata)}
                />
              )}
              <PolicyExplanation
                project={project}
                name={name}
                policy={metadata.name}
                at={Number.isNaN(at) ? undefined : minuteOf(at)}
                isOpen={values.explain === metadata.name}
                onToggle={(isOpen) => set({ explain: isOpen ? metadata.name : "" })}
              />{" "}
              <PolicyBacktest
                project={project}
                name={name}
                policy={metadata.name}
                policyName={shownName(metadata)}
                objectives={objectives}
                isOpen={values.backtest === metadata.name}
                onToggle={(isOpen) => set({ backtest: isOpen ? metadata.name : "" })}
              />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
export default SloPolicies

/** What is measured takes the server a while; that of further policies is explained on request. */
const measuredPoliciesMax = 2

const Notified = ({
  project,
  methods,
}: {
  readonly project: string
  readonly methods: NonNullable<PolicySpec["alertMethods"]>
}) => {
  const methodName = useDisplayNames("alertmethods", {}, { enabled: methods.length > 0 })
  if (methods.length === 0) return null
  return (
    <p className="small">
      {rich("Notifies {methods}", {
        methods: listOf(
          methods.map(({ metadata: method }) => (
            <Link
              key={`${method.project}/${method.name}`}
              href={`/alert-methods/${method.project ?? project}/${method.name}`}
            >
              <bdi>{methodName({ project, ...method })}</bdi>
            </Link>
          )),
        ),
      })}
    </p>
  )
}

type PolicySpec = DefinitionDocument<"AlertPolicy">["spec"]

type Condition = NonNullable<PolicySpec["conditions"]>[number]

const severityText = (severity: PolicySpec["severity"]): string =>
  ({ Low: t("Low severity"), Medium: t("Medium severity"), High: t("High severity") })[severity]

const triggerText = ({ conditions, conditionGroups, sreWorkbook }: PolicySpec): string => {
  if (sreWorkbook !== undefined) {
    return t("the burn rates that the SRE Workbook recommends for a {preset}", { preset: sreWorkbook })
  }
  const groups = conditionGroups?.map((group) => group.conditions) ?? [conditions ?? []]
  return groups
    .map((group) => group.map(conditionText).reduce((all, next) => t("{all} and {next}", { all, next })))
    .reduce((all, next) => t("{all}, or on {next}", { all, next }))
}

const conditionText = (condition: Condition): string => {
  if ("fewerThan" in condition) return clauseOf(condition)
  const { measurement, value, op, lastsFor, minEvents, minBadEvents } = condition
  const alertingWindow = "alertingWindow" in condition ? condition.alertingWindow : undefined
  const operator = op === undefined ? "" : `${{ gt: ">", gte: "≥", lt: "<", lte: "≤" }[op]} `
  return [
    `${measurementName(measurement)} ${operator}${value}`,
    ...(alertingWindow === undefined ? [] : [t("over {window}", { window: alertingWindow })]),
    ...(lastsFor === undefined ? [] : [t("for {duration}", { duration: lastsFor })]),
    ...(minEvents === undefined ? [] : [t("with ≥ {count} events", { count: minEvents })]),
    ...(minBadEvents === undefined ? [] : [t("with ≥ {count} bad events", { count: minBadEvents })]),
  ].join(" ")
}

const measurementName = (
  measurement: Extract<Condition, { readonly measurement: string }>["measurement"],
): string =>
  ({
    averageBurnRate: t("average burn rate"),
    burnedBudget: t("burned budget"),
    timeToBurnBudget: t("time to burn the budget"),
    timeToBurnEntireBudget: t("time to burn the entire budget"),
    budgetDrop: t("budget drop"),
  })[measurement]
