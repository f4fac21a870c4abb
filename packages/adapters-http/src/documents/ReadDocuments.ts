import * as Result from "effect/Result"
import type { Issue } from "@tocsin/domain/internal/codec/Issue"
import { findDuplicateKey } from "../frame/DuplicateKey.ts"
import { findDeepNesting, findJsonSyntaxError } from "../frame/JsonSyntax.ts"
import { readYaml, yamlIndicatorsMax } from "./ReadYaml.ts"

export const documentMediaTypes = [
  "application/json",
  "application/yaml",
  "application/x-yaml",
  "text/yaml",
] as const

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
): Result.Result<ReadonlyArray<unknown>, Issue> => {
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text
  return mediaType === "application/json" ? readJsonDocuments(plain) : readYamlDocuments(plain, indicatorsMax)
}

const readJsonDocuments = (text: string): Result.Result<ReadonlyArray<unknown>, Issue> => {
  const tooDeep = findDeepNesting(text)
  if (tooDeep !== undefined) return invalid(tooDeep.message, { line: tooDeep.line, col: tooDeep.column })
  try {
    const value: unknown = JSON.parse(text)
    const duplicate = findDuplicateKey(text)
    if (duplicate !== undefined) return Result.fail(duplicate)
    return Result.succeed(Array.isArray(value) ? value : [value])
  } catch {
    const error = findJsonSyntaxError(text)
    return error === undefined
      ? invalid("invalid JSON", undefined)
      : invalid(`invalid JSON: ${error.message}`, { line: error.line, col: error.column })
  }
}

const positionOf = (text: string, at: number): Position => {
  const before = text.slice(0, at).split(/\r\n?|\n/)
  return { line: before.length, col: (before.at(-1)?.length ?? 0) + 1 }
}

const readYamlDocuments = (
  text: string,
  indicatorsMax: number,
): Result.Result<ReadonlyArray<unknown>, Issue> => {
  const read = readYaml(text, indicatorsMax)
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
