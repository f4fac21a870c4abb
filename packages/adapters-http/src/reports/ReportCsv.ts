import { type ReportDocument, type ReportMeasurement, statedResult } from "@tocsin/domain/features/report"
import { timeText } from "../frame/TimeText.ts"

/**
 * Writes a report as CSV (RFC 4180): a header line, then a line for each objective, and one with an empty `objective` for
 * the legacy composite. A value that is absent is empty.
 */
export const reportToCsv = (report: ReportDocument): string => {
  const lines = [
    ...report.objectives.map((objective) => ({ ...objective, track: objective.name as string | undefined })),
    ...(report.composite === undefined
      ? []
      : [{ ...report.composite, name: "", displayName: "", track: undefined }]),
  ].map((measured) =>
    [
      report.id,
      report.project,
      report.service,
      report.slo,
      measured.name,
      measured.displayName,
      timeText(report.period.from),
      timeText(report.period.to),
      timeText(report.window.from),
      timeText(report.window.to),
      ...figures.map((figure) => measured[figure] ?? ""),
      report.alerts.filter(({ objective }) => objective === measured.track).length,
      measured.coverage ?? "",
      statedResult(measured),
    ].map(csvField),
  )
  return csvText([columns, ...lines])
}

/** Lines of CSV, whose fields are quoted already. */
export const csvText = (lines: ReadonlyArray<ReadonlyArray<string>>): string =>
  `${lines.map((fields) => fields.join(",")).join("\r\n")}\r\n`

/** The figures of an objective, in the order of their columns. */
export const figures = [
  "target",
  "reliability",
  "errorBudget",
  "errorBudgetRemaining",
  "errorBudgetRemainingPercentage",
  "good",
  "total",
] as const satisfies ReadonlyArray<keyof ReportMeasurement>

const columns = [
  "report",
  "project",
  "service",
  "slo",
  "objective",
  "displayName",
  "periodFrom",
  "periodTo",
  "windowFrom",
  "windowTo",
  ...figures,
  "alerts",
  "coverage",
  "result",
]

/** Quoted where necessary. A spreadsheet would run text that starts like a formula, so such text gets an apostrophe. */
export const csvField = (value: string | number): string => {
  if (typeof value === "number") return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
