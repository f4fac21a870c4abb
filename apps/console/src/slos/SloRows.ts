import type { SloRow as SloRowJson, SloRowList } from "@tocsin/api"
import {
  countStates,
  groupBy,
  isBurning,
  type ObjectiveState,
  objectiveState,
  objectiveStates,
  sloSortKeys,
  type StateCounts,
  worseState,
} from "@tocsin/domain/forms"
import { labelValueText } from "../editor/Labels.ts"
import { currentLanguage } from "../language/Language.ts"
import type { ObjectiveStatus } from "./ObjectiveStatus.ts"

/** An objective in the list of SLOs. */
export interface ObjectiveRow extends ObjectiveStatus {
  readonly state: ObjectiveState
}

/** An SLO in the list, with everything that it is sorted, filtered and grouped by. */
export interface SloRow {
  /** Project and name, as in shop/checkout. */
  readonly key: string
  readonly href: string
  readonly project: string
  readonly projectName: string
  readonly service: string
  readonly serviceName: string
  readonly displayName: string
  /** Each key with each of its values, as in team=payments. */
  readonly labels: ReadonlyArray<string>
  /** The most urgent first. */
  readonly objectives: readonly [ObjectiveRow, ...Array<ObjectiveRow>]
  /** The most urgent state of its objectives. */
  readonly state: ObjectiveState
  /** Whether an alert is open or an objective burns now. */
  readonly isBurning: boolean
  readonly openAlerts: number
  readonly acknowledgedAlerts: number
}

/** Makes the rows of the list, in the order of the response. */
export const sloRowsOf = (pages: ReadonlyArray<SloRowList>, compositeName: string): ReadonlyArray<SloRow> => {
  const projectNames = new Map<string, string>()
  const serviceNames = new Map<string, string>()
  const alerts = new Map<string, { readonly open: number; readonly acknowledged: number }>()
  for (const { projects, services, openAlerts } of pages) {
    for (const { name, displayName } of projects) projectNames.set(name, displayName || name)
    for (const { project, name, displayName } of services)
      serviceNames.set(`${project}/${name}`, displayName || name)
    for (const { project, name, ...counts } of openAlerts) alerts.set(`${project}/${name}`, counts)
  }
  const rows: Array<SloRow> = []
  for (const { data } of pages) {
    for (const { project, service, name, displayName = name, labels, objectives } of data) {
      const key = `${project}/${name}`
      const [first = noObjective, ...others] = objectives.map((objective) =>
        objectiveRowOf(objective, compositeName),
      )
      const sorted = others.length === 0 ? ([first] as const) : byUrgency([first, ...others])
      const { open = 0, acknowledged = 0 } = alerts.get(key) ?? {}
      rows.push({
        key,
        href: `/slos/${key}`,
        project,
        projectName: projectNames.get(project) ?? project,
        service,
        serviceName: serviceNames.get(`${project}/${service}`) ?? service,
        displayName,
        labels: labels === undefined ? [] : labelTexts(labels),
        objectives: sorted,
        state: sorted.map(({ state }) => state).reduce(worseState),
        isBurning: open > 0 || sorted.some(isBurning),
        openAlerts: open,
        acknowledgedAlerts: acknowledged,
      })
    }
  }
  return rows
}

const byUrgency = (objectives: SloRow["objectives"]): SloRow["objectives"] => {
  const [first, ...others] = objectives.toSorted(
    (a, b) => urgency(a) - urgency(b) || budgetOf(a) - budgetOf(b),
  )
  return [first ?? noObjective, ...others]
}

const labelTexts = (labels: Readonly<Record<string, ReadonlyArray<string>>>): ReadonlyArray<string> => {
  const texts: Array<string> = []
  for (const [label, values] of Object.entries(labels)) {
    for (const value of values) texts.push(`${label}=${value}`)
  }
  return texts
}

const objectiveRowOf = (
  { name, displayName, ...figures }: SloRowJson["objectives"][number],
  compositeName: string,
): ObjectiveRow => ({
  ...figures,
  key: name ?? "",
  name: name === undefined ? compositeName : displayName || name,
  state: objectiveState(figures),
})

/** Of an SLO whose objectives are groups, none of which is known yet. */
const noObjective: ObjectiveRow = { key: "", name: "", target: 0, state: "noData" }

const urgency = ({ state }: Pick<ObjectiveRow, "state">): number => objectiveStates.indexOf(state)

/** As `compareSloRanks` of the server: what burns now is before what burned once. */
const rowUrgency = (row: SloRow): number => (row.isBurning ? 0 : objectiveStates.length) + urgency(row)

const budgetOf = ({ errorBudgetRemainingPercentage = Infinity }: ObjectiveRow): number =>
  errorBudgetRemainingPercentage

/** What the search looks in. */
const searchText = ({ key, project, displayName }: SloRow): string =>
  foldedText(`${key.slice(project.length + 1)}\n${displayName}`)

const foldedText = (text: string): string => text.normalize("NFKC").toLowerCase()

/** Which SLOs are listed; what is empty lets all through. */
export interface SloRowFilter {
  readonly search: string
  readonly projects: ReadonlyArray<string>
  /** Each with its project, as in shop/web. */
  readonly services: ReadonlyArray<string>
  /** An SLO has all of the keys, each with one of the values given for it. */
  readonly labels: ReadonlyArray<string>
  readonly states: ReadonlyArray<string>
}

/** The rows that pass a filter apart from its states, and how many of them are in each state. */
export const filterRows = (rows: ReadonlyArray<SloRow>, filter: SloRowFilter) => {
  const text = foldedText(filter.search.trim())
  const { projects, services } = filter
  const wantedValues = [...groupBy(filter.labels, (label) => label.slice(0, label.indexOf("="))).values()]
  const ofAnyState = rows.filter(
    (row) =>
      (text === "" || searchText(row).includes(text)) &&
      (projects.length === 0 || projects.includes(row.project)) &&
      (services.length === 0 || services.includes(serviceKey(row))) &&
      wantedValues.every((values) => values.some((label) => row.labels.includes(label))),
  )
  const counts = countRows(ofAnyState)
  const found =
    filter.states.length === 0 ? ofAnyState : ofAnyState.filter(({ state }) => filter.states.includes(state))
  return { found, total: ofAnyState.length, counts }
}

/** The service of an SLO with its project, as in shop/web. */
export const serviceKey = ({ project, service }: Pick<SloRow, "project" | "service">): string =>
  `${project}/${service}`

/** How many rows are in each state. */
export const countRows = (rows: ReadonlyArray<Pick<SloRow, "state">>): StateCounts =>
  countStates(rows.map(({ state }) => state))

export type SortKey = (typeof sloSortKeys)[number]

export interface Sort {
  readonly by: SortKey
  readonly isDescending: boolean
}

/** Parses a sort as it is in the address: a key, after `-` if it is descending. By default, what burns now is first, then the most urgent. */
export const parseSort = (text: string): Sort => {
  const isDescending = text.startsWith("-")
  const by = sloSortKeys.find((key) => key === (isDescending ? text.slice(1) : text))
  return by === undefined ? { by: "status", isDescending: false } : { by, isDescending }
}

export const sortText = ({ by, isDescending }: Sort): string => `${isDescending ? "-" : ""}${by}`

/** Sorts rows by their most urgent objective. Those without a value are last in both directions. */
export const sortRows = (rows: ReadonlyArray<SloRow>, { by, isDescending }: Sort): ReadonlyArray<SloRow> => {
  const sign = isDescending ? -1 : 1
  const keyed = rows.map((row) => ({ row, value: sortValue(row, by) }))
  keyed.sort(({ row: a, value: valueA }, { row: b, value: valueB }) => {
    if (valueA === undefined || valueB === undefined) {
      return Number(valueA === undefined) - Number(valueB === undefined) || byName(a, b)
    }
    const order =
      typeof valueA === "number" && typeof valueB === "number"
        ? valueA - valueB
        : collator.compare(String(valueA), String(valueB))
    return (
      sign * order ||
      (by === "status"
        ? sign * (budgetOf(a.objectives[0]) - budgetOf(b.objectives[0])) || byName(a, b)
        : byName(a, b))
    )
  })
  return keyed.map(({ row }) => row)
}

const sortValue = (row: SloRow, by: SortKey): number | string | undefined => {
  const [objective] = row.objectives
  switch (by) {
    case "status":
      return rowUrgency(row)
    case "name":
      return row.displayName
    case "objective":
      return objective.name
    case "reliability":
      return objective.reliability
    case "target":
      return objective.target
    case "budget":
      return objective.errorBudgetRemainingPercentage
    case "burn":
      return objective.burnRate
    case "alerts":
      return row.openAlerts
  }
}

const collator = new Intl.Collator(currentLanguage(), { numeric: true })

const byName = (a: SloRow, b: SloRow): number =>
  collator.compare(a.displayName, b.displayName) || (a.key < b.key ? -1 : 1)

/** Rows that are listed below a heading. */
export interface RowGroup {
  readonly key: string
  readonly title: string
  readonly rows: ReadonlyArray<SloRow>
}

/**
 * Groups sorted rows by `project`, `service` or the values of a label, as in `label:team`; an SLO with several values is in the
 * group of all of them together. The group with the most urgent SLO is first; that without a value is last.
 */
export const groupRows = (rows: ReadonlyArray<SloRow>, by: string): ReadonlyArray<RowGroup> => {
  const groups = new Map<string, { readonly title: string; readonly rows: Array<SloRow> }>()
  for (const row of rows) {
    const [key, title] = groupOf(row, by)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { title, rows: [row] })
    else group.rows.push(row)
  }
  const worst = (group: RowGroup): number => Math.min(...new Set(group.rows.map(rowUrgency)))
  return Array.from(groups, ([key, group]): RowGroup => ({ key, ...group })).toSorted(
    (a, b) =>
      Number(a.key === "") - Number(b.key === "") ||
      worst(a) - worst(b) ||
      collator.compare(a.title, b.title),
  )
}

const groupOf = (row: SloRow, by: string): readonly [key: string, title: string] => {
  if (by === "project") return [row.project, row.projectName]
  if (by === "service") return [`${row.project}/${row.service}`, `${row.projectName} / ${row.serviceName}`]
  const label = by.slice("label:".length)
  const values = row.labels.flatMap((each) =>
    each.startsWith(`${label}=`) ? [each.slice(label.length + 1)] : [],
  )
  const key = values.map(labelValueText).toSorted().join(", ")
  return [key, key]
}

/** What all rows of a list have in common: the value of each of these columns in which they have the same. */
export interface SharedValues {
  readonly project?: string
  readonly service?: string
  readonly objective?: string
  readonly target?: number
  /** No row has open alerts. */
  readonly alerts?: 0
}

/** One row alone has nothing in common with others. */
export const sharedValues = (rows: ReadonlyArray<SloRow>): SharedValues => {
  const [first] = rows
  if (first === undefined || rows.length === 1) return {}
  const { project, service, objectives } = first
  const [{ name, target }] = objectives
  const isOfProject = rows.every((row) => row.project === project)
  return {
    ...(isOfProject && { project: first.projectName }),
    ...(isOfProject && rows.every((row) => row.service === service) && { service: first.serviceName }),
    ...(name !== "" &&
      rows.every((row) => row.objectives.length === 1 && row.objectives[0].name === name) && {
        objective: name,
      }),
    ...(rows.every((row) => row.objectives.every((each) => each.target === target)) && { target }),
    ...(rows.every(({ openAlerts }) => openAlerts === 0) && { alerts: 0 as const }),
  }
}

/** The labels of rows with how many have each, by key and then value. */
export const labelCounts = (rows: ReadonlyArray<SloRow>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { labels } of rows) for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1)
  return new Map([...counts].toSorted(([a], [b]) => collator.compare(a, b)))
}

/** The rows as CSV (RFC 4180), one line per objective. A spreadsheet reads no value as a formula. */
export const rowsToCsv = (rows: ReadonlyArray<SloRow>): string => {
  const lines = rows.flatMap((row) =>
    row.objectives.map((objective) => [
      row.project,
      row.service,
      row.key.slice(row.project.length + 1),
      row.displayName,
      objective.key,
      objective.state,
      objective.target,
      objective.reliability,
      objective.errorBudgetRemainingPercentage,
      objective.burnRate,
      row.openAlerts,
      row.labels.join(" "),
    ]),
  )
  return [csvHeader, ...lines].map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("")
}

const csvHeader = [
  "project",
  "service",
  "slo",
  "display_name",
  "objective",
  "state",
  "target",
  "reliability",
  "error_budget_remaining",
  "burn_rate",
  "open_alerts",
  "labels",
]

const csvCell = (cell: string | number | undefined): string => {
  if (typeof cell !== "string") return cell === undefined ? "" : String(cell)
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
