import { Command, Option as Flag } from "commander"
import { Effect } from "effect"
import type { ClientFlags } from "../ClientConfig.ts"
import { apiClient, type CommandContext, organizationFlag, projectFlag, urlFlag } from "./CommandContext.ts"

/** `tocsin get`: prints objects as their definitions. Source: decision 0600. */
export const getCommand = (context: CommandContext): Command =>
  new Command("get")
    .summary("print objects as their definitions")
    .description("Print objects as their definitions; secrets read [hidden].")
    .argument("<kind>", "slo, alertmethod, alertpolicy, service, project or alert, in any case, also plural")
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
      headers: {
        project: flags.allProjects === true ? "*" : flags.project,
        accept: `application/${flags.output}`,
      },
    })
    yield* Effect.sync(() => process.stdout.write(answer))
  })
