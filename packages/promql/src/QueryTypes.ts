import { aggregations } from "./Aggregate.ts"
import { functions } from "./Functions.ts"
import { nearestName } from "./NearestName.ts"
import type { ValueKind } from "./PromQlFunction.ts"
import { isComparison, isSetOperator, type BinaryOperation, type Call, type Query } from "./Query.ts"
import { WrongPart } from "./WrongPart.ts"

/** Checks that every part of a query has the type that the part around it needs. Throws `WrongPart`. */
export const checkTypes = (query: Query): ValueKind => {
  switch (query.kind) {
    case "number":
      return "scalar"
    case "string":
      return "string"
    case "selector":
      return query.rangeMs === undefined ? "vector" : "range"
    case "subquery":
      expectKind(query.query, "vector", "a subquery")
      return "range"
    case "negation": {
      const kind = checkTypes(query.query)
      if (kind === "scalar" || kind === "vector") return kind
      throw new WrongPart(
        query.from,
        `a sign is allowed before numbers and series, not before ${nameOf[kind]}`,
      )
    }
    case "binary":
      return binaryType(query)
    case "aggregation": {
      const { operator, parameter } = query
      if (!aggregations.has(operator)) throw new WrongPart(query.from, `${operator} is not supported`)
      const expected = aggregations.get(operator)
      if (parameter !== undefined && expected !== undefined) expectKind(parameter, expected, operator)
      expectKind(query.query, "vector", operator)
      return "vector"
    }
    case "call":
      return callType(query)
  }
}

const nameOf: Readonly<Record<ValueKind, string>> = {
  scalar: "a number",
  vector: "series",
  range: "a range, such as [5m]",
  string: "a string",
}

const expectKind = (query: Query, expected: ValueKind, by: string): void => {
  const kind = checkTypes(query)
  if (kind !== expected) {
    throw new WrongPart(query.from, `${by} needs ${nameOf[expected]} here, and this is ${nameOf[kind]}`)
  }
}

const binaryType = (query: BinaryOperation): ValueKind => {
  const { operator, from, isBool, matching } = query
  const [left, right] = [checkTypes(query.left), checkTypes(query.right)]
  for (const [kind, side] of [
    [left, query.left],
    [right, query.right],
  ] as const) {
    if (kind !== "scalar" && kind !== "vector") {
      throw new WrongPart(side.from, `${operator} needs numbers or series, and this is ${nameOf[kind]}`)
    }
  }
  if (isBool && !isComparison(operator)) throw new WrongPart(from, "bool is allowed for comparisons only")
  const areVectors = left === "vector" && right === "vector"
  if (!areVectors && isSetOperator(operator)) {
    throw new WrongPart(from, `${operator} needs series on both sides`)
  }
  if (left === "scalar" && right === "scalar" && isComparison(operator) && !isBool) {
    throw new WrongPart(from, `a comparison of numbers needs bool: write ${operator} bool`)
  }
  const isMatched = matching.on || matching.labels.length > 0 || matching.group !== undefined
  if (!areVectors && isMatched) {
    throw new WrongPart(from, "on, ignoring and group are allowed only between series")
  }
  if (isSetOperator(operator) && matching.group !== undefined) {
    throw new WrongPart(from, `group_left and group_right are not allowed for ${operator}`)
  }
  const both = matching.on ? matching.include.find((label) => matching.labels.includes(label)) : undefined
  if (both !== undefined) {
    throw new WrongPart(from, `the label ${both} must not be in on and in group_${matching.group} at once`)
  }
  return areVectors || left === "vector" || right === "vector" ? "vector" : "scalar"
}

const callType = ({ name, arguments: given, from }: Call): ValueKind => {
  const called = Object.hasOwn(functions, name) ? functions[name] : undefined
  if (called === undefined) {
    const nearest = nearestName(name, Object.keys(functions))
    throw new WrongPart(
      from,
      `the function ${name} is not supported${nearest === undefined ? "" : `; did you mean ${nearest}?`}`,
    )
  }
  const { arguments: expected, optional = 0 } = called
  const min = optional === Infinity ? expected.length - 1 : expected.length - optional
  const max = optional === Infinity ? Infinity : expected.length
  if (given.length < min || given.length > max) {
    const count = min === max ? `${min}` : max === Infinity ? `at least ${min}` : `${min} to ${max}`
    throw new WrongPart(from, `${name} needs ${count} argument${count === "1" ? "" : "s"}`)
  }
  for (const [index, argument] of given.entries()) {
    const kind = expected[Math.min(index, expected.length - 1)]
    if (kind !== undefined) expectKind(argument, kind, name)
  }
  return called.returns
}
