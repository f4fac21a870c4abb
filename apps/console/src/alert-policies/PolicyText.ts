import { shareText } from "../components/NumberFormat.ts"
import { t } from "../language/Text.tsx"
import type { AlertPolicy } from "./PolicyValues.ts"

type Spec = AlertPolicy["spec"]
type Condition = NonNullable<Spec["conditions"]>[number]

/** The conditions of a policy in a line. */
export const conditionsSummary = ({ sreWorkbook, conditions, conditionGroups }: Spec): string => {
  if (sreWorkbook !== undefined)
    return sreWorkbook === "page" ? t("SRE Workbook: page") : t("SRE Workbook: ticket")
  const groups = conditionGroups?.map((group) => group.conditions) ?? (conditions ? [conditions] : [])
  return groups.map((group) => group.map(conditionText).join(` ${t("and")} `)).join(` ${t("or")} `)
}

/** A condition as a clause. */
export const conditionText = (condition: Condition): string => {
  if ("fewerThan" in condition) {
    const { events, ofUsual, per } = condition.fewerThan
    return ofUsual === undefined
      ? t("fewer than {count} events in {window}", { count: String(events), window: per })
      : t("fewer than {share} of the usual events in {window}", {
          share: shareText(Number(ofUsual)),
          window: per,
        })
  }
  const window = "alertingWindow" in condition ? condition.alertingWindow : undefined
  const value = String(condition.value)
  const text = {
    averageBurnRate: () => t("burn rate ≥ {value}", { value }),
    burnedBudget: () =>
      t("budget burned {op} {value}", {
        op: signs[condition.op ?? "gte"] ?? "≥",
        value: shareText(Number(value)),
      }),
    budgetDrop: () => t("{value} of the budget burned", { value: shareText(Number(value)) }),
    timeToBurnBudget: () => t("remaining budget burned in < {value}", { value }),
    timeToBurnEntireBudget: () => t("entire budget burned in ≤ {value}", { value }),
  }[condition.measurement]()
  return window === undefined ? text : t("{condition} over {window}", { condition: text, window })
}

const signs: Readonly<Record<string, string>> = { gt: ">", gte: "≥", lt: "<", lte: "≤" }
