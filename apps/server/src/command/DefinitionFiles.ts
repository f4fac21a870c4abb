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
export const readDefinitions = (
  files: ReadonlyArray<string>,
  project: string,
): Effect.Effect<ReadonlyArray<unknown>, CommandFailed> =>
  Effect.map(readDocumentsOf(files), (documents) =>
    documents.map(({ document }) => withProject(document, project)),
  )

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
 * Adds the kind and name of the object to each error, as an index says little when the definitions come from several
 * files.
 */
export const withObjectNames =
  (definitions: ReadonlyArray<unknown>) =>
  <E>(failure: E | ApiRejected): E | ApiRejected =>
    failure instanceof ApiRejected
      ? new ApiRejected({
          status: failure.status,
          errors: failure.errors.map((error) => {
            const propertyName = error.source?.propertyName
            const place = /^\[(\d+)\]/.exec(propertyName ?? "")?.[1]
            const object = place === undefined ? undefined : objectName(definitions[Number(place)])
            return object === undefined
              ? error
              : { ...error, source: { ...error.source, propertyName: `${object}: ${propertyName}` } }
          }),
        })
      : failure

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
