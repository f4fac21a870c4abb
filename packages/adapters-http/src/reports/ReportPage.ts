import { percentText } from "@tocsin/domain/codec"
import { isCalendarWindow } from "@tocsin/domain/definitions"
import {
  type ReportAdjustment,
  type ReportAlert,
  type ReportDocument,
  type ReportMeasurement,
  type ReportResult,
  type SignedDocument,
  statedResult,
} from "@tocsin/domain/features/report"
import type { TimeWindow } from "@tocsin/domain/slo"
import { createHash } from "node:crypto"
import { escaped } from "../frame/Escaped.ts"

/** Writes a report as a page for reading and printing, without scripts and links to other files. */
export const reportToPage = (document: ReportDocument, signed: SignedDocument): string => {
  const { displayName, slo, project, timeWindow, window, period } = document
  const text = makeTimeText(timeZoneOf(timeWindow))
  const title = `${displayName}: ${text(period.from)} to ${text(period.to)}`
  const rows = [
    ["SLO", `${project}/${slo}`],
    ["Service", document.service],
    ["Period", `${text(period.from)} to ${text(period.to)} (${timeZoneOf(timeWindow)})`],
    [
      "Time window",
      // Reports of earlier versions are not always measured over their period.
      window.from === period.from && window.to === period.to
        ? windowText(timeWindow)
        : `${windowText(timeWindow)}, measured from ${text(window.from)} to ${text(window.to)}`,
    ],
    ...(document.minCoverage === undefined
      ? []
      : [["Minimum coverage", percentText(document.minCoverage, 6)]]),
    ["Budgeting method", document.budgetingMethod],
    ["Created", text(document.createdAt)],
  ]
  const counted = document.budgetingMethod === "Timeslices" ? "minutes" : "events"
  const objectives = [
    ...document.objectives.map((each) => objectiveRow(each.displayName, each)),
    ...(document.composite === undefined ? [] : [objectiveRow("Composite", document.composite)]),
  ]
  return htmlPage(
    title,
    `<h1>SLO report: ${escaped(displayName)}</h1>
<table class="facts"><tbody>
${rows.map((row) => tableRow(row, "th")).join("\n")}
</tbody></table>
<h2>Objectives</h2>
${table(["Objective", "Target", "Reliability", "Coverage", "Result", `Good ${counted}`, `Total ${counted}`, "Error budget", "Budget remaining", "Budget remaining, %"], objectives)}
<h2>Alerts</h2>
${
  document.alerts.length === 0
    ? "<p>No alerts triggered in this period.</p>"
    : table(
        ["Triggered", "Ended", "Status", "Severity", "Objective", "Alert policy", "Conditions"],
        document.alerts.map((alert) => alertRow(alert, text)),
      )
}
${document.hasMoreAlerts ? `<p>Only the latest ${document.alerts.length} alerts are listed.</p>` : ""}
<h2>Budget adjustments</h2>
${
  document.adjustments.length === 0
    ? "<p>The figures include no adjustments.</p>"
    : table(
        ["Adjustment", "From", "To", "Adjusted minutes", "Effect", "Changed by", "Reason"],
        document.adjustments.map((adjustment) => adjustmentRow(adjustment, text)),
      )
}
${document.hasMoreAdjustments ? `<p>Only the first ${document.adjustments.length} adjustments are listed.</p>` : ""}
${signatureFooter("report", document, signed)}`,
  )
}

/** A whole page. */
export const htmlPage = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`

/** What was signed, and the signature. */
export const signatureFooter = (
  what: "report" | "review",
  { id, organization }: { readonly id: string; readonly organization: string },
  { keyId, signature }: SignedDocument,
): string => `<footer>
<p>This page shows the ${what} <code>${escaped(id)}</code> of the organization <code>${escaped(organization)}</code>. Its JSON document is signed with Ed25519.</p>
<p>Key ID: <code>${escaped(keyId)}</code><br>Signature: <code>${escaped(signature)}</code></p>
</footer>`

const style = `
body { font: 14px/1.45 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #ccc; overflow-wrap: anywhere; }
.facts th { width: 11rem; font-weight: 600; }
code { font-size: .9em; overflow-wrap: anywhere; }
footer { margin-top: 2rem; color: #444; font-size: .85rem; }
@page { margin: 16mm; }
@media print { body { margin: 0; max-width: none; padding: 0; font-size: 10pt; } thead { display: table-header-group; } tr { break-inside: avoid; } h2 { break-after: avoid; } }
`

/** Allows the page its style and nothing else. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

export const resultNames: Readonly<Record<ReportResult, string>> = {
  met: "Met",
  missed: "Missed",
  insufficient_data: "Insufficient data",
}

const objectiveRow = (name: string, measured: ReportMeasurement): ReadonlyArray<string> => [
  name,
  percentText(measured.target, 6),
  measured.reliability === undefined ? "No data" : percentText(measured.reliability, 6),
  measured.coverage === undefined ? "" : percentText(measured.coverage, 6),
  resultNames[statedResult(measured)],
  measured.good === undefined ? "" : figure(measured.good),
  measured.total === undefined ? "" : figure(measured.total),
  durationText(measured.errorBudget),
  measured.errorBudgetRemaining === undefined ? "" : durationText(measured.errorBudgetRemaining),
  measured.errorBudgetRemainingPercentage === undefined
    ? ""
    : percentText(measured.errorBudgetRemainingPercentage, 6),
]

const alertRow = (alert: ReportAlert, text: (time: number) => string): ReadonlyArray<string> => [
  text(alert.triggeredAt),
  alert.resolvedAt === undefined ? "" : text(alert.resolvedAt),
  alert.reason === undefined ? alert.status : `${alert.status} (${alert.reason})`,
  alert.severity ?? "",
  alert.objective ?? "",
  alert.alertPolicy?.name ?? "",
  alert.conditions.join("; "),
]

export const adjustmentRow = (
  { project, name, from, to, minutes, set, author = "", reason }: ReportAdjustment,
  text: (time: number) => string,
): ReadonlyArray<string> => [
  `${project}/${name}`,
  text(from),
  text(to),
  figure(minutes),
  set === undefined ? "Excluded" : `${figure(set.good)} of ${figure(set.total)} good in each minute`,
  author,
  reason,
]

export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  tableOf(head, rows.map((row) => tableRow(row)).join("\n"))

/** A table of rows that are written already. */
export const tableOf = (head: ReadonlyArray<string>, rows: string): string =>
  `<table><thead><tr>${head.map((cell) => `<th>${escaped(cell)}</th>`).join("")}</tr></thead><tbody>
${rows}
</tbody></table>`

export const tableRow = (
  [first = "", ...cells]: ReadonlyArray<string>,
  firstTag: "td" | "th" = "td",
): string =>
  `<tr><${firstTag}>${escaped(first)}</${firstTag}>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`

const windowText = (window: TimeWindow): string => {
  const { unit, count } = window
  const length = `${count} ${unit.toLowerCase()}${count === 1 ? "" : "s"}`
  return isCalendarWindow(window) ? `${length}, calendar-aligned` : `${length}, rolling`
}

const timeZoneOf = (window: TimeWindow): string =>
  isCalendarWindow(window) ? window.calendar.timeZone.name : "UTC"

/** The wall-clock time of a time zone, such as `2026-01-31 23:00`. */
export const makeTimeText = (timeZone: string): ((time: number) => string) => {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  })
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]))
    return `${parts.get("year")}-${parts.get("month")}-${parts.get("day")} ${parts.get("hour")}:${parts.get("minute")}`
  }
}

const figure = (value: number): string => value.toLocaleString("en", { maximumSignificantDigits: 6 })

const durationText = (seconds: number): string => {
  const minutes = seconds / 60
  return Math.abs(minutes) < 120 ? `${figure(minutes)} min` : `${figure(minutes / 60)} h`
}
