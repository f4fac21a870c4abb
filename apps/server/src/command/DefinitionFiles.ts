import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { text as readStream } from "node:stream/consumers"
import { ApiRejected } from "../client/ApiClient.ts"
import { CommandFailed } from "./CommandContext.ts"
import { readDocuments } from "@tocsin/adapters-http/internal/documents/ReadDocuments"
import { isObject } from "@tocsin/domain/internal/codec/Leaves"

export interface FileDocument {
  readonly file: string
  /** Position in its file, from 0. */
  readonly index: number
  readonly document: unknown
}

/** Like `readDocumentsOf`; a definition without a project gets `project`. */
export const readPlacedDefinitions = (
  files: ReadonlyArray<string>,
  project: string,
): Effect.Effect<ReadonlyArray<FileDocument>, CommandFailed> =>
  Effect.map(readDocumentsOf(files), (documents) =>
    documents.map((each) => ({ ...each, document: withProject(each.document, project) })),
  )

/** The definitions of `readPlacedDefinitions`. */
export const readDefinitions = (
  files: ReadonlyArray<string>,
  project: string,
): Effect.Effect<ReadonlyArray<unknown>, CommandFailed> =>
  Effect.map(readPlacedDefinitions(files, project), (documents) => documents.map(({ document }) => document))

/** Reads the documents of files, in order, at least one; `-` is stdin. */
export const readDocumentsOf = (
  files: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<FileDocument>, CommandFailed> =>
  Effect.forEach(files, (file) =>
    Effect.gen(function* () {
      const text = yield* Effect.tryPromise({
        try: () => (file === "-" ? readStream(process.stdin) : readFile(file, "utf8")),
        catch: (cause) =>
          new CommandFailed({ message: `${file}: cannot be read (${(cause as { code?: string }).code})` }),
      })
      // JSON gets its own error messages; every other file is read as YAML.
      const documents = readDocuments(text, file.endsWith(".json") ? "application/json" : "application/yaml")
      if (Result.isFailure(documents)) {
        const { path, message } = documents.failure
        const reason = path === "" ? message : `${path}: ${message}`
        return yield* new CommandFailed({ message: `${file}: ${reason}` })
      }
      return documents.success.map((document, index) => ({ file, index, document }))
    }),
  ).pipe(
    Effect.map((documents) => documents.flat()),
    Effect.filterOrFail(
      (documents) => documents.length > 0,
      () => new CommandFailed({ message: `${files.join(", ")}: has no definitions` }),
    ),
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
          errors: failure.errors.map((error) => {
            const given = error.source?.propertyName
            if (given === undefined) return error
            // Of one definition, the API says no index.
            const [, index = "0", path = ""] = /^(?:\[(\d+)\]\.?)?(.*)$/s.exec(given) ?? []
            const source = sources.length === 1 || given.startsWith("[") ? sources[Number(index)] : undefined
            if (source === undefined) return error
            const place = placeOf(source, sources)
            const propertyName = path === "" ? place : `${place}: ${path}`
            return { ...error, source: { ...error.source, propertyName } }
          }),
        })
      : failure

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
  if (!isObject(document) || document["kind"] === "Project") return document
  const metadata = document["metadata"]
  if (!isObject(metadata) || metadata["project"] !== undefined) return document
  return { ...document, metadata: { ...metadata, project } }
}

/** Reads the one definition of a kind from a file. */
export const readDefinition = (
  kind: string,
  file: string,
  project: string,
): Effect.Effect<unknown, CommandFailed> =>
  Effect.flatMap(readDefinitions([file], project), (definitions) => {
    const found = definitions.filter((each) => isObject(each) && each["kind"] === kind)
    return found.length === 1
      ? Effect.succeed(found[0])
      : new CommandFailed({ message: `${file}: must have exactly one ${kind}, not ${found.length}` })
  })
