import { Command, Option as Flag } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readAnswer } from "../client/ApiClient.ts"
import type { ClientFlags } from "../client/ClientConfig.ts"
import {
  apiClient,
  type CommandContext,
  dryRunFlag,
  organizationFlag,
  projectFlag,
  urlFlag,
} from "./CommandContext.ts"
import { readDefinitions, withObjectNames } from "./DefinitionFiles.ts"

/** `tocsin apply`: creates or replaces the objects of files. Source: decision 0600. */
export const applyCommand = (context: CommandContext): Command =>
  new Command("apply")
    .summary("create or replace the objects that files describe")
    .description("Create or replace the objects that files describe, all or nothing.")
    .addOption(
      new Flag(
        "-f, --file <file...>",
        "definitions in YAML or JSON; - reads standard input",
      ).makeOptionMandatory(),
    )
    .addOption(projectFlag())
    .addOption(dryRunFlag())
    .addOption(organizationFlag())
    .addOption(urlFlag())
    .addHelpText("after", "\nExample:\n  $ tocsin apply -f slos.yaml -f alert-methods.yaml --dry-run")
    .action((flags: ApplyFlags) => context.run(apply(flags, context)))

interface ApplyFlags extends ClientFlags {
  readonly file: ReadonlyArray<string>
  readonly project: string
  readonly dryRun: boolean
}

const apply = (flags: ApplyFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const definitions = yield* readDefinitions(flags.file, flags.project)
    const client = yield* apiClient(flags, context)
    const answer = yield* client
      .call({
        method: "PUT",
        path: `/api/apply?dry_run=${flags.dryRun}`,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(definitions),
      })
      .pipe(Effect.mapError(withObjectNames(definitions)))
    const { data } = yield* readAnswer(ApplyResponse, answer)
    for (const { kind, project, name, outcome } of data) {
      const owner = project === undefined ? "" : `${project}/`
      yield* Console.log(`${kind} ${owner}${name} ${outcome}${flags.dryRun ? " (dry run)" : ""}`)
    }
  })

const ApplyResponse = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      kind: Schema.String,
      project: Schema.optionalKey(Schema.String),
      name: Schema.String,
      outcome: Schema.String,
    }),
  ),
})
