import { counterExpression } from "@tocsin/promql"
import { longGapEnds, spreadGaps } from "../../src/data-source/CounterGaps.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const minute = 60_000
const noon = Date.UTC(2026, 0, 30, 12)
/** The end of the minute that begins so many minutes after noon. */
const end = (index: number) => noon + (index + 1) * minute

describe("the expression of a counter", () => {
  it("spec/data-sources §5: counts what each series gained since its last sample, and reads series at their own time", () => {
    const lately = 'last_over_time(a{b!="c"}[5m] offset 1m)'
    const fallen = `(last_over_time(a{b!="c"}[1m]) < ${lately} and last_over_time(a{b!="c"}[1m]) >= ${lately} * 0.95)`
    expect(counterExpression('sum(increase(a{b!="c"}[1m])) + d').events).toBe(
      'sum(((last_over_time(a{b!="c"}[1m]) - last_over_time(a{b!="c"}[1h] offset 1m) >= 0)' +
        ` or (clamp_min(${lately} - last_over_time(a{b!="c"}[5m] offset 2m), 0) and ${fallen}) or (${fallen} * 0)` +
        ' or ((last_over_time(a{b!="c"}[1m]) >= increase(a{b!="c"}[1m])) and last_over_time(a{b!="c"}[1h] offset 1m))' +
        ' or increase(a{b!="c"}[1m])' +
        ' or (last_over_time(a{b!="c"}[1m]) and last_over_time(a{b!="c"}[1h] offset 1m)))) + last_over_time(d[1m])',
    )
  })

  it("spec/data-sources §12: compares native histograms by their counts, and subtracts them whole", () => {
    const [now, before] = ["last_over_time(h[1m])", "last_over_time(h[1h] offset 1m)"]
    const growth = [
      `((${now} - ${before}) and (histogram_count(${now}) - histogram_count(${before}) >= 0))`,
      `(${now} and (histogram_count(${now}) >= histogram_count(increase(h[1m]))) and ${before})`,
      "increase(h[1m])",
      `(${now} and ${before})`,
    ].join(" or ")
    for (const call of ["histogram_count(", "histogram_fraction(0, 1, ", "histogram_quantile(0.9, "]) {
      expect(counterExpression(`${call}sum(increase(h[1m])))`).events).toBe(`${call}sum((${growth})))`)
    }
    const lately = "last_over_time(h[5m] offset 1m)"
    const count = (histogram: string) => `histogram_count(${histogram})`
    const fallen = `(${count(now)} < ${count(lately)} and ${count(now)} >= ${count(lately)} * 0.95)`
    expect(counterExpression("sum by (a) (histogram_count(increase(h[1m])))").events).toBe(
      `sum by (a) (((${count(now)} - ${count(before)} >= 0)` +
        ` or (clamp_min(${count(lately)} - ${count("last_over_time(h[5m] offset 2m)")}, 0) and ${fallen}) or (${fallen} * 0)` +
        ` or ((${count(now)} >= ${count("increase(h[1m])")}) and ${count(before)})` +
        ` or ${count("increase(h[1m])")} or (${count(now)} and ${count(before)})))`,
    )
    const classic = "histogram_quantile(0.9, sum by (le) (increase(h_bucket[1m])))"
    expect(counterExpression(classic).events).toContain("last_over_time(h_bucket[1h] offset 1m) >= 0)")
    expect(counterExpression(classic).events).not.toContain("histogram_count")
  })

  it.each([
    ["orders:increase1m", "last_over_time(orders:increase1m[1m])"],
    ["sum by (a) (x) or vector(0)", "sum by (a) (last_over_time(x[1m])) or vector(0)"],
    ['{__name__="x"}', 'last_over_time({__name__="x"}[1m])'],
  ])("spec/data-sources §5: reads the series %s within the minute", (expression, written) => {
    expect(counterExpression(expression)).toEqual({ events: written, value: written })
  })

  it.each([
    "last_over_time(rule[1m])",
    "increase(x[5m])",
    "increase(x[1m] offset 5m)",
    "sum(x) offset 1m",
    "x @ 1234",
    "max_over_time(rate(x[1m])[1h:1m])",
    "vector(1)",
    "sum(increase(",
    "sum(increase(x[1m])))",
    "",
  ])("spec/data-sources §5: leaves %j as it is", (expression) => {
    expect(counterExpression(expression)).toEqual({ events: expression, value: expression })
  })

  it("spec/data-sources §11: keeps rates as written where it is a value, so that a gap raises none", () => {
    expect(counterExpression("sum(rate(errors_total[1m])) / workers").value).toBe(
      "sum(rate(errors_total[1m])) / last_over_time(workers[1m])",
    )
  })

  it("spec/data-sources §5: says a rate by the second", () => {
    expect(counterExpression("sum(rate(x[60s])) * 60").events).toMatch(/^sum\(\(\(.*\) \/ 60\)\) \* 60$/)
  })
})

describe("what counters gain over a gap", () => {
  it("spec/data-sources §5: is spread evenly over its time", () => {
    const samples = [
      { at: end(0), value: 50 },
      { at: end(4), value: 640 },
    ]
    const spread = spreadGaps(samples, [{ at: end(4), events: 540, from: noon + minute / 2 }])
    expect(spread.map(({ at, value }) => [(at - noon) / minute, Math.round(value)])).toEqual([
      [1, 110],
      [2, 120],
      [3, 120],
      [4, 120],
      [5, 220],
    ])
  })

  it("spec/data-sources §5: is as much as before, whatever gaps there are", () => {
    const values = fc.array(fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: undefined }), {
      maxLength: 30,
    })
    const gaps = fc.array(
      fc.record({
        index: fc.nat(29),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
        seconds: fc.integer({ min: 61, max: 5_000 }),
      }),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(values, gaps, (found, wanted) => {
        const samples = found.flatMap((value, index) =>
          value === undefined ? [] : [{ at: end(index), value }],
        )
        const seen = new Set<number>()
        const some = wanted.flatMap(({ index, share, seconds }) => {
          const sample = samples.find(({ at }) => at === end(index))
          if (sample === undefined || seen.has(index)) return []
          seen.add(index)
          return [{ at: sample.at, events: sample.value * share, from: sample.at - seconds * 1_000 }]
        })
        // In the order in which they ended, so that what one adds to a minute is not taken by the next one.
        const ordered = some.toSorted((a, b) => a.at - b.at)
        const sum = (all: ReadonlyArray<{ readonly value: number }>) =>
          all.reduce((total, { value }) => total + value, 0)
        const spread = spreadGaps(samples, ordered)
        expect(sum(spread)).toBeCloseTo(sum(samples), 5)
        expect(spread.every(({ value }) => value >= 0)).toBe(true)
        expect(spread.map(({ at }) => at)).toEqual(
          [...new Set(spread.map(({ at }) => at))].toSorted((a, b) => a - b),
        )
      }),
    )
  })

  it("spec/data-sources §5: is looked for where there were no samples for an hour, or at the start", () => {
    const samples = (...indexes: ReadonlyArray<number>) =>
      indexes.map((index) => ({ at: end(index), value: 1 }))
    expect(longGapEnds(samples(0, 1, 2), noon, new Set())).toEqual([])
    expect(longGapEnds(samples(5, 6), noon, new Set())).toEqual([end(5)])
    expect(longGapEnds(samples(5, 6), noon, new Set([end(5)]))).toEqual([])
    expect(longGapEnds(samples(0, 60, 121), noon, new Set())).toEqual([end(121)])
    expect(longGapEnds([], noon, new Set())).toEqual([])
  })
})
