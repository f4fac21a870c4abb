import { reports, type reportSummary, reportTypes } from "@tocsin/api"
import { decode } from "@tocsin/domain/codec"
import {
  createReport,
  findReport,
  findReportSignature,
  listReports,
  type Report,
  reportDocument,
  type ReportSummary,
} from "@tocsin/domain/features/report"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type ApiResponse, jsonResponse } from "../frame/ApiResponse.ts"
import { costly, costlyWritesPolicy } from "@tocsin/domain/rate-limit"
import { withETag } from "../frame/ConditionalResponse.ts"
import { reportToCsv } from "./ReportCsv.ts"
import { type ReportFormat, requestedFormat } from "./ReportFormat.ts"
import { pagePolicy, reportToPage } from "./ReportPage.ts"
import { serve } from "../serve/Serve.ts"

/** Units of costly requests for which creating a report counts. */
const reportUnits = 30

export const reportsRoutes = serve(reports, {
  listReports: ({ organization, page, ...filter }) =>
    Effect.map(listReports(organization, { ...page, ...filter }), ({ items, ...listed }) => ({
      ...listed,
      items: items.map(summaryOf),
    })),
  createReport: ({ organization, body }) =>
    Effect.map(
      costly(organization, costlyWritesPolicy, reportUnits)(createReport(organization, body)),
      ({ report, isNew }) => ({ status: isNew ? 201 : 200, value: summaryOf(report) }),
    ),
  findReport: Effect.fnUntraced(function* ({ organization, id }, request) {
    const format = yield* Effect.fromResult(requestedFormat(request))
    return inFormat(format, yield* findReport(organization, id))
  }),
  findReportSignature: ({ organization, id }) => findReportSignature(organization, id),
})

const summaryOf = ({ slo, ...report }: ReportSummary): typeof reportSummary.Type => ({
  ...report,
  project: slo.project,
  slo: slo.name,
})

/** The signed text as it is, or what is written from it. */
const inFormat = (format: ReportFormat, report: Report): ApiResponse => {
  const { id, document: json } = report
  const headers = { "cache-control": "private, no-cache", vary: "accept" }
  const fileName = `report-${id}`
  if (format === "json") return withETag(jsonResponse(200, json, headers))
  const document = Result.getOrThrow(decode(reportDocument, JSON.parse(json), undefined))
  return withETag(
    format === "csv"
      ? {
          status: 200,
          headers: {
            ...headers,
            "content-type": reportTypes.csv,
            "content-disposition": `attachment; filename="${fileName}.csv"`,
          },
          body: reportToCsv(document),
        }
      : {
          status: 200,
          headers: { ...headers, "content-type": reportTypes.html, "content-security-policy": pagePolicy },
          body: reportToPage(document, report),
        },
  )
}
