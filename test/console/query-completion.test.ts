import { functionNames } from "@tocsin/promql"
import { describe, expect, it } from "vitest"

/** The types of the console's sources are checked in a project of their own. */
const sourceOf = (path: string): Promise<unknown> =>
  import(new URL(`../../apps/console/src/slo-wizard/completion/${path}`, import.meta.url).href)

interface Place {
  readonly kind: string
  readonly from: number
  readonly to: number
}

const { queryPlaceAt } = (await sourceOf("QueryPlace.ts")) as {
  readonly queryPlaceAt: (text: string, cursor: number) => Place | undefined
}
const { insertionOf, queryOptions } = (await sourceOf("QueryOptions.ts")) as {
  readonly queryOptions: (
    place: Place,
    names: ReadonlyArray<string>,
    isSeries: boolean,
  ) => ReadonlyArray<{ readonly text: string; readonly kind: string }>
  readonly insertionOf: (
    query: string,
    place: Place,
    option: { readonly text: string; readonly kind: string },
  ) => { readonly from: number; readonly to: number; readonly text: string; readonly cursor: number }
}
const { promQlAggregations, promQlFunctions } = (await sourceOf("PromQlWords.ts")) as {
  readonly promQlAggregations: ReadonlyArray<string>
  readonly promQlFunctions: ReadonlyArray<string>
}

/** The place at `|` in a query. */
const placeIn = (marked: string): Place | undefined => {
  const cursor = marked.indexOf("|")
  return queryPlaceAt(marked.replace("|", ""), cursor)
}

describe("what can be completed in a query", () => {
  it.each([
    ["|", "expression", ""],
    ["sum(ra|", "expression", "ra"],
    ["sum(ra|te(x[1m]))", "expression", "ra"],
    ["a + b|", "expression", "b"],
    ["a # it's\n+ b|", "expression", "b"],
    ['label_replace(a, "x", "$1", "y", "(.*)") / u|', "expression", "u"],
  ])("spec/console §13: an expression in %s", (marked, kind, typed) => {
    expect(placeIn(marked)).toMatchObject({ kind, typed })
  })

  it.each([
    ["up{|", "", "up"],
    ["up{jo|}", "jo", "up"],
    ['sum(rate(up{job="a, {b}", in|', "in", "up"],
    ["up{job='a\\'b', in|", "in", "up"],
    ["{|", "", undefined],
  ])("spec/console §13: a label in %s", (marked, typed, metric) => {
    const { kind, ...place } = placeIn(marked) as Place & { readonly metric?: string }
    expect([kind, place]).toMatchObject(["label", { typed }])
    expect(place.metric).toBe(metric)
  })

  it.each([
    ['up{job="|', "", "job", '"'],
    ['up{job="che|', "che", "job", '"'],
    ["up{a='x', job!~'a|'}", "a", "job", "'"],
    ["up{job=|", "", "job", undefined],
    ['up{"a.b"="x|"}', "x", "a.b", '"'],
  ])("spec/console §13: the value of a label in %s", (marked, typed, label, quote) => {
    expect(placeIn(marked)).toMatchObject({ kind: "value", typed, label, metric: "up" })
    expect((placeIn(marked) as { readonly quote?: string }).quote).toBe(quote)
  })

  it.each([
    ["sum by (|) (up)", "", undefined],
    ["sum BY (job, in|) (rate(up[1m]))", "in", "up"],
    ['a / on (x|) b{c="d"}', "x", "b"],
  ])("spec/console §13: a label to group by in %s", (marked, typed, metric) => {
    expect(placeIn(marked)).toMatchObject({ kind: "grouping", typed })
    expect((placeIn(marked) as { readonly metric?: string }).metric).toBe(metric)
  })

  it.each(["a[5|", "a[|", "a > 0.5|", "a # com|", '"te|', "a offset 5|", 'up{job="a"|', "up{job='a' |"])(
    "spec/console §13: nothing in %s",
    (marked) => {
      expect(placeIn(marked)).toBeUndefined()
    },
  )

  it("spec/console §13: ends at once in what is long or strange", () => {
    for (const text of [
      "(".repeat(10_000),
      '{a="'.repeat(2_500),
      "\\".repeat(10_000),
      `"${"\\".repeat(9_999)}`,
    ]) {
      queryPlaceAt(text, text.length)
    }
  })

  it("spec/console §13: has the functions and aggregations of the grammar", () => {
    const named = [...promQlFunctions, ...promQlAggregations]
    expect(named.toSorted()).toEqual([...functionNames()].toSorted())
  })

  it("spec/console §13: offers first what is typed, then what begins with it, then what contains it", () => {
    const textsIn = (marked: string, names: ReadonlyArray<string>, isSeries = false) =>
      queryOptions(placeIn(marked) as Place, names, isSeries).map(({ text }) => text)
    expect(textsIn("rat|", ["shop_ratio", "ratio", "up"])).toEqual([
      "rate",
      "ratio",
      "limit_ratio",
      "irate",
      "shop_ratio",
    ])
    expect(textsIn("UP|", ["up", "group_up"])).toEqual([
      "up",
      "group",
      "group_left",
      "group_right",
      "group_up",
    ])
    expect(textsIn("rat|", ["rates"], true)).toEqual(["rates"])
    expect(textsIn("|", ["up"])[0]).toBe("up")
    expect(textsIn("up{|", ["__name__", "job"])).toEqual(["job"])
  })

  it.each([
    ["sum(ra|", "function", "rate", "sum(rate(|)"],
    ["sum(ra|x(up))", "function", "rate", "sum(rate|(up))"],
    ["sum b| (up)", "keyword", "by", "sum by| (up)"],
    ["sum b|", "keyword", "by", "sum by (|)"],
    ["a o|", "keyword", "or", "a or |"],
    ["ht|tp", "metric", "http_requests_total", "http_requests_total|"],
    ["ht|", "metric", "http.requests", '{"http.requests"}|'],
    ["up{jo|", "label", "job", 'up{job="|"'],
    ['up{jo|="a"}', "label", "job", 'up{job|="a"}'],
    ["sum by (jo|) (up)", "label", "job", "sum by (job|) (up)"],
    ['up{job="a|', "value", 'a"b', 'up{job="a\\"b"|'],
    ['up{job="a|bc"}', "value", "abd", 'up{job="abd"|}'],
    ["up{job='|'}", "value", 'it\'s "a"', "up{job='it\\'s \"a\"'|}"],
    ["up{job=|}", "value", "a", 'up{job="a"|}'],
  ])("spec/console §13: completes %s by a %s", (marked, kind, text, expected) => {
    const query = marked.replace("|", "")
    const inserted = insertionOf(query, placeIn(marked) as Place, { kind, text })
    const result = query.slice(0, inserted.from) + inserted.text + query.slice(inserted.to)
    expect(`${result.slice(0, inserted.cursor)}|${result.slice(inserted.cursor)}`).toBe(expected)
  })
})
