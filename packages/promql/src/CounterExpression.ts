import type { SyntaxNode } from "@lezer/common"
import { parser } from "@prometheus-io/lezer-promql"

/** A user's expression for the events of a minute, as it is sent to Prometheus. */
export interface CounterExpression {
  /** The events of the minute before an instant. */
  readonly events: string
  /** The expression as a value at an instant: with `increase` and `rate` as written. */
  readonly value: string
  /**
   * Those events that a counter gained since its last sample, where it had none in the minute before; and the seconds since
   * the oldest of these last samples, of each group. Infinite where a counter fell a little. Absent for an expression without
   * counters.
   */
  readonly gained?: (
    lookback: string,
    groupBy?: ReadonlyArray<string>,
  ) => { readonly events: string; readonly seconds: string }
  /**
   * What is cheaper to evaluate. Absent for an expression without counters, or with native histograms.
   */
  readonly steady?: {
    /** The same as `events` while the counters are steady: each has a sample in every minute and is never less than before. */
    readonly events: string
    /** At the end of an hour, a value if any counter was not steady in it or in the minute before, and none otherwise. */
    readonly interrupted: string
  }
}

/**
 * Writes an expression so that it counts every event once, whatever is missing.
 *
 * - `increase(s[1m])`, and `rate(s[1m])` likewise, becomes what each series has gained since its last sample of the hour
 *   before: the growth over a gap would be lost otherwise. After a reset it is the value since then or, if greater, the
 *   increase within the minute; for a new series it is the increase within the minute. A counter that is less than before by at most a
 *   twentieth was not reset, and gained as much as in the minute before. A series without a sample in the minute has no value.
 *   Within `histogram_count(…)` and its like, it is what a native histogram has gained in all its buckets.
 * - A series that is named without a range, such as that of a recording rule, becomes `last_over_time(s[1m])`: without
 *   that, Prometheus repeats its last value for 5 minutes.
 *
 * Nothing changes below `offset`, `@` and subqueries, nor in an expression that cannot be parsed.
 */
export const counterExpression = (expression: string): CounterExpression => {
  const { places } = placesOf(expression)
  const series = places.filter(({ kind }) => kind === "series")
  return {
    ...withCounters(expression, places),
    value: replaced(
      expression,
      series.map(({ from, to, selector }) => ({ from, to, text: `last_over_time(${selector}[1m])` })),
    ),
  }
}

/**
 * Writes an expression that returns a cumulative counter so that it returns the events of the minute before.
 *
 * In a sum of counters, each series becomes what it has gained, as in `counterExpression`: their increase is the sum of their
 * increases. Of any other expression, it is the difference to its value a minute before, or after a reset the value; what it
 * gains over a gap is not counted.
 */
export const cumulativeExpression = (expression: string): Omit<CounterExpression, "value"> => {
  const { places, isSum } = placesOf(expression)
  if (!isSum) return { events: growthOfValue(expression) }
  return withCounters(
    expression,
    places.map((place) => ({ ...place, kind: "increase" })),
  )
}

const withCounters = (expression: string, places: ReadonlyArray<Place>): Omit<CounterExpression, "value"> => {
  const written = (textOf: (place: Place) => string): string =>
    replaced(
      expression,
      places.map((place) => ({
        from: place.from,
        to: place.to,
        text:
          place.kind === "series"
            ? `last_over_time(${place.selector}[1m])`
            : place.kind === "rate"
              ? `((${textOf(place)}) / 60)`
              : `(${textOf(place)})`,
      })),
    )
  const counters = places.filter(({ kind }) => kind !== "series")
  const selectors = counters.map(({ selector }) => selector)
  return {
    events: written(({ selector, as }) => growth(selector, "1h", as)),
    ...(selectors.length > 0 &&
      counters.every(({ as }) => as === "number") && {
        steady: {
          events: written(({ selector }) => steadyGrowth(selector)),
          interrupted: [...new Set(selectors)].map(interruptedWithinHour).join(" or "),
        },
      }),
    ...(selectors.length > 0 && {
      gained: (lookback, groupBy = []) => ({
        events: written(({ selector, as }) => gainedAfterGap(selector, lookback, as)),
        seconds: `time() - min${groupBy.length === 0 ? "" : ` by (${groupBy.join(", ")}) `}(${selectors.map((selector) => lastSeen(selector, lookback)).join(" or ")})`,
      }),
    }),
  }
}

/** The growth of a value since the minute before, nothing after a little fall, or after a reset the value; none without a value then. */
const growthOfValue = (expression: string): string => {
  const now = `((${expression}) * 1)`
  const before = `last_over_time((${expression})[1m:1m] offset 1m)`
  return `(${now} - ${before} >= 0) or (${littleLess(now, before)} * 0) or (${now} and ${before})`
}

/** The growth of each series since its last sample before the minute. */
const growth = (s: string, lookback: string, as: SampleKind): string => {
  const value = (sample: string): string => valueOf(sample, as)
  const now = value(`last_over_time(${s}[1m])`)
  const before = value(`last_over_time(${s}[${lookback}] offset 1m)`)
  const within = value(`increase(${s}[1m])`)
  // Histograms can be subtracted, but only their counts can be compared.
  const count = (histogram: string): string => `histogram_count(${histogram})`
  return [
    as === "histogram"
      ? `((${now} - ${before}) and (${count(now)} - ${count(before)} >= 0))`
      : `(${now} - ${before} >= 0)`,
    ...(as === "histogram" ? [] : [afterFall(s, as)]),
    // After a reset.
    as === "histogram"
      ? `(${now} and (${count(now)} >= ${count(within)}) and ${before})`
      : `((${now} >= ${within}) and ${before})`,
    within,
    `(${now} and ${before})`,
  ].join(" or ")
}

const valueOf = (sample: string, as: SampleKind): string =>
  as === "count" ? `histogram_count(${sample})` : sample

/** What falls by more was reset: a new counter rarely gets as far within a minute. */
const keptAfterFall = 0.95

const littleLess = (now: string, before: string): string =>
  `(${now} < ${before} and ${now} >= ${before} * ${keptAfterFall})`

/** How long before the minute the last sample of a counter may be for which it counts as fallen. */
const fallLookback = "5m"

/** The counters that are a little less than before, which is no reset: an exporter rounds, or replicas are scraped in turn. */
const fallen = (s: string, as: SampleKind): string => {
  const now = valueOf(`last_over_time(${s}[1m])`, as)
  const before = valueOf(`last_over_time(${s}[${fallLookback}] offset 1m)`, as)
  return littleLess(now, before)
}

/** What a counter that fell has gained: as much as in the minute before, or nothing if that is not known. */
const afterFall = (s: string, as: SampleKind): string => {
  const [before, earlier] = ["1m", "2m"].map((offset) =>
    valueOf(`last_over_time(${s}[${fallLookback}] offset ${offset})`, as),
  )
  return `(clamp_min(${before} - ${earlier}, 0) and ${fallen(s, as)}) or (${fallen(s, as)} * 0)`
}

/** The subquery has the two instants at which the minute ends and begins. */
const steadyGrowth = (s: string): string => `idelta(last_over_time(${s}[1m])[90s:1m])`

/**
 * The number of counters without a number in one of the 61 minutes that growth is told from, or with less in a minute than in the one
 * before. The ranges of the subqueries end between two of their instants, as versions differ in whether one at the end belongs to them.
 */
const interruptedWithinHour = (s: string): string => {
  const last = `last_over_time(${s}[1m])`
  return `count(count_over_time((${last} > -Inf)[3630s:1m]) != 61 or resets(${last}[3630s:1m]) > 0)`
}

const gainedAfterGap = (s: string, lookback: string, as: SampleKind): string => {
  const gained = `(${growth(s, lookback, as)}) and ${returned(s, lookback)}`
  // Infinite, so that nothing that others gained hides it; where others have returned, only that is told.
  return as === "histogram"
    ? gained
    : `${gained} or (${fallen(s, as)} * -Inf unless on () ${returned(s, lookback)})`
}

/** The series that have a sample in the minute and had one before, but not in the minute before. */
const returned = (s: string, lookback: string): string =>
  `(last_over_time(${s}[${lookback}] offset 1m) and last_over_time(${s}[1m]) unless last_over_time(${s}[1m] offset 1m))`

/** When the series that have returned had their last sample, in seconds. */
const lastSeen = (s: string, lookback: string): string =>
  `(max_over_time(timestamp(${s})[${lookback}:1m] offset 1m) and ${returned(s, lookback)})`

interface Place {
  readonly from: number
  readonly to: number
  readonly kind: "increase" | "rate" | "series"
  readonly selector: string
  readonly as: SampleKind
}

/** What is compared of the samples of a series: numbers, native histograms, or the counts of native histograms. */
type SampleKind = "number" | "histogram" | "count"

/** What is replaced in an expression, and whether it is a sum of series: of selectors, `sum`, `+`, and factors. */
const placesOf = (expression: string): { readonly places: ReadonlyArray<Place>; readonly isSum: boolean } => {
  const places: Array<Place> = []
  let isValid = true
  let isSum = true
  const textOf = ({ from, to }: SyntaxNode): string => expression.slice(from, to)
  parser.parse(expression).iterate({
    enter: ({ type, name, node, from, to }) => {
      if (type.isError) isValid = false
      if (!isPartOfSum(name, node, textOf)) isSum = false
      if (unchanged.has(name)) return false
      if (name === "FunctionCall") {
        const called = node.getChild("FunctionIdentifier")
        const matrix = node.getChild("FunctionCallBody")?.getChild("MatrixSelector")
        const kind = called && calls.get(textOf(called))
        const selector = matrix?.getChild("VectorSelector")
        const range = matrix?.getChild("DurationExpr")
        if (kind && selector && range && oneMinute.has(textOf(range))) {
          const read = { kind, selector: textOf(selector) }
          const counted = node.parent?.parent
          if (calledOf(counted, textOf) === "histogram_count" && counted != null) {
            places.push({ ...read, from: counted.from, to: counted.to, as: "count" })
          } else {
            const as = isOfHistogram(node, read.selector, textOf) ? "histogram" : "number"
            places.push({ ...read, from, to, as })
          }
          return false
        }
      }
      if (name === "VectorSelector") {
        places.push({ from, to, kind: "series", selector: textOf(node), as: "number" })
      }
      return undefined
    },
  })
  return isValid ? { places, isSum } : { places: [], isSum: false }
}

/** Whether a function takes the value of this node as a native histogram; of those for both kinds, not with the buckets of a classic one. */
const isOfHistogram = (node: SyntaxNode, selector: string, textOf: (node: SyntaxNode) => string): boolean => {
  for (let { parent } = node; parent !== null; { parent } = parent) {
    const name = calledOf(parent, textOf)
    if (nativeFunctions.has(name)) return true
    if (bothFunctions.has(name) && !/_bucket\b/.test(selector)) return true
  }
  return false
}

/** The function that a node calls; empty for other nodes. */
const calledOf = (node: SyntaxNode | null | undefined, textOf: (node: SyntaxNode) => string): string => {
  const called = node?.name === "FunctionCall" ? node.getChild("FunctionIdentifier") : undefined
  return called == null ? "" : textOf(called)
}

const nativeFunctions: ReadonlySet<string> = new Set(
  ["count", "sum", "avg", "stddev", "stdvar"].map((each) => `histogram_${each}`),
)

const bothFunctions: ReadonlySet<string> = new Set(["histogram_fraction", "histogram_quantile"])

/** Whether the increase of an expression is what the same expression gives for the increases of its series. */
const isPartOfSum = (name: string, node: SyntaxNode, textOf: (node: SyntaxNode) => string): boolean => {
  if (name === "AggregateExpr") return node.getChild("AggregateOp")?.getChild("Sum") != null
  if (name === "BinaryExpr") {
    const operands = node.getChildren("Expr")
    const numbers = operands.filter(
      (each) => each.getChild("NumberDurationLiteral") !== null || isNumber(textOf(each)),
    )
    if (node.getChild("Add") !== null || node.getChild("Sub") !== null) return numbers.length === 0
    // Where a counter has no samples, none were counted.
    if (node.getChild("Or") !== null) return operands[1] !== undefined && isZero(textOf(operands[1]))
    if (node.getChild("Mul") !== null) return numbers.length === 1
    if (node.getChild("Div") !== null) return numbers.length === 1 && numbers[0]?.from !== operands[0]?.from
    return false
  }
  return !notInSums.has(name) || (name === "FunctionCall" && isZero(textOf(node)))
}

const isZero = (text: string): boolean => /^vector\(\s*0\s*\)$/.test(text)

const isNumber = (text: string): boolean => Number.isFinite(Number(text))

const notInSums: ReadonlySet<string> = new Set([
  "FunctionCall",
  "MatrixSelector",
  "SubqueryExpr",
  "OffsetExpr",
  "StepInvariantExpr",
])

/** A range has its own lookback; what `offset` and `@` apply to depends on the version of the grammar. */
const unchanged: ReadonlySet<string> = new Set([
  "MatrixSelector",
  "SubqueryExpr",
  "OffsetExpr",
  "StepInvariantExpr",
])

const calls: ReadonlyMap<string, "increase" | "rate"> = new Map([
  ["increase", "increase"],
  ["rate", "rate"],
])

const oneMinute: ReadonlySet<string> = new Set(["1m", "60s"])

export const replaced = (
  text: string,
  places: ReadonlyArray<{ readonly from: number; readonly to: number; readonly text: string }>,
): string => {
  let written = ""
  let end = 0
  for (const { from, to, text: replacement } of places) {
    written += text.slice(end, from) + replacement
    end = to
  }
  return written + text.slice(end)
}
