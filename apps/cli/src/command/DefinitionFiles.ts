import type { DefinitionDocument } from "@tocsin/domain"
import type { Kind } from "@tocsin/domain/kernel"
import { describesNoProject, isOrganizationKind } from "@tocsin/domain/definitions"
import { isObject } from "@tocsin/domain/codec"
import * as Console from "effect/Console"
import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import { ApiRejected, errorsText } from "../client/ApiClient.ts"
import { type ClientFlags, isJson } from "../client/ClientConfig.ts"
import { CommandFailed, type CommandFailure } from "./CommandContext.ts"
import { readDocuments } from "@tocsin/formats/documents"
import { type FileFlags, type FileText, readFiles } from "./FileSources.ts"

export interface FileDocument {
  readonly file: string
  /** Position in its file, from 0. */
  readonly index: number
  readonly document: unknown
}

/** Like `readDocumentsOf`; a definition without a project gets `project`. */
export const readPlacedDefinitions = (
  flags: FileFlags,
  project: string,
): Effect.Effect<ReadonlyArray<FileDocument>, CommandFailed> =>
  Effect.map(readDocumentsOf(flags), (documents) =>
    documents.map((each) => ({ ...each, document: withProject(each.document, project) })),
  )

/** The definitions of `readPlacedDefinitions`. */
export const readDefinitions = (
  flags: FileFlags,
  project: string,
): Effect.Effect<ReadonlyArray<unknown>, CommandFailed> =>
  Effect.map(readPlacedDefinitions(flags, project), (documents) => documents.map(({ document }) => document))

/** Reads the documents of files, in order, at least one. Fails with the first problem of each file. */
export const readDocumentsOf = (
  flags: FileFlags,
): Effect.Effect<ReadonlyArray<FileDocument>, CommandFailed> =>
  Effect.gen(function* () {
    const [documents, problems] = yield* Effect.partition(yield* readFiles(flags), (file) =>
      Effect.fromResult(documentsOf(file)),
    )
    if (problems.length > 0) return yield* new CommandFailed({ message: errorsText(problems) })
    const all = documents.flat()
    if (all.length > 0) return all
    return yield* new CommandFailed({
      message: `${flags.file.map(fileName).join(", ")}: has no definitions; a definition begins with apiVersion and kind`,
    })
  })

const documentsOf = ({ file, text, isJson }: FileText): Result.Result<ReadonlyArray<FileDocument>, string> =>
  Result.flatMap(
    Result.mapError(
      readDocuments(text, isJson ? "application/json" : "application/yaml"),
      ({ path, message }) =>
        [fileName(file), path, message].filter((part) => part !== "").join(": ") +
        (isJson && message.startsWith("line 1, column 1: invalid JSON: expected")
          ? "; if it is YAML, name the file .yaml"
          : ""),
    ),
    (documents) => {
      const sources = documents.map((document, index) => ({ file, index, document }))
      const other = sources.find(({ document }) => !isObject(document))
      return other === undefined
        ? Result.succeed(sources)
        : Result.fail(`${placeOf(other, sources)}: must be an object such as { apiVersion: …, kind: … }`)
    },
  )

/**
 * Says of each error in which file, document and object it is, instead of its place in what was sent: `slos.yaml, document 2
 * (SLO checkout): spec.objectives[0].target`.
 */
export const withPlaces =
  (sources: ReadonlyArray<FileDocument>) =>
  <E>(failure: E | ApiRejected): E | ApiRejected =>
    failure instanceof ApiRejected
      ? new ApiRejected({
          status: failure.status,
          help: failure.help,
          errors: failure.errors.map((error) => {
            const given = error.source?.propertyName
            if (given === undefined) return error
            return { ...error, source: { ...error.source, propertyName: placedPath(sources, given) } }
          }),
        })
      : failure

/** A path of what was sent, as `withPlaces` says it. */
export const placedPath = (sources: ReadonlyArray<FileDocument>, given: string): string => {
  // Of one definition, the API says no index.
  const [, index = "0", path = ""] = /^(?:\[(\d+)\]\.?)?(.*)$/s.exec(given) ?? []
  const source = sources.length === 1 || given.startsWith("[") ? sources[Number(index)] : undefined
  if (source === undefined) return given
  const place = placeOf(source, sources)
  return path === "" ? place : `${place}: ${path}`
}

const placeOf = ({ file, index, document }: FileDocument, sources: ReadonlyArray<FileDocument>): string => {
  const isOnly = sources.filter((each) => each.file === file).length === 1
  const place = isOnly ? fileName(file) : `${fileName(file)}, document ${index + 1}`
  const name = objectName(document)
  return name === undefined ? place : `${place} (${name})`
}

const fileName = (file: string): string => (file === "-" ? "standard input" : file)

export const objectName = (definition: unknown): string | undefined => {
  if (!isObject(definition) || !isObject(definition["metadata"])) return undefined
  const { kind, metadata } = definition
  const { name } = metadata
  return typeof kind === "string" && typeof name === "string" ? `${kind} ${name}` : undefined
}

const withProject = (document: unknown, project: string): unknown => {
  if (!isObject(document) || isOrganizationKind(String(document["kind"])) || describesNoProject(document))
    return document
  const metadata = document["metadata"]
  if (!isObject(metadata) || metadata["project"] !== undefined) return document
  return { ...document, metadata: { ...metadata, project } }
}

/** Reads the one definition of a kind from a file. */
export const readDefinition = <K extends Kind>(
  kind: K,
  file: string,
  project: string,
): Effect.Effect<DefinitionDocument<K>, CommandFailed> =>
  Effect.flatMap(readDefinitions({ file: [file] }, project), (definitions) => {
    const found = definitions.filter((each) => isObject(each) && each["kind"] === kind)
    return found.length === 1
      ? // The server decodes it.
        Effect.succeed(found[0] as DefinitionDocument<K>)
      : new CommandFailed({
          message: `${fileName(file)}: must have exactly one ${kind}, not ${found.length}`,
        })
  })

/** What a test of a definition found: `detail` says what is wrong. */
interface TestResult {
  readonly message: string
  readonly detail?: string
}

/** Tests a stored definition, or the one of a file, and prints the result; fails if something is wrong. */
export const printTest = <K extends Kind, T extends TestResult, E extends CommandFailure>(
  kind: K,
  flags: ClientFlags & {
    readonly name: string | undefined
    readonly file: string | undefined
    readonly project: string
  },
  calls: Effect.Effect<
    {
      readonly stored: (of: { readonly name: string; readonly project: string }) => Effect.Effect<T, E>
      readonly proposed: (definition: DefinitionDocument<K>) => Effect.Effect<T, E>
    },
    CommandFailure
  >,
  textOf: (result: T) => string,
): Effect.Effect<void, CommandFailure> =>
  Effect.gen(function* () {
    const { name, file, project } = flags
    if ((name === undefined) === (file === undefined))
      return yield* new CommandFailed({ message: "specify either a name or --file" })
    const { stored, proposed } = yield* calls
    const result = yield* file === undefined
      ? stored({ name: name ?? "", project })
      : Effect.flatMap(readDefinition(kind, file, project), proposed)
    const { message, detail } = result
    if (isJson(flags)) yield* Console.log(JSON.stringify(result))
    else if (detail === undefined) yield* Console.log(textOf(result))
    if (detail !== undefined) return yield* new CommandFailed({ message: `${message}: ${detail}` })
  })
