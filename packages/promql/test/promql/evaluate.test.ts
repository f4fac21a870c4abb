import { evaluate, evaluateOver, readQuery, selectionsOf } from "@tocsin/promql/evaluate"
import { makeInParts, type SampledSeries, type Value, valuesPerUnit } from "@tocsin/promql/series"

import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import recorded from "../../../../test/vectors/promql.json" with { type: "json" }

const lookbackMs = 300_000

const samples = recorded.samples.map(({ metric, values }): SampledSeries => {
  const present = values.flatMap((value, minute) => (value === null ? [] : [{ minute, value }]))
  return {
    labels: new Map(
      Object.entries(metric).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    ),
    times: present.map(({ minute }) => recorded.start + minute * 60_000),
    values: present.map(({ value }) => value),
  }
})

const run = (
  text: string,
  times: ReadonlyArray<number>,
  end = times.at(-1) ?? 0,
  series = samples,
  pause: (units: number) => Effect.Effect<void> = () => Effect.void,
): Result.Result<Value, { readonly detail: string }> =>
  evaluateOver(text, series, { times, end, lookbackMs, pause }).pipe(Effect.result, Effect.runSync)

const keyOf = (labels: ReadonlyMap<string, string>): string =>
  JSON.stringify([...labels].toSorted(([a], [b]) => (a < b ? -1 : 1)))

const resultOf = (value: Value, times: ReadonlyArray<number>, isRange: boolean) => {
  const pairs = (values: ArrayLike<number>, has: ArrayLike<number>) =>
    times.flatMap((time, index) => (has[index] === 1 ? [[time / 1_000, values[index] ?? 0] as const] : []))
  if (value.kind === "scalar") {
    const all = pairs(
      value.values,
      times.map(() => 1),
    )
    return new Map([[isRange ? "[]" : "scalar", all]])
  }
  const series = value.kind === "vector" ? value.series : []
  return new Map(
    series.flatMap(({ labels, values, has }) => {
      const all = pairs(values, has)
      return all.length === 0 ? [] : [[keyOf(labels), all] as const]
    }),
  )
}

describe("evaluate", () => {
  it.each(recorded.queries.map((each) => [each.query, each] as const))(
    "spec/promql §2: has the result that Prometheus recorded for %s",
    (text, { start, range, result }) => {
      const step = range?.step ?? 1
      const points = range === undefined ? 1 : Math.floor((range.end - start) / step) + 1
      const times = Array.from({ length: points }, (_, index) => (start + index * step) * 1_000)
      const value = run(text, times, (range?.end ?? start) * 1_000)
      if (typeof result === "string") return expect(Result.isFailure(value)).toBe(true)
      const actual = resultOf(Result.getOrThrow(value), times, range !== undefined)
      const expected = new Map(
        result as unknown as ReadonlyArray<
          readonly [string, ReadonlyArray<readonly [number, number | string]>]
        >,
      )
      expect([...actual.keys()].toSorted()).toEqual([...expected.keys()].toSorted())
      for (const [key, pairs] of expected) {
        const found = actual.get(key) ?? []
        expect(found.map(([time]) => time)).toEqual(pairs.map(([time]) => time))
        for (const [index, [, number]] of pairs.entries()) {
          const wanted = Number(number)
          const value = found[index]?.[1] ?? 0
          const isClose =
            Object.is(value, wanted) || Math.abs(value - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted))
          expect(isClose, `${key} ${value} ${wanted}`).toBe(true)
        }
      }
      return undefined
    },
  )

  const series = (
    name: string,
    values: ReadonlyArray<number>,
    more: Partial<SampledSeries> = {},
  ): SampledSeries => ({
    labels: new Map([["__name__", name]]),
    times: values.map((_, minute) => minute * 60_000),
    values,
    ...more,
  })

  const valueAt = (text: string, time: number, from: ReadonlyArray<SampledSeries>): number | undefined => {
    const value = Result.getOrThrow(run(text, [time], time, [...from]))
    return value.kind === "vector" && value.series[0]?.has[0] === 1 ? value.series[0].values[0] : undefined
  }

  it("spec/promql §2: a range does not include its start, and a sample is current for less than the lookback", () => {
    const a = series("a", [1, 2, 3, 4, 5, 6, 7])
    expect(valueAt("count_over_time(a[5m])", 300_000, [a])).toBe(5)
    expect(valueAt("sum_over_time(a[5m])", 300_000, [a])).toBe(20)
    expect(valueAt("a", 360_000 + 299_999, [a])).toBe(7)
    expect(valueAt("a", 360_000 + 300_000, [a])).toBeUndefined()
  })

  it("spec/promql §3: a value of a status ends with its minute, unless nothing later can be known", () => {
    const a = series("a", [1, 2, 3], { validMs: 60_000 })
    expect(valueAt("a", 120_000 + 59_999, [a])).toBe(3)
    expect(valueAt("a", 180_000, [a])).toBeUndefined()
    expect(valueAt("a", 180_000, [{ ...a, latestAt: 120_000 }])).toBe(3)
  })

  it("spec/promql §2: drops the name of the metric for atan2 too, as Prometheus 3 does", () => {
    const value = Result.getOrThrow(run("a atan2 1", [0], 0, [series("a", [1])]))
    expect(value.kind === "vector" && [...(value.series[0]?.labels.keys() ?? [])]).toEqual([])
  })

  it("spec/promql §2: predicts from the time of the evaluation, whatever moves the range", () => {
    // Rises by 1 each second, and so has the value of its time.
    const a = series(
      "a",
      Array.from({ length: 200 }, (_, minute) => minute * 60),
    )
    expect(valueAt("predict_linear(a[10m], 600)", 6_000_000, [a])).toBeCloseTo(6_600, 6)
    expect(valueAt("predict_linear(a[10m] offset 30m, 600)", 6_000_000, [a])).toBeCloseTo(6_600, 6)
    expect(valueAt("predict_linear(a[10m] @ 4200, 600)", 6_000_000, [a])).toBeCloseTo(6_600, 6)
    expect(valueAt("predict_linear((a)[10m:1m] offset 30m, 600)", 6_000_000, [a])).toBeCloseTo(6_600, 6)
    expect(
      valueAt("max_over_time(predict_linear(a[10m], 600)[5m:1m] offset 30m)", 6_000_000, [a]),
    ).toBeCloseTo(4_800, 6)
  })

  it("spec/promql §2: has the parts of dates before the year 100", () => {
    const valueOf = (text: string): number | undefined => valueAt(text, 0, [])
    // 1 March of the years 0, which was a leap year, and 99.
    const [year0, year99] = ["0000-03-01", "0099-03-01"].map((date) => Date.parse(date) / 1_000)
    expect(valueOf(`year(vector(${year0}))`)).toBe(0)
    expect(valueOf(`day_of_year(vector(${year0}))`)).toBe(61)
    expect(valueOf(`days_in_month(vector(${year0} - 86400))`)).toBe(29)
    expect(valueOf(`day_of_year(vector(${year99}))`)).toBe(60)
    expect(valueOf(`days_in_month(vector(${year99} - 86400))`)).toBe(28)
    expect(valueOf("day_of_year(vector(-1e17))")).toBeNaN()
  })

  const many = Array.from({ length: 300 }, (_, index) => ({
    ...series("a", [1]),
    labels: new Map([
      ["a", `${index}`],
      ["__name__", "a"],
    ]),
  }))

  /** How often other requests can take their turn, and units are charged. */
  const pausesOf = (text: string, count: number, from: Array<SampledSeries> = many): number => {
    const times = Array.from({ length: count }, (_, index) => index * 100)
    let pauses = 0
    const pause = (units: number) =>
      Effect.sync(() => {
        pauses += units
      })
    expect(run(text, times, 0, from, pause)._tag, text).toBe("Success")
    return pauses
  }

  it("spec/promql §7: lets other requests take their turn between the parts of each function and operation", () => {
    const selected = pausesOf("a", 2_000)
    expect(selected).toBe(Math.floor((many.length * 2_000) / valuesPerUnit))
    for (const text of [
      "-a",
      "abs(a)",
      "clamp(a, 0, 1)",
      "hour(a)",
      "timestamp(abs(a))",
      "a + 1",
      "a + a",
      "a and a",
      "a unless a",
      "a or b",
      "sum(a)",
      "count by (a) (a)",
      'count_values("value", a)',
      "topk(5, a)",
      "bottomk by (a) (5, a)",
      "quantile(0.5, a)",
      "scalar(a)",
      "absent(a)",
      "absent_over_time(a[5m])",
      "rate(a[5m])",
      "quantile_over_time(0.5, a[5m])",
    ]) {
      expect(pausesOf(text, 2_000), text).toBeGreaterThan(selected)
    }
    expect(pausesOf("sum_over_time(a[2s:1ms])", 1)).toBeGreaterThanOrEqual(2)
    expect(pausesOf('count_values("value", vector(time()))', 900)).toBeGreaterThanOrEqual(
      Math.floor((900 * 900) / valuesPerUnit),
    )
    // A part that goes through many values at once is as many units.
    const long = series(
      "a",
      Array.from({ length: 100_000 }, (_, index) => index % 7),
    )
    expect(pausesOf("quantile_over_time(0.5, a[100000m] @ 6e6)", 1, [long])).toBeGreaterThanOrEqual(6)
    // Sorting goes through values more than once.
    expect(pausesOf("topk(5, a)", 2_000)).toBeGreaterThan(8 * selected)
  })

  it("spec/promql §7: lets other requests take their turn while labels are changed", () => {
    const more = many.flatMap(({ labels, ...each }) =>
      Array.from({ length: 20 }, (_, index) => ({
        ...each,
        labels: new Map([...labels, ["b", `${index}`]]),
      })),
    )
    for (const text of [
      'label_join(a, "c", "-", "a", "b")',
      'label_replace(a, "c", "$1", "a", "(.*)")',
      "sum by (a) (a)",
      "a + a",
      "a or a",
      "abs(a)",
    ]) {
      expect(pausesOf(text, 1, more), text).toBeGreaterThanOrEqual(2)
    }
    const names = Array.from({ length: 1_000 }, (_, index) => `a${index}`).join(", ")
    for (const text of [
      `sum by (${names}) (a)`,
      `sum without (${names}) (a)`,
      `a and on (${names}) a`,
      `a * ignoring (x) group_left (${names}) a`,
    ]) {
      expect(pausesOf(text, 1, more), text).toBeGreaterThanOrEqual(6_000_000 / valuesPerUnit)
    }
    expect(pausesOf(`sum by (${"a, ".repeat(1_000)} a) (a)`, 1, more)).toBeLessThan(6_000_000 / valuesPerUnit)
  })

  it("spec/promql §7: counts the values of all steps of a query together", () => {
    // Of 100,000 values each.
    const times = Float64Array.from({ length: 50_000 }, (_, index) => index)
    const query = Result.getOrThrow(readQuery("vector(1)"))
    let units = 0
    const inParts = makeInParts((more) =>
      Effect.sync(() => {
        units += more
      }),
    )
    const evaluated = evaluate(query, { times, end: 0, lookbackMs }, new Map(), inParts)
    Effect.runSync(Effect.repeat(evaluated, { times: 9 }))
    expect(units).toBe((10 * 100_000) / valuesPerUnit)
  })

  it("spec/promql §2: quantiles take NaN for the smallest value", () => {
    const a = series("a", [3, Number.NaN, 1, Number.NaN, 2])
    expect(valueAt("quantile_over_time(0.5, a[5m])", 240_000, [a])).toBe(1)
    expect(valueAt("quantile_over_time(0.625, a[5m])", 240_000, [a])).toBe(1.5)
    expect(valueAt("quantile_over_time(0.25, a[5m])", 240_000, [a])).toBeNaN()
  })

  it("spec/promql §7: can be stopped between the parts of its work", () => {
    const times = Float64Array.from({ length: 2_000 }, (_, index) => index * 100)
    const query = Result.getOrThrow(readQuery("topk(5, a)"))
    const evaluation = { times, end: 0, lookbackMs }
    const stopped = Effect.gen(function* () {
      const [selection] = yield* selectionsOf(
        query,
        evaluation,
        makeInParts(() => Effect.void),
      )
      const samplesOf = new Map(selection === undefined ? [] : [[selection.selector, many]])
      return yield* evaluate(
        query,
        evaluation,
        samplesOf,
        makeInParts(() => Effect.fail("stopped")),
      )
    })
    expect(Effect.runSync(Effect.result(stopped))).toMatchObject({ failure: "stopped" })
  })

  it("spec/promql §2: evaluates a subquery only at the times within its ranges", () => {
    // Each hour of 30 days.
    const times = Array.from({ length: 721 }, (_, hour) => hour * 3_600_000)
    const a = series(
      "a",
      Array.from({ length: 43_201 }, (_, minute) => minute),
    )
    const value = Result.getOrThrow(run("sum_over_time(a[5m:1m])", times, undefined, [a]))
    const [found] = value.kind === "vector" ? value.series : []
    // Of the minutes 56 to 60; the first range has one minute.
    expect([...(found?.values.subarray(0, 2) ?? [])]).toEqual([0, 290])
    expect(found?.values.at(-1)).toBe(5 * 43_198)
    const overlapping = Result.getOrThrow(
      run("count_over_time(a[90m:1m])", times.slice(0, 4), undefined, [a]),
    )
    expect(overlapping.kind === "vector" && [...(overlapping.series[0]?.values ?? [])]).toEqual([
      1, 61, 90, 90,
    ])
  })

  it("spec/promql §7: does not write values of labels that are too long", () => {
    const joined = (depth: number): string =>
      depth === 0
        ? "a"
        : `label_join(${joined(depth - 1)}, "a", "", ${Array.from({ length: 9 }, () => '"a"').join(", ")})`
    for (const text of [joined(50), `label_replace(${joined(3)}, "a", "${"$1".repeat(900)}", "a", "(.*)")`]) {
      expect(run(text, [0], 0, many), text).toMatchObject({
        failure: { detail: expect.stringMatching(/more than 2000 characters/) },
      })
    }
  })

  it("spec/promql §7: stops before a query goes through too many values", () => {
    const times = Array.from({ length: 11_000 }, (_, index) => index * 1_000)
    const text = Array.from({ length: 20 }, () => "a").join(" + ")
    expect(run(text, times, 0, many)).toMatchObject({
      failure: { detail: expect.stringContaining("would load too many samples") },
    })
    // Before it sorts them.
    expect(run("topk(5, a)", times, 0, many)).toMatchObject({
      failure: { detail: expect.stringContaining("would load too many samples") },
    })
    expect(run("max_over_time(a[30d:1s])", [0], 0, many)).toMatchObject({
      failure: { detail: expect.stringContaining("a subquery may be evaluated at 11000 times") },
    })
  })
})

describe("readQuery", () => {
  it("spec/promql §2: binds offset and @ to the selector before them, and signs less than powers", () => {
    for (const [text, expected] of [
      ["-2 ^ 2", -4],
      ["1 - 2 ^ 2 ^ 0.5", 1 - 2 ** Math.SQRT2],
      ["0x10 + 1_000 + 1h", 16 + 1_000 + 3_600],
      ["-1 + 3 * 2", 5],
    ] as const) {
      expect(Result.getOrThrow(run(text, [0]))).toMatchObject({ values: Float64Array.of(expected) })
    }
    const a = { labels: new Map([["__name__", "a"]]), times: [0, 60_000], values: [2, 5] }
    const value = Result.getOrThrow(run("1 + a offset 1m * 10", [60_000], 60_000, [a]))
    expect(value).toMatchObject({ series: [{ values: Float64Array.of(21) }] })
    const at = Result.getOrThrow(run("1 + a # now\n @ 0 offset -1m * 10", [0], 0, [a]))
    expect(at).toMatchObject({ series: [{ values: Float64Array.of(51) }] })
  })

  it("spec/promql §7: limits the size of all regular expressions of a query", () => {
    const selectors = Array.from({ length: 60 }, (_, index) => `{a=~"${index}(\\\\pL?){90}"}`)
    expect(readQuery(selectors.slice(0, 2).join(" or "))).toMatchObject({ _tag: "Success" })
    expect(readQuery(selectors.join(" or "))).toMatchObject({
      failure: { detail: expect.stringContaining("the regular expressions of the query are too large") },
    })
  })

  it("spec/promql §7: limits the number of selectors of a query", () => {
    const selectors = (count: number) => `(${Array.from({ length: count }, () => "a").join(" or ")})`
    expect(readQuery([50, 50, 50, 50].map(selectors).join(" or "))).toMatchObject({ _tag: "Success" })
    expect(readQuery([50, 50, 50, 51].map(selectors).join(" or "))).toMatchObject({
      failure: { detail: expect.stringContaining("the query has more than 200 selectors") },
    })
  })

  it("spec/promql §6: names what is wrong or not supported, and its place", () => {
    for (const [text, detail] of [
      ["sum(a) +\n histogram_sum(b)", "line 2, column 2: the function histogram_sum is not supported"],
      ["(a) offset 5m", "line 1, column 5: offset and @ are allowed only after a selector"],
      ["a offset 5m offset 5m", "column 13: offset and @ may be given only once"],
      ["a + fill(0) b", "fill is not supported"],
      ["rate(a[5m]) and 1", "and needs series on both sides"],
      ['{a=""}', "column 1: a selector requires at least one matcher"],
      ['a{__name__="b"}', "column 3: the name of the metric must not be given twice"],
      ["a[0s]", "column 3: a duration must be greater than 0"],
      ["a[5m] + 1", "column 1: + needs numbers or series, and this is a range"],
      ["label_replace(a)", "column 1: label_replace needs 5 arguments"],
      ["a + on (x) group_left (x) b", "the label x must not be in on and in group_left at once"],
      [`${"(".repeat(200)}a${")".repeat(200)}`, "nested too deeply"],
      ["a".repeat(10_001), "must be at most 10000 characters long"],
      ['"\\q"', "column 1: this is not a valid string"],
      ["toString(a)", "is not a function of PromQL"],
    ] as const) {
      const read = readQuery(text)
      expect(Result.isFailure(read) ? read.failure.detail : "no error", text).toContain(detail)
    }
  })
})
