import * as Result from "effect/Result"
import {
  blankCharacters,
  escapeSequence,
  hintByCharacter,
  literal,
  plainCharacters,
  quoted,
  shown,
  unicodeEscape,
  wordCharacters,
} from "./JsonText.ts"
import type { TemplateIssueCode } from "../codec/Issue.ts"
import { templateIssuesMax, type IssueAt, locateIssues, type TemplateIssue } from "./TemplateIssue.ts"
import type { VariableName } from "./Variable.ts"
import { checkVariableToken, readVariableToken, type TokenPlace } from "./VariableToken.ts"

/** Largest template, in bytes of UTF-8. */
export const templateMaxBytes = 64 * 1024

/** Deepest nesting of objects and arrays in a template, as common receivers accept. */
export const templateMaxDepth = 64

/**
 * JSON with holes, already serialised around them: compact, keys in the order written, numbers digit by digit.
 *
 * A text variable's hole lies inside a string, the array variable's where a value stands. So `start`, then for each
 * hole the escaped value and `after`, is JSON for every value.
 */
export interface Template {
  readonly start: string
  readonly holes: ReadonlyArray<TemplateHole>
}

/** A place that a variable's value fills, and the text up to the next one. */
export interface TemplateHole {
  readonly variable: VariableName
  readonly after: string
}

/**
 * Parses a notification template: strict JSON in which variables stand for text and for arrays.
 *
 * A key that an object has twice is refused, and so is nesting deeper than `templateMaxDepth`, since
 * receivers differ in what they make of either. Fails with every issue up to the first one that hides where the
 * JSON would go on, at most `templateIssuesMax`, in the order of their places.
 *
 * Source: RFC 8259; spec/templates §2, rules 3 and 4; spec/templates §2.
 */
export const parseTemplate = (text: string): Result.Result<Template, ReadonlyArray<TemplateIssue>> => {
  if (text.length > templateMaxBytes || utf8.encode(text).length > templateMaxBytes) {
    return Result.fail([
      {
        code: "too_large",
        message: `A template must have at most ${templateMaxBytes} bytes in UTF-8.`,
        line: 1,
        column: 1,
      },
    ])
  }
  const parser = new Parser(text)
  parser.document()
  return parser.issues.length > 0
    ? Result.fail(locateIssues(text, parser.issues))
    : Result.succeed(parser.template())
}

const utf8 = new TextEncoder()

/** Each method that reads answers whether parsing can go on after it. */
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
    return this.word()
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
        if (isRepeated && !this.refuse("key_duplicate", keyAt, `The key ${quoted(key)} is duplicated.`))
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
        `Objects and arrays must be nested at most ${templateMaxDepth} deep.`,
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
        return this.refuse("not_json", commaAt, `Unexpected comma before "${close}".`, "Remove the comma.")
      }
    }
  }

  /** Reads a string and writes it normalized; returns its text without variables, or `undefined` to stop. */
  private string(place: TokenPlace): string | undefined {
    const openAt = this.at
    let said = ""
    let from = openAt + 1
    let isSound = true
    const sayUpToHere = () => {
      const raw = this.text.slice(from, this.at)
      const part = isSound && raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw
      said += part
      this.written += JSON.stringify(part).slice(1, -1)
    }
    this.written += '"'
    this.at = from
    for (;;) {
      this.skip(plainCharacters)
      const char = this.text[this.at]
      let goesOn = true
      if (char === '"') {
        sayUpToHere()
        this.written += '"'
        this.at += 1
        return said
      } else if (char === "\\") {
        if (!this.skip(escapeSequence)) {
          isSound = false
          goesOn = this.refuse(
            "not_json",
            this.at,
            "Invalid escape sequence.",
            'The escape sequences are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits.',
          )
          this.at += 1
        }
      } else if (char === "$") {
        if (readVariableToken(this.text, this.at) === undefined) this.at += 1
        else {
          sayUpToHere()
          goesOn = this.variable(place)
          from = this.at
        }
      } else if (char === undefined) {
        goesOn = this.stop("not_json", openAt, "This string has no closing quote.")
      } else if (char === "\n" || char === "\r") {
        goesOn = this.stop(
          "not_json",
          this.at,
          "A string cannot contain a line break.",
          "Close the string with a quote, or write the line break as \\n.",
        )
      } else {
        isSound = false
        const hint = char === "\t" ? "Write a tab as \\t." : `Write it as ${unicodeEscape(char)}.`
        goesOn = this.refuse("not_json", this.at, `A string cannot contain ${shown(char)}.`, hint)
        this.at += 1
      }
      if (!goesOn) return undefined
    }
  }

  private variable(place: TokenPlace): boolean {
    const tokenAt = this.at
    const token = readVariableToken(this.text, tokenAt)
    if (token === undefined) return true
    this.at = token.end
    const checked = checkVariableToken(token, place)
    if ("misuse" in checked) {
      return this.refuse(checked.misuse.code, tokenAt, checked.misuse.message, checked.misuse.hint)
    }
    this.endChunk()
    this.holes.push({ variable: checked.variable, after: "" })
    return true
  }

  /** Reads a number, `true`, `false` or `null`, or what looks as if it were to be one. */
  private word(): boolean {
    const wordAt = this.at
    if (!this.skip(wordCharacters)) return this.unexpected("a value")
    const word = this.text.slice(wordAt, this.at)
    if (literal.test(word)) {
      this.written += word
      return true
    }
    return /^[-+.\d]/.test(word)
      ? this.refuse(
          "not_json",
          wordAt,
          `${quoted(word)} is not a valid JSON number.`,
          "Write numbers like 1, -2.5 and 1e9: no plus sign, no leading zeros, and digits on both sides of the decimal point.",
        )
      : this.refuse(
          "not_json",
          wordAt,
          `${quoted(word)} is not a valid JSON value.`,
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
    this.refuse(code, at, message, hint)
    return false
  }

  private refuse(code: TemplateIssueCode, at: number, message: string, hint?: string): boolean {
    this.issues.push({ code, message, at, ...(hint === undefined ? {} : { hint }) })
    return this.issues.length < templateIssuesMax
  }
}
