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
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { type ApiResponse, jsonResponse } from "../frame/ApiResponse.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { costly, costlyWritesPolicy } from "@tocsin/domain/rate-limit"
import { withETag } from "../frame/ConditionalResponse.ts"
import { readJson } from "../frame/RequestBody.ts"
import { filteredLinks, queryOf } from "../frame/RequestParameters.ts"
import { timeText } from "../frame/TimeText.ts"
import { csvType, reportToCsv } from "./ReportCsv.ts"
import { type ReportFormat, requestedFormat } from "./ReportFormat.ts"
import { pagePolicy, pageType, reportToPage } from "./ReportPage.ts"
import { ReportsApi } from "./ReportsApi.ts"

/** Units of costly requests for which creating a report counts. */
export const reportUnits = 30

export const reportsRoutes = routesOf(ReportsApi, {
  listReports: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const query = queryOf(request, ["limit", "cursor", ...filterNames])
    const { items, ...page } = yield* listReports(organization, query)
    const links = filteredLinks(request, "/api/reports", filterNames, page)
    return jsonResponse(200, JSON.stringify({ data: items.map(summaryToJson), links }))
  }),

  createReport: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const body = yield* readJson(request)
    const { report, isNew } = yield* createReport(organization, body).pipe(
      costly(organization, costlyWritesPolicy, reportUnits),
    )
    return jsonResponse(isNew ? 201 : 200, JSON.stringify(summaryToJson(report)))
  }),

  findReport: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const format = yield* Effect.fromResult(requestedFormat(request))
    return inFormat(format, yield* findReport(organization, request.pathParams["id"] ?? ""))
  }),

  findReportSignature: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const signature = yield* findReportSignature(organization, request.pathParams["id"] ?? "")
    return jsonResponse(200, JSON.stringify(signature))
  }),
})

const filterNames = ["project", "slo", "from", "to"] as const

const summaryToJson = ({ id, slo, period, createdAt }: ReportSummary): object => ({
  id,
  project: slo.project,
  slo: slo.name,
  period: { from: timeText(period.from), to: timeText(period.to) },
  createdAt: timeText(createdAt),
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
            "content-type": csvType,
            "content-disposition": `attachment; filename="${fileName}.csv"`,
          },
          body: reportToCsv(document),
        }
      : {
          status: 200,
          headers: { ...headers, "content-type": pageType, "content-security-policy": pagePolicy },
          body: reportToPage(document, report),
        },
  )
}
