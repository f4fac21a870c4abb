import { Command, Option as Flag } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readResponse } from "../client/ApiClient.ts"
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

export const applyCommand = (context: CommandContext): Command =>
  new Command("apply")
    .summary("create or update objects from files")
    .description(
      "Create or update objects from definition files. If any definition is invalid, nothing is changed.",
    )
    .addOption(
      new Flag(
        "-f, --file <file...>",
        "YAML or JSON file with definitions; - reads stdin",
      ).makeOptionMandatory(),
    )
    .addOption(projectFlag())
    .addOption(dryRunFlag())
    .addOption(organizationFlag())
    .addOption(urlFlag())
    .addHelpText(
      "after",
      "\nExamples:\n  # Apply a file\n  $ tocsin apply -f slos.yaml\n\n  # Validate two files without changing anything\n  $ tocsin apply -f slos.yaml -f alert-methods.yaml --dry-run",
    )
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
    const response = yield* client
      .call({
        method: "PUT",
        path: `/api/apply?dry_run=${flags.dryRun}`,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(definitions),
      })
      .pipe(Effect.mapError(withObjectNames(definitions)))
    const { data } = yield* readResponse(ApplyResponse, response)
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
