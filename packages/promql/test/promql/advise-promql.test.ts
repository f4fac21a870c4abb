import { checkPromQl, promqlAdvisor } from "@tocsin/promql"
import type { QueryUse } from "@tocsin/domain/definitions"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const adviceOf = (expression: string, use: QueryUse = "good") =>
  promqlAdvisor.advise(expression, use).map(({ code, suggestion }) => [code, suggestion])

describe("advice about queries for events", () => {
  it.each([
    ["sum(increase(a[1m]))"],
    ["sum(increase(a[60s]))"],
    ["sum(rate(a[1m])) * 60"],
    ["60 * sum by (le) (rate(a[1m]))"],
    ["sum(count_over_time(probe[1m])) - sum(sum_over_time(probe[1m]))"],
    ["sum(job:errors:increase1m) or vector(0)"],
    ["count(rate(a[5m]) > 0.5)"],
    ["sum(rate(a[5m]) > bool 0.5)"],
    ["histogram_quantile(0.9, sum by (le) (rate(a_bucket[5m])))"],
    ["max_over_time(sum(rate(a[5m]))[1h:1m])"],
    ["sum(increase(a[1m])) and on () (rate(b_total[5m]) > 0)"],
    ["sum(queue_length)"],
    ["sum(increase(a[1m])) * (sum(rate(b[5m])) / sum(rate(c[5m])))"],
    ["1"],
    ["sum(rate(a[5m])"],
  ])("%s is right", (expression) => {
    expect(adviceOf(expression)).toEqual([])
  })

  it.each([
    ["sum(rate(a[5m]))", "rate_not_count", "sum(increase(a[1m]))"],
    ["sum(rate(a[1m]))", "rate_not_count", "sum(increase(a[1m]))"],
    ["sum(irate(a[1m]))", "rate_not_count", "sum(increase(a[1m]))"],
    ["sum(irate(a[5m])) * 60", "rate_not_count", "sum(rate(a[1m])) * 60"],
    ["sum(increase(a[5m]))", "range_not_one_minute", "sum(increase(a[1m]))"],
    ["sum(increase(a[30s]))", "range_not_one_minute", "sum(increase(a[1m]))"],
    ["sum(increase(a[1h30m]))", "range_not_one_minute", "sum(increase(a[1m]))"],
    ["sum(rate(a[5m])) * 60", "range_not_one_minute", "sum(rate(a[1m])) * 60"],
    ["sum(rate(a[5m])) * 300", "range_not_one_minute", "sum(rate(a[1m])) * 60"],
    ["sum(increase(a[5m])) / 5", "range_not_one_minute", "sum(increase(a[1m]))"],
    ["0.2 * sum(increase(a[5m]))", "range_not_one_minute", "sum(increase(a[1m]))"],
    ["sum(increase(a[1m])) / 60", "rate_not_count", "sum(increase(a[1m]))"],
    ["sum(count_over_time(probe[5m]))", "range_not_one_minute", "sum(count_over_time(probe[1m]))"],
    ["sum(a_total)", "counter_without_increase", "sum(increase(a_total[1m]))"],
    ["a_count offset 5m", "counter_without_increase", "increase(a_count[1m] offset 5m)"],
    ["1 + a_count offset 5m @ 3", "counter_without_increase", "1 + increase(a_count[1m] offset 5m @ 3)"],
    ["sum(job:errors:rate5m)", "rate_not_count", "sum((job:errors:rate5m * 60))"],
    ["sum(job:errors:increase5m)", "range_not_one_minute", "sum((job:errors:increase5m / 5))"],
    ['sum(rate(a{b="[5m]"} [ 5m ] offset 1h))', "rate_not_count", 'sum(increase(a{b="[5m]"}[1m] offset 1h))'],
    ["sum(rate(a[5m:1m]))", "rate_not_count", "sum(increase(a[1m]))"],
    ["sum(rate(sum(a)[5m:1m]))", "rate_not_count", undefined],
    [
      "sum(rate(a[5m])) - sum(rate(b[5m])) or vector(0)",
      "rate_not_count",
      "sum(increase(a[1m])) - sum(increase(b[1m])) or vector(0)",
    ],
    ["sum(rate(a[5m]) > 2)", "rate_not_count", "sum(increase(a[1m]) > 120)"],
    ["clamp_max(rate(a[5m]), -0.5)", "rate_not_count", "clamp_max(increase(a[1m]), -30)"],
    [
      'label_replace(rate(a[5m]), "x", "$1", "y", "(.*)")',
      "rate_not_count",
      'label_replace(increase(a[1m]), "x", "$1", "y", "(.*)")',
    ],
    ["sum(rate(a[5m])) # of all", "rate_not_count", "sum(increase(a[1m])) # of all"],
    [
      "(sum(rate(a[1m])) + sum(rate(b[5m]))) * 60",
      "range_not_one_minute",
      "(sum(rate(a[1m])) + sum(rate(b[1m]))) * 60",
    ],
    ["sum(increase(a[1m])) / sum(increase(b[1m]))", "ratio_not_count", "sum(increase(a[1m]))"],
    ["(sum(rate(a[5m])) / sum(rate(b[5m])))", "ratio_not_count", "sum(increase(a[1m]))"],
    ["1 - sum(rate(a[5m])) / sum(rate(b[5m]))", "ratio_not_count", undefined],
    ['sum(increase(a{job="$job"}[1m]))', "foreign_placeholder", "sum(increase(a{}[1m]))"],
    [
      'sum(increase(a{code="2", job=~"${job:regex}"}[1m]))',
      "foreign_placeholder",
      'sum(increase(a{code="2"}[1m]))',
    ],
    [
      'sum(increase(a{job="{{ .Labels.job }}", code="2"}[1m]))',
      "foreign_placeholder",
      'sum(increase(a{code="2"}[1m]))',
    ],
  ])("%s: %s, %s", (expression, code, suggestion) => {
    expect(adviceOf(expression)).toEqual([[code, suggestion]])
  })

  it("names every kind of problem of one query, each with the whole correction", () => {
    const suggestion = "sum(increase(a[1m])) - sum(increase(b[1m]))"
    expect(adviceOf("sum(rate(a[5m])) - sum(increase(b[5m]))")).toEqual([
      ["rate_not_count", suggestion],
      ["range_not_one_minute", suggestion],
    ])
  })

  it("takes the denominator of a ratio for all events", () => {
    expect(adviceOf("sum(rate(a[5m])) / sum(rate(b[5m]))", "total")).toEqual([
      ["ratio_not_count", "sum(increase(b[1m]))"],
    ])
  })

  it("asks for the counter itself where its increase is computed", () => {
    expect(adviceOf("sum(a_total)", "counter")).toEqual([])
    expect(adviceOf("sum(rate(a_total[5m] offset 1m))", "counter")).toEqual([
      ["increase_of_increase", "sum(a_total offset 1m)"],
    ])
  })

  it("leaves values alone that are compared", () => {
    expect(adviceOf("sum(rate(a[5m])) / sum(rate(b[5m]))", "value")).toEqual([])
  })

  it("does not take the end of a regular expression for a placeholder", () => {
    expect(adviceOf('sum(increase(a{b=~"^x$|y$", c=~"[[:alpha:]]+", d=~"a{2}"}[1m]))')).toEqual([])
  })
})

describe("one series", () => {
  it.each([
    ["rate(a[5m])", "sum(rate(a[5m]))"],
    ["sum by (job) (a)", "sum(a)"],
    ["sum(a) by (job)", "sum(a)"],
    ["sum(a) without (job) ", "sum(a) "],
    ["topk(3, a)", "sum(topk(3, a))"],
    ["sum(a)", undefined],
    ["vector(1)", undefined],
    ["a # all", "sum(a # all\n)"],
    ["a -", undefined],
  ])("%s becomes %s", (expression, expected) => {
    expect(promqlAdvisor.oneSeries(expression, "good")).toBe(expected)
  })
})

/** Expressions around selectors, as people write them. */
const expressions = fc.letrec<{ readonly any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc
      .record({
        name: fc.constantFrom("rate", "irate", "increase", "count_over_time", "sum_over_time", "changes"),
        series: fc.constantFrom("a_total", 'b{c="d"}', "e:f:rate5m", '{__name__="g"}', 'h{i="$j"}'),
        range: fc.constantFrom("1m", "5m", "30s", "60s", "1h", "2m30s"),
        move: fc.constantFrom("", "", " offset 5m", " @ 10"),
      })
      .map(({ name, series, range, move }) => `${name}(${series}[${range}]${move})`),
    fc.constantFrom("a_total", "x", "e:f:rate5m", "e:f:increase5m", "h_bucket offset 1m", "vector(0)", "7"),
    tie("any").map((inner) => `sum(${inner})`),
    tie("any").map((inner) => `sum by (c) (${inner})`),
    tie("any").map((inner) => `(${inner})`),
    tie("any").map((inner) => `clamp_min(${inner}, 2)`),
    fc
      .tuple(tie("any"), fc.constantFrom("+", "-", "*", "/", "or", "and", ">", "> bool", "^"), tie("any"))
      .map((parts) => parts.join(" ")),
    fc
      .tuple(tie("any"), fc.constantFrom("* 60", "/ 60", "/ 5", "* 300", "* 0.2", "> 3", "* 2"))
      .map((parts) => parts.join(" ")),
  ),
}))

it("every suggestion is valid, and nothing of its kind is wrong with it", () => {
  fc.assert(
    fc.property(
      expressions.any,
      fc.constantFrom<QueryUse>("good", "bad", "total", "counter", "value"),
      (expression, use) => {
        fc.pre(checkPromQl(expression).length === 0)
        for (const { code, suggestion } of promqlAdvisor.advise(expression, use)) {
          if (suggestion === undefined) continue
          expect(checkPromQl(suggestion)).toEqual([])
          expect(promqlAdvisor.advise(suggestion, use).map((each) => each.code)).not.toContain(code)
        }
        const one = promqlAdvisor.oneSeries(expression, use)
        if (one === undefined) return
        expect(checkPromQl(one)).toEqual([])
        expect(promqlAdvisor.oneSeries(one, use)).toBeUndefined()
      },
    ),
    { numRuns: 1_000 },
  )
})

it("does not exhaust the stack on a query that is nested deeply", () => {
  const deep = `${"(".repeat(4_000)}a${")".repeat(4_000)}`
  for (const text of [deep, `${"-".repeat(9_000)}a`, `sum(${"rate(a[5m]) + ".repeat(600)}a)`])
    expect(() => promqlAdvisor.advise(text, "good")).not.toThrow()
})

describe("placeholders of other tools where no text is", () => {
  it.each([
    [
      "sum(rate(a[$__rate_interval]))",
      "column 12: $__rate_interval is a placeholder",
      "the range, such as 1m",
    ],
    ["sum(rate(a[{{.window}}]))", "column 12: {{.window}} is a placeholder", "the range, such as 1m"],
    ["sum(rate(a[${window}]))", "column 12: ${window} is a placeholder", "the range, such as 1m"],
    ["sum(increase($metric[1m]))", "column 14: $metric is a placeholder", "what it stands for"],
    ["a{job=$job}", "column 7: $job is a placeholder", "what it stands for"],
  ])("%s is an error that names it", (expression, place, hint) => {
    const [problem = ""] = checkPromQl(expression)
    expect(problem).toContain(place)
    expect(problem).toContain(hint)
  })
})
