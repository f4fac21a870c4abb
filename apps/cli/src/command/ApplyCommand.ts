import { type Applied, definitions } from "@tocsin/api"
import { kindList } from "@tocsin/domain/definitions"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { type ApiClient, type ApiFailure, operationsOf } from "../client/ApiClient.ts"
import { type ClientFlags, isJson } from "../client/ClientConfig.ts"
import { applyObjects, keyOfObject, objectText } from "../client/Objects.ts"
import { printWarnings } from "../client/Warnings.ts"
import { progressOutput, withProgress } from "../terminal/Progress.ts"
import { apiClient, CommandFailed } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import { type FileDocument, placedPath, readPlacedDefinitions, withPlaces } from "./DefinitionFiles.ts"
import { confirmDeletion, type DeletionFlags, printDeleted } from "./Deletion.ts"
import { client as clientFlags, dryRun, files, given, labels, project, serverDryRun, yes } from "./Flags.ts"
import { labelledKinds, objectsToPrune } from "./Prune.ts"

export const applyCommand = work(
  {
    summary: "create or update objects from files",
    description:
      "Create or update objects from definition files. If any definition is invalid, nothing is changed.",
    flags: {
      ...files("definitions"),
      ...project,
      ...dryRun("validate everything on the server, and list what would change, without changing anything"),
      ...serverDryRun,
      prune: given("in all projects, delete the objects that have the -l labels and are in no file"),
      ...labels("labels of the objects that --prune may delete"),
      ...yes,
      ...clientFlags,
    },
    examples:
      "  # Apply a file\n  $ tocsin apply -f slos.yaml\n\n  # Validate two files without changing anything\n  $ tocsin apply -f slos.yaml -f alert-methods.yaml --dry-run\n\n  # Apply a directory, and delete a team's objects that are no longer in it\n  $ tocsin apply -R -f slos/ --prune -l owner=team-a",
  },
  (flags, context) =>
    Effect.gen(function* () {
      const { prune, labels = "" } = flags
      if (prune === true && labels.trim() === "")
        return yield* new CommandFailed({
          message: "--prune needs the labels of what it may delete, as in `--prune -l owner=team-a`",
        })
      if (prune !== true && labels !== "")
        return yield* new CommandFailed({ message: "-l is only for --prune; add --prune or remove -l" })
      const sources = yield* readPlacedDefinitions(flags, flags.project)
      const client = yield* apiClient(flags, context)
      const applyAll = (dryRun: boolean) =>
        withProgress(
          progressOutput(context.environment),
          `${dryRun ? "Validating" : "Applying"} ${sources.length} objects`,
          () =>
            applyObjects(
              client,
              sources.map(({ document }) => document),
              { dryRun },
            ),
        ).pipe(Effect.mapError(withPlaces(sources)))
      const print = printApplied(sources, flags)
      if (prune !== true) return yield* print(yield* applyAll(flags.dryRun))
      yield* applyAndPrune(client, applyAll, print, labels, flags)
    }),
)

type ApplyFlags = ClientFlags & DeletionFlags

/** Warnings go to stderr, so that scripts can read which objects changed. */
const printApplied =
  (sources: ReadonlyArray<FileDocument>, flags: ApplyFlags) =>
  (applied: Applied): Effect.Effect<void> =>
    isJson(flags)
      ? Console.log(JSON.stringify(applied))
      : Effect.gen(function* () {
          for (const each of applied.data)
            yield* Console.log(`${objectText(each)} ${each.outcome}${flags.dryRun ? " (dry run)" : ""}`)
          yield* printWarnings(applied.warnings, (path) => placedPath(sources, path))
        })

/** Nothing is changed before the deletion is confirmed. */
const applyAndPrune = (
  client: ApiClient,
  applyAll: (dryRun: boolean) => Effect.Effect<Applied, ApiFailure>,
  print: (applied: Applied) => Effect.Effect<void>,
  labels: string,
  flags: ApplyFlags,
) =>
  Effect.gen(function* () {
    const planned = yield* applyAll(true)
    const pruned = yield* objectsToPrune(client, labels, planned.data)
    const unlabelled = kindList.filter(
      (kind) => !labelledKinds.includes(kind) && planned.data.some((each) => each.kind === kind),
    )
    if (unlabelled.length > 0)
      yield* Console.error(
        `Objects of these kinds have no labels and are never pruned: ${unlabelled.join(", ")}`,
      )
    const names = pruned.map((each) => objectText(keyOfObject(each)))
    if (names.length > 0) yield* confirmDeletion(names, flags)
    yield* print(flags.dryRun ? planned : yield* applyAll(false))
    if (names.length === 0) return
    if (!flags.dryRun)
      yield* operationsOf(definitions, client.call)
        .deleteDefinitions({ body: pruned })
        .pipe(
          Effect.mapError(
            ({ message }) =>
              new CommandFailed({ message: `the files are applied, but nothing was pruned: ${message}` }),
          ),
        )
    // The output in JSON is the response of apply alone.
    if (!isJson(flags)) yield* printDeleted(names, flags)
  })
