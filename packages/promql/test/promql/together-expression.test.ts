import { counterExpression, shapeOf, togetherExpression } from "@tocsin/promql"
import { describe, expect, it } from "vitest"

const members = [["a"], ["b.c"]]

describe("expressions that are read together", () => {
  it.each([
    ['sum(increase(x{job="a"}[1m]))', 'sum by (job) (increase(x{job=~"a|b\\\\.c"}[1m]))'],
    ['sum by (code) (x{job="a",code!="5"})', 'sum by (job, code) (x{job=~"a|b\\\\.c",code!="5"})'],
    ['sum by () (x{job="a"})', 'sum by (job) (x{job=~"a|b\\\\.c"})'],
    ["sum(x{job='a'}) by (job)", 'sum(x{job=~"a|b\\\\.c"}) by (job)'],
    ['a{job="a"} / on (code) b{job="a"}', 'a{job=~"a|b\\\\.c"} / on (job, code) b{job=~"a|b\\\\.c"}'],
    ['a{job="a"} * 60', 'a{job=~"a|b\\\\.c"} * 60'],
    [
      'sum(a{job="a"}) or vector(0)',
      'sum by (job) (a{job=~"a|b\\\\.c"}) or (label_replace(vector(0), "job", "a", "", "") or label_replace(vector(0), "job", "b.c", "", ""))',
    ],
  ])("spec/data-sources §2: is written for several values of a label: %s", (expression, together) => {
    expect(togetherExpression(expression, ["job"], members)?.replaceAll("  ", " ")).toBe(together)
  })

  it.each([
    'absent(a{job="a"})',
    'scalar(a{job="a"})',
    'label_replace(a{job="a"}, "job", "x", "", "")',
    'topk(1, a{job="a"})',
    'count_values("job", a{job="a"})',
    'sum without (job) (a{job="a"})',
    'a{job="a"} / ignoring (job) b{job="a"}',
    'a{job="a"} / on (code) group_left () b{job="a"}',
    // Alone, the series of the left side have the label and those of the right side do not, and none of them match.
    'a{job="a"} / sum(b{job="a"})',
    'sum by (job) (a{job="a"}) or vector(0)',
    // Another selector does not require the label, or another value.
    'sum(a{job="a"}) / sum(b)',
    'sum(a{job="a"}) / sum(b{job="b"})',
    'sum(a{job=~"a"})',
    'sum(a{job="a",job!="b"})',
    'sum(a{job="a"}',
    'a{"job"="a"}',
  ])("is read alone: %s", (expression) => {
    expect(togetherExpression(expression, ["job"], members)).toBeUndefined()
  })

  it("is alike if only values differ that every selector requires", () => {
    const key = (expression: string) => shapeOf(expression)?.key
    expect(key('sum(a{job="x",z!="1"})')).toBe(key('sum(a{job="y",z!="1"})'))
    expect(key('sum(a{job="x",z!="1"})')).not.toBe(key('sum(a{job="x",z!="2"})'))
    expect(key('sum(a{job="x"})')).not.toBe(key('sum(b{job="x"})'))
    expect(shapeOf('sum(a{job="x",route="r"}) - sum(a{route="r",code="5",job="x"})')?.labels).toEqual(
      new Map([
        ["job", "x"],
        ["route", "r"],
      ]),
    )
    for (const none of [
      "sum(a)",
      'a{job=""}',
      '{__name__="a"}',
      "vector(1)",
      "sum(",
      'a{job=~"x"}',
      'a{le="1"}',
      'a{job="\\xc3\\xa4"}',
    ])
      expect(shapeOf(none)).toBeUndefined()
  })

  it("is not written where a label is quoted, as it may be one of those by which series are told apart", () => {
    for (const text of [
      'sum without ("job") (a{job="x"})',
      'sum by ("job") (a{job="x"})',
      'a{job="x"} / ignoring ("job") b{job="x"}',
    ])
      expect(togetherExpression(text, ["job"], members)).toBeUndefined()
  })

  it("is written for values of several labels, with their combinations as they are", () => {
    const expression = 'sum(a{job="x",route="r"}) or vector(0)'
    const both = togetherExpression(
      expression,
      ["job", "route"],
      [
        ["x", "r"],
        ["$1", "s"],
      ],
    )
    expect(both).toContain('a{job=~"x|\\\\$1",route=~"r|s"}')
    expect(both).toContain(
      'label_replace(label_replace(vector(0), "job", "$$1", "", ""), "route", "s", "", "")',
    )
  })

  it("is written from what is sent for the events of a minute and of gaps", () => {
    const { events, gained } = counterExpression('sum(increase(a{job="x"}[1m])) or vector(0)')
    for (const text of [events, gained?.("1h").events ?? "", gained?.("1h").seconds ?? ""]) {
      const together = togetherExpression(text, ["job"], members)
      expect(together).toContain('job=~"a|b')
      expect(together).not.toContain('job="x"')
    }
    expect(togetherExpression(gained?.("1h").events ?? "", ["job"], members)).toContain("unless on (job) ")
  })
})
