import type { Labels } from "../metadata/Metadata.ts"
import { labelsMatch } from "../metadata/LabelFilter.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"
import type { ReportDefinition } from "../slo/ReportDefinition.ts"
import { recordKey, type SloRecord } from "../status/SloRecord.ts"
import type { Parts } from "../work/Parts.ts"
import { type GeneratedHead, type GeneratedSlo, healthCellsMax, type healths } from "./GeneratedReport.ts"

/** What a system health review shows. */
export type HealthReviewSpec = NonNullable<ReportDefinition["spec"]["systemHealthReview"]>

type Health = (typeof healths)[number]
type Counts = Record<Health, number>

/** A table of the health of SLOs. */
export interface HealthReview {
  readonly table: Pick<GeneratedHead<"systemHealthReview">, "total" | "columns" | "rows">
  readonly slos: ReadonlyArray<GeneratedSlo<"systemHealthReview">>
}

/** A row before it is known which SLOs are in it. */
interface RowGroup {
  readonly displayName: string
  readonly slos: Array<number>
}

/** Records that are gone through in one part. */
const recordsPerPart = 50

const noCounts = (): Counts => ({ exhausted: 0, atRisk: 0, healthy: 0, noData: 0 })

/** The health of an SLO of whose error budget this part remains, by the thresholds. */
export const healthOf = (
  budget: number | undefined,
  { redLte, greenGt }: Pick<HealthReviewSpec["thresholds"], "redLte" | "greenGt">,
): Health => {
  if (budget === undefined) return "noData"
  if (budget <= redLte) return "exhausted"
  return budget > greenGt ? "healthy" : "atRisk"
}

/**
 * Groups SLOs by the rows and columns of a system health review; `undefined` if it has more than `healthCellsMax` cells. `budgetOf`
 * returns the lowest error budget remaining of the objectives of an SLO. An SLO that is in several columns or rows is in each.
 */
export function* reviewHealth(
  spec: HealthReviewSpec,
  records: ReadonlyArray<SloRecord>,
  budgetOf: (record: SloRecord) => number | undefined,
): Parts<HealthReview | undefined> {
  const groups = yield* rowGroups(spec, records)
  const slos: Array<Omit<GeneratedSlo<"systemHealthReview">, "rows" | "columns">> = []
  const columnsOf: Array<ReadonlyArray<number>> = []
  for (const [index, record] of records.entries()) {
    if ((index + 1) % recordsPerPart === 0) yield
    const { slo } = record
    const budget = budgetOf(record)
    slos.push({
      project: slo.metadata.project,
      service: slo.spec.service,
      slo: slo.metadata.name,
      displayName: slo.metadata.displayName ?? slo.metadata.name,
      health: healthOf(budget, spec.thresholds),
      ...(budget !== undefined && { errorBudgetRemainingPercentage: budget }),
    })
    columnsOf.push(
      spec.columns.flatMap(({ labels }, column) =>
        labelsMatch(slo.metadata.labels, labels) ? [column] : [],
      ),
    )
  }
  const shown = groups
    .map(({ displayName, slos }) => ({
      displayName,
      slos: slos.filter((slo) => (columnsOf[slo]?.length ?? 0) > 0),
    }))
    .filter(
      ({ slos: ofRow }) =>
        ofRow.length > 0 &&
        (spec.thresholds.showNoData || ofRow.some((slo) => slos[slo]?.health !== "noData")),
    )
  if (shown.length * spec.columns.length > healthCellsMax) return undefined
  const total = noCounts()
  const columns = spec.columns.map(({ displayName = "" }) => ({ displayName, total: noCounts() }))
  const rowsOf = new Map<number, Array<number>>()
  const rows: Array<HealthReview["table"]["rows"][number]> = []
  for (const [row, { displayName, slos: ofRow }] of shown.entries()) {
    yield
    const cells = columns.map(noCounts)
    const ofWhole = noCounts()
    for (const slo of ofRow) {
      const health = slos[slo]?.health ?? "noData"
      ofWhole[health]++
      const known = rowsOf.get(slo)
      for (const column of columnsOf[slo] ?? []) {
        const cell = cells[column]
        const ofColumn = columns[column]
        if (cell !== undefined) cell[health]++
        // In several rows, it is counted in the total of its column once.
        if (known === undefined && ofColumn !== undefined) ofColumn.total[health]++
      }
      if (known === undefined) total[health]++
      rowsOf.set(slo, [...(known ?? []), row])
    }
    rows.push({ displayName, total: ofWhole, cells })
  }
  return {
    table: { total, columns, rows },
    slos: slos.map((slo, index) => ({
      ...slo,
      rows: rowsOf.get(index) ?? [],
      columns: columnsOf[index] ?? [],
    })),
  }
}

/** The rows in their order, each with the places of its SLOs. */
function* rowGroups(
  { rowGroupBy, labelRows = [], hideUngrouped = false }: HealthReviewSpec,
  records: ReadonlyArray<SloRecord>,
): Parts<ReadonlyArray<RowGroup>> {
  const groups = new Map<string, RowGroup>()
  const ungrouped: RowGroup = { displayName: "Ungrouped", slos: [] }
  if (rowGroupBy === "customRows")
    for (const [index, row] of labelRows.entries())
      groups.set(String(index), { displayName: row.displayName ?? labelsText(row.labels), slos: [] })
  for (const [index, record] of records.entries()) {
    if ((index + 1) % recordsPerPart === 0) yield
    const keys = rowKeys(record, rowGroupBy, labelRows)
    for (const [key, displayName] of keys) {
      const group = groups.get(key) ?? { displayName, slos: [] }
      groups.set(key, group)
      group.slos.push(index)
    }
    if (keys.size === 0) ungrouped.slos.push(index)
  }
  const found = [...groups.values()]
  const isSorted = rowGroupBy === "label"
  return [
    ...(isSorted ? found.toSorted((a, b) => (a.displayName < b.displayName ? -1 : 1)) : found),
    ...(rowGroupBy === "label" && !hideUngrouped ? [ungrouped] : []),
  ]
}

/** The keys of the rows of an SLO, with their display names. */
const rowKeys = (
  record: SloRecord,
  rowGroupBy: HealthReviewSpec["rowGroupBy"],
  labelRows: NonNullable<HealthReviewSpec["labelRows"]>,
): ReadonlyMap<string, string> => {
  const { project, service, slo } = record
  const { labels = {} } = slo.metadata
  switch (rowGroupBy) {
    case "project":
      return new Map([[project.name, project.displayName ?? project.name]])
    case "service":
      return new Map([
        [
          projectKeyText({ project: recordKey(record).project, name: service.name }),
          service.displayName ?? service.name,
        ],
      ])
    case "customRows":
      return new Map(
        labelRows.flatMap((row, index) => (labelsMatch(labels, row.labels) ? [[String(index), ""]] : [])),
      )
    case "label":
      return new Map(
        labelRows.flatMap((row) =>
          Object.entries(row.labels).flatMap(([key, wanted]) =>
            (Object.hasOwn(labels, key) ? (labels[key] ?? []) : [])
              .filter((value) => wanted.length === 0 || wanted.includes(value))
              .map((value) => [JSON.stringify([key, value]), value] as const),
          ),
        ),
      )
  }
}

const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, values]) => `${key}=${values.join("|")}`)
    .join(", ")
