import { reportFormats, ReportSummarySchema } from "@tocsin/adapters-http/schemas"
import { Command, Option as Flag } from "commander"
import * as Effect from "effect/Effect"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { readPages } from "../client/Pages.ts"
import {
  apiClient,
  ApiCommand,
  callApi,
  type CommandContext,
  printList,
  printResponse,
} from "./CommandContext.ts"

export const reportCommand = (context: CommandContext): Command =>
  new Command("report")
    .summary("list, print and create reports")
    .description(
      "List and print the reports that are made of SLOs at the end of each time window or month, and create others.",
    )
    .addCommand(
      new ApiCommand("list")
        .summary("list reports")
        .description("List reports, latest periods first.")
        .option("-p, --project <name>", "filter by project of the SLO (default: all)")
        .option("--slo <name>", "filter by SLO")
        .option("--from <date-time>", "filter by start of the period: at or after this time (UTC)")
        .option("--to <date-time>", "filter by start of the period: before this time (UTC)")
        .outputFlag()
        .organizationFlag()
        .urlFlag()
        .examples("  $ tocsin report list --slo checkout-latency --from 2026-01-01T00:00:00Z")
        .action((flags: ListFlags) => context.run(list(flags, context))),
    )
    .addCommand(
      new ApiCommand("create")
        .summary("create a report")
        .description(
          "Create the report of an SLO over a period, from what is stored now. If the SLO has one of the same period, that one is printed.",
        )
        .argument("<slo>", "name of the SLO")
        .requiredOption("--from <date-time>", "start of the period, a whole minute (UTC)")
        .requiredOption("--to <date-time>", "end of the period, a whole minute (UTC)")
        .projectFlag()
        .outputFlag()
        .organizationFlag()
        .urlFlag()
        .examples(
          "  $ tocsin report create checkout-latency -p shop --from 2026-01-01T00:00:00Z --to 2026-04-01T00:00:00Z",
        )
        .action((slo: string, flags: CreateFlags) => context.run(create(slo, flags, context))),
    )
    .addCommand(
      new ApiCommand("get")
        .summary("print a report")
        .description(
          "Print a report, or its signature. As JSON, it is printed byte for byte as it was signed.",
        )
        .argument("<id>", "ID of the report, as printed by `list`")
        .addOption(
          new Flag("--format <format>", "output format")
            .choices([...reportFormats, signatureFormat])
            .default("json"),
        )
        .organizationFlag()
        .urlFlag()
        .examples(
          "  # A page for printing\n  $ tocsin report get 019c1700-13c0-7a52-9d1e-2f6a1b8c4d07 --format html > report.html",
        )
        .action((id: string, flags: GetFlags) => context.run(get(id, flags, context))),
    )

const signatureFormat = "signature"

const filters = ["project", "slo", "from", "to"] as const

interface ListFlags extends ClientFlags, Partial<Record<(typeof filters)[number], string>> {}

interface GetFlags extends ClientFlags {
  readonly format: (typeof reportFormats)[number] | typeof signatureFormat
}

const list = (flags: ListFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const query = new URLSearchParams()
    for (const name of filters) query.set(name, flags[name] ?? "")
    const client = yield* apiClient(flags, context)
    const reports = yield* readPages(client, `/api/reports?${query}`, ReportSummarySchema)
    const header = ["ID", "SLO", "FROM", "TO"]
    yield* printList(flags, context, reports, "No reports.", header, ({ id, project, slo, period }) => [
      id,
      `${project}/${slo}`,
      period.from,
      period.to,
    ])
  })

interface CreateFlags extends ClientFlags {
  readonly project: string
  readonly from: string
  readonly to: string
}

const create = (slo: string, flags: CreateFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { project, from, to } = flags
    const response = yield* callApi(flags, context, {
      method: "POST",
      path: "/api/reports",
      json: { project, slo, from, to },
    })
    yield* printResponse(flags, response, ReportSummarySchema, ({ id }) => id)
  })

const get = (id: string, { format, ...flags }: GetFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const path = `/api/reports/${encodeURIComponent(id)}`
    const response = yield* callApi(flags, context, {
      method: "GET",
      path: format === signatureFormat ? `${path}/signature` : `${path}?format=${format}`,
    })
    yield* Effect.sync(() => process.stdout.write(response))
  })
