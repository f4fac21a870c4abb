import * as Result from "effect/Result"
import type { TemplateIssueCode } from "../codec/Issue.ts"
import type { VariableName, VariableValues } from "./Variable.ts"
import { checkVariableToken, readVariableToken, type TokenPlace } from "./VariableToken.ts"

/** Largest template, in bytes of UTF-8. */
export const templateMaxBytes = 64 * 1024

/** Deepest nesting of objects and arrays in a template, in levels. */
export const templateMaxDepth = 64

/** Most issues reported for one template or one list of template fields. */
export const templateIssuesMax = 100

/**
 * JSON with holes: compact, keys in the order written, numbers digit by digit.
 *
 * The hole of a text variable is inside a string, that of the array variable where a value is. `start`, then for each hole
 * the escaped value and `after`, is therefore valid JSON for every value.
 */
export interface Template {
  /** The text up to the first hole. */
  readonly start: string
  /** In the order of the text. */
  readonly holes: ReadonlyArray<TemplateHole>
}

interface TemplateHole {
  readonly variable: VariableName
  /** The text up to the next hole. */
  readonly after: string
}

/** An issue of a template: `message` and `hint` are sentences. */
export interface TemplateIssue {
  /** What is wrong, from a closed set. */
  readonly code: TemplateIssueCode
  /** A sentence that says what is wrong. */
  readonly message: string
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 code units, as editors count. */
  readonly column: number
  /** A sentence that says what to write instead, if that is known. */
  readonly hint?: string
}

/**
 * Parses a notification template: strict JSON (RFC 8259) with variables.
 *
 * Duplicate keys are rejected, and so is nesting deeper than `templateMaxDepth`, since receivers handle both differently.
 * Fails with every issue, in the order of their positions, up to the first one after which the JSON cannot be followed,
 * and at most `templateIssuesMax`.
 */
export const parseTemplate = (text: string): Result.Result<Template, ReadonlyArray<TemplateIssue>> => {
  if (text.length > templateMaxBytes || new TextEncoder().encode(text).length > templateMaxBytes) {
    const message = `A template must have at most ${templateMaxBytes} bytes in UTF-8.`
    return Result.fail([{ code: "too_large", message, line: 1, column: 1 }])
  }
  const parser = new Parser(text)
  parser.document()
  return parser.issues.length > 0
    ? Result.fail(locateIssues(text, parser.issues))
    : Result.succeed(parser.template())
}

/**
 * Renders a template: fills each hole with its variable's value, escaped as JSON.
 *
 * The result is JSON for all values: unpaired surrogates stay escaped, so that the UTF-8 bytes parse to the same text, and
 * a value that looks like a variable is not expanded.
 */
export const renderTemplate = (template: Template, values: VariableValues): string => {
  let body = template.start
  for (const { variable, after } of template.holes) {
    const value = values[variable]
    const json = JSON.stringify(value)
    body += typeof value === "string" ? json.slice(1, -1) : json
    body += after
  }
  return body
}

export const usesVariable = (template: Template, name: VariableName): boolean =>
  template.holes.some(({ variable }) => variable === name)

/** Each method that reads returns whether parsing can continue. */
class Parser {
  readonly issues: Array<IssueAt> = []
  private readonly text: string
  private at = 0
  private written = ""
  private start: string | undefined
  private readonly holes: Array<{ readonly variable: VariableName; after: string }> = []

  constructor(text: string) {
    this.text = text
  }

  document(): void {
    this.blanks()
    if (!this.value(0)) return
    this.blanks()
    if (this.at < this.text.length) this.unexpected("the end of the template")
  }

  template(): Template {
    this.endChunk()
    return { start: this.start ?? "", holes: this.holes }
  }

  private value(depth: number): boolean {
    const char = this.text[this.at]
    if (char === "{") return this.object(depth + 1)
    if (char === "[") return this.members("]", depth + 1, () => this.value(depth + 1))
    if (char === '"') return this.string("string") !== undefined
    if (char === "$" && readVariableToken(this.text, this.at) !== undefined) return this.variable("value")
    return this.literal()
  }

  private object(depth: number): boolean {
    const keys = new Set<string>()
    return this.members("}", depth, () => {
      const keyAt = this.at
      if (this.text[keyAt] !== '"') return this.unexpected("a key in double quotes")
      const issuesBefore = this.issues.length
      const key = this.string("key")
      if (key === undefined) return false
      if (this.issues.length === issuesBefore) {
        const isRepeated = keys.has(key)
        if (isRepeated && !this.report("key_duplicate", keyAt, `The key ${quoted(key)} is duplicated.`))
          return false
        keys.add(key)
      }
      this.blanks()
      if (this.text[this.at] !== ":") return this.unexpected('":" after the key')
      this.punctuation(":")
      return this.value(depth)
    })
  }

  /** Reads an object or an array from its opening bracket to its closing one. */
  private members(close: "}" | "]", depth: number, member: () => boolean): boolean {
    const openAt = this.at
    if (depth > templateMaxDepth) {
      return this.stop(
        "too_deep",
        openAt,
        `Objects and arrays must be nested at most ${templateMaxDepth} levels deep.`,
      )
    }
    this.punctuation(close === "}" ? "{" : "[")
    if (this.text[this.at] === close) return this.punctuation(close)
    for (;;) {
      if (!member()) return false
      this.blanks()
      if (this.text[this.at] === close) return this.punctuation(close)
      if (this.text[this.at] !== ",") return this.unexpected(`"," or "${close}"`)
      const commaAt = this.at
      this.punctuation(",")
      if (this.text[this.at] === close) {
        this.at += 1
        return this.report("not_json", commaAt, `Unexpected comma before "${close}".`, "Remove the comma.")
      }
    }
  }

  /** Reads a string and writes it normalized; returns its text without variables, or `undefined` to stop. */
  private string(place: TokenPlace): string | undefined {
    const openAt = this.at
    let content = ""
    let from = openAt + 1
    let isValid = true
    const writeUpToHere = () => {
      const raw = this.text.slice(from, this.at)
      const part = isValid && raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw
      content += part
      this.written += JSON.stringify(part).slice(1, -1)
    }
    this.written += '"'
    this.at = from
    for (;;) {
      this.skip(plainCharacters)
      const char = this.text[this.at]
      let canContinue = true
      if (char === '"') {
        writeUpToHere()
        this.written += '"'
        this.at += 1
        return content
      } else if (char === "\\") {
        if (!this.skip(escapeSequence)) {
          isValid = false
          canContinue = this.report(
            "not_json",
            this.at,
            "Invalid escape sequence.",
            'The escape sequences are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits.',
          )
          this.at += 1
        }
      } else if (char === "$") {
        if (readVariableToken(this.text, this.at) === undefined || this.isWellKnownKey(place, openAt))
          this.at += 1
        else {
          writeUpToHere()
          canContinue = this.variable(place)
          from = this.at
        }
      } else if (char === undefined) {
        canContinue = this.stop("not_json", openAt, "This string has no closing quote.")
      } else if (char === "\n" || char === "\r") {
        canContinue = this.stop(
          "not_json",
          this.at,
          "A string cannot contain a line break.",
          "Close the string with a quote, or write the line break as \\n.",
        )
      } else {
        isValid = false
        const hint = char === "\t" ? "Write a tab as \\t." : `Write it as ${unicodeEscape(char)}.`
        canContinue = this.report("not_json", this.at, `A string cannot contain ${shown(char)}.`, hint)
        this.at += 1
      }
      if (!canContinue) return undefined
    }
  }

  /** Whether the whole string is a key that JSON Schema or a format of messages gives its meaning, and no variable. */
  private isWellKnownKey(place: TokenPlace, openAt: number): boolean {
    wellKnownKey.lastIndex = openAt
    return place === "key" && this.at === openAt + 1 && wellKnownKey.test(this.text)
  }

  private variable(place: TokenPlace): boolean {
    const tokenAt = this.at
    const token = readVariableToken(this.text, tokenAt)
    if (token === undefined) return true
    this.at = token.end
    const checked = checkVariableToken(token, place)
    if ("misuse" in checked) {
      return this.report(checked.misuse.code, tokenAt, checked.misuse.message, checked.misuse.hint)
    }
    this.endChunk()
    this.holes.push({ variable: checked.variable, after: "" })
    return true
  }

  /** Reads a number, `true`, `false` or `null`. */
  private literal(): boolean {
    const tokenAt = this.at
    if (!this.skip(tokenCharacters)) return this.unexpected("a value")
    const token = this.text.slice(tokenAt, this.at)
    if (literal.test(token)) {
      this.written += token
      return true
    }
    return /^[-+.\d]/.test(token)
      ? this.report(
          "not_json",
          tokenAt,
          `${quoted(token)} is not a valid JSON number.`,
          "Write numbers like 1, -2.5 and 1e9: no plus sign, no leading zeros, and digits on both sides of the decimal point.",
        )
      : this.report(
          "not_json",
          tokenAt,
          `${quoted(token)} is not a valid JSON value.`,
          "Only true, false, null and numbers have no quotes; put strings in double quotes.",
        )
  }

  private blanks(): void {
    this.skip(blankCharacters)
  }

  private punctuation(char: string): true {
    this.written += char
    this.at += 1
    this.blanks()
    return true
  }

  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    if (!pattern.test(this.text)) return false
    this.at = pattern.lastIndex
    return true
  }

  private endChunk(): void {
    const hole = this.holes.at(-1)
    if (hole === undefined) this.start = this.written
    else hole.after = this.written
    this.written = ""
  }

  private unexpected(expected: string): false {
    const char = this.text[this.at]
    if (this.text.trim() === "") {
      return this.stop("not_json", this.at, "The template is empty.", "Write a JSON value.")
    }
    return this.stop(
      "not_json",
      this.at,
      char === undefined
        ? `The template ends where ${expected} is expected.`
        : `Expected ${expected}, found ${shown(String.fromCodePoint(this.text.codePointAt(this.at) ?? 0))}.`,
      char === undefined ? undefined : hintByCharacter[char],
    )
  }

  private stop(code: TemplateIssueCode, at: number, message: string, hint?: string): false {
    this.report(code, at, message, hint)
    return false
  }

  private report(code: TemplateIssueCode, at: number, message: string, hint?: string): boolean {
    this.issues.push({ code, message, at, ...(hint === undefined ? {} : { hint }) })
    return this.issues.length < templateIssuesMax
  }
}

/** Keys of JSON Schema, which Adaptive Cards begin with, and of the templates of cards. No variable ever gets such a name. */
const wellKnownKey = /"\$(?:schema|id|ref|anchor|defs|comment|vocabulary|data|when|root|index|type)"/y

/** White space between tokens. */
const blankCharacters = /[ \t\n\r]*/y

/** Characters of a string that are literal and start no variable. */
// oxlint-disable-next-line no-control-regex -- these are the ones that a JSON string cannot contain
const plainCharacters = /[^"\\$\u0000-\u001f]*/y

const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y

/** The characters of literals and numbers, valid or not. */
const tokenCharacters = /[-+.\w]+/y

const literal = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** Hints for characters that people write where JSON has none. */
const hintByCharacter: Readonly<Record<string, string>> = {
  "'": "JSON strings need double quotes.",
  "/": "JSON has no comments.",
  "#": "JSON has no comments.",
  $: "Variable names have only lowercase letters and underscores, as in $slo_name.",
  "\ufeff": "Remove the byte order mark at the start.",
}

/** A character in a message: itself in quotes when it is visible, otherwise its code point. */
const shown = (char: string): string =>
  /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(char)
    ? `"${char}"`
    : `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

const unicodeEscape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Part of a template in a message, at most 64 characters of it. */
const quoted = (text: string): string => JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text)

/** An issue with its offset in the template. */
interface IssueAt extends Omit<TemplateIssue, "line" | "column"> {
  readonly at: number
}

/** Converts offsets to lines and columns in one pass; sorts by position. */
const locateIssues = (text: string, issues: ReadonlyArray<IssueAt>): ReadonlyArray<TemplateIssue> => {
  let line = 1
  let lineStart = 0
  return issues
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, ...issue }) => {
      lineBreak.lastIndex = lineStart
      while (lineBreak.test(text) && lineBreak.lastIndex <= at) {
        line += 1
        lineStart = lineBreak.lastIndex
      }
      return { ...issue, line, column: at - lineStart + 1 }
    })
}

const lineBreak = /\r\n|\n|\r/g
