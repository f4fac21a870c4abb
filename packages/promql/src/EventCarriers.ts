import type { SyntaxNode } from "@lezer/common"
import { durationToMs, readNumber } from "./Literals.ts"

/** A part of a query whose values the result is made of, in proportion. */
export interface Carrier {
  readonly node: SyntaxNode
  /** `rate(x[5m])`, `increase(x[5m])`, `x_total`, or the name of a recording rule such as `x:rate5m`. */
  readonly kind: "rate" | "count" | "counter" | "rateRule" | "countRule"
  /** The function or the metric. */
  readonly name: string
  /** The range, in milliseconds; 0 of a counter. */
  readonly rangeMs: number
  /** Of a function of a selector: the selector with its range. */
  readonly ranged?: SyntaxNode
  /** What is multiplied or divided by numbers, the innermost first. */
  readonly factors: ReadonlyArray<Factor>
}

/** A number that a part is multiplied with, or divided by. */
interface Factor {
  /** What the part is multiplied with. */
  readonly value: number
  /** The operation, its number and its other side. */
  readonly operation: SyntaxNode
  readonly number: SyntaxNode
  readonly part: SyntaxNode
}

/** A number other than 0 that values are compared with, limited to, or added to. */
interface Threshold {
  readonly number: SyntaxNode
  readonly value: number
  readonly carriers: ReadonlyArray<Carrier>
}

/** What the values of a query are made of. */
export interface Carried {
  readonly carriers: ReadonlyArray<Carrier>
  /** Where carriers are divided by others. */
  readonly ratio?: { readonly numerator: SyntaxNode; readonly denominator: SyntaxNode }
  readonly thresholds: ReadonlyArray<Threshold>
  /** Of a number. */
  readonly number?: number
}

/** Deepest part that is looked at, so that no query exhausts the stack. */
const depthMax = 100

const nothing: Carried = { carriers: [], thresholds: [] }

/**
 * The parts of a query that carry its values: those of a sum, for example, but not those that are only compared. Of what does not keep
 * the proportion, such as a quantile, there are none.
 */
export const carriedBy = (node: SyntaxNode | null, text: string, depth = 0): Carried => {
  if (node === null || depth > depthMax) return nothing
  const inner = (child: SyntaxNode | null): Carried => carriedBy(child, text, depth + 1)
  switch (node.name) {
    case "PromQL":
    case "ParenExpr":
    case "OffsetExpr":
    case "StepInvariantExpr":
      return inner(node.firstChild)
    case "NumberDurationLiteral":
      return { ...nothing, number: readNumber(textOf(node, text)) ?? Number.NaN }
    case "UnaryExpr": {
      const carried = inner(node.lastChild)
      if (carried.number === undefined) return carried
      return { ...carried, number: textOf(node.firstChild, text) === "-" ? -carried.number : carried.number }
    }
    case "VectorSelector":
      return { ...nothing, carriers: selectorCarriers(node, text) }
    case "FunctionCall":
      return callCarried(node, text, inner)
    case "AggregateExpr": {
      const operator = textOf(node.getChild("AggregateOp"), text).toLowerCase()
      return keepingAggregations.has(operator) ? inner(argumentsOf(node).at(-1) ?? null) : nothing
    }
    case "BinaryExpr":
      return binaryCarried(node, text, inner)
    default:
      return nothing
  }
}

export const textOf = (node: SyntaxNode | null, text: string): string =>
  node === null ? "" : text.slice(node.from, node.to)

export const argumentsOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const found: Array<SyntaxNode> = []
  const body = node.getChild("FunctionCallBody")
  for (let each = body?.firstChild ?? null; each !== null; each = each.nextSibling) found.push(each)
  return found
}

/** The selector or subquery of a range, below what moves its times. */
const rangeOf = (node: SyntaxNode | undefined): SyntaxNode | undefined => {
  let at = node
  while (at?.name === "OffsetExpr" || at?.name === "StepInvariantExpr" || at?.name === "ParenExpr")
    at = at.firstChild ?? undefined
  return at
}

const callCarried = (
  node: SyntaxNode,
  text: string,
  inner: (child: SyntaxNode | null) => Carried,
): Carried => {
  const name = textOf(node.getChild("FunctionIdentifier"), text)
  const given = argumentsOf(node)
  const kind = rangeFunctions.get(name)
  if (kind !== undefined) {
    const ranged = rangeOf(given.at(-1))
    const durations = ranged?.getChildren("DurationExpr") ?? []
    const rangeMs = durationToMs(textOf(durations[0] ?? null, text))
    if (ranged === undefined || rangeMs === undefined || rangeMs <= 0) return nothing
    const isOfSelector = ranged.firstChild?.name === "VectorSelector"
    const carrier = { node, kind, name, rangeMs, factors: [], ...(isOfSelector && { ranged }) }
    return { ...nothing, carriers: [carrier] }
  }
  if (name === "vector" || name === "scalar" || keepingFunctions.has(name)) return inner(given[0] ?? null)
  if (name.startsWith("clamp")) {
    const carried = inner(given[0] ?? null)
    const limits = given.slice(1).map((each) => thresholdOf(each, inner(each), carried.carriers))
    return { ...carried, thresholds: [...carried.thresholds, ...limits.flat()] }
  }
  if (histogramFunctions.has(name)) return inner(given.at(-1) ?? null)
  return nothing
}

/** A number of 0 stays what it is whatever the values are multiplied with. */
const thresholdOf = (
  node: SyntaxNode,
  { number }: Carried,
  carriers: ReadonlyArray<Carrier>,
): ReadonlyArray<Threshold> =>
  number === undefined || number === 0 || !Number.isFinite(number) || carriers.length === 0
    ? []
    : [{ number: node, value: number, carriers }]

const binaryCarried = (
  node: SyntaxNode,
  text: string,
  inner: (child: SyntaxNode | null) => Carried,
): Carried => {
  const { firstChild, lastChild } = node
  if (firstChild === null || lastChild === null) return nothing
  const operator = textOf(firstChild.nextSibling, text).toLowerCase()
  const [left, right] = [inner(firstChild), inner(lastChild)]
  const thresholds = [...left.thresholds, ...right.thresholds]
  if (left.number !== undefined && right.number !== undefined)
    return { ...nothing, number: calculated(operator, left.number, right.number) }
  switch (operator) {
    case "+":
    case "-":
    case "or":
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=": {
      // It is 1 or 0, however large the values are.
      if (node.getChild("BoolModifier") !== null) return nothing
      const ratio = left.ratio ?? right.ratio
      return {
        carriers: [...left.carriers, ...right.carriers],
        thresholds: [
          ...thresholds,
          ...thresholdOf(firstChild, left, right.carriers),
          ...thresholdOf(lastChild, right, left.carriers),
        ],
        ...(ratio !== undefined && { ratio }),
      }
    }
    case "and":
    case "unless":
      return left
    case "*": {
      if (left.number !== undefined) return multiplied(right, left.number, node, firstChild, lastChild)
      if (right.number !== undefined) return multiplied(left, right.number, node, lastChild, firstChild)
      // Of a share and a number of events, the events are what is returned.
      if (left.carriers.length > 0 && right.carriers.length > 0) return nothing
      const { carriers } = left.carriers.length > 0 ? left : right
      return { carriers, thresholds }
    }
    case "/": {
      if (right.number !== undefined) return multiplied(left, 1 / right.number, node, lastChild, firstChild)
      if (right.carriers.length === 0) return left
      return left.carriers.length === 0
        ? nothing
        : { ...nothing, ratio: { numerator: firstChild, denominator: lastChild } }
    }
    default:
      return nothing
  }
}

const calculated = (operator: string, left: number, right: number): number => {
  switch (operator) {
    case "+":
      return left + right
    case "-":
      return left - right
    case "*":
      return left * right
    case "/":
      return left / right
    default:
      return Number.NaN
  }
}

const multiplied = (
  carried: Carried,
  value: number,
  operation: SyntaxNode,
  number: SyntaxNode,
  part: SyntaxNode,
): Carried => ({
  ...carried,
  carriers: carried.carriers.map((carrier) => ({
    ...carrier,
    factors: [...carrier.factors, { value, operation, number, part }],
  })),
})

const selectorCarriers = (node: SyntaxNode, text: string): ReadonlyArray<Carrier> => {
  const name = textOf(node.getChild("Identifier"), text)
  const [, rule, written = ""] = /:(i?rate|increase)(\d+(?:ms|[smhdwy]))$/.exec(name) ?? []
  if (rule !== undefined) {
    const kind = rule === "increase" ? "countRule" : "rateRule"
    return [{ node, kind, name, rangeMs: durationToMs(written) ?? 0, factors: [] }]
  }
  // The names of recording rules have colons, and end as they like.
  return /^[^:]+_(?:total|count|bucket)$/.test(name)
    ? [{ node, kind: "counter", name, rangeMs: 0, factors: [] }]
    : []
}

const rangeFunctions: ReadonlyMap<string, "rate" | "count"> = new Map([
  ["rate", "rate"],
  ["irate", "rate"],
  ["increase", "count"],
  ["delta", "count"],
  ["sum_over_time", "count"],
  ["count_over_time", "count"],
  ["changes", "count"],
  ["resets", "count"],
])

/** Functions of one series whose value stays what it is, or nearly. */
const keepingFunctions: ReadonlySet<string> = new Set([
  "abs",
  "ceil",
  "floor",
  "label_join",
  "label_replace",
  "round",
  "sort",
  "sort_by_label",
  "sort_by_label_desc",
  "sort_desc",
])

const histogramFunctions: ReadonlySet<string> = new Set(["histogram_count", "histogram_sum"])

const keepingAggregations: ReadonlySet<string> = new Set([
  "avg",
  "bottomk",
  "limitk",
  "max",
  "min",
  "sum",
  "topk",
])
