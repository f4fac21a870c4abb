import { isOrganizationKind, kindFromText } from "@tocsin/domain/definitions"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { objectText } from "../client/Objects.ts"
import { ApiCommand, apiClient, type CommandContext, CommandFailed } from "./CommandContext.ts"
import { readPlacedDefinitions, withPlaces } from "./DefinitionFiles.ts"
import { confirmDeletion, type DeletionFlags, printDeleted } from "./Deletion.ts"
import type { FileFlags } from "./FileSources.ts"

export const deleteCommand = (context: CommandContext): ApiCommand =>
  new ApiCommand("delete")
    .summary("delete objects")
    .description(
      "Delete objects by kind and name, or the objects that are defined in files. If any object cannot be deleted, nothing is changed. On a terminal, deleting several objects asks first.",
    )
    .argument("[kind]", "kind of the objects, for example slo")
    .argument("[name...]", "names of the objects")
    .filesFlag("definitions", false)
    .projectFlag()
    .dryRunFlag()
    .yesFlag()
    .organizationFlag()
    .urlFlag()
    .examples(
      "  # Delete an SLO\n  $ tocsin delete slo checkout-latency -p shop\n\n  # Delete every object defined in a file\n  $ tocsin delete -f slos.yaml",
    )
    .action((kind: string | undefined, names: ReadonlyArray<string>, flags: DeleteFlags) =>
      context.run(remove(kind, names, flags, context)),
    )

interface DeleteFlags extends ClientFlags, Partial<FileFlags>, DeletionFlags {
  readonly project: string
}

const remove = (
  kind: string | undefined,
  names: ReadonlyArray<string>,
  flags: DeleteFlags,
  context: CommandContext,
) =>
  Effect.gen(function* () {
    const { file, project, dryRun } = flags
    if ((kind === undefined) === (file === undefined) || (kind !== undefined && names.length === 0))
      return yield* new CommandFailed({
        message:
          "specify either a kind and names, as in `tocsin delete slo checkout-latency`, or files with -f",
      })
    const sources = file === undefined ? [] : yield* readPlacedDefinitions({ ...flags, file }, project)
    const deleted =
      kind === undefined
        ? sources.map(({ document }) => definitionText(document))
        : [...new Set(names)].map((name) => namedText(kind, project, name))
    if (deleted.length > 1) yield* confirmDeletion(deleted, flags)
    const query = new URLSearchParams([
      ["dry_run", String(dryRun)],
      ...names.map((name): [string, string] => ["name", name]),
    ])
    const call =
      kind === undefined
        ? { path: `/api/delete?${query}`, json: sources.map(({ document }) => document) }
        : { path: `/api/delete/${encodeURIComponent(kind)}?${query}`, headers: { project } }
    const client = yield* apiClient(flags, context)
    yield* client.call({ method: "DELETE", ...call }).pipe(Effect.mapError(withPlaces(sources)))
    yield* printDeleted(deleted, flags)
  })

const namedText = (given: string, project: string, name: string): string => {
  const kind = kindFromText(given) ?? given
  return objectText({ kind, project: isOrganizationKind(kind) ? undefined : project, name })
}

/** Of a definition that can be invalid, which the server then reports. */
const definitionText = (definition: unknown): string =>
  Option.match(readKey(definition), {
    onSome: ({ kind, metadata }) => objectText({ kind, ...metadata }),
    onNone: () => "an invalid definition",
  })

const readKey = Schema.decodeUnknownOption(
  Schema.Struct({
    kind: Schema.String,
    metadata: Schema.Struct({ name: Schema.String, project: Schema.optionalKey(Schema.String) }),
  }),
)
