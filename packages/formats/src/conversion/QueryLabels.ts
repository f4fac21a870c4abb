import {
  calledBy,
  operandsOf,
  type ParsedQuery,
  partsOf,
  type PromQlNode,
  textOf,
  unwrapped,
} from "./PromQlNode.ts"

/**
 * The labels of the series that an expression returns: their names in order, `any` if they are those of the series that it
 * selects, or `never` if it cannot return any, as the labels of its sides differ.
 */
export type QueryLabels = ReadonlyArray<string> | "any" | "never"

/** What is known about the labels of a query without its server. */
export const labelsOf = ({ text, root }: ParsedQuery): QueryLabels => new LabelReader(text).labels(root)

/** The labels that have one value in all series that a query selects, by their matchers or a `label_replace`. */
export const constantLabelsOf = ({ text, root }: ParsedQuery): ReadonlySet<string> => {
  const parts = partsOf(root)
  const selectors = parts
    .filter(({ name }) => name === "VectorSelector")
    .map((each) => equalitiesOf(text, each))
  const [first = new Map<string, string>(), ...others] = selectors
  const constant = new Set(
    [...first].flatMap(([label, value]) =>
      others.every((each) => each.get(label) === value) ? [label] : [],
    ),
  )
  for (const part of parts) {
    const called = calledBy(text, part)
    if (called !== "label_replace" && called !== "label_join") continue
    const [, target = "", , source, regex] = operandsOf(part).map(
      (each) => stringOf(textOf(text, each)) ?? "",
    )
    // Without a source label, the value is the same for all.
    if (called === "label_replace" && source === "" && (regex === "" || regex === ".*" || regex === "(.*)")) {
      constant.add(target)
    } else constant.delete(target)
  }
  return constant
}

/** The labels that a selector requires to have one value. */
const equalitiesOf = (text: string, selector: PromQlNode): ReadonlyMap<string, string> =>
  new Map(
    matchersOf(text, selector).flatMap(({ label, operator, value }) =>
      value !== "" && (operator === "=" || (operator === "=~" && /^[\w /-]+$/.test(value)))
        ? [[label, value] as const]
        : [],
    ),
  )

/** A matcher of a selector. */
export interface LabelMatcher {
  readonly label: string
  readonly operator: string
  readonly value: string
  readonly node: PromQlNode
}

export const matchersOf = (text: string, selector: PromQlNode): ReadonlyArray<LabelMatcher> => {
  const list = selector.getChild("LabelMatchers")
  if (list === null) return []
  return partsOf(list).flatMap((node) => {
    if (node.name !== "UnquotedLabelMatcher" && node.name !== "QuotedLabelMatcher") return []
    const [label, value] = [node.firstChild, node.lastChild]
    const operator = node.getChild("MatchOp")
    if (label === null || value === null || operator === null) return []
    const name = textOf(text, label)
    return [
      {
        label: stringOf(name) ?? name,
        operator: textOf(text, operator),
        value: stringOf(textOf(text, value)) ?? "",
        node,
      },
    ]
  })
}

/** The value of a string without escapes; `undefined` for another text. */
const stringOf = (written: string): string | undefined => /^(["'`])([^\\]*)\1$/s.exec(written)?.[2]

/** Labels that aggregate: the names in `by (…)`, or `without`. */
interface Modifier {
  readonly isWithout: boolean
  readonly labels: ReadonlyArray<string>
}

const modifierOf = (text: string, node: PromQlNode): Modifier | undefined => {
  const modifier = node.getChild("AggregateModifier")
  if (modifier === null) return undefined
  return {
    isWithout: modifier.getChild("Without") !== null,
    labels: namesIn(text, modifier.getChild("GroupingLabels")),
  }
}

const namesIn = (text: string, list: PromQlNode | null): ReadonlyArray<string> => {
  if (list === null) return []
  const names = partsOf(list).filter(({ name }) => name === "LabelName" || name === "QuotedLabelName")
  return [...new Set(names.map((each) => stringOf(textOf(text, each)) ?? textOf(text, each)))]
}

/** Whether an expression returns the number 0, without labels. */
export const isZero = (text: string, node: PromQlNode): boolean => {
  const inner = unwrapped(node)
  const written = textOf(text, inner)
  if (inner.name === "NumberDurationLiteral") return Number(written) === 0
  const [value] = calledBy(text, inner) === "vector" ? operandsOf(inner) : []
  return value !== undefined && isZero(text, value)
}

/** Of `… or vector(0)`, what precedes it; otherwise the expression itself. */
export const withoutZero = (text: string, node: PromQlNode): PromQlNode => {
  const inner = unwrapped(node)
  if (inner.name !== "BinaryExpr" || inner.getChild("Or") === null) return inner
  const [left, right] = operandsOf(inner)
  return left !== undefined && right !== undefined && isZero(text, right) ? withoutZero(text, left) : inner
}

class LabelReader {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  labels(node: PromQlNode): QueryLabels {
    const operands = operandsOf(node)
    const [first] = operands
    switch (node.name) {
      case "NumberDurationLiteral":
      case "StringLiteral":
        return []
      case "VectorSelector":
        return "any"
      case "BinaryExpr":
        return this.#binary(node)
      case "AggregateExpr":
        return this.#aggregation(node)
      case "FunctionCall":
        return this.#call(node)
      default:
        return first === undefined ? "any" : this.labels(first)
    }
  }

  #aggregation(node: PromQlNode): QueryLabels {
    const operator = node.getChild("AggregateOp")
    const name = operator === null ? "" : textOf(this.#text, operator).toLowerCase()
    const inner = operandsOf(node).at(-1)
    const below = inner === undefined ? "any" : this.labels(inner)
    if (below === "never" || selecting.has(name)) return below
    const modifier = modifierOf(this.#text, node)
    if (modifier === undefined) return name === "count_values" ? "any" : []
    if (modifier.isWithout)
      return below === "any" ? below : below.filter((label) => !modifier.labels.includes(label))
    if (name === "count_values") return "any"
    return below === "any" ? modifier.labels : modifier.labels.filter((label) => below.includes(label))
  }

  #call(node: PromQlNode): QueryLabels {
    const called = calledBy(this.#text, node)
    const operands = operandsOf(node)
    if (withoutLabels.has(called) || operands.length === 0) return []
    const [first] =
      called === "histogram_quantile" || called === "quantile_over_time" ? operands.slice(1) : operands
    const [series = first] = called === "histogram_fraction" ? operands.slice(2) : []
    const below = series === undefined ? "any" : this.labels(series)
    if (below === "any" || below === "never") return below
    if (called === "histogram_quantile") return below.filter((label) => label !== "le")
    if (called !== "label_replace" && called !== "label_join") return below
    const [, target] = operands
    const label = target && stringOf(textOf(this.#text, target))
    return label === undefined || below.includes(label) ? below : [...below, label]
  }

  #binary(node: PromQlNode): QueryLabels {
    const [left, right] = operandsOf(node)
    if (left === undefined || right === undefined) return "any"
    const [a, b] = [this.labels(left), this.labels(right)]
    if (node.getChild("Or") !== null) {
      if (isZero(this.#text, right) || b === "never") return a
      if (a === "never") return b
      return a !== "any" && b !== "any" && isSame(a, b) ? a : "any"
    }
    if (a === "never" || b === "never") return "never"
    if (node.getChild("And") !== null || node.getChild("Unless") !== null) return a
    if (this.#isNumber(left)) return b
    if (this.#isNumber(right)) return a
    return this.#matched(node, a, b)
  }

  /** The labels of an operation of series with series. */
  #matched(
    node: PromQlNode,
    a: ReadonlyArray<string> | "any",
    b: ReadonlyArray<string> | "any",
  ): QueryLabels {
    const clause = node.getChild("MatchingModifierClause")
    const lists = clause === null ? [] : partsOf(clause).filter(({ name }) => name === "GroupingLabels")
    const [on = [], include = []] = lists.map((each) => namesIn(this.#text, each))
    if (clause === null) {
      if (a === "any") return b
      if (b === "any") return a
      return isSame(a, b) ? a : "never"
    }
    const many =
      clause.getChild("GroupLeft") !== null ? a : clause.getChild("GroupRight") !== null ? b : undefined
    if (many !== undefined) return many === "any" ? many : [...new Set([...many, ...include])]
    if (clause.getChild("On") !== null) return on
    return a === "any" ? a : a.filter((label) => !on.includes(label))
  }

  #isNumber(node: PromQlNode): boolean {
    const inner = unwrapped(node)
    if (inner.name === "UnaryExpr") return operandsOf(inner).every((each) => this.#isNumber(each))
    if (inner.name === "BinaryExpr") return operandsOf(inner).every((each) => this.#isNumber(each))
    return inner.name === "NumberDurationLiteral" || scalars.has(calledBy(this.#text, inner))
  }
}

const isSame = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((label) => b.includes(label))

/** Aggregations that return some of their series. */
const selecting: ReadonlySet<string> = new Set(["topk", "bottomk", "limitk", "limit_ratio"])

const scalars: ReadonlySet<string> = new Set(["scalar", "time", "pi"])

const withoutLabels: ReadonlySet<string> = new Set([...scalars, "vector"])
