import type { ExplainedPolicy } from "@tocsin/api"
import type { DefinitionKey } from "../api/Definitions.ts"
import { api, poll } from "../api/Queries.ts"
import { Check, Warning } from "../components/Icon.tsx"
import { type Column, ListTable } from "../components/ListTable.tsx"
import { burnText, digitsText, shareText } from "../components/NumberFormat.ts"
import { durationText } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import { useObjectiveNames } from "../slos/ObjectiveNames.ts"

type Measured =
  ExplainedPolicy["minutes"][number]["objectives"][number]["conditionGroups"][number]["conditions"][number]

interface Row {
  readonly key: string
  readonly objective: string
  readonly condition: Measured
}

/** What each condition of an alert policy measures now, over which range, and its threshold. */
export const PolicyTable = ({
  project,
  name,
  policy,
  policyName,
}: DefinitionKey & { readonly policy: string; readonly policyName: string }) => {
  const query = api.useQuery(
    "get",
    "/api/slos/{sloName}/explain",
    { params: { path: { sloName: name }, header: { project }, query: { alertPolicy: policy } } },
    { refetchInterval: poll(300_000) },
  )
  const objectiveName = useObjectiveNames({ project, name })
  const objectives = query.data?.minutes.at(-1)?.objectives
  const rows = objectives?.flatMap((objective) =>
    objective.conditionGroups.flatMap(({ conditions }, group) =>
      conditions.map((condition): Row => ({
        key: `${objective.name ?? ""} ${group} ${condition.condition}`,
        objective: objectiveName(objective.name),
        condition,
      })),
    ),
  )
  return (
    <ListTable
      query={query}
      items={rows}
      label={t("Conditions of {policy} now", { policy: policyName })}
      columns={columns().filter(({ isOfSeveral }) => objectives?.length !== 1 || isOfSeveral !== true)}
      keyOf={({ key }) => key}
      empty={null}
      isInCard
    />
  )
}

const columns = (): ReadonlyArray<Column<Row> & { readonly isOfSeveral?: boolean }> => [
  { name: t("Objective"), cell: ({ objective }) => <bdi>{objective}</bdi>, isOfSeveral: true },
  { name: t("Condition"), cell: ({ condition: { condition } }) => condition },
  {
    name: t("Window"),
    isLabeled: true,
    cell: ({ condition: { from, to } }) => rangeText(Date.parse(to) - Date.parse(from)),
  },
  {
    name: t("Threshold"),
    isLabeled: true,
    isNumber: true,
    cell: ({ condition }) => valueText(condition, condition.threshold),
  },
  {
    name: t("Now"),
    isLabeled: true,
    isNumber: true,
    cell: ({ condition }) =>
      condition.value !== undefined
        ? valueText(condition, condition.value)
        : condition.reason === "no_data"
          ? t("No data")
          : t("unlimited"),
  },
  {
    name: t("Status"),
    isLabeled: true,
    cell: ({ condition: { isMet } }) =>
      isMet ? (
        <span className="bad">
          <Warning /> {t("Condition met")}
        </span>
      ) : (
        <span className="dim">
          <Check /> {t("Not met")}
        </span>
      ),
  },
]

const valueText = ({ measurement }: Measured, value: number): string => {
  switch (measurement) {
    case "averageBurnRate":
      return burnText(value)
    case "burnedBudget":
    case "budgetDrop":
      return shareText(value, 4)
    case "timeToBurnBudget":
    case "timeToBurnEntireBudget":
      return durationText(value)
    default:
      return digitsText(value, 4)
  }
}

/** A range in whole minutes, as in 5 min, 1 h or 28 d. */
const rangeText = (ms: number): string => durationText(ms).replace(/ 0 \S+$/, "")
