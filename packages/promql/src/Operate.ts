import { labelsValues, type Parts, type Work } from "./Parts.ts"
import { QueryFailed } from "./QueryErrors.ts"
import { type BinaryOperator, isArithmetic, isComparison, isSetOperator, type Matching } from "./Query.ts"
import {
  type EvaluatedSeries,
  joinSameLabels,
  type Labels,
  labelsKey,
  labelsText,
  mapSeries,
  onlyLabels,
  withoutLabels,
  withoutName,
} from "./Series.ts"

/** An operation between two sides. */
export interface Operation {
  readonly operator: BinaryOperator
  /** A comparison gives 0 or 1, instead of keeping what it is true for. */
  readonly isBool: boolean
  readonly matching: Matching
}

export const operateOnScalars = (
  operator: BinaryOperator,
  left: Float64Array,
  right: Float64Array,
): Float64Array =>
  left.map((value, index) => {
    const other = right[index] ?? 0
    return isComparison(operator) ? Number(isTrue(operator, value, other)) : calculate(operator, value, other)
  })

/** Operates on each series and a number; the number is the left side if `isSwapped`. */
export const operateWithScalar = (
  { operator, isBool }: Operation,
  series: ReadonlyArray<EvaluatedSeries>,
  scalar: Float64Array,
  isSwapped: boolean,
  work: Work,
): Parts<ReadonlyArray<EvaluatedSeries>> =>
  mapSeries(series, work, operator === "^" ? powerValues : 1, ({ labels, values, has }) => {
    const result = {
      labels: resultLabels(labels, operator, isBool),
      values: values.slice(),
      has: has.slice(),
    }
    for (const [index, value] of values.entries()) {
      if (has[index] === 0) continue
      const number = scalar[index] ?? 0
      const [left, right] = isSwapped ? [number, value] : [value, number]
      if (!isComparison(operator)) result.values[index] = calculate(operator, left, right)
      else if (isBool) result.values[index] = Number(isTrue(operator, left, right))
      else if (!isTrue(operator, left, right)) result.has[index] = 0
    }
    return result
  })

/** As many values are gone through in the time that raising one to a power takes. */
const powerValues = 4

const resultLabels = (labels: Labels, operator: BinaryOperator, isBool: boolean): Labels =>
  isArithmetic(operator) || isBool ? withoutName(labels) : labels

/** Operates on the series of two sides that match, at each of `length` times. */
export function* operateOnVectors(
  operation: Operation,
  left: ReadonlyArray<EvaluatedSeries>,
  right: ReadonlyArray<EvaluatedSeries>,
  length: number,
  work: Work,
): Parts<ReadonlyArray<EvaluatedSeries>> {
  const { matching, operator } = operation
  const groups = new Map<string, number>()
  function* groupsOf(series: ReadonlyArray<EvaluatedSeries>): Parts<ReadonlyArray<number>> {
    const found: Array<number> = []
    for (const { labels } of series) {
      if (work.spend(labelsValues + matching.labels.length)) yield
      const key = labelsKey(
        matching.on
          ? onlyLabels(labels, matching.labels)
          : withoutLabels(labels, [...matching.labels, "__name__"]),
      )
      const group = groups.get(key) ?? groups.size
      groups.set(key, group)
      found.push(group)
    }
    return found
  }
  const leftGroups = yield* groupsOf(left)
  const rightGroups = yield* groupsOf(right)
  if (isSetOperator(operator)) {
    const sides = { left, right, leftGroups, rightGroups, groupCount: groups.size }
    return yield* combine(operator, sides, length, work)
  }
  const isSwapped = matching.group === "right"
  const sides: Sides = isSwapped
    ? { left: right, right: left, leftGroups: rightGroups, rightGroups: leftGroups, groupCount: groups.size }
    : { left, right, leftGroups, rightGroups, groupCount: groups.size }
  return yield* match(operation, sides, isSwapped, length, work)
}

interface Sides {
  /** The side with possibly many series for each of the other. */
  readonly left: ReadonlyArray<EvaluatedSeries>
  readonly right: ReadonlyArray<EvaluatedSeries>
  readonly leftGroups: ReadonlyArray<number>
  readonly rightGroups: ReadonlyArray<number>
  readonly groupCount: number
}

function* match(
  { operator, isBool, matching }: Operation,
  { left, right, leftGroups, rightGroups, groupCount }: Sides,
  isSwapped: boolean,
  length: number,
  work: Work,
): Parts<ReadonlyArray<EvaluatedSeries>> {
  const results = new Map<string, { labels: Labels; values: Float64Array; has: Uint8Array }>()
  const resultOf = new Map<number, { values: Float64Array; has: Uint8Array }>()
  function* newResult(many: number, one: number, pair: number) {
    if (work.spend(labelsValues + matching.labels.length + matching.include.length)) yield
    const labels = matchedLabels(left[many]?.labels ?? noLabels, right[one]?.labels ?? noLabels, {
      operator,
      isBool,
      matching,
    })
    const key = labelsKey(labels)
    const result = results.get(key) ?? {
      labels,
      values: new Float64Array(length),
      has: new Uint8Array(length),
    }
    if (!results.has(key) && work.spend(length)) yield
    results.set(key, result)
    resultOf.set(pair, result)
    return result
  }
  /** The series of the right side of each group at a time, and whether a series of the left side matched it. */
  const oneOf = new Int32Array(groupCount)
  const isMatched = new Uint8Array(groupCount)
  for (let index = 0; index < length; index++) {
    if (work.spend(left.length + right.length)) yield
    if (!left.some(({ has }) => has[index] === 1)) continue
    oneOf.fill(-1)
    isMatched.fill(0)
    for (const [place, { has, labels }] of right.entries()) {
      if (has[index] === 0) continue
      const group = rightGroups[place] ?? 0
      const other = oneOf[group] ?? -1
      if (other >= 0) {
        const side = isSwapped ? "left" : "right"
        const both = [labels, right[other]?.labels ?? noLabels].map(labelsText).join(", ")
        throw new QueryFailed({
          detail: `found duplicate series for the match group on the ${side} hand-side of the operation: [${both}];many-to-many matching not allowed: matching labels must be unique on one side`,
        })
      }
      oneOf[group] = place
    }
    for (const [many, each] of left.entries()) {
      if (each.has[index] === 0) continue
      const group = leftGroups[many] ?? 0
      const one = oneOf[group] ?? -1
      if (one < 0) continue
      const values = [each.values[index] ?? 0, right[one]?.values[index] ?? 0] as const
      const [a, b] = isSwapped ? [values[1], values[0]] : values
      const compares = isComparison(operator)
      const holds = compares && isTrue(operator, a, b)
      if (compares && !isBool && !holds) continue
      if (matching.group === undefined && isMatched[group] === 1) {
        throw new QueryFailed({
          detail:
            "multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)",
        })
      }
      isMatched[group] = 1
      const pair = many * right.length + one
      const result = resultOf.get(pair) ?? (yield* newResult(many, one, pair))
      if (result.has[index] === 1) {
        throw new QueryFailed({
          detail: "multiple matches for labels: grouping labels must ensure unique matches",
        })
      }
      result.values[index] = !compares ? calculate(operator, a, b) : isBool ? Number(holds) : a
      result.has[index] = 1
    }
  }
  return [...results.values()]
}

const noLabels: Labels = new Map()

const matchedLabels = (many: Labels, one: Labels, { operator, isBool, matching }: Operation): Labels => {
  const named = isArithmetic(operator) ? withoutName(many) : many
  const kept =
    matching.group !== undefined
      ? new Map(named)
      : new Map(matching.on ? onlyLabels(named, matching.labels) : withoutLabels(named, matching.labels))
  for (const label of matching.include) {
    const value = one.get(label)
    if (value === undefined) kept.delete(label)
    else kept.set(label, value)
  }
  return isBool ? withoutName(kept) : kept
}

/** Combines two sides as sets, by their groups at each time. */
function* combine(
  operator: BinaryOperator,
  { left, right, leftGroups, rightGroups, groupCount }: Sides,
  length: number,
  work: Work,
): Parts<ReadonlyArray<EvaluatedSeries>> {
  /** For each group and time, whether one of the series has a value. */
  function* presence(series: ReadonlyArray<EvaluatedSeries>, groups: ReadonlyArray<number>) {
    const present = Array.from<Uint8Array | undefined>({ length: groupCount })
    for (const [place, { has }] of series.entries()) {
      if (work.spend(length)) yield
      const group = groups[place] ?? 0
      const ofGroup = (present[group] ??= new Uint8Array(length))
      for (const [index, each] of has.entries()) if (each === 1) ofGroup[index] = 1
    }
    return present
  }
  function* filtered(
    series: ReadonlyArray<EvaluatedSeries>,
    groups: ReadonlyArray<number>,
    others: ReadonlyArray<Uint8Array | undefined>,
    isKeptWith: 0 | 1,
  ) {
    const kept: Array<EvaluatedSeries> = []
    for (const [place, each] of series.entries()) {
      if (work.spend(length)) yield
      const other = others[groups[place] ?? 0]
      const has = each.has.map((has, index) => (has === 1 && (other?.[index] ?? 0) === isKeptWith ? 1 : 0))
      kept.push({ ...each, has })
    }
    return kept
  }
  if (operator === "or") {
    const more = yield* filtered(right, rightGroups, yield* presence(left, leftGroups), 0)
    return yield* joinSameLabels([...left, ...more], work)
  }
  const others = yield* presence(right, rightGroups)
  return yield* filtered(left, leftGroups, others, operator === "and" ? 1 : 0)
}

export const isTrue = (operator: BinaryOperator, a: number, b: number): boolean => {
  switch (operator) {
    case "==":
      return a === b
    case "!=":
      return a !== b
    case "<":
      return a < b
    case "<=":
      return a <= b
    case ">":
      return a > b
    default:
      return a >= b
  }
}

export const calculate = (operator: BinaryOperator, a: number, b: number): number => {
  switch (operator) {
    case "+":
      return a + b
    case "-":
      return a - b
    case "*":
      return a * b
    case "/":
      return a / b
    case "%":
      return a % b
    case "atan2":
      return Math.atan2(a, b)
    default:
      // As in C: 1 to any power is 1, and so is -1 to an infinite one.
      return a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b
  }
}
