import { type Codec, decode } from "@tocsin/domain/codec"
import { inParts, type Parts } from "@tocsin/domain/adapter"
import { type GeneratedReport, generatedReports, reviewLines } from "@tocsin/domain/features/report"
import * as Result from "effect/Result"
import { csvField, csvText } from "./ReportCsv.ts"
import { eachSlo, measuredToCsv } from "./ReviewFormats.ts"

/**
 * Writes a generated report as CSV (RFC 4180), with a header line: a line for each cell of a system health review, for each objective of
 * an SLO history or of error budgets, and for each folder and SLO of a roll-up. A value that is absent is empty.
 */
export const generatedToCsv = ({ type, document }: GeneratedReport) => inParts(() => writers[type](document))

const writers: Readonly<Record<GeneratedReport["type"], (document: string) => Parts<string>>> = {
  systemHealthReview: function* (document) {
    const { columns, rows } = headOf(generatedReports.systemHealthReview.head, document)
    const lines = [["row", "column", "exhausted", "atRisk", "healthy", "noData"]]
    for (const { displayName, cells } of rows) {
      yield
      for (const [index, { exhausted, atRisk, healthy, noData }] of cells.entries())
        lines.push(
          [displayName, columns[index]?.displayName ?? "", exhausted, atRisk, healthy, noData].map(csvField),
        )
    }
    return csvText(lines)
  },
  sloHistory: function* (document) {
    const head = headOf(generatedReports.sloHistory.head, document)
    return yield* measuredToCsv("report", head.name, head, document)
  },
  errorBudgetStatus: function* (document) {
    const lines = [
      ["project", "service", "slo", "displayName", "objective", "target", ...budgetFigures, "state"],
    ]
    yield* eachSlo(document, generatedReports.errorBudgetStatus.slo, (slo) => {
      const tracks = [
        ...slo.objectives,
        ...(slo.composite === undefined ? [] : [{ ...slo.composite, name: "" }]),
      ]
      for (const { name, target, status } of tracks)
        lines.push(
          [
            slo.project,
            slo.service,
            slo.slo,
            slo.displayName,
            name,
            target,
            ...budgetFigures.map((figure) => status[figure] ?? ""),
            slo.state,
          ].map(csvField),
        )
    })
    return csvText(lines)
  },
  reliabilityRollup: function* (document) {
    const { folders } = headOf(generatedReports.reliabilityRollup.head, document)
    const lines = [
      ["folder", "depth", "project", "service", "slo", "displayName", "score", "weight", "days", "daysMet"],
    ]
    const slosByFolder = new Map<number, Array<ReadonlyArray<string | number>>>()
    yield* eachSlo(document, generatedReports.reliabilityRollup.slo, (slo) => {
      const { project, service = "", score = "", weight = "", days, daysMet } = slo
      const ofFolder = slosByFolder.get(slo.folder) ?? []
      slosByFolder.set(slo.folder, ofFolder)
      ofFolder.push([project, service, slo.slo, slo.displayName, score, weight, days, daysMet])
    })
    for (const [index, { displayName, depth, score = "", weight = "" }] of folders.entries()) {
      yield
      const folder = [displayName, depth]
      lines.push([...folder, "", "", "", "", score, weight, "", ""].map(csvField))
      for (const slo of slosByFolder.get(index) ?? []) lines.push([...folder, ...slo].map(csvField))
    }
    return csvText(lines)
  },
}

const budgetFigures = [
  "reliability",
  "errorBudgetRemaining",
  "errorBudgetRemainingPercentage",
  "burnRate",
] as const

const headOf = <A>(head: Codec<A>, document: string): A =>
  Result.getOrThrow(decode(head, JSON.parse(reviewLines(document).head), undefined))
