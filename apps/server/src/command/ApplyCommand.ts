import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { applyObjects, objectText } from "../client/Objects.ts"
import { apiClient, ApiCommand, type CommandContext } from "./CommandContext.ts"
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
    const client = yield* apiClient(flags, context)
    const applied = yield* applyObjects(
      client,
      sources.map(({ document }) => document),
      flags,
    ).pipe(Effect.mapError(withPlaces(sources)))
    for (const each of applied)
      yield* Console.log(`${objectText(each)} ${each.outcome}${flags.dryRun ? " (dry run)" : ""}`)
  })
