import type * as Result from "effect/Result"
import type { PromQlCheck } from "@tocsin/domain/definitions"

/** A part of a parsed expression, named as in Prometheus's own grammar, such as `AggregateExpr`. */
export interface PromQlNode {
  /** The name of its kind in the grammar. */
  readonly name: string
  /** Where its text begins and ends. */
  readonly from: number
  /** Where its text ends. */
  readonly to: number
  /** Null for a part without others. */
  readonly firstChild: PromQlNode | null
  /** Null for a part without others. */
  readonly lastChild: PromQlNode | null
  /** Null for the last part of another. */
  readonly nextSibling: PromQlNode | null
  /** The first child of this name. */
  getChild(name: string): PromQlNode | null
}

/** Reads PromQL as Prometheus does. */
export interface PromQlParser {
  /** The root of the syntax tree; a failure for an expression with a syntax error. Types are not checked. */
  readonly parse: (expression: string) => Result.Result<PromQlNode, unknown>
  /** Reports syntax errors, and errors that Prometheus finds before it evaluates an expression, such as a wrong type. */
  readonly check: PromQlCheck
}

/** A parsed expression. */
export interface ParsedQuery {
  readonly text: string
  readonly root: PromQlNode
}

/** Maximum nesting depth of the parts of a query that is converted. */
export const queryDepthMax = 300

const childrenOf = ({ firstChild }: PromQlNode): ReadonlyArray<PromQlNode> => {
  const children: Array<PromQlNode> = []
  for (let child = firstChild; child !== null; child = child.nextSibling) children.push(child)
  return children
}

/** A part and all below it, each before what it consists of. */
export const partsOf = (root: PromQlNode): ReadonlyArray<PromQlNode> => {
  const parts: Array<PromQlNode> = []
  const next = [root]
  for (let part = next.pop(); part !== undefined; part = next.pop()) {
    parts.push(part)
    next.push(...childrenOf(part).toReversed())
  }
  return parts
}

/** Whether the parts are nested too deeply to be converted. */
export const isTooDeep = (root: PromQlNode): boolean => {
  let level: ReadonlyArray<PromQlNode> = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > queryDepthMax) return true
    level = level.flatMap(childrenOf)
  }
  return false
}

/** The expressions that an expression consists of: its operands, or its arguments. */
export const operandsOf = (node: PromQlNode): ReadonlyArray<PromQlNode> =>
  childrenOf(node.getChild("FunctionCallBody") ?? node).filter(({ name }) => expressionNodes.has(name))

/** The names of the nodes of the grammar that are expressions. */
const expressionNodes: ReadonlySet<string> = new Set([
  "AggregateExpr",
  "BinaryExpr",
  "FunctionCall",
  "MatrixSelector",
  "NumberDurationLiteral",
  "OffsetExpr",
  "ParenExpr",
  "StepInvariantExpr",
  "StringLiteral",
  "SubqueryExpr",
  "UnaryExpr",
  "VectorSelector",
])

export const textOf = (text: string, { from, to }: PromQlNode): string => text.slice(from, to)

/** The name of the function that is called; empty for another part. */
export const calledBy = (text: string, node: PromQlNode): string => {
  const identifier = node.name === "FunctionCall" ? node.getChild("FunctionIdentifier") : null
  return identifier === null ? "" : textOf(text, identifier)
}

/** The expression within parentheses. */
export const unwrapped = (node: PromQlNode): PromQlNode => {
  let inner = node
  while (inner.name === "ParenExpr" || inner.name === "PromQL")
    inner = operandsOf(inner)[0] ?? inner.firstChild ?? inner
  return inner
}

/** The text with parts of it replaced. */
export const replaced = (
  text: string,
  places: ReadonlyArray<{ readonly from: number; readonly to: number; readonly text: string }>,
): string => {
  let [written, end] = ["", 0]
  for (const { from, to, text: replacement } of places.toSorted((a, b) => a.from - b.from)) {
    written += text.slice(end, from) + replacement
    end = to
  }
  return written + text.slice(end)
}
