import { type Codec, decode, percentText } from "@tocsin/domain/codec"
import {
  type Review,
  type ReviewedSlo,
  type ReviewedTrack,
  type ReviewHead,
  reviewHead,
  reviewLines,
  type ReviewScope,
  reviewSlo,
} from "@tocsin/domain/features/report"
import { inParts, type Parts } from "@tocsin/domain/adapter"
import * as Result from "effect/Result"
import { escaped } from "../frame/Escaped.ts"
import { timeText } from "../frame/TimeText.ts"
import { csvField, csvText, figures } from "./ReportCsv.ts"
import {
  adjustmentRow,
  htmlPage,
  makeTimeText,
  resultNames,
  signatureFooter,
  table,
  tableOf,
  tableRow,
} from "./ReportPage.ts"

/** SLOs that are written in one part. */
const slosPerPart = 20

/**
 * Writes a review as CSV (RFC 4180): a header line, then a line for each objective of each SLO, and one with an empty `objective` for a
 * legacy composite. A value that is absent is empty.
 */
export const reviewToCsv = (review: Review) =>
  inParts(function* (): Parts<string> {
    const { id, ...head } = headOf(review)
    return yield* measuredToCsv("review", id, head, review.document)
  })

/** Writes the SLOs of a document that `measureSlos` made, with its name in the first column. */
export function* measuredToCsv(
  what: string,
  name: string,
  { period: { from, to }, weeks }: Pick<ReviewHead, "period" | "weeks">,
  document: string,
): Parts<string> {
  const period = [timeText(from), timeText(to)]
  const parts = [csvText([[what, ...columns, ...weeks.map(({ from }) => `budgetSpent ${timeText(from)}`)]])]
  yield* eachSlo(document, reviewSlo, (slo) => {
    const lines = tracksOf(slo).map(({ name: objective, track }) =>
      [
        name,
        slo.project,
        slo.service,
        slo.slo,
        slo.displayName,
        objective,
        ...period,
        ...figures.map((figure) => track[figure] ?? ""),
        track.coverage ?? "",
        track.result ?? "",
        track.previous?.reliability ?? "",
        track.previous?.errorBudgetRemainingPercentage ?? "",
        slo.alerts,
        slo.adjustedMinutes,
        ...track.weeks.map(({ budgetSpent }) => budgetSpent ?? ""),
      ].map(csvField),
    )
    parts.push(csvText(lines))
  })
  return parts.join("")
}

const columns = [
  "project",
  "service",
  "slo",
  "displayName",
  "objective",
  "periodFrom",
  "periodTo",
  ...figures,
  "coverage",
  "result",
  "previousReliability",
  "previousErrorBudgetRemainingPercentage",
  "alerts",
  "adjustedMinutes",
]

/** Writes a review as a page for reading and printing, without scripts and links to other files. */
export const reviewToPage = (review: Review) =>
  inParts(function* (): Parts<string> {
    const head = headOf(review)
    const text = makeTimeText(head.timeZone)
    const rangeText = ({ from, to }: ReviewHead["period"]): string => `${text(from)} to ${text(to)}`
    const { met, missed, insufficient_data: insufficient } = head.results
    const facts = [
      ["SLOs", scopeText(head.scope)],
      ["Period", `${rangeText(head.period)} (${head.timeZone})`],
      ["Period before", head.previous === undefined ? "No counts" : rangeText(head.previous)],
      ["Results", `${missed} missed, ${insufficient} with insufficient data, ${met} met`],
      ["Minimum coverage", percentText(head.minCoverage, 6)],
      ["Created", text(head.createdAt)],
    ]
    const rows: Array<ReadonlyArray<string>> = []
    yield* eachSlo(review.document, reviewSlo, (slo) =>
      rows.push(...tracksOf(slo).map((track) => trackRow(slo, track))),
    )
    const weekRows: Array<ReadonlyArray<string>> = []
    yield* eachSlo(review.document, reviewSlo, (slo) =>
      weekRows.push(
        ...tracksOf(slo).map(({ displayName, track }) => [
          `${slo.displayName}: ${displayName}`,
          ...track.weeks.map(({ budgetSpent }) =>
            budgetSpent === undefined ? "" : percentText(budgetSpent, 4),
          ),
        ]),
      ),
    )
    const title = `SLO review: ${head.title}`
    return htmlPage(
      title,
      `<h1>${escaped(title)}</h1>
<table class="facts"><tbody>
${facts.map((row) => tableRow(row, "th")).join("\n")}
</tbody></table>
<h2>SLOs</h2>
${yield* tableInParts(["SLO", "Service", "Objective", "Target", "Reliability", "Period before", "Result", "Coverage", "Budget remaining", "Alerts", "Adjusted minutes"], rows)}
${head.hasMoreAlerts ? "<p>Some SLOs have more alerts than were counted.</p>" : ""}
<h2>Error budget spent by week</h2>
${yield* tableInParts(["Objective", ...head.weeks.map(({ from }) => text(from).slice(0, 10))], weekRows)}
<h2>Budget adjustments</h2>
${
  head.adjustments.length === 0
    ? "<p>The figures include no adjustments.</p>"
    : table(
        ["Adjustment", "From", "To", "Adjusted minutes", "Effect", "Changed by", "Reason", "SLOs"],
        head.adjustments.map((each) => [...adjustmentRow(each, text), String(each.slos)]),
      )
}
${head.hasMoreAdjustments ? `<p>Only the first ${head.adjustments.length} adjustments are listed.</p>` : ""}
${signatureFooter("review", head, review)}`,
    )
  })

interface NamedTrack {
  readonly name: string
  readonly displayName: string
  readonly track: ReviewedTrack
}

/** The objectives of an SLO, and a legacy composite without a name. */
const tracksOf = ({ objectives, composite }: ReviewedSlo): ReadonlyArray<NamedTrack> => [
  ...objectives.map((track) => ({ name: track.name, displayName: track.displayName, track })),
  ...(composite === undefined ? [] : [{ name: "", displayName: "Composite", track: composite }]),
]

const trackRow = (slo: ReviewedSlo, { displayName, track }: NamedTrack): ReadonlyArray<string> => [
  slo.displayName,
  `${slo.project}/${slo.service}`,
  displayName,
  percentText(track.target, 6),
  track.reliability === undefined ? "No data" : percentText(track.reliability, 6),
  track.previous?.reliability === undefined ? "" : percentText(track.previous.reliability, 6),
  track.result === undefined ? "" : resultNames[track.result],
  track.coverage === undefined ? "" : percentText(track.coverage, 4),
  track.errorBudgetRemainingPercentage === undefined
    ? ""
    : percentText(track.errorBudgetRemainingPercentage, 4),
  String(slo.alerts),
  String(slo.adjustedMinutes),
]

const scopeText = ({ project, service, labels, search, view }: ReviewScope): string => {
  const parts = [
    project && `project ${project}`,
    service && `service ${service}`,
    labels && `labels ${labels}`,
    search && `name with ${search}`,
    view && `saved view ${view}`,
  ].filter((each) => each !== undefined && each !== "")
  return parts.length === 0 ? "All of the organization" : parts.join(", ")
}

const headOf = ({ document }: Review): ReviewHead =>
  Result.getOrThrow(decode(reviewHead, JSON.parse(reviewLines(document).head), undefined))

/** Goes through the SLOs of a review or generated report, one line of its text after the other. */
export function* eachSlo<A>(document: string, codec: Codec<A>, take: (slo: A) => unknown): Parts<void> {
  for (const [index, line] of reviewLines(document).slos.entries()) {
    if ((index + 1) % slosPerPart === 0) yield
    take(Result.getOrThrow(decode(codec, JSON.parse(line), undefined)))
  }
}

/** Rows that are written in one part. */
const rowsPerPart = 100

function* tableInParts(
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): Parts<string> {
  const parts: Array<string> = []
  for (let next = 0; next < rows.length; next += rowsPerPart) {
    parts.push(
      rows
        .slice(next, next + rowsPerPart)
        .map((row) => tableRow(row))
        .join("\n"),
    )
    yield
  }
  return tableOf(head, parts.join("\n"))
}
