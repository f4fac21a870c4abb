import { Option as Flag } from "commander"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  jsonFormat,
  writeDocuments,
  yamlFormat,
} from "@tocsin/adapters-http/internal/documents/WriteDocuments"
import { alertStatuses } from "@tocsin/domain/internal/alerting/Alert"
import { readResponse } from "../client/ApiClient.ts"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { ApiCommand, callApi, type CommandContext, CommandFailed } from "./CommandContext.ts"

export const getCommand = (context: CommandContext): ApiCommand =>
  new ApiCommand("get")
    .summary("print objects")
    .description("Print objects as definitions. Secrets are printed as [hidden].")
    .argument(
      "<kind>",
      "alert, alertmethod, alertpolicy, alertsilence, project, service or slo; plural and any letter case allowed",
    )
    .argument("[name...]", "names of the objects (default: all)")
    .projectFlag()
    .option("-A, --all-projects", "objects of all projects")
    .option("-l, --labels <key:value,...>", "filter by labels")
    .option("--slo <name...>", "filter alerts by SLO")
    .option("--objective <name...>", "filter alerts by objective")
    .option("--alert-policy <name...>", "filter alerts by alert policy")
    .addOption(new Flag("--state <state...>", "filter alerts by state").choices(alertStatuses))
    .option("--from <date-time>", "filter alerts by trigger time: at or after this time (UTC)")
    .option("--to <date-time>", "filter alerts by trigger time: before this time (UTC)")
    .addOption(new Flag("-o, --output <format>", "output format").choices(["yaml", "json"]).default("yaml"))
    .organizationFlag()
    .urlFlag()
    .examples(
      "  # All alert methods\n  $ tocsin get alertmethods -A\n\n  # Open alerts\n  $ tocsin get alerts -A --state triggered",
    )
    .action((kind: string, names: ReadonlyArray<string>, flags: GetFlags) =>
      context.run(get(kind, names, flags, context)),
    )

interface GetFlags extends ClientFlags {
  readonly project: string
  readonly allProjects?: boolean
  readonly labels?: string
  readonly slo?: ReadonlyArray<string>
  readonly objective?: ReadonlyArray<string>
  readonly alertPolicy?: ReadonlyArray<string>
  readonly state?: ReadonlyArray<string>
  readonly from?: string
  readonly to?: string
  readonly output: "yaml" | "json"
}

const get = (kind: string, names: ReadonlyArray<string>, flags: GetFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const query = new URLSearchParams(names.map((name): [string, string] => ["name", name]))
    if (flags.labels !== undefined) query.set("labels", flags.labels)
    for (const name of alertFilters) {
      for (const value of [flags[name] ?? []].flat()) query.append(name, value)
    }
    const response = yield* callApi(flags, context, {
      method: "GET",
      path: `/api/get/${encodeURIComponent(kind)}?${query}`,
      headers: { project: flags.allProjects === true ? "*" : flags.project },
    })
    const objects = yield* readResponse(Objects, response)
    const format = flags.output === "json" ? jsonFormat : yamlFormat
    if (objects.length > 0 || names.length === 0)
      yield* Effect.sync(() => process.stdout.write(writeDocuments(format, objects)))
    const missing = names.filter((name) => objects.every(({ metadata }) => metadata.name !== name))
    if (missing.length > 0)
      return yield* new CommandFailed({
        message: `${kind} not found: ${missing.join(", ")}; specify the project with -p, or -A for all projects`,
      })
  })

const alertFilters = ["slo", "objective", "alertPolicy", "state", "from", "to"] as const

/** Other fields are printed unchanged. */
const anythingElse = [Schema.Record(Schema.String, Schema.Unknown)] as const

const Metadata = Schema.StructWithRest(Schema.Struct({ name: Schema.String }), anythingElse)

const Objects = Schema.Array(Schema.StructWithRest(Schema.Struct({ metadata: Metadata }), anythingElse))
