import { definitions, type ObjectReference } from "@tocsin/api"
import { isOrganizationKind, kindFromText } from "@tocsin/domain/definitions"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ApiRejected, operationsOf } from "../client/ApiClient.ts"
import { objectText } from "../client/Objects.ts"
import { apiClient, CommandFailed } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import { readPlacedDefinitions, withPlaces } from "./DefinitionFiles.ts"
import { confirmDeletion, printDeleted } from "./Deletion.ts"
import { nameHint } from "./FindObject.ts"
import { dryRun, optionalFiles, organization, project, url, yes } from "./Flags.ts"

export const deleteCommand = work(
  {
    summary: "delete objects",
    description:
      "Delete objects by kind and name, or the objects that are defined in files. If any object cannot be deleted, nothing is changed. On a terminal, the command prompts before it deletes several objects.",
    arguments: { "kind?": "kind of the objects, for example slo", "name?...": "names of the objects" },
    flags: { ...optionalFiles("definitions"), ...project, ...dryRun(), ...yes, ...organization, ...url },
    examples:
      "  # Delete an SLO\n  $ tocsin delete slo checkout-latency -p shop\n\n  # Delete every object defined in a file\n  $ tocsin delete -f slos.yaml",
  },
  ({ kind, name: names, ...flags }, context) =>
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
      const api = operationsOf(definitions, (yield* apiClient(flags, context)).call)
      const asked = { dry_run: `${dryRun}` } as const
      yield* (
        kind === undefined
          ? // The server decodes them.
            api.deleteDefinitions({
              ...asked,
              body: sources.map(({ document }) => document as ObjectReference),
            })
          : Effect.mapError(
              api.deleteDefinitionsByName({ ...asked, kind, name: names, project }),
              (failure) => withNameHint(failure, nameHint(kind, project, undefined)),
            )
      ).pipe(Effect.mapError(withPlaces(sources)))
      yield* printDeleted(deleted, flags)
    }),
)

/** Says how to find the names, if one does not exist. */
const withNameHint = <E>(failure: E | ApiRejected, detail: string): E | ApiRejected =>
  failure instanceof ApiRejected && failure.status === 404
    ? new ApiRejected({
        status: failure.status,
        help: failure.help,
        errors: failure.errors.map((error) => ({ detail, ...error })),
      })
    : failure

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
