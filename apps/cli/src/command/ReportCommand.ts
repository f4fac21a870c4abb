import { generatedFormats, reports } from "@tocsin/api"
import * as Effect from "effect/Effect"
import { printText, resourceClient } from "./CommandContext.ts"
import { commands, listed, printed, work } from "./Commands.ts"
import { client, oneOfDefault, organization, project, required, text, url } from "./Flags.ts"
import { printSigned, signedDocument } from "./SignedDocument.ts"

export const reportCommand = commands(
  "list, print, create and generate reports",
  "List and print the reports that Tocsin creates for SLOs at the end of each time window or month, create reports for other periods, and generate saved reports.",
  {
    list: listed(reports, "listReports", {
      summary: "list reports",
      description: "List reports, latest periods first.",
      flags: {
        project: text("<name>", "filter by project of the SLO (default: all)", "p"),
        slo: text("<name>", "filter by SLO"),
        from: text(
          "<date-time>",
          "filter by start of the period: at or after this time, for example 2026-01-01T00:00:00Z",
        ),
        to: text("<date-time>", "filter by start of the period: before this time"),
        ...client,
      },
      examples: "  $ tocsin report list --slo checkout-latency --from 2026-01-01T00:00:00Z",
      empty: "No reports.",
      columns: {
        ID: ({ id }) => id,
        SLO: ({ project, slo }) => `${project}/${slo}`,
        FROM: ({ period }) => period.from,
        TO: ({ period }) => period.to,
      },
    }),
    create: printed(reports, "createReport", {
      summary: "create a report",
      description:
        "Create the report of an SLO over a period, from the data that is stored now. If the SLO has a report of the same period, that report is printed.",
      arguments: { slo: "name of the SLO" },
      flags: {
        from: required("<date-time>", "start of the period, a whole minute (UTC)"),
        to: required("<date-time>", "end of the period, a whole minute (UTC)"),
        ...project,
        ...client,
      },
      examples:
        "  $ tocsin report create checkout-latency -p shop --from 2026-01-01T00:00:00Z --to 2026-04-01T00:00:00Z",
      request: ({ project, slo, from, to }) => ({ body: { project, slo, from, to } }),
      text: ({ id }) => id,
    }),
    get: work(signedDocument("report"), ({ id, format, ...given }, context) =>
      Effect.flatMap(resourceClient(reports, given, context), (api) =>
        printSigned(format, (format) => api.findReport({ id, format }), api.findReportSignature({ id })),
      ),
    ),
    generate: work(
      {
        summary: "generate a saved report",
        description:
          "Generate a saved report, a definition of the kind Report, from the data that is stored now: a system health review, an SLO history, an error budget status, or a reliability roll-up.",
        arguments: { name: "name of the saved report, as printed by `tocsin get reports`" },
        flags: {
          format: oneOfDefault("<format>", "output format", generatedFormats, "json"),
          ...organization,
          ...url,
        },
        examples: "  $ tocsin report generate weekly-health --format csv > weekly-health.csv",
      },
      ({ name, format, ...given }, context) =>
        Effect.flatMap(resourceClient(reports, given, context), (api) =>
          Effect.flatMap(api.generateReport({ name, format }), printText),
        ),
    ),
  },
)
