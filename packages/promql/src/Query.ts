import type { LabelRegex } from "./LabelRegex.ts"

/** A query of PromQL, with the place of each part in its text. */
export type Query =
  NumberLiteral | StringLiteral | Selector | Subquery | Negation | BinaryOperation | Aggregation | Call

interface NumberLiteral {
  readonly kind: "number"
  readonly from: number
  readonly value: number
}

interface StringLiteral {
  readonly kind: "string"
  readonly from: number
  readonly value: string
}

/** What moves the times of a selector or subquery. */
export interface Moved {
  readonly offsetMs: number
  /** In Unix milliseconds, or an end of the range of the request; absent: each time is its own. */
  readonly at?: number | "start" | "end"
}

/** A selector of series, with a range or without. */
export interface Selector extends Moved {
  /** Tells it from other parts. */
  readonly kind: "selector"
  /** Where it begins in the text. */
  readonly from: number
  /** All of which a series meets. */
  readonly matchers: ReadonlyArray<Matcher>
  /** Absent: an instant selector. */
  readonly rangeMs?: number
}

interface Subquery extends Moved {
  readonly kind: "subquery"
  readonly from: number
  readonly query: Query
  readonly rangeMs: number
  /** Absent: a minute. */
  readonly stepMs?: number
}

interface Negation {
  readonly kind: "negation"
  readonly from: number
  readonly query: Query
}

export interface BinaryOperation {
  readonly kind: "binary"
  readonly from: number
  readonly operator: BinaryOperator
  readonly left: Query
  readonly right: Query
  readonly isBool: boolean
  readonly matching: Matching
}

/** How the series of both sides of an operation find each other. */
export interface Matching {
  /** Absent: `ignoring` no label. */
  readonly on: boolean
  readonly labels: ReadonlyArray<string>
  readonly group?: "left" | "right"
  /** Labels of the side with one series that the result has too. */
  readonly include: ReadonlyArray<string>
}

export interface Aggregation {
  readonly kind: "aggregation"
  readonly from: number
  readonly operator: string
  readonly isWithout: boolean
  readonly labels: ReadonlyArray<string>
  readonly parameter?: Query
  readonly query: Query
}

export interface Call {
  readonly kind: "call"
  readonly from: number
  readonly name: string
  readonly arguments: ReadonlyArray<Query>
}

const arithmeticOperators = ["+", "-", "*", "/", "%", "^", "atan2"] as const
const comparisonOperators = ["==", "!=", "<=", "<", ">=", ">"] as const
const setOperators = ["and", "or", "unless"] as const

export type BinaryOperator =
  (typeof arithmeticOperators)[number] | (typeof comparisonOperators)[number] | (typeof setOperators)[number]

const operatorIsIn =
  (operators: ReadonlyArray<string>) =>
  (operator: BinaryOperator): boolean =>
    operators.includes(operator)

export const isArithmetic = operatorIsIn(arithmeticOperators)
export const isComparison = operatorIsIn(comparisonOperators)
export const isSetOperator = operatorIsIn(setOperators)

/** A condition on a label; one that a series does not have is empty. */
export interface Matcher {
  /** The name of the label. */
  readonly label: string
  /** How its value is compared. */
  readonly operator: "=" | "!=" | "=~" | "!~"
  /** What it is compared with. */
  readonly value: string
  /** Of the operators `=~` and `!~`. */
  readonly regex?: LabelRegex
}

/** Whether the value of a label meets a condition; of a label that is missing, it is empty. */
export const isMatch = ({ operator, value, regex }: Matcher, text: string): boolean => {
  switch (operator) {
    case "=":
      return text === value
    case "!=":
      return text !== value
    case "=~":
      return regex?.matches(text) === true
    case "!~":
      return regex?.matches(text) === false
  }
}
