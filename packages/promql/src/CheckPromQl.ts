import type { SyntaxNode } from "@lezer/common"
import { parser } from "@prometheus-io/lezer-promql"
import * as Result from "effect/Result"
import { expressionNodes } from "./PromQlNode.ts"
import { nearestName } from "./NearestName.ts"
import { queryPlaceholders } from "./Placeholders.ts"

/** Most errors of one expression that are named. */
export const promqlErrorsMax = 10

/**
 * Checks an expression with Prometheus's own grammar, and the types of its parts: it must give numbers or series.
 *
 * Names the first syntax error, or else wrong types. Prometheus itself checks the rest, such as numbers of arguments and
 * regular expressions.
 *
 * | expression | result |
 * |---|---|
 * | `sum(rate(a[1m])` | is not valid PromQL at line 1, column 16: a ")" is missing |
 * | `rate(a)` | is not valid PromQL at line 1, column 6: rate requires a range, such as [1m] |
 */
export const checkPromQl = (expression: string): ReadonlyArray<string> => {
  const parsed = parsePromQl(expression)
  const problems = Result.isSuccess(parsed) ? typeProblems(parsed.success, expression) : [parsed.failure]
  return problems
    .slice(0, promqlErrorsMax)
    .map(({ at, message }) => `is not valid PromQL at ${placeOf(expression, at)}: ${message}`)
}

/** What is wrong with the syntax of an expression, and where: an index of its text. */
export interface SyntaxProblem {
  /** An index of the text. */
  readonly at: number
  /** A clause, such as `a ")" is missing`. */
  readonly message: string
}

/** A place of an expression for people: its line and column. */
export const placeOf = (expression: string, at: number): string => {
  const lines = expression.slice(0, at).split("\n")
  return `line ${lines.length}, column ${Array.from(lines.at(-1) ?? "").length + 1}`
}

// Finding a way to read on after an error takes long, and only the first error is named.
const strictParser = parser.configure({ strict: true })

/** Most characters of the expressions that stay parsed. */
const parsedCharactersMax = 262_144

/** The expressions that were parsed last: a definition is checked first, and then warned of. */
const parsedLately = new Map<string, Result.Result<SyntaxNode, SyntaxProblem>>()
let parsedCharacters = 0

/** Parses an expression, up to the first syntax error, or finds it among those parsed last. */
export const parsePromQl = (expression: string): Result.Result<SyntaxNode, SyntaxProblem> => {
  const known = parsedLately.get(expression)
  if (known !== undefined) return known
  const result = parse(expression)
  parsedLately.set(expression, result)
  parsedCharacters += expression.length
  for (const oldest of parsedLately.keys()) {
    if (parsedCharacters <= parsedCharactersMax) break
    parsedLately.delete(oldest)
    parsedCharacters -= oldest.length
  }
  return result
}

const parse = (expression: string): Result.Result<SyntaxNode, SyntaxProblem> => {
  const running = strictParser.startParse(expression)
  try {
    for (;;) {
      const tree = running.advance()
      if (tree !== null) return Result.succeed(tree.topNode)
    }
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    return Result.fail(syntaxErrorAt(expression, running.parsedPos))
  }
}

const syntaxErrorAt = (expression: string, from: number): SyntaxProblem => {
  // The error begins before the space and the comments that precede what was not expected.
  const at = from + (/^(?:\s|#.*)*/.exec(expression.slice(from))?.[0].length ?? 0)
  return unknownFunction(expression, from) ?? { at, message: unexpected(expression, at) }
}

const unexpected = (expression: string, at: number): string => {
  const found = expression.slice(at, at + 1)
  const { open, isInString } = scan(expression.slice(0, at))
  const closing = open && closings[open]
  if (isInString || (/["'`]/.test(found) && scan(expression.slice(at)).isInString)) {
    return "a quotation mark is missing"
  }
  const [placeholder] = queryPlaceholders(expression.slice(at, at + 100))
  if (placeholder !== undefined && expression.startsWith(placeholder, at)) {
    return `${placeholder} is a placeholder of another tool, which is not replaced here; write ${open === "[" ? "the range, such as 1m" : "what it stands for"}`
  }
  if (found === "") return closing ? `a "${closing}" is missing` : "the expression is incomplete"
  if (/[\w:]/.test(found)) {
    return "an operator, a comma or a quotation mark is missing here, or this name is misspelled"
  }
  const character = /[!-~]/.test(found) ? `"${found}"` : "character"
  return `unexpected ${character}${closing && closing !== found ? `; a "${closing}" may be missing` : ""}`
}

const closings: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" }

/** The last bracket that is open at the end of a text, and whether a string is. */
const scan = (text: string): { readonly open: string | undefined; readonly isInString: boolean } => {
  const open: Array<string> = []
  const code = text.replaceAll(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|#.*/g, "")
  for (const character of code) {
    if (character in closings) open.push(character)
    else if (Object.values(closings).includes(character)) open.pop()
  }
  return { open: open.at(-1), isInString: /["'`]/.test(code) }
}

/** Longest name that is taken for that of a function. */
const functionMaxCharacters = 64

/** A name before a bracket that the grammar has no function for, with the nearest one. */
const unknownFunction = (expression: string, from: number): SyntaxProblem | undefined => {
  const before = expression.slice(0, from).trimEnd()
  const ending = before.endsWith("(") ? before.slice(0, -1).trimEnd() : before
  const [name = ""] = /\w+$/.exec(ending.slice(-functionMaxCharacters - 1)) ?? []
  if (!/^[A-Za-z_]/.test(name) || name.length > functionMaxCharacters) return undefined
  const at = ending.length - name.length
  if (!/^\s*\(/.test(expression.slice(ending.length))) return undefined
  const names = functionNames()
  if (names.has(name.toLowerCase()) || keywords.has(name.toLowerCase())) return undefined
  const nearest = nearestName(name, names)
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`
  return { at, message: `${name} is not a function of PromQL${hint}` }
}

const keywords: ReadonlySet<string> = new Set(
  "and or unless atan2 by without on ignoring group_left group_right bool offset fill fill_left fill_right".split(
    " ",
  ),
)

type PromQlType = "number" | "series" | "range" | "string"

/** A part of an expression, with those that it consists of. */
interface Part {
  readonly from: number
  readonly to: number
  readonly name: string
  readonly text: string
  /** The function that is called. */
  called?: string
  readonly parts: Array<Part & { readonly type: PromQlType }>
}

/** Goes through the tree without recursion, since it can be as deep as the expression is long. */
const typeProblems = (root: SyntaxNode, expression: string): ReadonlyArray<SyntaxProblem> => {
  const problems: Array<SyntaxProblem> = []
  const path: Array<Part> = []
  root.cursor().iterate(
    ({ from, to, name }) => {
      path.push({ from, to, name, text: expression.slice(from, Math.min(to, from + 100)), parts: [] })
    },
    () => {
      const part = path.pop()
      if (part === undefined) return
      problems.push(...problemsOf(part))
      const parent = path.at(-1)
      if (part.name === "FunctionIdentifier" && parent) parent.called = part.text
      else if (part.name === "FunctionCallBody") parent?.parts.push(...part.parts)
      else if (expressionNodes.has(part.name)) parent?.parts.push({ ...part, type: typeOf(part) })
    },
  )
  return problems.toSorted((a, b) => a.at - b.at)
}

const typeOf = ({ name, called = "", parts }: Part): PromQlType => {
  switch (name) {
    case "NumberDurationLiteral":
      return "number"
    case "StringLiteral":
      return "string"
    case "MatrixSelector":
    case "SubqueryExpr":
      return "range"
    case "FunctionCall":
      return numberFunctions.has(called) ? "number" : "series"
    case "BinaryExpr":
      return parts.every(({ type }) => type === "number") ? "number" : "series"
    case "ParenExpr":
    case "UnaryExpr":
    case "OffsetExpr":
    case "StepInvariantExpr":
      return parts[0]?.type ?? "series"
    default:
      return "series"
  }
}

const problemsOf = ({ name, from, text, called, parts }: Part): ReadonlyArray<SyntaxProblem> => {
  const withoutValue = (allowed: ReadonlySet<PromQlType>): ReadonlyArray<SyntaxProblem> =>
    parts.flatMap(({ type, from: at }) => {
      if (allowed.has(type)) return []
      const message =
        type === "range"
          ? "a range gives no value of its own; use a function of it, such as increase(…)"
          : "a string is not a number or series"
      return [{ at, message }]
    })
  switch (name) {
    case "PromQL":
    case "BinaryExpr":
    case "UnaryExpr":
      return withoutValue(new Set(["number", "series"]))
    case "AggregateExpr":
      return withoutValue(new Set(["number", "series", "string"]))
    case "FunctionCall": {
      if (called === undefined || !isRangeFunction(called)) {
        return withoutValue(new Set(["number", "series", "string"]))
      }
      if (parts.length === 0 || parts.some(({ type }) => type === "range")) return []
      const given = parts.find(({ type }) => type === "series")
      return [{ at: given?.from ?? from, message: `${called} requires a range, such as [1m]` }]
    }
    case "MatrixSelector": {
      const [selected] = parts
      if (selected === undefined || selected.name === "VectorSelector") return []
      const message = "a range is allowed only after a series; write a subquery, such as [5m:1m]"
      return [{ at: selected.to, message }]
    }
    case "VectorSelector":
      return /^\{\s*\}$/.test(text)
        ? [{ at: from, message: "a selector requires a metric name or a label" }]
        : []
    default:
      return []
  }
}

const numberFunctions: ReadonlySet<string> = new Set(["pi", "scalar", "time"])

const isRangeFunction = (name: string): boolean => name.endsWith("_over_time") || rangeFunctions.has(name)

const rangeFunctions: ReadonlySet<string> = new Set(
  "absent_over_time changes delta deriv double_exponential_smoothing idelta increase irate predict_linear rate resets".split(
    " ",
  ),
)

/** Words of the grammar, such as `HistogramQuantile`, as they are written. */
const wordOf = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase()

/** The names that the grammar reads as calls. */
export const functionNames = (): ReadonlySet<string> =>
  new Set(
    parser.nodeSet.types
      .map(({ name }) => wordOf(name))
      .filter((name) => {
        const call = parser.parse(`${name}(a)`).topNode.firstChild?.name
        return call === "FunctionCall" || call === "AggregateExpr"
      }),
  )
