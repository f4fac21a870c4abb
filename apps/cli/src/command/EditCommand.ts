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
import type { ApiClient } from "../client/ApiClient.ts"
import { applyObjects, keyOfObject, type ListedObject, listObjects, objectText } from "../client/Objects.ts"
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
      "Open the definition of an object in $VISUAL or $EDITOR (default: vi), and apply it when you have saved it and quit. A definition that is rejected is opened again with the errors. If someone else has changed the object, nothing is applied. Edits that are not applied remain in a file.",
    arguments: { kind: "kind of the object, for example slo", name: "name of the object" },
    flags: { ...project, ...organization, ...url },
    examples:
      "  $ tocsin edit slo checkout-latency -p shop\n\n  # In another editor\n  $ EDITOR='code --wait' tocsin edit alertpolicy fast-burn",
  },
  ({ kind, name, ...flags }, context) =>
    Effect.gen(function* () {
      const client = yield* apiClient(flags, context)
      const object = yield* findObject(client, kind, flags.project, name)
      if (object.kind === "Alert")
        return yield* new CommandFailed({
          message: "alerts cannot be edited; see `tocsin alert acknowledge`",
        })
      const editor = context.environment["VISUAL"] || context.environment["EDITOR"] || "vi"
      const text = writeYamlDocument(object)
      yield* withFile(`${object.kind}-${name}.yaml`.toLowerCase(), text, (file) =>
        editUntilApplied(client, object, text, file, editor),
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

const editUntilApplied = (
  client: ApiClient,
  object: ListedObject,
  text: string,
  file: string,
  editor: string,
) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const name = objectText(keyOfObject(object))
    let opened = text
    let errors: ReadonlyArray<string> = []
    for (;;) {
      yield* files.writeFileString(file, headerOf(name, text, errors) + opened, { mode: 0o600 })
      yield* openEditor(editor, file)
      const saved = withoutHeader(yield* files.readFileString(file))
      if (isSame(saved, text)) return yield* Console.error(`${name} not edited: the file has no changes`)
      if (errors.length > 0 && saved === opened)
        return yield* new CommandFailed({
          message: `${name} not edited: the errors are not fixed\n  ${errors.join("\n  ")}`,
        })
      const outcome = yield* applySaved(client, object, saved)
      if (Result.isSuccess(outcome)) return yield* Console.log(`${name} ${outcome.success}`)
      errors = outcome.failure
      opened = saved
    }
  })

/** Applies what was saved; fails with what is wrong with it. */
const applySaved = (client: ApiClient, object: ListedObject, saved: string) =>
  Effect.gen(function* () {
    const documents = readDocuments(saved, "application/yaml")
    if (Result.isFailure(documents)) {
      const { path, message } = documents.failure
      const lines = [path, message].filter((part) => part !== "").join(": ")
      return Result.fail([`${lines} (counted without these comments)`])
    }
    const [definition] = documents.success
    if (documents.success.length !== 1 || !isSameObject(object, definition))
      return Result.fail([
        `The file must have only ${objectText(keyOfObject(object))}: kind, name and project cannot be changed. To create another object, use tocsin apply.`,
      ])
    yield* ensureUnchanged(client, object)
    return yield* applyObjects(client, [definition], { dryRun: false }).pipe(
      Effect.tap(({ warnings }) => printWarnings(warnings)),
      Effect.map(({ data }) => Result.succeed(data.map(({ outcome }) => outcome).join())),
      Effect.catchIf(
        (error) => error._tag === "ApiRejected" && error.status === 400,
        ({ message }) => Effect.succeed(Result.fail(message.split("\n"))),
      ),
    )
  })

/** Fails if the object is no longer as it was opened. */
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

const headerOf = (name: string, text: string, errors: ReadonlyArray<string>): string =>
  [
    `Edit ${name}, save the file and quit the editor to apply it.`,
    "A file without changes, or an empty one, changes nothing. Comments are not stored.",
    ...(text.includes("[hidden]") ? ["[hidden] is a secret; leave it as it is to keep the secret."] : []),
    ...(errors.length > 0
      ? ["", "This definition was rejected:", ...errors.map((error) => `  ${error}`)]
      : []),
  ]
    .map((line) => `# ${terminalText(line)}`.trimEnd() + "\n")
    .join("")

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
