import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { reportDocument, reportRequest } from "@tocsin/domain/features/report"
import * as Schema from "effect/Schema"
import {
  BearerAccess,
  OrganizationHeader,
  bodyErrors,
  NotFound,
  organizationErrors,
  endpoint,
  dateTime,
  IdParam,
  optionalText,
  PageParams,
  pageSchema,
} from "@tocsin/api/openapi"
import { publicKey } from "@tocsin/api"
import { csvType } from "./ReportCsv.ts"
import { reportFormats } from "./ReportFormat.ts"
import { pageType } from "./ReportPage.ts"
import * as examples from "./ReportExamples.ts"

/** A report in a list, without its measurements. */
export const ReportSummarySchema = Schema.Struct({
  id: Schema.String,
  project: Schema.String,
  slo: Schema.String,
  period: Schema.Struct({ from: dateTime("Start (inclusive)"), to: dateTime("End (exclusive)") }),
  createdAt: dateTime("When the report was created"),
}).annotate({ identifier: "ReportSummary" })

const ReportSignatureSchema = Schema.Struct({
  ...publicKey.fields,
  signature: Schema.String.annotate({
    description: "Ed25519 over the bytes of the report as JSON, in base64",
  }),
}).annotate({ identifier: "ReportSignature" })

export const ReportsApi = HttpApiGroup.make("reports")
  .add(
    endpoint.get("listReports", "/api/reports", {
      headers: OrganizationHeader,
      query: Schema.Struct({
        ...PageParams.fields,
        project: optionalText("Project of the SLO"),
        slo: optionalText("Name of the SLO"),
        from: Schema.optionalKey(dateTime("Period starts at or after this time, in UTC")),
        to: Schema.optionalKey(dateTime("Period starts before this time, in UTC")),
      }),
      success: pageSchema(ReportSummarySchema, "ReportPage"),
      error: [...organizationErrors],
      summary: "List reports",
      description: "Latest periods first. Includes the reports of deleted SLOs.",
      example: examples.listReports,
    }),
    endpoint.post("createReport", "/api/reports", {
      headers: OrganizationHeader,
      payload: reportRequest.schema(),
      success: [
        ReportSummarySchema.annotate({ description: "The report was created" }).pipe(
          HttpApiSchema.status(201),
        ),
        ReportSummarySchema.annotate({ description: "The SLO already had this report" }).pipe(
          HttpApiSchema.status(200),
        ),
      ],
      error: [...organizationErrors, NotFound, ...bodyErrors],
      summary: "Create a report",
      description:
        "Creates the report of an SLO over a period, from what is stored now, and signs it. Returns 200 with the existing report if the SLO has one of the same period: a request can be repeated. Requires the role editor.",
      example: examples.createReport,
    }),
    endpoint.get("findReport", "/api/reports/:id", {
      params: IdParam,
      headers: OrganizationHeader,
      query: Schema.Struct({
        format: Schema.optionalKey(
          Schema.Literals(reportFormats).annotate({
            description: "Default: by the header Accept, or else json",
          }),
        ),
      }),
      success: [
        reportDocument.schema(),
        Schema.String.pipe(HttpApiSchema.asText({ contentType: csvType })),
        Schema.String.pipe(HttpApiSchema.asText({ contentType: pageType })),
      ],
      error: [...organizationErrors, NotFound],
      summary: "Retrieve a report",
      description:
        "The report as JSON is always the same bytes, which are signed. CSV has a line for each objective; HTML is a page for printing.",
      responseHeaders: ["ETag"],
      example: examples.findReport,
    }),
    endpoint.get("findReportSignature", "/api/reports/:id/signature", {
      params: IdParam,
      headers: OrganizationHeader,
      success: ReportSignatureSchema,
      error: [...organizationErrors, NotFound],
      summary: "Retrieve the signature of a report",
      description: "Includes the public key that verifies it.",
      example: examples.findReportSignature,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Reports")
