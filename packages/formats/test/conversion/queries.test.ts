import * as Result from "effect/Result"
import { promqlParser } from "@tocsin/promql"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { converted, type Plain } from "./conversion.ts"

const slothOf = (sli: object) => ({
  version: "prometheus/v1",
  service: "gateway",
  slos: [
    {
      name: "answered",
      objective: 99,
      sli,
      alerting: { page_alert: { disable: true }, ticket_alert: { disable: true } },
    },
  ],
})

const convert = (sli: object) => {
  const { slos, notes, isComplete } = converted([slothOf(sli)])
  const { url: _, ...indicator } = slos[0]?.spec.indicator.prometheus ?? {}
  return {
    indicator: slos[0] === undefined ? undefined : (indicator as Plain),
    value: slos[0]?.spec.objectives[0].value,
    notes: notes
      .filter((note) => !note.includes("0 service: "))
      .map((note) => note.replace(/^0 slos\[0\](?:\.sli\.)?/, "")),
    isComplete,
  }
}

const eventsOf = (error_query: string, total_query: string) =>
  convert({ events: { error_query, total_query } })

const w = "[{{.window}}]"

describe("converting the queries of other programs", () => {
  it.each([
    ["a prefix", `sum by (region, app) (rate(e_total${w}))`, `sum by (region, app) (rate(r_total${w}))`],
    ["a suffix", `sum(rate(e_total${w})) by (region, app)`, `sum(rate(r_total${w})) by (region, app)`],
    [
      "several lines",
      `sum(\n  rate(e_total${w})\n)\nby (region, app)`,
      `(sum by(region,app)(rate(r_total${w})))`,
    ],
    [
      "a sum",
      `sum by (region, app) (rate(e_total${w})) + sum by (region, app) (rate(f_total${w}))`,
      `sum by (region, app) (rate(r_total${w}))`,
    ],
    [
      "a function",
      `clamp_min(sum by (region, app) (rate(e_total${w})), 0)`,
      `sum by (region, app) (rate(r_total${w}))`,
    ],
    [
      "a factor",
      `0.5 * sum by (region, app) (rate(e_total${w}))`,
      `sum by (region, app) (rate(r_total${w})) / 2`,
    ],
    [
      "a default",
      `sum by (region, app) (rate(e_total${w})) or vector(0)`,
      `sum by (region, app) (rate(r_total${w})) or on() vector(0)`,
    ],
    [
      "a new label",
      `sum by (region, app) (label_replace(rate(e_total${w}), "app", "$1", "pod", "(.+)-.*"))`,
      `sum by (region, app) (rate(r_total${w}))`,
    ],
    [
      "nested sums",
      `sum by (region, app) (sum by (region, app, pod) (rate(e_total${w})))`,
      `sum by (region, app, pod) (rate(r_total{pod="a"}${w}))`,
    ],
    [
      "matching",
      `sum by (region, app) (rate(a_total${w})) - on (region, app) sum by (region, app) (rate(b_total${w}))`,
      `sum by (region, app) (rate(r_total${w}))`,
    ],
  ])("spec/openslo §7: the labels of by become groupBy, with %s", (_, errors, total) => {
    const { indicator, isComplete } = eventsOf(errors, total)
    expect([isComplete, indicator?.groupBy]).toEqual([true, ["region", "app"]])
    for (const query of [indicator?.bad, indicator?.total]) {
      expect(query).not.toContain("rate(")
      expect(query).not.toContain("vector(0)")
    }
  })

  it("spec/openslo §7: a group without errors has none, if there are any errors at all", () => {
    const total = `sum by (app) (rate(r_total${w}))`
    const [all, own, other] = [
      "sum by (app) (increase(r_total[1m]))",
      'sum by (app) (increase(r_total{code="500"}[1m]))',
      "sum by (app) (increase(e_total[1m]))",
    ]
    expect(eventsOf(`sum by (app) (rate(r_total{code="500"}${w}))`, total).indicator).toEqual({
      bad: `(${own}) or (${all}) * 0`,
      total: all,
      groupBy: ["app"],
    })
    expect(eventsOf(`sum by (app) (rate(e_total${w}))`, total).indicator.bad).toBe(
      `(${other}) or ((${all}) * 0 and on() (${other}))`,
    )
  })

  it.each([
    ['job="a"', "job"],
    ["job='a'", "job"],
    ['job=~"a"', "job"],
    ['job="a",env=`b`', "job, env"],
  ])("spec/openslo §7: labels that {%s} makes constant are no groups", (matchers, by) => {
    const query = (more: string) => `sum by (${by}) (rate(r_total{${matchers}${more}}${w}))`
    const { indicator, notes } = eventsOf(query(',code="500"'), query(""))
    expect(notes).toEqual([])
    expect(indicator).not.toHaveProperty("groupBy")
    expect(indicator.total).toBe(`sum(sum by (${by}) (increase(r_total{${matchers}}[1m])))`)
    const grouped = (more: string) => query(more).replace("by (", "by (region, ")
    expect(eventsOf(grouped(',code="500"'), grouped("")).indicator.groupBy).toEqual(["region"])
  })

  it.each([
    ["no regular expression of one value", 'sum by (job) (rate(r_total{job=~"a|b"}W))', ["job"]],
    [
      "a constant of one side only",
      'sum by (job) (rate(r_total{job="a"}W)) + sum by (job) (rate(r_total{job="b"}W))',
      ["job"],
    ],
    [
      "a label that is replaced by a constant",
      'sum by (job) (label_replace(rate(r_totalW), "job", "x", "", ""))',
      undefined,
    ],
    [
      "a label that is replaced by another",
      'sum by (job) (label_replace(rate(r_total{job="a"}W), "job", "$1", "pod", "(.*)"))',
      ["job"],
    ],
    ["eight labels", "sum by (a, b, c, d, e, f, g, h) (rate(r_totalW))", [..."abcdefgh"]],
  ])("spec/openslo §7: %s", (_, query, groupBy) => {
    const text = query.replaceAll("W", w)
    const { indicator, isComplete } = eventsOf(text, text)
    expect([isComplete, indicator.groupBy]).toEqual([true, groupBy])
  })

  it.each([
    ["a selector without an aggregation", `rate(r_total${w})`],
    ["without", `sum without (pod) (rate(r_total${w}))`],
    ["some of the series", `topk(3, rate(r_total${w}))`],
    ["a join with other series", `rate(r_total${w}) * on (pod) group_left (team) kube_pod_labels`],
  ])("spec/openslo §7: %s is added up, with a note", (_, query) => {
    const { indicator, notes, isComplete } = eventsOf(query, query)
    expect(isComplete).toBe(true)
    expect(indicator.total).toBe(
      `sum(${query.replaceAll("rate", "increase").replaceAll("{{.window}}", "1m")})`,
    )
    expect(indicator).not.toHaveProperty("groupBy")
    expect(notes.map((note) => note.replace(/whose sum .*/, "…"))).toEqual([
      "events.error_query: returns a series for each combination of labels, …",
      "events.total_query: returns a series for each combination of labels, …",
    ])
  })

  it("spec/openslo §7: queries that are grouped by other labels are grouped by the common ones, with a note", () => {
    const { indicator, notes } = eventsOf(
      `sum by (app, code) (rate(r_total{code=~"5.."}${w}))`,
      `sum by (app) (rate(r_total${w}))`,
    )
    expect(indicator.groupBy).toEqual(["app"])
    expect(indicator.bad).toMatch(/^\(sum by \(app\) \(sum by \(app, code\) /)
    expect(notes).toEqual([
      "events.error_query: is grouped by different labels than the other query (app, code, and app), so that it would have no data; both are grouped by app",
    ])
  })

  it.each([
    [
      "labels of the sides differ",
      `sum by (app) (rate(e_total${w})) / sum(rate(r_total${w}))`,
      "the labels of its sides differ",
    ],
    [
      "nine labels",
      `sum by (a, b, c, d, e, f, g, h, i) (rate(e_total${w}))`,
      "it is grouped by 9 labels, and groupBy has at most 8",
    ],
    [
      "a range of an expression",
      `sum_over_time(probe_success == 0${w})`,
      "is not valid PromQL at line 1, column 33: a range is allowed only after a series",
    ],
    [
      "a missing parenthesis",
      `sum(\n  rate(e_total${w})`,
      'is not valid PromQL at line 2, column 29: a ")" is missing',
    ],
    ["no series", "1", "its query has no range [{{.window}}]"],
    ["a range in a comment", "sum(e_total) # [{{.window}}]", "its query has no range [{{.window}}]"],
    [
      "a name with the window",
      `avg(slo:sli_error:ratio_rate{{.window}}{slo="a"})`,
      "the name of its metric depends on the window",
    ],
    [
      "a label with the window",
      `sum(rate(e_total{w="{{.window}}"}${w}))`,
      "one of its strings depends on the window",
    ],
    [
      "another placeholder",
      "sum(rate(e_total[{{.lag}}]))",
      "its query has a placeholder other than {{.window}}",
    ],
    [
      "a variable of Grafana",
      `sum(rate(e_total${w} offset $__interval))`,
      "its query has a placeholder; it must be complete PromQL",
    ],
    ["irate", `sum(irate(e_total${w}))`, "irate does not give a number of events"],
    [
      "too much nesting",
      `${"(".repeat(400)}sum(rate(e_total${w}))${")".repeat(400)}`,
      "its parts are nested more than 300 deep",
    ],
  ])("spec/openslo §1: an SLO with %s is omitted, with the place and the reason", (_, query, why) => {
    const { indicator, notes, isComplete } = eventsOf(query, query)
    expect([indicator, isComplete]).toEqual([undefined, false])
    expect(notes.some((note) => note.startsWith("events.") && note.includes(why))).toBe(true)
  })

  it.each([["{{.window}}"], ["{{ .window }}"], ["{{- .window -}}"], ["{{  $.window}}"]])(
    "spec/openslo §7: %s is the window",
    (variable) => {
      expect(eventsOf(`sum(rate(a[${variable}]))`, `sum(rate(a[${variable}]))`).indicator.total).toBe(
        "sum(increase(a[1m]))",
      )
    },
  )

  it.each([
    ["at the end", `sum(rate(r_total{code="5"}${w})) # errors`, 'sum(increase(r_total{code="5"}[1m]))'],
    ["between", `sum( # all\n  rate(r_total${w}) # {{.lag}}\n)`, "sum(\n  increase(r_total[1m])\n)"],
    ["before", `# errors (\nsum(rate(r_total${w}))`, "sum(increase(r_total[1m]))"],
    ["in a string", `sum(rate(r_total{path="/#a"}${w}))`, 'sum(increase(r_total{path="/#a"}[1m]))'],
    [
      "after a string with a quotation mark",
      `sum(rate(r_total{path='"#'}${w})) # x`,
      "sum(increase(r_total{path='\"#'}[1m]))",
    ],
  ])("spec/openslo §7: comments are removed: %s", (_, query, expected) => {
    const { indicator } = eventsOf(query, query)
    expect([indicator.bad, indicator.total]).toEqual([`(${expected}) or vector(0)`, expected])
  })

  const rates = `sum(rate(r_total${w}))`

  it.each([
    ["a limit", `(sum(rate(e_total${w})) > 0.5) or vector(0)`],
    ["a minimum", `clamp_min(sum(rate(e_total${w})), 0.1)`],
    ["a constant", `sum(rate(e_total${w})) + 1`],
    ["a comparison of each series", `sum(rate(e_total${w}) > 2)`],
    ["a bool", `sum(rate(e_total${w})) > bool 0.5`],
    ["a default", `sum(rate(e_total${w})) or vector(1)`],
    ["rounding", `ceil(sum(rate(e_total${w})))`],
    ["a number of series", `count(rate(e_total${w}) > 0)`],
    ["a quotient", `sum(rate(e_total${w})) / sum(rate(f_total${w})) * 3`],
    ["a power", `sum(rate(e_total${w})) ^ 2`],
  ])("spec/openslo §7: a query with %s is multiplied by 60, as rates are", (_, query) => {
    const { indicator, notes } = eventsOf(query, rates)
    expect(indicator.bad).toBe(`(${query.replaceAll("{{.window}}", "1m")}) * 60`)
    expect(indicator.total).toBe("sum(increase(r_total[1m]))")
    expect(
      notes.some((note) => note.startsWith("events.error_query: compares or limits a rate per second")),
    ).toBe(true)
  })

  it.each([
    [`sum(rate(r_total${w})) > 0`],
    [`clamp_min(sum(rate(r_total${w})) - sum(rate(r_total{code="200"}${w})), 0)`],
    [`sum(rate(r_total${w})) * 0.2`],
    [`sum(rate(r_total${w}) * on (pod) group_left () kube_pod_info)`],
    [`sum(rate(r_total${w}) and on (pod) up)`],
    [`sum(label_replace(rate(r_total${w}), "a", "b", "c", "d"))`],
    [`sum(rate(r_total${w} offset 5m))`],
    [`-sum(rate(r_total${w}))`],
    [`max(sum by (pod) (rate(r_total${w})))`],
    [`sum_over_time(sum(rate(r_total${w}))[1m:])`],
  ])("spec/openslo §7: %s becomes an increase", (query) => {
    const expected = query.replaceAll("rate(", "increase(").replaceAll("{{.window}}", "1m")
    const { indicator, notes } = eventsOf(query, query)
    expect([indicator.total, notes]).toEqual([expected, []])
  })

  it("spec/openslo §7: a query without events is multiplied by 60 beside a rate, and not beside events", () => {
    const capacity = `avg(avg_over_time(capacity${w}))`
    expect(eventsOf(rates, capacity).indicator.total).toBe("(avg(avg_over_time(capacity[1m]))) * 60")
    expect(eventsOf(`sum(increase(r_total${w}))`, capacity).indicator.total).toBe(
      "avg(avg_over_time(capacity[1m]))",
    )
    const counted = `sum(count_over_time(up${w}))`
    expect(eventsOf(`sum(sum_over_time(up${w}))`, counted).indicator).toEqual({
      bad: "(sum(sum_over_time(up[1m]))) or vector(0)",
      total: "sum(count_over_time(up[1m]))",
    })
  })

  it("spec/openslo §7: events per second by a number of events are kept as they are, with a note", () => {
    const counted = `sum(increase(r_total${w}))`
    for (const [bad, total] of [
      [`${rates} * 60`, counted],
      [counted, `${rates} * 60`],
    ] as const) {
      const { indicator, notes } = eventsOf(bad, total)
      expect([indicator.bad, indicator.total]).toEqual([
        `(${bad.replace("{{.window}}", "1m")}) or vector(0)`,
        total.replace("{{.window}}", "1m"),
      ])
      expect(notes).toEqual([expect.stringContaining("both are kept as they are, over one minute")])
    }
  })

  it.each([
    ['le="1000000"', 'le=~"1000000|1000000\\\\.0|1e\\\\+06"'],
    ['le="1e+06"', 'le=~"1000000|1000000\\\\.0|1e\\\\+06"'],
    ['le="1.00"', 'le=~"1\\\\.00|1|1\\\\.0"'],
    ['le=~"1|2"', 'le=~"1|1\\\\.0|2|2\\\\.0"'],
    ['le!~"0.5|1"', 'le!~"0.5|0\\\\.5|1|1\\\\.0"'],
    ['le="0.00001"', 'le=~"0\\\\.00001|1e-05"'],
    ['le="0.25"', 'le="0.25"'],
    ['le="+Inf"', 'le="+Inf"'],
    ['le=~"1.*"', 'le=~"1.*"'],
  ])("spec/openslo §7: the bound %s is read however it is written", (written, expected) => {
    const query = (matcher: string) => `sum(rate(seconds_bucket{job="b",${matcher}}${w}))`
    const { indicator } = eventsOf(query('le="0.25"'), query(written))
    expect(indicator.total).toBe(`sum(increase(seconds_bucket{job="b",${expected}}[1m]))`)
  })

  it("spec/openslo §7: or vector(0) is added only where a missing series means no errors", () => {
    const bad = (query: string) => eventsOf(query, rates)
    expect(bad(`sum(rate(r_total{code="5"}${w}))`).indicator.bad).toMatch(/\) or vector\(0\)$/)
    const other = bad(`sum(rate(e_total${w}))`)
    expect(other.indicator.bad).toBe("sum(increase(e_total[1m]))")
    expect(other.notes).toEqual([expect.stringContaining("events.error_query: selects metrics that")])
    const given = bad(`sum(rate(e_total${w})) or on() vector(0)`)
    expect([given.indicator.bad, given.notes]).toEqual(["sum(increase(e_total[1m])) or on() vector(0)", []])
  })

  const seconds = (suffix: string, matchers = "") => `sum(rate(seconds_${suffix}{job="a"${matchers}}${w}))`

  it.each([
    ["count", seconds("count"), 0.5, "0.5"],
    ["+Inf", seconds("bucket", ',le="+Inf"'), 1, "1"],
    ["count and 1.0", seconds("count"), 1, "1.0"],
    ["another order", `sum(rate(seconds_count{job="a"}${w}))`, 250, "250"],
  ])("spec/openslo §7: a latency becomes a histogram: %s", (_, total, value, le) => {
    const { indicator, ...rest } = eventsOf(`${total} - ${seconds("bucket", `,le="${le}"`)}`, total)
    expect([indicator, rest.value, rest.notes]).toEqual([
      { histogram: { series: 'seconds{job="a"}' } },
      value,
      [],
    ])
    const defaulted = eventsOf(`(${total} - ${seconds("bucket", `,le="${le}"`)}) or vector(0)`, total)
    expect(defaulted).toMatchObject({ indicator, value })
  })

  it("spec/openslo §7: a latency by groups becomes a histogram with groupBy", () => {
    const query = (suffix: string, matchers = "") => `sum(rate(seconds_${suffix}${matchers}${w})) by (app)`
    expect(eventsOf(`${query("count")} - ${query("bucket", '{le="1"}')}`, query("count"))).toMatchObject({
      indicator: { histogram: { series: "seconds" }, groupBy: ["app"] },
      value: 1,
    })
  })

  it("spec/openslo §7: a bound of another query is read in both spellings, and never hidden by vector(0)", () => {
    const total = seconds("count", ',code="200"')
    const { indicator } = eventsOf(`${seconds("count")} - ${seconds("bucket", ',le="1"')}`, total)
    expect(indicator.bad).toBe(
      'sum(increase(seconds_count{job="a"}[1m])) - sum(increase(seconds_bucket{job="a",le=~"1|1\\\\.0"}[1m]))',
    )
    const not = eventsOf(seconds("bucket", ',le!="1.0"'), seconds("bucket", ',le="0.25"'))
    expect(not.indicator.total).toContain('le="0.25"')
    expect(not.indicator.bad).toContain('le!~"1|1\\\\.0"')
  })

  it.each([
    [
      "one series",
      `1 - avg(avg_over_time(up${w}))`,
      { bad: "1 - avg(avg_over_time(up[1m]))", total: "vector(1)" },
    ],
    [
      "groups",
      `1 - avg by (app) (avg_over_time(up${w}))`,
      {
        bad: "1 - avg by (app) (avg_over_time(up[1m]))",
        total: "(1 - avg by (app) (avg_over_time(up[1m]))) * 0 + 1",
        groupBy: ["app"],
      },
    ],
    ["any series", `avg_over_time(usage${w})`, { bad: "avg(avg_over_time(usage[1m]))", total: "vector(1)" }],
    [
      "a constant label",
      `1 - avg by (app) (avg_over_time(up{app="x"}${w}))`,
      {
        bad: 'avg(1 - avg by (app) (avg_over_time(up{app="x"}[1m])))',
        total: "vector(1)",
      },
    ],
    [
      "rates",
      `sum(rate(e${w})) / sum(rate(r${w}))`,
      { bad: "sum(rate(e[1m])) / sum(rate(r[1m]))", total: "vector(1)" },
    ],
    [
      "both spellings",
      `1 - sum(rate(s_bucket{le="2"}${w})) / sum(rate(s_count${w}))`,
      {
        bad: '1 - sum(rate(s_bucket{le=~"2|2\\\\.0"}[1m])) / sum(rate(s_count[1m]))',
        total: "vector(1)",
      },
    ],
  ])("spec/openslo §7: a raw ratio of %s", (_, error_ratio_query, expected) => {
    expect(convert({ raw: { error_ratio_query } }).indicator).toEqual(expected)
  })

  /** Expressions of these shapes, each with the labels that its series have. */
  const leaf = fc.constantFrom("r_total", "e_total", 'r_total{code=~"5.."}', 'r_total{job="a"}')
  const labels = fc.uniqueArray(fc.constantFrom("job", "app", "region", "code"), { maxLength: 3 })
  const { query } = fc.letrec<{ query: string }>((tie) => ({
    query: fc.oneof(
      { maxDepth: 3 },
      leaf.map((series) => `rate(${series}${w})`),
      leaf.map((series) => `increase(${series}${w})`),
      fc
        .tuple(fc.constantFrom("sum", "avg", "max", "count"), labels, tie("query"))
        .map(([of, by, each]) => `${of} by (${by.join()}) (${each})`),
      fc
        .tuple(fc.constantFrom("sum", "min"), labels, tie("query"))
        .map(([of, by, each]) => `${of}(${each}) without (${by.join()})`),
      fc
        .tuple(tie("query"), fc.constantFrom("+", "-", "*", "/", "> ", "or", "and", "unless"), tie("query"))
        .map(([a, of, b]) => `(${a}) ${of} (${b})`),
      fc
        .tuple(tie("query"), fc.constantFrom(" > 0.5", " or vector(0)", " * 2", " + 1", " # x"))
        .map(([a, b]) => `(${a})${b}\n`),
      tie("query").map((each) => `label_replace(${each}, "app", "$1", "job", "(.*)")`),
    ),
  }))

  it("spec/openslo §1: every query is converted to valid ones, or its SLO is omitted with a note", () => {
    fc.assert(
      fc.property(query, query, (errors, total) => {
        // `converted` checks that the result can be applied.
        const { indicator, notes, isComplete } = eventsOf(errors, total)
        if (indicator === undefined) {
          expect(isComplete).toBe(false)
          expect(notes.some((note) => note.startsWith("events."))).toBe(true)
          return
        }
        const queries = [indicator.bad, indicator.total].map((text: string) => {
          const root = promqlParser.parse(text)
          if (Result.isFailure(root)) throw new Error(text)
          return text
        })
        expect(queries.some((text) => text.includes("{{") || text.includes("#"))).toBe(false)
      }),
      { numRuns: 300 },
    )
  })
})
