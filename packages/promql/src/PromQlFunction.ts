import type { Call } from "./Query.ts"
import type { Parts, Work } from "./Parts.ts"
import type { EvaluatedSeries, Value } from "./Series.ts"

export type ValueKind = "scalar" | "vector" | "range" | "string"

/** How and when a function is called. */
interface CallContext {
  readonly call: Call
  /** In Unix milliseconds. */
  readonly times: Float64Array
  readonly work: Work
}

/** A function of PromQL. */
export interface PromQlFunction {
  readonly arguments: ReadonlyArray<ValueKind>
  /** How many of the arguments may be omitted, from the last one; `Infinity`: the last one may also be repeated. */
  readonly optional?: number
  readonly returns: "scalar" | "vector"
  readonly apply: (given: ReadonlyArray<Value>, context: CallContext) => Parts<Value>
}

export const vectorOf = (value: Value | undefined): ReadonlyArray<EvaluatedSeries> =>
  value?.kind === "vector" ? value.series : []

/** The numbers of an argument, or `otherwise` where it was omitted. */
export const scalarOf = (value: Value | undefined, length: number, otherwise = 0): Float64Array =>
  value?.kind === "scalar" ? value.values : new Float64Array(length).fill(otherwise)

export const allPresent = (length: number): Uint8Array => new Uint8Array(length).fill(1)
