import type { JsonOf } from "@tocsin/domain/codec"
import { generatedReport, reportDocument, reportRequest } from "@tocsin/domain/features/report"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { dateTime, optionalText, pageOf, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { publicKey } from "../signing-keys/SigningKeys.ts"

/** The formats in which reports are returned. */
export const reportFormats = ["json", "csv", "html"] as const

/** The formats in which saved reports are generated. */
export const generatedFormats = ["json", "csv"] as const

/** The media types of a report as CSV and as a page. */
export const reportTypes = { csv: "text/csv; charset=utf-8", html: "text/html; charset=utf-8" } as const

/** The query of an operation that returns a signed document in a format, which links of the web console open, too. */
export const signedQuery = {
  format: Schema.optionalKey(
    Schema.Literals(reportFormats).annotate({
      description: "Default: by the header Accept, or else json",
    }),
  ),
  organization: optionalText("Alternative to the header, for links, which cannot send headers"),
}

/** A report in a list, without its measurements. */
export const reportSummary = Schema.Struct({
  id: Schema.String,
  project: Schema.String,
  slo: Schema.String,
  period: Schema.Struct({ from: time("Start (inclusive)"), to: time("End (exclusive)") }),
  createdAt: time("When the report was created"),
}).annotate({ identifier: "ReportSummary" })

/** The JSON of `reportSummary`. */
export type ReportSummary = (typeof reportSummary)["Encoded"]

/** The JSON of a report. */
export type Report = JsonOf<typeof reportDocument>

/** The JSON of a generated report: of one of the four types. */
export type GeneratedReport = JsonOf<typeof generatedReport>

/** The signature of a report, with the public key that verifies it. */
export const reportSignature = Schema.Struct({
  ...publicKey.fields,
  signature: Schema.String.annotate({
    description: "Ed25519 over the bytes of the report as JSON, in base64",
  }),
}).annotate({ identifier: "ReportSignature" })

/** Signed reports of SLOs over periods. */
export const reports = resource("Reports", {
  listReports: {
    method: "GET",
    path: "/api/reports",
    query: {
      project: optionalText("Project of the SLO"),
      slo: optionalText("Name of the SLO"),
      from: Schema.optionalKey(dateTime("Period starts at or after this time, in UTC")),
      to: Schema.optionalKey(dateTime("Period starts before this time, in UTC")),
    },
    success: pageOf(reportSummary, "ReportPage"),
    summary: "List reports",
    description: "Latest periods first. Includes the reports of deleted SLOs.",
  },
  createReport: {
    method: "POST",
    path: "/api/reports",
    role: "editor",
    body: reportRequest,
    bodyAs: "json",
    success: {
      201: reportSummary.annotate({ description: "The report was created" }),
      200: reportSummary.annotate({ description: "The SLO already had this report" }),
    },
    errors: [404],
    summary: "Create a report",
    description:
      "Creates the report of an SLO over a period, from the data that is stored now, and signs it. Returns 200 with the existing report if the SLO has one of the same period: a request can be repeated.",
  },
  findReport: {
    method: "GET",
    path: "/api/reports/:id",
    query: signedQuery,
    success: [
      reportDocument.schema(),
      Schema.String.pipe(HttpApiSchema.asText({ contentType: reportTypes.csv })),
      Schema.String.pipe(HttpApiSchema.asText({ contentType: reportTypes.html })),
    ],
    isRaw: true,
    responseHeaders: ["ETag"],
    errors: [404],
    summary: "Retrieve a report",
    description:
      "The report as JSON is always the same bytes, which are signed. CSV has a line for each objective; HTML is a page for printing.",
  },
  findReportSignature: {
    method: "GET",
    path: "/api/reports/:id/signature",
    success: reportSignature,
    errors: [404],
    summary: "Retrieve the signature of a report",
    description: "Includes the public key that verifies it.",
  },
  generateReport: {
    method: "GET",
    path: "/api/saved-reports/:name",
    query: {
      format: Schema.optionalKey(
        Schema.Literals(generatedFormats).annotate({
          description: "Default: by the header Accept, or else json",
        }),
      ),
    },
    success: [
      generatedReport.schema(),
      Schema.String.pipe(HttpApiSchema.asText({ contentType: reportTypes.csv })),
    ],
    isRaw: true,
    responseHeaders: ["ETag"],
    errors: [404, 409, 429],
    summary: "Generate a saved report",
    description:
      "Generates a definition of the kind Report from the data that is stored now: a system health review, an SLO history, an error budget status, or a reliability roll-up. It is neither stored nor signed. A report of thousands of SLOs over a long period can take a minute.",
  },
})
