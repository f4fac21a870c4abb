import * as Result from "effect/Result"
import type { Issue } from "@tocsin/domain/codec/Issue"
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
} from "yaml"
import { findDuplicateKey } from "../frame/DuplicateKey.ts"
import { findJsonSyntaxError } from "../frame/JsonSyntax.ts"

/** Deepest nesting of lists and maps in a YAML document, in levels. */
export const yamlDepthMax = 64

/** Most tokens in one YAML stream, including white space. */
export const yamlTokensMax = 200_000

/** Most aliases in one YAML document. */
export const yamlAliasesMax = 100

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
 * YAML is 1.2 with the core schema: only tags of JSON types, no merge keys, and unique string keys. Aliases and tokens are
 * limited: a short text with aliases can become a large value, and parsing YAML costs a hundred times as much as JSON.
 *
 * Fails with the first issue. Its message has the line and column, but never a part of the text, which contains secrets.
 */
export const readDocuments = (
  text: string,
  mediaType: DocumentMediaType,
): Result.Result<ReadonlyArray<unknown>, Issue> => {
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text
  return mediaType === "application/json" ? readJsonDocuments(plain) : readYamlDocuments(plain)
}

const readJsonDocuments = (text: string): Result.Result<ReadonlyArray<unknown>, Issue> => {
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

const readYamlDocuments = (text: string): Result.Result<ReadonlyArray<unknown>, Issue> => {
  const lines = new LineCounter()
  const tokens = parseTokens(text, lines)
  if (tokens === undefined) {
    const most = yamlTokensMax.toLocaleString("en")
    return invalid(`the text has more than ${most} tokens; split it, or send it as JSON`, undefined)
  }
  // The composer recurses, and where a stack ends within a regular expression, so does the process.
  const deepest = tokens.map(findTooDeep).find((at) => at !== undefined)
  if (deepest !== undefined) {
    return invalid(`lists and maps are nested more than ${yamlDepthMax} deep`, lines.linePos(deepest))
  }
  const values: Array<unknown> = []
  for (const document of new Composer(composerOptions).compose(tokens)) {
    const problem = document.errors[0] ?? document.warnings[0]
    if (problem !== undefined) {
      const message = messageByCode[problem.code] ?? "invalid YAML"
      return invalid(message, lines.linePos(problem.pos[0]))
    }
    const rejected = findRejected(document)
    if (rejected !== undefined) return invalid(rejected.message, lines.linePos(rejected.at))
    const value = documentToValue(document)
    if (value === undefined) return invalid("the aliases expand to too many values", undefined)
    const entries: ReadonlyArray<unknown> = Array.isArray(value) ? value : value === null ? [] : [value]
    for (const entry of entries) values.push(entry)
  }
  return Result.succeed(values)
}

/** Parses a text; `undefined` if it has too many tokens, each of which costs some microseconds. */
const parseTokens = (text: string, lines: LineCounter): ReadonlyArray<CST.Token> | undefined => {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  const tokens: Array<CST.Token> = []
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    count += 1
    if (count > yamlTokensMax) return undefined
    for (const token of parser.next(lexeme)) tokens.push(token)
  }
  for (const token of parser.end()) tokens.push(token)
  return tokens
}

const composerOptions = {
  version: "1.2",
  schema: "core",
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  // The library compares each key with each other one; `findRejected` does it in one pass.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "silent",
} as const

/** The offset of the first list or map that nests too deeply. */
const findTooDeep = (token: CST.Token): number | undefined => {
  const pending: Array<{ readonly token: CST.Token | null | undefined; readonly depth: number }> = [
    { token, depth: 0 },
  ]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { token, depth } = next
    if (token?.type === "document") pending.push({ token: token.value, depth })
    if (token === null || token === undefined || !("items" in token)) continue
    if (depth === yamlDepthMax) return token.offset
    for (const { key, value } of token.items) {
      pending.push({ token: value, depth: depth + 1 }, { token: key, depth: depth + 1 })
    }
  }
  return undefined
}

/** Converts a document to plain data; `undefined` if its aliases expand too far. */
const documentToValue = (document: Document): unknown => {
  try {
    return document.toJS({ maxAliasCount: yamlAliasesMax + 1 })
  } catch {
    return undefined
  }
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

const findRejected = (document: Document): { readonly message: string; readonly at: number } | undefined => {
  const isComplete = new Map<string, boolean>()
  let aliases = 0
  const pending: Array<unknown> = [document.contents]
  while (pending.length > 0) {
    const node = pending.pop()
    if (node instanceof EndOf) {
      isComplete.set(node.anchor, true)
    } else if (isAlias(node)) {
      aliases += 1
      const at = node.range?.[0] ?? 0
      const isBehind = isComplete.get(node.source)
      if (isBehind === undefined) return { message: "the alias refers to no earlier anchor", at }
      if (!isBehind) return { message: "the alias is inside the value that it refers to", at }
      if (aliases > yamlAliasesMax) {
        return { message: `there are more than ${yamlAliasesMax} aliases`, at }
      }
    } else if (isNode(node) && node.anchor !== undefined) {
      isComplete.set(node.anchor, false)
      pending.push(new EndOf(node.anchor))
    }
    if (isSeq(node)) for (const item of node.items.toReversed()) pending.push(item)
    if (!isMap(node)) continue
    const seen = new Set<unknown>()
    for (const { key } of node.items) {
      if (!isScalar(key)) continue
      if (key.value === "<<" && key.type === "PLAIN") return { message: mergeKey, at: key.range?.[0] ?? 0 }
      if (seen.has(key.value)) return { message: "the key is duplicated in its map", at: key.range?.[0] ?? 0 }
      seen.add(key.value)
    }
    for (const { key, value } of node.items.toReversed()) pending.push(value, key)
  }
  return undefined
}

const mergeKey = 'merge keys (<<) are not supported; repeat the keys, or put "<<" in quotes if it is a name'

class EndOf {
  readonly anchor: string

  constructor(anchor: string) {
    this.anchor = anchor
  }
}

/** Messages for the codes of the parser, whose own messages repeat parts of the text. */
const messageByCode: Readonly<Record<string, string>> = {
  BAD_ALIAS: "the alias refers to no earlier anchor",
  BAD_DQ_ESCAPE: "unknown escape sequence in double quotes",
  BAD_INDENT: "wrong indentation, or an earlier bracket or brace is not closed",
  BAD_SCALAR_START: "an unquoted string cannot start like this; put it in quotes",
  BLOCK_AS_IMPLICIT_KEY:
    "a map or list cannot start on the line of its key; start a new line, or put a string in quotes",
  BLOCK_IN_FLOW: "block lists and maps are not allowed inside brackets or braces",
  MISSING_CHAR: "a character is missing here, such as a comma, a colon, a space, a quote or a bracket",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line, followed by a colon and a space",
  NON_STRING_KEY: "keys must be strings; put this one in quotes",
  TAB_AS_INDENT: "tabs are not allowed as indentation; use spaces",
  TAG_RESOLVE_FAILED: "tags such as !name are not supported",
  UNEXPECTED_TOKEN: "unexpected token",
}
