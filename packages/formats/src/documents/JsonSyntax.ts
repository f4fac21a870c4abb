import { atOnce, type Parts } from "@tocsin/domain/adapter"

/** Where a text is not JSON, and the rule that it breaks there. Never contains a part of the text. */
export interface JsonSyntaxError {
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 code units. */
  readonly column: number
  /** The rule, such as `expected a comma or ]`. */
  readonly message: string
}

/**
 * Finds the first syntax error of a text that `JSON.parse` rejects; `undefined` if the text is JSON (RFC 8259).
 *
 * The messages of `JSON.parse` repeat parts of the text, have no position for short texts, and change with the version of
 * Node.js. One pass without recursion, in time linear in the text.
 */
export const findJsonSyntaxError = (text: string): JsonSyntaxError | undefined =>
  atOnce(scanJson(text, noVisitor))

/** Is told the tokens of a text in their order; positions are in UTF-16 code units, and strings include their quotation marks. */
export interface JsonVisitor {
  readonly open: (isObject: boolean) => void
  readonly key: (from: number, to: number) => void
  readonly string: (from: number, to: number) => void
  /** A number, `true`, `false` or `null`. */
  readonly scalar: (from: number, to: number) => void
  readonly close: () => void
}

const noVisitor: JsonVisitor = {
  open: () => undefined,
  key: () => undefined,
  string: () => undefined,
  scalar: () => undefined,
  close: () => undefined,
}

/**
 * Goes through the tokens of a text in parts, and returns its first syntax error. If `isDepthLimited`, this includes an array or
 * object that is nested more than `jsonDepthMax` deep.
 */
export function* scanJson(
  text: string,
  visitor: JsonVisitor,
  isDepthLimited = false,
): Parts<JsonSyntaxError | undefined> {
  const error = yield* scan(text, visitor, isDepthLimited ? jsonDepthMax : Infinity)
  return error === undefined ? undefined : errorAt(text, error)
}

/** Tokens that are read in one part, some tenths of a millisecond. */
const tokensAtOnce = 1_000

/** Deepest nesting of arrays and objects in a JSON body, in levels. */
export const jsonDepthMax = 64

/**
 * Finds the first array or object that is nested more than `jsonDepthMax` deep, which no document of the API is. Called
 * before `JSON.parse`, which takes a hundred times as long for such a text as for another one of its size.
 */
export const findDeepNesting = (text: string): JsonSyntaxError | undefined => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quotationMark) {
      for (at++; at < text.length && text.charCodeAt(at) !== quotationMark; at++) {
        if (text.charCodeAt(at) === backslash) at++
      }
    } else if (code === leftBracket || code === leftBrace) {
      depth += 1
      if (depth > jsonDepthMax) {
        return errorAt(text, { at, message: tooDeepMessage })
      }
    } else if (code === rightBracket || code === rightBrace) depth -= 1
  }
  return undefined
}

/** The message of the error that `findDeepNesting` finds. */
export const tooDeepMessage = `arrays and objects are nested more than ${jsonDepthMax} deep`

const quotationMark = 0x22
const leftBracket = 0x5b
const backslash = 0x5c
const rightBracket = 0x5d
const leftBrace = 0x7b
const rightBrace = 0x7d

const errorAt = (text: string, { at, message }: Unexpected): JsonSyntaxError => {
  const before = text.slice(0, at).split("\n")
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, message }
}

interface Unexpected {
  readonly at: number
  readonly message: string
}

function* scan(text: string, visitor: JsonVisitor, depthMax: number): Parts<Unexpected | undefined> {
  const closers: Array<"}" | "]"> = []
  let expected: Expected = "value"
  let at = 0
  for (let tokens = 1; ; tokens++) {
    if (tokens % tokensAtOnce === 0) yield
    at = endOf(whiteSpace, text, at)
    const character = text[at]
    if (character === undefined && expected !== "end")
      return { at, message: tokens === 1 ? "the text is empty" : unfinished }
    if (character === undefined) return undefined
    const closer = closers.at(-1)
    if (character === closer && canClose(expected)) {
      closers.pop()
      visitor.close()
      expected = closers.length === 0 ? "end" : "comma"
      at += 1
    } else if (expected === "value" || expected === "valueOrClose") {
      if (character === "{" || character === "[") {
        if (closers.length >= depthMax) return { at, message: tooDeepMessage }
        closers.push(character === "{" ? "}" : "]")
        visitor.open(character === "{")
        expected = character === "{" ? "keyOrClose" : "valueOrClose"
        at += 1
      } else {
        const end = character === '"' ? endOf(string, text, at) : endOf(scalar, text, at)
        if (end === at) return character === '"' ? stringError(text, at) : { at, message: messages[expected] }
        if (character === '"') visitor.string(at, end)
        else visitor.scalar(at, end)
        at = end
        expected = closers.length === 0 ? "end" : "comma"
      }
    } else if (expected === "key" || expected === "keyOrClose") {
      if (character !== '"') return { at, message: messages[expected] }
      const end = endOf(string, text, at)
      if (end === at) return stringError(text, at)
      visitor.key(at, end)
      at = end
      expected = "colon"
    } else if (expected === "colon" && character === ":") {
      expected = "value"
      at += 1
    } else if (expected === "comma" && character === ",") {
      expected = closer === "}" ? "key" : "value"
      at += 1
    } else {
      return { at, message: expected === "comma" ? `expected a comma or ${closer}` : messages[expected] }
    }
  }
}

type Expected = "value" | "valueOrClose" | "key" | "keyOrClose" | "colon" | "comma" | "end"

const canClose = (expected: Expected): boolean =>
  expected === "comma" || expected === "keyOrClose" || expected === "valueOrClose"

const messages: Readonly<Record<Expected, string>> = {
  value: "expected a value",
  valueOrClose: "expected a value or ]",
  key: "expected a key in double quotes after the comma",
  keyOrClose: "expected a key in double quotes or }",
  colon: "expected a colon",
  comma: "expected a comma",
  end: "unexpected text after the value",
}

const unfinished = "the text ends before the value is complete"

/** What is wrong with the string that starts here. */
const stringError = (text: string, start: number): Unexpected => {
  const at = endOf(stringStart, text, start)
  const character = text[at]
  if (character === undefined) return { at: start, message: "the string is not closed" }
  return character === "\\"
    ? { at, message: "unknown escape sequence" }
    : { at, message: "control characters in strings must be escaped" }
}

/** The end of the pattern's match at this position; the position itself without a match. */
const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

const whiteSpace = /[ \t\n\r]*/y
const scalar = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)/y
// eslint-disable-next-line no-control-regex
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
// eslint-disable-next-line no-control-regex
const stringStart = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y
