import { Command, Option as Flag } from "commander"
import { Data, Effect, Schema } from "effect"
import {
  jsonFormat,
  writeDocuments,
  yamlFormat,
} from "@tocsin/adapters-http/definition-documents/WriteDocuments"
import { readAnswer } from "../ApiClient.ts"
import type { ClientFlags } from "../ClientConfig.ts"
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
    .addOption(new Flag("-o, --output <format>", "how to print").choices(["yaml", "json"]).default("yaml"))
    .addOption(organizationFlag())
    .addOption(urlFlag())
    .addHelpText("after", "\nExample:\n  $ tocsin get alertmethods -A")
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
  readonly output: "yaml" | "json"
}

const get = (kind: string, names: ReadonlyArray<string>, flags: GetFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const client = yield* apiClient(flags, context)
    const query = new URLSearchParams(names.map((name): [string, string] => ["name", name]))
    if (flags.labels !== undefined) query.set("labels", flags.labels)
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

/** Whatever else they say is printed as it came. */
const anythingElse = { key: Schema.String, value: Schema.Unknown }

const Objects = Schema.Array(
  Schema.Struct({ metadata: Schema.Struct({ name: Schema.String }, anythingElse) }, anythingElse),
)
