import {
  generatedFormats,
  reportFormats,
  reports,
  type reportSummary,
  reportTypes,
  reviews,
} from "@tocsin/api"
import { inParts, utf8Bytes } from "@tocsin/domain/adapter"
import { decode, encode } from "@tocsin/domain/codec"
import {
  createReport,
  createReview,
  deleteReview,
  generateReport,
  findReport,
  findReportSignature,
  findReview,
  findReviewNotes,
  findReviewSignature,
  listReports,
  listReviewReminders,
  listReviews,
  type Report,
  reportDocument,
  type ReportSummary,
  type ReviewNotes,
  reviewNotes,
  writeReviewNotes,
} from "@tocsin/domain/features/report"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type ApiResponse, jsonResponse } from "../frame/ApiResponse.ts"
import { costly, costlyListUnits, costlyReadsPolicy, costlyWritesPolicy } from "@tocsin/domain/rate-limit"
import { withETag } from "../frame/ConditionalResponse.ts"
import { reportToCsv } from "./ReportCsv.ts"
import { generatedToCsv } from "./GeneratedReportCsv.ts"
import { type ReportFormat, requestedFormat } from "./ReportFormat.ts"
import { pagePolicy, reportToPage } from "./ReportPage.ts"
import { reviewToCsv, reviewToPage } from "./ReviewFormats.ts"
import { serve } from "../serve/Serve.ts"

/** Units of costly requests for which creating a report counts. */
const reportUnits = 30

/** Units of costly requests for which the JSON of a review counts, which can have 4 MB. */
const reviewUnits = 2

const reportRoutes = serve(reports, {
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
    const format = yield* Effect.fromResult(requestedFormat(request, reportFormats))
    return inFormat(format, yield* findReport(organization, id))
  }),
  findReportSignature: ({ organization, id }) => findReportSignature(organization, id),
  generateReport: Effect.fnUntraced(function* ({ organization, name }, request) {
    const format = yield* Effect.fromResult(requestedFormat(request, generatedFormats))
    const generated = Effect.flatMap(generateReport(organization, name), (report) =>
      format === "json" ? Effect.succeed(report.document) : generatedToCsv(report),
    )
    const response = formattedInParts(format, name, generated)
    return yield* costly(organization, costlyReadsPolicy, costlyListUnits)(response)
  }),
})

const summaryOf = ({ slo, ...report }: ReportSummary): typeof reportSummary.Type => ({
  ...report,
  project: slo.project,
  slo: slo.name,
})

/** The signed text as it is, or what is written from it. */
const inFormat = (format: ReportFormat, report: Report): ApiResponse => {
  const { id, document: json } = report
  if (format === "json") return formatted(format, `report-${id}`, json)
  const document = Result.getOrThrow(decode(reportDocument, JSON.parse(json), undefined))
  const text = format === "csv" ? reportToCsv(document) : reportToPage(document, report)
  return formatted(format, `report-${id}`, text)
}

/** The response with a signed document in a format; files have the name. */
const formatted = (format: ReportFormat, name: string, text: string | Uint8Array): ApiResponse => {
  const headers = { "cache-control": "private, no-cache", vary: "accept" }
  if (format === "json") return withETag(jsonResponse(200, text, headers))
  const own: Readonly<Record<string, string>> =
    format === "csv"
      ? { "content-type": reportTypes.csv, "content-disposition": `attachment; filename="${name}.csv"` }
      : { "content-type": reportTypes.html, "content-security-policy": pagePolicy }
  return withETag({ status: 200, headers: { ...headers, ...own }, body: text })
}

/** The same for a text of some megabytes. */
const formattedInParts = <E, R>(format: ReportFormat, name: string, text: Effect.Effect<string, E, R>) =>
  Effect.gen(function* () {
    const written = yield* text
    const bytes = yield* inParts(() => utf8Bytes(written))
    return formatted(format, name, bytes)
  })

const reviewsRoutes = serve(reviews, {
  listReviews: ({ organization, page }) => listReviews(organization, page),
  createReview: ({ organization, body }) =>
    Effect.map(
      costly(organization, costlyWritesPolicy, reportUnits)(createReview(organization, body)),
      (review) => ({ status: 201 as const, value: review }),
    ),
  findReview: Effect.fnUntraced(function* ({ organization, id }, request) {
    const format = yield* Effect.fromResult(requestedFormat(request, reportFormats))
    const name = `review-${id}`
    const found = findReview(organization, id)
    if (format === "json") {
      const document = Effect.map(found, ({ document }) => document)
      return yield* costly(
        organization,
        costlyReadsPolicy,
        reviewUnits,
      )(formattedInParts(format, name, document))
    }
    const text = Effect.flatMap(found, format === "csv" ? reviewToCsv : reviewToPage)
    return yield* costly(
      organization,
      costlyReadsPolicy,
      costlyListUnits,
    )(formattedInParts(format, name, text))
  }),
  findReviewSignature: ({ organization, id }) => findReviewSignature(organization, id),
  findReviewNotes: ({ organization, id }) => Effect.map(findReviewNotes(organization, id), notesToJson),
  writeReviewNotes: ({ organization, caller, id, body }) =>
    Effect.map(writeReviewNotes(organization, id, caller.clientId, body), notesToJson),
  listReviewReminders: ({ organization }) =>
    Effect.map(
      costly(organization, costlyReadsPolicy, costlyListUnits)(listReviewReminders(organization)),
      (reminders) => ({ reminders }),
    ),
  deleteReview: ({ organization, id }) => deleteReview(organization, id),
})

const notesToJson = (notes: ReviewNotes) => encode(reviewNotes, notes)

/** Reports of single SLOs, and reviews of many. */
export const reportsRoutes = [...reportRoutes, ...reviewsRoutes]
