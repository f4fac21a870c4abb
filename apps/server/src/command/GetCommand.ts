import { Command, Option as Flag } from "commander"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { jsonFormat, writeDocuments, yamlFormat } from "@tocsin/adapters-http/documents/WriteDocuments"
import { alertStatuses } from "@tocsin/domain/alerting/Alert"
import { readAnswer } from "../client/ApiClient.ts"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { apiClient, type CommandContext, organizationFlag, projectFlag, urlFlag } from "./CommandContext.ts"

/** `tocsin get`: prints objects as their definitions. Source: decision 0600. */
export const getCommand = (context: CommandContext): Command =>
  new Command("get")
    .summary("print objects as their definitions")
    .description("Print objects as their definitions; secrets read [hidden].")
    .argument(
      "<kind>",
      "slo, alertmethod, alertpolicy, alertsilence, service, project or alert, in any case, also plural",
    )
    .argument("[name...]", "only the objects of these names")
    .addOption(projectFlag())
    .option("-A, --all-projects", "objects of every project")
    .option("-l, --labels <key:value,...>", "only objects with these labels")
    .option("--slo <name...>", "only alerts of these SLOs")
    .option("--objective <name...>", "only alerts of these objectives")
    .option("--alert-policy <name...>", "only alerts of these alert policies")
    .addOption(new Flag("--state <state...>", "only alerts in these states").choices(alertStatuses))
    .option("--from <date-time>", "only alerts triggered then or later, in UTC")
    .option("--to <date-time>", "only alerts triggered before, in UTC")
    .addOption(new Flag("-o, --output <format>", "how to print").choices(["yaml", "json"]).default("yaml"))
    .addOption(organizationFlag())
    .addOption(urlFlag())
    .addHelpText(
      "after",
      "\nExamples:\n  $ tocsin get alertmethods -A\n  $ tocsin get alerts -A --state triggered",
    )
    .action((kind: string, names: ReadonlyArray<string>, flags: GetFlags) =>
      context.run(get(kind, names, flags, context)),
    )

/** Objects that were asked for by name do not exist. */
export class ObjectsAreMissing extends Data.TaggedError("ObjectsAreMissing")<{
  readonly kind: string
  readonly missing: ReadonlyArray<string>
}> {
  override get message(): string {
    return `no ${this.kind} is called ${this.missing.join(" or ")} here; see -p and -A`
  }
}

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
    const client = yield* apiClient(flags, context)
    const query = new URLSearchParams(names.map((name): [string, string] => ["name", name]))
    if (flags.labels !== undefined) query.set("labels", flags.labels)
    for (const name of alertFilters) {
      for (const value of [flags[name] ?? []].flat()) query.append(name, value)
    }
    const answer = yield* client.call({
      method: "GET",
      path: `/api/get/${encodeURIComponent(kind)}?${query}`,
      headers: { project: flags.allProjects === true ? "*" : flags.project },
    })
    const objects = yield* readAnswer(Objects, answer)
    const format = flags.output === "json" ? jsonFormat : yamlFormat
    if (objects.length > 0 || names.length === 0)
      yield* Effect.sync(() => process.stdout.write(writeDocuments(format, objects)))
    const missing = names.filter((name) => objects.every(({ metadata }) => metadata.name !== name))
    if (missing.length > 0) return yield* new ObjectsAreMissing({ kind, missing })
  })

/** Named as the parameters of the API are. */
const alertFilters = ["slo", "objective", "alertPolicy", "state", "from", "to"] as const

/** Whatever else they say is printed as it came. */
const anythingElse = [Schema.Record(Schema.String, Schema.Unknown)] as const

const Metadata = Schema.StructWithRest(Schema.Struct({ name: Schema.String }), anythingElse)

const Objects = Schema.Array(Schema.StructWithRest(Schema.Struct({ metadata: Metadata }), anythingElse))
