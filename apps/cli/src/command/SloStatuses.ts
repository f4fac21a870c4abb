import { percentText } from "@tocsin/domain/codec"
import { type SloRecord, status } from "@tocsin/api"
import { type ObjectiveState, objectiveState } from "@tocsin/domain"
import { type ApiClient, operationsOf } from "../client/ApiClient.ts"
import { readAll } from "../client/Pages.ts"
import type { Cell } from "../terminal/Table.ts"
import { colors } from "../terminal/Terminal.ts"

/** Lists the SLOs of all projects. */
export const listSlos = (client: ApiClient) =>
  readAll((page) => operationsOf(status, client.call).listSlos(page))

export const findSlo = (client: ApiClient, project: string, name: string) =>
  operationsOf(status, client.call).findSlo({ sloName: name, project })

/** An objective, or the composite of all; figures without data are absent. */
type ObjectiveFigures = Pick<
  SloRecord["objectives"][number],
  "target" | "reliability" | "burnRate" | "errorBudgetRemainingPercentage" | "isOutdated"
>

/** The objectives of an SLO by name, and its composite as `(composite)`. */
export const objectivesOf = ({
  objectives,
  composite,
}: SloRecord): ReadonlyArray<ObjectiveFigures & { readonly name: string }> => [
  ...objectives,
  ...(composite === undefined ? [] : [{ ...composite, name: "(composite)" }]),
]

/** The status of an objective, as in the web console. */
export type ObjectiveStatus = "healthy" | "at-risk" | "breached" | "no-data"

const statusByState: Readonly<Record<ObjectiveState, ObjectiveStatus>> = {
  healthy: "healthy",
  atRisk: "at-risk",
  breached: "breached",
  noData: "no-data",
}

export const statusOf = (objective: ObjectiveFigures): ObjectiveStatus =>
  statusByState[objectiveState(objective)]

const colorOfStatus: Readonly<Record<ObjectiveStatus, ((text: string) => string) | undefined>> = {
  healthy: colors.green,
  "at-risk": colors.yellow,
  breached: colors.red,
  "no-data": undefined,
}

/** At most 5 digits after the point: never rounded to 100%. */
export const percent = (share: number): string => percentText(Math.floor(share * 1e7) / 1e7)

export const burnRateText = (burnRate: number | undefined): string =>
  burnRate === undefined ? "" : `${burnRate.toFixed(2)}x`

const colored = (text: string, status: ObjectiveStatus, hasColor: boolean): Cell | string => {
  const color = colorOfStatus[status]
  return hasColor && color !== undefined ? { text, color } : text
}

const barCells = 10

/** A bar of the remaining part, and its share, in the color of the status. */
export const budgetCell = (budget: number | undefined, hasColor: boolean): Cell | string => {
  if (budget === undefined) return ""
  const filled = Math.max(0, Math.min(barCells, Math.round(budget * barCells)))
  const text = `${"█".repeat(filled)}${"░".repeat(barCells - filled)} ${(Math.floor(budget * 1_000) / 10).toFixed(1)}%`
  return colored(
    text,
    statusByState[objectiveState({ reliability: 1, errorBudgetRemainingPercentage: budget })],
    hasColor,
  )
}

export const alertsCell = (alerts: number, hasColor: boolean): Cell | string => {
  if (alerts === 0) return ""
  const text = String(alerts)
  return hasColor ? { text, color: colors.red } : text
}

export const objectiveHeader = ["OBJECTIVE", "STATUS", "TARGET", "SLI", "BUDGET REMAINING", "BURN RATE"]

/** The cells of `objectiveHeader`. */
export const objectiveCells = (
  objective: ObjectiveFigures & { readonly name: string },
  hasColor: boolean,
): ReadonlyArray<Cell | string> => {
  const { name, target, reliability, errorBudgetRemainingPercentage: budget, burnRate } = objective
  const status = statusOf(objective)
  return [
    name,
    objective.isOutdated === true ? "computing" : colored(status.replace("-", " "), status, hasColor),
    percent(target),
    reliability === undefined ? "" : percent(reliability),
    budgetCell(budget, hasColor),
    burnRateText(burnRate),
  ]
}
