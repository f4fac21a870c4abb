import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { AppliedSchema } from "@tocsin/adapters-http/internal/definitions/DefinitionsApi"
import { readResponse } from "../client/ApiClient.ts"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { ApiCommand, callApi, type CommandContext } from "./CommandContext.ts"
import { readPlacedDefinitions, withPlaces } from "./DefinitionFiles.ts"
import type { FileFlags } from "./FileSources.ts"

export const applyCommand = (context: CommandContext): ApiCommand =>
  new ApiCommand("apply")
    .summary("create or update objects from files")
    .description(
      "Create or update objects from definition files. If any definition is invalid, nothing is changed.",
    )
    .filesFlag("definitions")
    .projectFlag()
    .dryRunFlag()
    .organizationFlag()
    .urlFlag()
    .examples(
      "  # Apply a file\n  $ tocsin apply -f slos.yaml\n\n  # Validate two files without changing anything\n  $ tocsin apply -f slos.yaml -f alert-methods.yaml --dry-run",
    )
    .action((flags: ApplyFlags) => context.run(apply(flags, context)))

interface ApplyFlags extends ClientFlags, FileFlags {
  readonly project: string
  readonly dryRun: boolean
}

const apply = (flags: ApplyFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const sources = yield* readPlacedDefinitions(flags, flags.project)
    const response = yield* callApi(flags, context, {
      method: "PUT",
      path: `/api/apply?dry_run=${flags.dryRun}`,
      json: sources.map(({ document }) => document),
    }).pipe(Effect.mapError(withPlaces(sources)))
    const { data } = yield* readResponse(AppliedSchema, response)
    for (const { kind, project, name, outcome } of data) {
      const owner = project === undefined ? "" : `${project}/`
      yield* Console.log(`${kind} ${owner}${name} ${outcome}${flags.dryRun ? " (dry run)" : ""}`)
    }
  })
