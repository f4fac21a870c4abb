import { compareValues, sortedValues } from "./Aggregate.ts"
import { labelFunctions } from "./LabelFunctions.ts"
import { allPresent, type PromQlFunction, scalarOf, vectorOf } from "./PromQlFunction.ts"
import { rangeFunctions } from "./RangeFunctions.ts"
import { type EvaluatedSeries, mapSeries, withoutName } from "./Series.ts"

/** As many values are gone through in the time that a mathematical function of one takes. */
const mappedValues = 2

/** As many values are gone through in the time that a part of a date takes. */
const datePartValues = 5

/** A function of each value and some numbers; the names of the metrics are dropped. */
const mapped = (
  calculate: (value: number, ...numbers: ReadonlyArray<number>) => number,
  scalars = 0,
  optional = 0,
  otherwise = 0,
): PromQlFunction => ({
  arguments: ["vector", ...Array.from({ length: scalars }, () => "scalar" as const)],
  optional,
  returns: "vector",
  *apply([vector, ...given], { times, work }) {
    const numbers = Array.from({ length: scalars }, (_, place) =>
      scalarOf(given[place], times.length, otherwise),
    )
    const series = yield* mapSeries(vectorOf(vector), work, mappedValues, ({ labels, values, has }) => ({
      labels: withoutName(labels),
      values: values.map((value, index) => calculate(value, ...numbers.map((each) => each[index] ?? 0))),
      has,
    }))
    return { kind: "vector", series }
  },
})

const clampFunction: PromQlFunction = {
  ...mapped((value) => value, 2),
  *apply([vector, ...given], { times, work }) {
    const [min, max] = [scalarOf(given[0], times.length), scalarOf(given[1], times.length)]
    const series = yield* mapSeries(vectorOf(vector), work, mappedValues, ({ labels, values, has }) => ({
      labels: withoutName(labels),
      values: values.map((value, index) => Math.max(min[index] ?? 0, Math.min(max[index] ?? 0, value))),
      // Where the bounds are reversed, there is no value.
      has: has.map((each, index) => ((min[index] ?? 0) > (max[index] ?? 0) ? 0 : each)),
    }))
    return { kind: "vector", series }
  },
}

/** A part of the UTC date of each value, which is in seconds, or of the time of the evaluation. */
const datePart = (partOf: (date: Date) => number): PromQlFunction => ({
  arguments: ["vector"],
  optional: 1,
  returns: "vector",
  *apply([vector], { times, work }) {
    const part = (seconds: number): number =>
      Number.isFinite(seconds) ? partOf(new Date(Math.floor(seconds) * 1_000)) : Number.NaN
    if (vector === undefined) {
      if (work.spend(datePartValues * times.length)) yield
      const values = times.map((time) => part(time / 1_000))
      return { kind: "vector", series: [{ labels: new Map(), values, has: allPresent(times.length) }] }
    }
    const series = yield* mapSeries(vectorOf(vector), work, datePartValues, ({ labels, values, has }) => ({
      labels: withoutName(labels),
      values: values.map(part),
      has,
    }))
    return { kind: "vector", series }
  },
})

/** Sorts by the values of an instant query; those of a range are sorted by their labels anyway. NaN is last. */
const sorted = (isDescending: boolean): PromQlFunction => ({
  arguments: ["vector"],
  returns: "vector",
  *apply([vector], { times, work }) {
    const series = vectorOf(vector)
    if (work.spend(sortedValues(series.length))) yield
    if (times.length !== 1) return { kind: "vector", series }
    const isNaNOf = ({ values }: EvaluatedSeries): number => Number(Number.isNaN(values[0] ?? 0))
    return {
      kind: "vector",
      series: series.toSorted((a, b) => {
        const nan = isNaNOf(a) - isNaNOf(b)
        const order = compareValues(a.values[0] ?? 0, b.values[0] ?? 0)
        return nan !== 0 ? nan : isDescending ? -order : order
      }),
    }
  },
})

const roundTo = (value: number, to = 1): number => {
  const inverse = 1 / to
  return Math.floor(value * inverse + 0.5) / inverse
}

/** The functions that are supported, by name. */
export const functions: Readonly<Record<string, PromQlFunction>> = {
  abs: mapped(Math.abs),
  acos: mapped(Math.acos),
  acosh: mapped(Math.acosh),
  asin: mapped(Math.asin),
  asinh: mapped(Math.asinh),
  atan: mapped(Math.atan),
  atanh: mapped(Math.atanh),
  ceil: mapped(Math.ceil),
  cos: mapped(Math.cos),
  cosh: mapped(Math.cosh),
  deg: mapped((value) => (value * 180) / Math.PI),
  exp: mapped(Math.exp),
  floor: mapped(Math.floor),
  ln: mapped(Math.log),
  log10: mapped(Math.log10),
  log2: mapped(Math.log2),
  rad: mapped((value) => (value * Math.PI) / 180),
  sgn: mapped(Math.sign),
  sin: mapped(Math.sin),
  sinh: mapped(Math.sinh),
  sqrt: mapped(Math.sqrt),
  tan: mapped(Math.tan),
  tanh: mapped(Math.tanh),
  round: mapped(roundTo, 1, 1, 1),
  clamp: clampFunction,
  clamp_max: mapped((value, max = 0) => Math.min(max, value), 1),
  clamp_min: mapped((value, min = 0) => Math.max(min, value), 1),
  year: datePart((date) => date.getUTCFullYear()),
  month: datePart((date) => date.getUTCMonth() + 1),
  day_of_month: datePart((date) => date.getUTCDate()),
  day_of_week: datePart((date) => date.getUTCDay()),
  // `Date.UTC` would take a year before 100 for one of the 20th century.
  day_of_year: datePart(
    (date) => (date.setUTCHours(0, 0, 0, 0) - new Date(date).setUTCMonth(0, 1)) / 86_400_000 + 1,
  ),
  days_in_month: datePart((date) =>
    new Date(new Date(date).setUTCMonth(date.getUTCMonth() + 1, 0)).getUTCDate(),
  ),
  hour: datePart((date) => date.getUTCHours()),
  minute: datePart((date) => date.getUTCMinutes()),
  pi: {
    arguments: [],
    returns: "scalar",
    *apply(_, { times, work }) {
      if (work.spend(times.length)) yield
      return { kind: "scalar", values: new Float64Array(times.length).fill(Math.PI) }
    },
  },
  time: {
    arguments: [],
    returns: "scalar",
    *apply(_, { times, work }) {
      if (work.spend(times.length)) yield
      return { kind: "scalar", values: times.map((time) => time / 1_000) }
    },
  },
  scalar: {
    arguments: ["vector"],
    returns: "scalar",
    *apply([vector], { times, work }) {
      const values = new Float64Array(times.length)
      const counts = new Uint32Array(times.length)
      for (const each of vectorOf(vector)) {
        if (work.spend(times.length)) yield
        for (const [index, has] of each.has.entries()) {
          if (has === 0) continue
          values[index] = each.values[index] ?? 0
          counts[index] = (counts[index] ?? 0) + 1
        }
      }
      return {
        kind: "scalar",
        values: values.map((value, index) => (counts[index] === 1 ? value : Number.NaN)),
      }
    },
  },
  timestamp: {
    arguments: ["vector"],
    returns: "vector",
    // Of a selector, the values are the times of its samples.
    *apply([vector], { times, call, work }) {
      const isSelector = call.arguments[0]?.kind === "selector"
      const series = yield* mapSeries(vectorOf(vector), work, 1, ({ labels, values, has }) => ({
        labels: withoutName(labels),
        values: isSelector ? values : times.map((time) => time / 1_000),
        has,
      }))
      return { kind: "vector", series }
    },
  },
  vector: {
    arguments: ["scalar"],
    returns: "vector",
    *apply([scalar], { times, work }) {
      if (work.spend(times.length)) yield
      const values = scalarOf(scalar, times.length)
      return { kind: "vector", series: [{ labels: new Map(), values, has: allPresent(times.length) }] }
    },
  },
  sort: sorted(false),
  sort_desc: sorted(true),
  ...labelFunctions,
  ...rangeFunctions,
}
