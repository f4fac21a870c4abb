import type { SyntaxNode } from "@lezer/common"
import { parser } from "@prometheus-io/lezer-promql"
import * as Result from "effect/Result"
import { parsePromQl, placeOf } from "./CheckPromQl.ts"
import { withoutComments, withoutSpans } from "./Comments.ts"
import { durationToMs, readNumber, readString } from "./Literals.ts"
import { compiledCharactersMax, compileRegex, regexesInstructionsMax } from "./LabelRegex.ts"
import type { Aggregation, BinaryOperator, Matcher, Matching, Moved, Query, Selector } from "./Query.ts"
import { QueryIsInvalid } from "./QueryErrors.ts"
import { checkTypes } from "./QueryTypes.ts"
import { WrongPart } from "./WrongPart.ts"

/** Longest query, in characters. */
const queryMaxCharacters = 10_000

/** Most selectors of a query. */
const querySelectorsMax = 200

/** Most parts of a query that are within one another. */
const queryDepthMax = 100

/**
 * Reads a query with Prometheus's own grammar, and checks the types of its parts. Fails with `QueryIsInvalid`, which names
 * the first part that is wrong or not supported, and its line and column.
 */
export const readQuery = (text: string): Result.Result<Query, QueryIsInvalid> => {
  if (text.length > queryMaxCharacters) {
    return Result.fail(
      new QueryIsInvalid({ detail: `the query must be at most ${queryMaxCharacters} characters long` }),
    )
  }
  const read = parsePromQl(text)
  if (Result.isFailure(read)) return Result.fail(invalid(text, read.failure.at, read.failure.message))
  const written = read.success
  try {
    const { tree: parsed, text: uncommented } = withoutComments(written, text)
    const moves = movesOf(parsed, text)
    const unmoved = moves.length === 0 ? parsed : parser.parse(withoutSpans(uncommented, moves)).topNode
    const root = unmoved.firstChild
    if (root === null) throw new WrongPart(0, "the query is empty")
    const query = new Reader(text, moves).query(root, 0)
    const misplaced = moves.find(({ isUsed }) => !isUsed)
    if (misplaced !== undefined) {
      throw new WrongPart(misplaced.from, "offset and @ are allowed only after a selector or a subquery")
    }
    checkTypes(query)
    return Result.succeed(query)
  } catch (cause) {
    if (cause instanceof WrongPart) return Result.fail(invalid(text, cause.at, cause.message))
    throw cause
  }
}

/** Reads a selector of series, such as those of `match[]`. */
export const readSelector = (text: string): Result.Result<ReadonlyArray<Matcher>, QueryIsInvalid> =>
  Result.flatMap(readQuery(text), (query) =>
    query.kind === "selector" && query.rangeMs === undefined && query.at === undefined && query.offsetMs === 0
      ? Result.succeed(query.matchers)
      : Result.fail(
          new QueryIsInvalid({ detail: `${text} is not a selector of series, such as up{job="a"}` }),
        ),
  )

const invalid = (text: string, at: number, message: string): QueryIsInvalid =>
  new QueryIsInvalid({ detail: `the query is not valid at ${placeOf(text, at)}: ${message}` })

/** An `offset` or `@` in a query. */
interface Move {
  readonly from: number
  readonly to: number
  /** Where the part ends that it follows. */
  readonly after: number
  readonly change: Partial<Moved>
  isUsed: boolean
}

/**
 * Finds what moves the times of selectors. The grammar lets it follow any expression, however much that binds: `1 + a offset 5m`
 * moves `1 + a`. So it is taken out, and given to the part that ends before it.
 */
const movesOf = (root: SyntaxNode, text: string): ReadonlyArray<Move> => {
  const moves: Array<Move> = []
  root.cursor().iterate(({ node, name }) => {
    if (name !== "OffsetExpr" && name !== "StepInvariantExpr") return
    const keyword = node.getChild(name === "OffsetExpr" ? "Offset" : "At")
    const moved = node.firstChild
    if (keyword === null || moved === null) return
    const change = name === "OffsetExpr" ? { offsetMs: offsetOf(node, text) } : { at: atOf(node, text) }
    moves.push({ from: keyword.from, to: node.to, after: moved.to, change, isUsed: false })
  })
  // One that follows another follows the same part.
  const parts = new Map<number, number>()
  for (const { to, after } of moves.toSorted((a, b) => a.to - b.to)) parts.set(to, parts.get(after) ?? after)
  return moves
    .map((move) => ({ ...move, after: parts.get(move.to) ?? move.after }))
    .toSorted((a, b) => a.from - b.from)
}

const offsetOf = (node: SyntaxNode, text: string): number => {
  const duration = node.lastChild
  const written = text.slice(duration?.from, duration?.to)
  const [, sign, digits = ""] = /^([-+]?)\s*(.*)$/s.exec(written) ?? []
  const ms = durationToMs(digits)
  if (ms === undefined) {
    throw new WrongPart(duration?.from ?? 0, `${digits} is not supported; write a duration, such as 5m`)
  }
  return sign === "-" ? -ms : ms
}

const atOf = (node: SyntaxNode, text: string): number | "start" | "end" => {
  const preprocessor = node.getChild("AtModifierPreprocessors")
  if (preprocessor !== null) return preprocessor.getChild("AtStart") === null ? "end" : "start"
  const time = node.lastChild
  const seconds = readNumber(text.slice(time?.from, time?.to)) ?? Number.NaN
  if (!(Math.abs(seconds) <= 1e12)) throw new WrongPart(node.from, "@ needs a Unix time in seconds")
  return Math.round(seconds * 1_000)
}

class Reader {
  readonly #text: string
  readonly #moves: ReadonlyArray<Move>
  #regexInstructions = 0
  #compiledCharacters = 0
  #selectors = 0

  constructor(text: string, moves: ReadonlyArray<Move>) {
    this.#text = text
    this.#moves = moves
  }

  query(node: SyntaxNode, depth: number): Query {
    const { from } = node
    if (depth > queryDepthMax) throw new WrongPart(from, "the parts of the query are nested too deeply")
    const inner = (child: SyntaxNode | null): Query => {
      if (child === null) throw new WrongPart(from, "the expression is incomplete")
      return this.query(child, depth + 1)
    }
    switch (node.name) {
      case "NumberDurationLiteral":
        return { kind: "number", from, value: this.#number(node) }
      case "StringLiteral":
        return { kind: "string", from, value: this.#string(node) }
      case "ParenExpr":
        return inner(node.firstChild)
      case "UnaryExpr": {
        const query = inner(node.lastChild)
        return this.#textOf(node.firstChild) === "-" ? { kind: "negation", from, query } : query
      }
      case "VectorSelector":
        return { ...this.#selector(node), ...this.#moved(node) }
      case "MatrixSelector": {
        const selected = node.firstChild
        if (selected?.name !== "VectorSelector") {
          throw new WrongPart(
            selected?.to ?? from,
            "a range is allowed only after a series; write a subquery, such as [5m:1m]",
          )
        }
        const rangeMs = this.#duration(node.getChild("DurationExpr"))
        return { ...this.#selector(selected), ...this.#moved(node), rangeMs }
      }
      case "SubqueryExpr": {
        const [range = null, step = null] = node.getChildren("DurationExpr")
        return {
          kind: "subquery",
          from,
          query: inner(node.firstChild),
          rangeMs: this.#duration(range),
          ...(step !== null && { stepMs: this.#duration(step) }),
          ...this.#moved(node),
        }
      }
      case "BinaryExpr":
        return this.#binary(node, inner)
      case "AggregateExpr":
        return this.#aggregation(node, inner)
      case "FunctionCall": {
        const name = this.#textOf(node.getChild("FunctionIdentifier"))
        return { kind: "call", from, name, arguments: this.#arguments(node).map(inner) }
      }
      default:
        throw new WrongPart(from, `${this.#textOf(node.lastChild) || node.name} is not supported`)
    }
  }

  #textOf(node: SyntaxNode | null): string {
    return node === null ? "" : this.#text.slice(node.from, node.to)
  }

  #number(node: SyntaxNode): number {
    const value = readNumber(this.#textOf(node))
    if (value === undefined) throw new WrongPart(node.from, "this is not a number")
    return value
  }

  #string(node: SyntaxNode): string {
    const value = readString(this.#textOf(node))
    if (value === undefined) throw new WrongPart(node.from, "this is not a valid string")
    return value
  }

  #duration(node: SyntaxNode | null): number {
    const text = this.#textOf(node)
    const ms = durationToMs(text)
    if (ms === undefined) {
      throw new WrongPart(node?.from ?? 0, `${text} is not supported; write a duration, such as 5m`)
    }
    if (ms <= 0) throw new WrongPart(node?.from ?? 0, "a duration must be greater than 0")
    return ms
  }

  /** What moves the times of a selector or subquery. */
  #moved({ to }: SyntaxNode): Moved {
    let moved: Moved = { offsetMs: 0 }
    for (const move of this.#moves) {
      if (move.after !== to) continue
      const isRepeated = move.change.at === undefined ? moved.offsetMs !== 0 : moved.at !== undefined
      if (isRepeated) throw new WrongPart(move.from, "offset and @ may be given only once")
      move.isUsed = true
      moved = { ...moved, ...move.change }
    }
    return moved
  }

  #selector(node: SyntaxNode): Selector {
    const { from } = node
    if (++this.#selectors > querySelectorsMax) {
      throw new WrongPart(from, `the query has more than ${querySelectorsMax} selectors`)
    }
    const name = node.getChild("Identifier")
    const matchers: Array<Matcher> = []
    if (name !== null) matchers.push({ label: "__name__", operator: "=", value: this.#textOf(name) })
    const list = node.getChild("LabelMatchers")
    for (let each = list?.firstChild ?? null; each !== null; each = each.nextSibling) {
      if (each.name === "QuotedLabelName") {
        if (matchers.some(({ label }) => label === "__name__")) {
          throw new WrongPart(each.from, "the name of the metric must not be given twice")
        }
        matchers.push({ label: "__name__", operator: "=", value: this.#string(each) })
      } else {
        const matcher = this.#matcher(each)
        if (name !== null && matcher.label === "__name__") {
          throw new WrongPart(each.from, "the name of the metric must not be given twice")
        }
        matchers.push(matcher)
      }
    }
    if (matchers.every(isEmptyMatch)) {
      throw new WrongPart(
        from,
        "a selector requires at least one matcher that does not match the empty string",
      )
    }
    return { kind: "selector", from, matchers, offsetMs: 0 }
  }

  #matcher(node: SyntaxNode): Matcher {
    const quoted = node.getChild("QuotedLabelName")
    const label = quoted === null ? this.#textOf(node.firstChild) : this.#string(quoted)
    const operator = this.#textOf(node.getChild("MatchOp"))
    const text = node.lastChild
    const value = text === null ? "" : this.#string(text)
    if (operator !== "=~" && operator !== "!~") {
      return { label, operator: operator === "!=" ? "!=" : "=", value }
    }
    try {
      const regex = compileRegex(value)
      this.#regexInstructions += regex.size
      this.#compiledCharacters += regex.compiledCharacters
      if (
        this.#regexInstructions <= regexesInstructionsMax &&
        this.#compiledCharacters <= compiledCharactersMax
      ) {
        return { label, operator, value, regex }
      }
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause
      throw new WrongPart(text?.from ?? node.from, `the regular expression is not valid: ${cause.message}`)
    }
    throw new WrongPart(node.from, "the regular expressions of the query are too large")
  }

  #binary(node: SyntaxNode, inner: (child: SyntaxNode | null) => Query): Query {
    const { from, firstChild, lastChild } = node
    const sign = firstChild?.nextSibling ?? null
    const operator = this.#textOf(sign).toLowerCase() as BinaryOperator
    if (sign?.name === "TrimUpper" || sign?.name === "TrimLower") {
      throw new WrongPart(sign.from, `${operator} is not supported`)
    }
    const fill = node.getChild("FillModifier")
    if (fill !== null) throw new WrongPart(fill.from, "fill is not supported")
    const isBool = node.getChild("BoolModifier") !== null
    const binary = { kind: "binary", from, operator, isBool, matching: this.#matching(node) } as const
    const [left, right] = [inner(firstChild), inner(lastChild)]
    // The grammar reads the sign of a number as part of it, which binds less than a power does.
    if (operator === "^" && firstChild !== null && /^[-+]/.test(this.#textOf(firstChild))) {
      if (left.kind !== "number") return { ...binary, left, right }
      const power = { ...binary, left: { ...left, value: Math.abs(left.value) }, right }
      return this.#textOf(firstChild).startsWith("-") ? { kind: "negation", from, query: power } : power
    }
    return { ...binary, left, right }
  }

  #matching(node: SyntaxNode): Matching {
    const clause = node.getChild("MatchingModifierClause")
    if (clause === null) return { on: false, labels: [], include: [] }
    const [labels = null, include = null] = clause.getChildren("GroupingLabels")
    const group =
      clause.getChild("GroupLeft") !== null
        ? "left"
        : clause.getChild("GroupRight") === null
          ? undefined
          : "right"
    return {
      on: clause.getChild("On") !== null,
      labels: this.#labels(labels),
      ...(group !== undefined && { group }),
      include: this.#labels(include),
    }
  }

  #labels(node: SyntaxNode | null): ReadonlyArray<string> {
    const labels = new Set<string>()
    for (let each = node?.firstChild ?? null; each !== null; each = each.nextSibling) {
      labels.add(each.name === "QuotedLabelName" ? this.#string(each) : this.#textOf(each))
    }
    return [...labels]
  }

  #aggregation(node: SyntaxNode, inner: (child: SyntaxNode | null) => Query): Aggregation {
    const { from } = node
    const operator = this.#textOf(node.getChild("AggregateOp")).toLowerCase()
    const modifier = node.getChild("AggregateModifier")
    const given = this.#arguments(node)
    const query = given.at(-1)
    const expected = aggregationsWithParameter.has(operator) ? 2 : 1
    if (query === undefined || given.length !== expected) {
      throw new WrongPart(from, `${operator} requires ${expected} argument${expected === 1 ? "" : "s"}`)
    }
    return {
      kind: "aggregation",
      from,
      operator,
      isWithout: modifier?.getChild("Without") != null,
      labels: this.#labels(modifier?.getChild("GroupingLabels") ?? null),
      ...(expected === 2 && { parameter: inner(given[0] ?? null) }),
      query: inner(query),
    }
  }

  #arguments(node: SyntaxNode): ReadonlyArray<SyntaxNode> {
    const given: Array<SyntaxNode> = []
    const body = node.getChild("FunctionCallBody")
    for (let each = body?.firstChild ?? null; each !== null; each = each.nextSibling) given.push(each)
    return given
  }
}

const isEmptyMatch = ({ operator, value, regex }: Matcher): boolean =>
  operator === "="
    ? value === ""
    : operator === "!="
      ? value !== ""
      : regex?.matches("") === (operator === "=~")

const aggregationsWithParameter: ReadonlySet<string> = new Set([
  "topk",
  "bottomk",
  "quantile",
  "count_values",
  "limitk",
  "limit_ratio",
])
