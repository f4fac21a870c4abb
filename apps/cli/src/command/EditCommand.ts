import { readDocuments } from "@tocsin/formats/documents"
import { isObject } from "@tocsin/domain/codec"
import { writeYamlDocument } from "@tocsin/formats/yaml"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Result from "effect/Result"
import { dirname, join } from "node:path"
import { kindFromText } from "@tocsin/domain/definitions"
import { hiddenValue, type MergeConflict, mergeDocuments } from "@tocsin/domain/forms"
import type { ApiClient, ApiFailure } from "../client/ApiClient.ts"
import {
  applyObjects,
  keyOfObject,
  type ListedObject,
  listObjects,
  objectFrom,
  objectText,
} from "../client/Objects.ts"
import { terminalText } from "../terminal/TerminalText.ts"
import { apiClient, CommandFailed } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import { printWarnings } from "../client/Warnings.ts"
import { findObject } from "./FindObject.ts"
import { organization, project, url } from "./Flags.ts"

export const editCommand = work(
  {
    summary: "edit an object in your editor",
    description:
      "Open the definition of an object in $VISUAL or $EDITOR (default: vi), and apply it when you have saved it and quit. A definition that is rejected is opened again with the errors. Changes that someone else makes in the meantime are kept. If you both change the same values, the file is opened again with both. Edits that are not applied remain in a file.",
    arguments: { kind: "kind of the object, for example slo", name: "name of the object" },
    flags: { ...project, ...organization, ...url },
    examples:
      "  $ tocsin edit slo checkout-latency -p shop\n\n  # In another editor\n  $ EDITOR='code --wait' tocsin edit alertpolicy fast-burn",
  },
  ({ kind, name, ...flags }, context) =>
    Effect.gen(function* () {
      const client = yield* apiClient(flags, context)
      const revisions = kindFromText(kind) === undefined ? {} : ({ revisions: "true" } as const)
      const object = yield* findObject(client, kind, flags.project, name, revisions)
      if (object.kind === "Alert")
        return yield* new CommandFailed({
          message: "alerts cannot be edited; see `tocsin alert acknowledge`",
        })
      const editor = context.environment["VISUAL"] || context.environment["EDITOR"] || "vi"
      const text = writeYamlDocument(openedOf(object).object)
      yield* withFile(`${object.kind}-${name}.yaml`.toLowerCase(), text, (file) =>
        editUntilApplied(client, object, file, editor),
      )
    }).pipe(Effect.provide(NodeServices.layer)),
)

/** Deletes the file at the end, unless it has edits that were not applied: then it says where they are. */
const withFile = <E, R>(name: string, text: string, use: (file: string) => Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* Effect.acquireUseRelease(
      Effect.map(files.makeTempDirectory({ prefix: "tocsin-edit-" }), (directory) => join(directory, name)),
      use,
      (file, exit) =>
        Effect.gen(function* () {
          const saved = yield* Effect.orElseSucceed(files.readFileString(file), () => "")
          if (Exit.isFailure(exit) && !isSame(saved, text))
            return yield* Console.error(`Your edits are not applied; they are in ${file}`)
          yield* files.remove(dirname(file), { recursive: true, force: true })
        }),
    )
  })

/** An object as it is stored; without a revision, it is not one that changes are merged with. */
interface Opened {
  readonly object: ListedObject
  readonly revision: string | undefined
}

const openedOf = ({ revision, ...object }: ListedObject): Opened => ({
  object: object as ListedObject,
  revision: typeof revision === "string" ? revision : undefined,
})

/** Edits with what someone else has stored since the object was opened. */
interface Merged {
  /** What is stored. */
  readonly current: Opened
  /** Both changes, with the edited values where there is a conflict. */
  readonly document: ListedObject
}

/** Edits that are not applied: what is wrong with them, or the values that someone else has changed, too. */
type Unapplied =
  | {
      readonly errors: ReadonlyArray<string>
      /** What has these errors, if it is not what was saved. */
      readonly merged?: Merged | undefined
    }
  | { readonly conflicts: ReadonlyArray<MergeConflict>; readonly merged: Merged }

const editUntilApplied = (client: ApiClient, found: ListedObject, file: string, editor: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    let opened = openedOf(found)
    const name = objectText(keyOfObject(found))
    let stored = writeYamlDocument(opened.object)
    let text = stored
    let problem: Unapplied = { errors: [] }
    for (;;) {
      yield* files.writeFileString(file, headerOf(name, stored, problem) + text, { mode: 0o600 })
      yield* openEditor(editor, file)
      const content = yield* files.readFileString(file)
      const saved = withoutHeader(content)
      const isConflict = "conflicts" in problem
      if (saved.trim() === "" || (!isConflict && saved === stored))
        return yield* Console.error(`${name} not edited: the file has no changes`)
      if (isConflict && content.includes(unresolvedLine))
        return yield* new CommandFailed({
          message: `${name} not edited: someone else has changed the same values, and the file still has the line that says so`,
        })
      if ("errors" in problem && problem.errors.length > 0 && saved === text)
        return yield* new CommandFailed({
          message: `${name} not edited: the errors are not fixed\n  ${problem.errors.join("\n  ")}`,
        })
      const outcome = yield* applySaved(client, opened, saved)
      if (Result.isSuccess(outcome)) return yield* Console.log(`${name} ${outcome.success}`)
      problem = outcome.failure
      text = saved
      if (problem.merged === undefined) continue
      opened = problem.merged.current
      stored = writeYamlDocument(opened.object)
      text = writeYamlDocument(problem.merged.document)
    }
  })

/** Applies what was saved; fails with what is wrong with it, or what someone else has changed, too. */
const applySaved = (client: ApiClient, opened: Opened, saved: string) =>
  Effect.gen(function* () {
    const { object } = opened
    const documents = readDocuments(saved, "application/yaml")
    if (Result.isFailure(documents)) {
      const { path, message } = documents.failure
      const lines = [path, message].filter((part) => part !== "").join(": ")
      return Result.fail<Unapplied>({ errors: [`${lines} (counted without these comments)`] })
    }
    const [definition] = documents.success
    if (documents.success.length !== 1 || !isSameObject(object, definition))
      return Result.fail<Unapplied>({
        errors: [
          `The file must have only ${objectText(keyOfObject(object))}: kind, name and project cannot be changed. To create another object, use tocsin apply.`,
        ],
      })
    if (opened.revision === undefined) yield* ensureUnchanged(client, object)
    return yield* applyMerging(client, opened, definition as ListedObject)
  })

/** How often an object is merged that others change again and again. */
const mergesMax = 5

/** Applies edits of an object, with what others have changed since it was opened. */
const applyMerging = (
  client: ApiClient,
  { object, revision }: Opened,
  edited: ListedObject,
  mergesLeft = mergesMax,
  before?: Merged,
): Effect.Effect<Result.Result<string, Unapplied>, ApiFailure | CommandFailed> =>
  applyObjects(client, [{ ...edited, ...(revision !== undefined && { revision }) }], { dryRun: false }).pipe(
    Effect.tap(({ warnings }) => printWarnings(warnings)),
    Effect.map(({ data }): Result.Result<string, Unapplied> =>
      Result.succeed(data.map(({ outcome }) => outcome).join()),
    ),
    Effect.catchTag("ApiRejected", (rejected) => {
      if (rejected.status === 400)
        return Effect.succeed(Result.fail({ errors: rejected.message.split("\n"), merged: before }))
      if (rejected.status !== 412 || mergesLeft === 0) return Effect.fail(rejected)
      const found = objectFrom(rejected.errors[0]?.current)
      if (found === undefined)
        return Effect.fail(
          new CommandFailed({
            message: `${objectText(keyOfObject(object))} was deleted while you edited it; to create it again, use tocsin apply`,
          }),
        )
      const current = openedOf(found)
      const { document, taken, conflicts } = mergeDocuments(object, edited, current.object)
      const merged = { current, document }
      if (conflicts.length > 0) return Effect.succeed(Result.fail({ conflicts, merged }))
      const note = `Merged with changes by someone else: ${taken.map(terminalText).join(", ")}`
      return Effect.andThen(
        taken.length === 0 ? Effect.void : Console.error(note),
        applyMerging(client, current, document, mergesLeft - 1, merged),
      )
    }),
  )

/** Fails if an object without a revision is no longer as it was opened. */
const ensureUnchanged = (client: ApiClient, object: ListedObject) =>
  Effect.gen(function* () {
    const { kind, project, name } = keyOfObject(object)
    const [current] = yield* listObjects(client, kind, { project, name: [name] })
    if (current !== undefined && JSON.stringify(current) === JSON.stringify(object)) return
    const what = current === undefined ? "deleted" : "changed"
    return yield* new CommandFailed({
      message: `${objectText(keyOfObject(object))} was ${what} while you edited it; run tocsin edit again, or compare your edits with tocsin diff`,
    })
  })

const isSameObject = (object: ListedObject, definition: unknown): boolean => {
  if (!isObject(definition) || !isObject(definition["metadata"])) return false
  const { name, project } = definition["metadata"]
  return (
    definition["kind"] === object.kind && name === object.metadata.name && project === object.metadata.project
  )
}

/** What a file has until the person at the editor has chosen between two changes. */
const unresolvedLine = "# Delete this line when the values are as you want them."

const headerOf = (name: string, text: string, problem: Unapplied): string =>
  [
    `Edit ${name}, save the file and quit the editor to apply it.`,
    "A file without changes, or an empty one, changes nothing. Comments are not stored.",
    ...(text.includes(hiddenValue)
      ? [`${hiddenValue} is a secret; leave it as it is to keep the secret.`]
      : []),
    ...("conflicts" in problem
      ? [
          "",
          "Someone else has changed the same values. The file has your values:",
          ...conflictLines(problem.conflicts),
        ]
      : problem.errors.length > 0
        ? ["", "This definition was rejected:", ...problem.errors.map((error) => `  ${error}`)]
        : []),
  ]
    .map((line) => `# ${terminalText(line)}`.trimEnd() + "\n")
    .concat("conflicts" in problem ? [`${unresolvedLine}\n`] : [])
    .join("")

const conflictLines = (conflicts: ReadonlyArray<MergeConflict>): ReadonlyArray<string> =>
  conflicts.flatMap(({ path, base, mine, theirs }) => [
    `  ${path}`,
    `    yours:  ${valueText(mine)}`,
    `    stored: ${valueText(theirs)}`,
    `    before: ${valueText(base)}`,
  ])

/** On one line, as YAML reads it. */
const valueText = (value: unknown): string => (value === undefined ? "not set" : JSON.stringify(value))

const withoutHeader = (text: string): string => text.replace(/^(?:#[^\n]*(?:\n|$))*/, "")

/** Whether a file has nothing to apply. */
const isSame = (saved: string, text: string): boolean => {
  const edited = withoutHeader(saved)
  return edited.trim() === "" || edited === text
}

/** The command can have arguments, as for git. It stays in the foreground of the terminal. */
const openEditor = (editor: string, file: string) =>
  ChildProcess.make("sh", ["-c", `${editor} "$1"`, "sh", file], {
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
    detached: false,
  }).pipe(
    Effect.flatMap(({ exitCode }) => exitCode),
    Effect.scoped,
    Effect.mapError(() => "was ended by a signal"),
    Effect.filterOrFail(
      (code) => code === 0,
      (code) => `exited with ${code}`,
    ),
    Effect.mapError(
      (what) =>
        new CommandFailed({
          message: `the editor ${what}: ${editor}; set EDITOR to the command of your editor`,
        }),
    ),
  )
