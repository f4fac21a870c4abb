import * as Result from "effect/Result"
import { atOnce, type Parts } from "@tocsin/domain/adapter"
import type { Issue } from "@tocsin/domain/codec"
import { tooDeepMessage } from "./JsonSyntax.ts"
import { parseJson } from "./ReadJson.ts"
import { readYaml, yamlIndicatorsMax } from "./ReadYaml.ts"

/** The media types of texts that are read; all but the first are YAML. */
export const documentMediaTypes = [
  "application/json",
  "application/yaml",
  "application/x-yaml",
  "text/yaml",
] as const

/** One of `documentMediaTypes`. */
export type DocumentMediaType = (typeof documentMediaTypes)[number]

/**
 * Parses a JSON object or array, or YAML documents, each an object or a list (spec/definitions §12).
 *
 * A YAML text has at most `indicatorsMax` line breaks and punctuation characters. Fails with the first issue. Its message has the line and column, but never a part of the text, which contains secrets.
 */
export const readDocuments = (
  text: string,
  mediaType: DocumentMediaType,
  indicatorsMax = yamlIndicatorsMax,
): Result.Result<ReadonlyArray<unknown>, Issue> =>
  atOnce(readDocumentsInParts(text, mediaType, indicatorsMax))

/** Parses as `readDocuments` does, in parts. */
export const readDocumentsInParts = (
  text: string,
  mediaType: DocumentMediaType,
  indicatorsMax = yamlIndicatorsMax,
): Parts<Result.Result<ReadonlyArray<unknown>, Issue>> => {
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text
  return mediaType === "application/json" ? readJsonDocuments(plain) : readYamlDocuments(plain, indicatorsMax)
}

function* readJsonDocuments(text: string): Parts<Result.Result<ReadonlyArray<unknown>, Issue>> {
  const parsed = yield* parseJson(text)
  if (Result.isSuccess(parsed)) {
    const value = parsed.success
    return Result.succeed(Array.isArray(value) ? value : [value])
  }
  if (parsed.failure._tag === "duplicate") return Result.fail(parsed.failure.issue)
  const { error } = parsed.failure
  if (error === undefined) return invalid("invalid JSON", undefined)
  const message = error.message === tooDeepMessage ? tooDeepMessage : `invalid JSON: ${error.message}`
  return invalid(message, { line: error.line, col: error.column })
}

const positionOf = (text: string, at: number): Position => {
  const before = text.slice(0, at).split(/\r\n?|\n/)
  return { line: before.length, col: (before.at(-1)?.length ?? 0) + 1 }
}

function* readYamlDocuments(
  text: string,
  indicatorsMax: number,
): Parts<Result.Result<ReadonlyArray<unknown>, Issue>> {
  const read = yield* readYaml(text, indicatorsMax)
  if (Result.isFailure(read)) {
    const { message, at } = read.failure
    return invalid(message, at === undefined ? undefined : positionOf(text, at))
  }
  return Result.succeed(
    read.success.flatMap((value) => (Array.isArray(value) ? value : value === null ? [] : [value])),
  )
}

interface Position {
  readonly line: number
  readonly col: number
}

const invalid = (message: string, where: Position | undefined): Result.Result<never, Issue> =>
  Result.fail({
    path: "",
    code: "document_invalid",
    message: where === undefined ? message : `line ${where.line}, column ${where.col}: ${message}`,
  })
