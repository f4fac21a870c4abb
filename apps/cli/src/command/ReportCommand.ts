import { reportFormats, reports } from "@tocsin/api"
import * as Effect from "effect/Effect"
import { resourceClient } from "./CommandContext.ts"
import { commands, listed, printed, work } from "./Commands.ts"
import { client, oneOfDefault, organization, project, required, text, url } from "./Flags.ts"

const signatureFormat = "signature"

export const reportCommand = commands(
  "list, print and create reports",
  "List and print the reports that Tocsin creates for SLOs at the end of each time window or month, and create reports for other periods.",
  {
    list: listed(reports, "listReports", {
      summary: "list reports",
      description: "List reports, latest periods first.",
      flags: {
        project: text("<name>", "filter by project of the SLO (default: all)", "p"),
        slo: text("<name>", "filter by SLO"),
        from: text("<date-time>", "filter by start of the period: at or after this time (UTC)"),
        to: text("<date-time>", "filter by start of the period: before this time (UTC)"),
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
    get: work(
      {
        summary: "print a report",
        description:
          "Print a report, or its signature. As JSON, it is printed byte for byte as it was signed.",
        arguments: { id: "ID of the report, as printed by `list`" },
        flags: {
          format: oneOfDefault(
            "<format>",
            "output format",
            [...reportFormats, signatureFormat] as const,
            "json",
          ),
          ...organization,
          ...url,
        },
        examples:
          "  # A page for printing\n  $ tocsin report get 019c1700-13c0-7a52-9d1e-2f6a1b8c4d07 --format html > report.html",
      },
      ({ id, format, ...given }, context) =>
        Effect.gen(function* () {
          const api = yield* resourceClient(reports, given, context)
          const text =
            format === signatureFormat
              ? JSON.stringify(yield* api.findReportSignature({ id }))
              : yield* api.findReport({ id, format })
          yield* Effect.sync(() => process.stdout.write(text))
        }),
    ),
  },
)
