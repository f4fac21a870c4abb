import type { SyntaxNode } from "@lezer/common"
import { parser } from "@prometheus-io/lezer-promql"
import { replaced } from "./CounterExpression.ts"
import { readString } from "./Literals.ts"

/** What tells an expression from others that are alike. */
export interface ExpressionShape {
  /** The same for expressions that differ in the values of `labels` only. */
  readonly key: string
  /** The labels whose value every selector of the expression requires, and these values. */
  readonly labels: ReadonlyMap<string, string>
}

/** The shape of an expression; `undefined` if no label can tell it from others. */
export const shapeOf = (expression: string): ExpressionShape | undefined => {
  const selectors = selectorsOf(expression)
  const [first] = selectors ?? []
  if (selectors === undefined || first === undefined) return undefined
  const labels = new Map<string, string>()
  for (const { name, value } of first) {
    if (isShared(selectors, name, value)) labels.set(name, value)
  }
  if (labels.size === 0) return undefined
  const places = selectors.flat().filter(({ name }) => labels.has(name))
  return {
    key: replaced(
      expression,
      places.map(({ from, to }) => ({ from, to, text: "\0" })),
    ),
    labels,
  }
}

/**
 * Writes an expression so that it has the series of several expressions of its shape: each with the values that it requires of
 * `labels`, by which the series are told apart. `members` are these values, in the order of `labels`.
 *
 * Each member has the series that its own expression has, and `labels` besides. `undefined` if that cannot be said of an
 * expression, such as one in which `absent(…)` or `label_replace(…)` occurs.
 *
 * `sum(increase(a{job="x"}[1m]))` for x and y becomes `sum by (job) (increase(a{job=~"x|y"}[1m]))`.
 */
export const togetherExpression = (
  expression: string,
  labels: ReadonlyArray<string>,
  members: ReadonlyArray<ReadonlyArray<string>>,
): string | undefined => {
  const selectors = selectorsOf(expression)
  if (selectors === undefined || labels.some((label) => !isShared(selectors, label))) return undefined
  const { topNode } = parser.parse(expression)
  const root = topNode.firstChild
  const textOf = ({ from, to }: SyntaxNode): string => expression.slice(from, to)
  const edits: Array<{ readonly from: number; readonly to: number; readonly text: string }> = []
  const reading = { textOf, labels, members, edits }
  if (root === null || carried(root, reading) === undefined) return undefined
  for (const { name, operator, value } of selectors.flat()) {
    const index = labels.indexOf(name)
    if (index === -1) continue
    const values = [...new Set(members.map((member) => member[index] ?? ""))]
    const text = JSON.stringify(values.map(escapeRegex).join("|"))
    if (values.length > 1) edits.push({ ...operator, text: `=~${text}` })
    else edits.push({ ...operator, text: `=${JSON.stringify(values[0] ?? value)}` })
  }
  return replaced(
    expression,
    edits.toSorted((a, b) => a.from - b.from),
  )
}

interface LabelMatcher {
  readonly name: string
  /** Of an equality; empty for any other matcher. */
  readonly value: string
  /** Where its value is. */
  readonly from: number
  readonly to: number
  /** Where its operator and value are. */
  readonly operator: { readonly from: number; readonly to: number }
}

/** The matchers of each selector; `undefined` for an expression that cannot be parsed. */
const selectorsOf = (expression: string): ReadonlyArray<ReadonlyArray<LabelMatcher>> | undefined => {
  const selectors: Array<Array<LabelMatcher>> = []
  let isValid = true
  parser.parse(expression).iterate({
    enter: ({ type, name, node }) => {
      if (type.isError) isValid = false
      if (name === "VectorSelector") selectors.push([])
      if (name !== "UnquotedLabelMatcher" && name !== "QuotedLabelMatcher") return
      const [label, operation, literal] = [node.firstChild, node.getChild("MatchOp"), node.lastChild]
      if (label === null || operation === null || literal === null) return
      const text = expression.slice(label.from, label.to)
      const isEqual = operation.getChild("EqlSingle") !== null
      const written = expression.slice(literal.from, literal.to)
      // Escaped bytes need not be characters.
      const value = /\\[x0-7]/.test(written) ? undefined : readString(written)
      selectors.at(-1)?.push({
        name: name === "UnquotedLabelMatcher" ? text : (readString(text) ?? text),
        value: isEqual && name === "UnquotedLabelMatcher" ? (value ?? "") : "",
        from: literal.from,
        to: literal.to,
        operator: { from: operation.from, to: literal.to },
      })
    },
  })
  return isValid ? selectors : undefined
}

/** Whether each selector requires the same value of a label, and says no more of it. */
const isShared = (
  selectors: ReadonlyArray<ReadonlyArray<LabelMatcher>>,
  label: string,
  value = selectors[0]?.find(({ name }) => name === label)?.value,
): boolean =>
  label !== "__name__" &&
  // Histogram functions take it.
  label !== "le" &&
  value !== undefined &&
  value !== "" &&
  // By this in a selector, buckets of classic histograms are told from native histograms.
  !value.includes("_bucket") &&
  selectors.every((selector) => {
    const [matcher, ...others] = selector.filter(({ name }) => name === label)
    return matcher?.value === value && others.length === 0
  })

/**
 * What a part of an expression returns: numbers without labels; or series, and for each of the labels whether they have it in the
 * expression as it was. As it is written for several, they have all of them, so that only series with the same ones are compared.
 */
type Carried = "scalar" | ReadonlyArray<boolean>

interface Reading {
  readonly textOf: (node: SyntaxNode) => string
  readonly labels: ReadonlyArray<string>
  readonly members: ReadonlyArray<ReadonlyArray<string>>
  readonly edits: Array<{ readonly from: number; readonly to: number; readonly text: string }>
}

/** What an expression carries, with the edits by which it carries the labels; `undefined`: it cannot be written so. */
const carried = (node: SyntaxNode, reading: Reading): Carried | undefined => {
  const { name } = node
  if (name === "NumberDurationLiteral") return "scalar"
  if (name === "VectorSelector" || name === "MatrixSelector") return reading.labels.map(() => true)
  if (name === "AggregateExpr") return ofAggregation(node, reading)
  if (name === "BinaryExpr") return ofOperation(node, reading)
  if (name === "FunctionCall") return ofCall(node, reading)
  if (!transparent.has(name)) return undefined
  const operand = childrenOf(node).find((child) => expressions.has(child.name))
  return operand && carried(operand, reading)
}

const transparent: ReadonlySet<string> = new Set([
  "ParenExpr",
  "UnaryExpr",
  "OffsetExpr",
  "StepInvariantExpr",
  "SubqueryExpr",
])

const expressions: ReadonlySet<string> = new Set([
  ...transparent,
  "AggregateExpr",
  "BinaryExpr",
  "FunctionCall",
  "MatrixSelector",
  "NumberDurationLiteral",
  "VectorSelector",
])

const childrenOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const children: Array<SyntaxNode> = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child)
  return children
}

/** Adds the labels to a list in parentheses, and returns which of them were in it; `undefined` if some are quoted. */
const addLabels = (list: SyntaxNode, reading: Reading): ReadonlyArray<boolean> | undefined => {
  const named = childrenOf(list).map(reading.textOf)
  if (named.some(isQuoted)) return undefined
  const added = reading.labels.filter((label) => !named.includes(label))
  const at = list.from + reading.textOf(list).indexOf("(") + 1
  const separator = named.length === 0 || added.length === 0 ? "" : ", "
  reading.edits.push({ from: at, to: at, text: added.join(", ") + separator })
  return reading.labels.map((label) => named.includes(label))
}

const isQuoted = (label: string): boolean => /^["'`]/.test(label)

const isSame = (a: ReadonlyArray<boolean>, b: ReadonlyArray<boolean>): boolean =>
  a.every((has, index) => has === b[index])

const aggregations: ReadonlySet<string> = new Set([
  "Avg",
  "Count",
  "Group",
  "Max",
  "Min",
  "Quantile",
  "Stddev",
  "Stdvar",
  "Sum",
])

const ofAggregation = (node: SyntaxNode, reading: Reading): Carried | undefined => {
  const operation = node.getChild("AggregateOp")
  if (operation === null || !aggregations.has(operation.firstChild?.name ?? "")) return undefined
  const of = ofArguments(node, reading)
  if (of === undefined || of === "scalar") return undefined
  const modifier = node.getChild("AggregateModifier")
  const list = modifier?.getChild("GroupingLabels") ?? null
  if (modifier?.getChild("Without") != null) return hasLabelOf(list, reading) ? undefined : of
  if (list !== null) {
    const named = addLabels(list, reading)
    if (named === undefined) return undefined
    return of.map((has, index) => has && named[index] === true)
  }
  const text = ` by (${reading.labels.join(", ")}) `
  reading.edits.push({ from: operation.to, to: operation.to, text })
  return of.map(() => false)
}

const hasLabelOf = (list: SyntaxNode | null, { labels, textOf }: Reading): boolean =>
  list !== null &&
  childrenOf(list)
    .map(textOf)
    .some((label) => labels.includes(label) || isQuoted(label))

/** What the one series among the arguments of a call carry; a scalar if there are numbers only. */
const ofArguments = (node: SyntaxNode, reading: Reading): Carried | undefined => {
  const body = node.getChild("FunctionCallBody")
  let found: Carried = "scalar"
  for (const argument of body === null ? [] : childrenOf(body)) {
    const of = carried(argument, reading)
    if (of === undefined || (of !== "scalar" && found !== "scalar")) return undefined
    if (of !== "scalar") found = of
  }
  return found
}

const ofOperation = (node: SyntaxNode, reading: Reading): Carried | undefined => {
  const [left, right] = childrenOf(node).filter(({ name }) => expressions.has(name))
  if (left === undefined || right === undefined) return undefined
  const [ofLeft, ofRight] = [carried(left, reading), carried(right, reading)]
  if (ofLeft === undefined || ofRight === undefined) return undefined
  if (ofLeft === "scalar") return ofRight
  if (ofRight === "scalar") return ofLeft
  const clause = node.getChild("MatchingModifierClause")
  if (clause === null) return isSame(ofLeft, ofRight) ? ofLeft : undefined
  const [list, ...others] = clause.getChildren("GroupingLabels")
  if (list === undefined || others.length > 0) return undefined
  if (clause.getChild("GroupLeft") !== null || clause.getChild("GroupRight") !== null) return undefined
  if (clause.getChild("On") === null) {
    return isSame(ofLeft, ofRight) && !hasLabelOf(list, reading) ? ofLeft : undefined
  }
  if (node.getChild("Or") !== null) return undefined
  const named = addLabels(list, reading)
  if (named === undefined) return undefined
  if (
    !isSame(
      ofLeft.map((has, index) => has && named[index] === true),
      ofRight.map((has, index) => has && named[index] === true),
    )
  )
    return undefined
  const isOfLeft = node.getChild("And") !== null || node.getChild("Unless") !== null
  return isOfLeft ? ofLeft : ofLeft.map((has, index) => has && named[index] === true)
}

const ofCall = (node: SyntaxNode, reading: Reading): Carried | undefined => {
  const identifier = node.getChild("FunctionIdentifier")
  const name = identifier === null ? "" : reading.textOf(identifier)
  if (name === "time" || name === "pi") return "scalar"
  const of = ofArguments(node, reading)
  if (name === "vector" && of === "scalar") {
    const body = reading.textOf(node)
    // Nothing within it is edited.
    reading.edits.push({ from: node.from, to: node.to, text: vectorOfEach(body, reading) })
    return reading.labels.map(() => false)
  }
  return of !== "scalar" && (perSeries.has(name) || /(?<!^absent)_over_time$/.test(name)) ? of : undefined
}

/** The functions that return a series for each series, with its labels; or for its buckets. */
const perSeries: ReadonlySet<string> = new Set(
  [
    "abs ceil clamp clamp_max clamp_min exp floor ln log10 log2 round sgn sqrt timestamp",
    "changes delta deriv idelta increase irate predict_linear rate resets",
    "histogram_avg histogram_count histogram_fraction histogram_quantile histogram_stddev histogram_stdvar histogram_sum",
  ].flatMap((names) => names.split(" ")),
)

/** A number for each member, in a balanced tree, since each `or` costs as much as both of its sides. */
const vectorOfEach = (vector: string, { labels, members }: Reading): string => {
  const written = members.map((values) =>
    labels.reduce(
      (text, label, index) =>
        `label_replace(${text}, "${label}", ${JSON.stringify((values[index] ?? "").replaceAll("$", "$$$$"))}, "", "")`,
      vector,
    ),
  )
  const joined = (texts: ReadonlyArray<string>): string =>
    texts.length < 2
      ? (texts[0] ?? vector)
      : `(${joined(texts.slice(0, texts.length >> 1))} or ${joined(texts.slice(texts.length >> 1))})`
  return joined(written)
}

const escapeRegex = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
