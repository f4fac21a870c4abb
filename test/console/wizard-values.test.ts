import { describe, expect, it } from "vitest"

/** The types of the console's sources are checked in a project of their own. */
const moduleOf = (path: string): Promise<unknown> =>
  import(new URL(`../../apps/console/src/${path}`, import.meta.url).href)

const { foldSame, lineDiff } = (await moduleOf("history/LineDiff.ts")) as {
  readonly foldSame: (
    lines: ReadonlyArray<{ readonly change: string; readonly text: string }>,
  ) => ReadonlyArray<{ readonly change: string; readonly text?: string; readonly count?: number }>
  readonly lineDiff: (
    before: string,
    after: string,
  ) => ReadonlyArray<{ readonly change: string; readonly text: string }>
}

interface Spec {
  readonly budgetingMethod?: string
  readonly indicator?: { readonly prometheus?: object }
  readonly timeWindows?: ReadonlyArray<object>
  readonly objectives?: ReadonlyArray<object>
}

interface SloDefinition {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly project: string }
  readonly spec: Spec
}

interface Typing {
  readonly format: (value: unknown) => string
  readonly parse: (typed: string) => unknown
}

interface Fields {
  readonly put: (changed: object) => void
}

const {
  allowedMinutes,
  annotationLines,
  badQuery,
  chooseBudgeting,
  chooseMethod,
  chooseSource,
  chooseWindow,
  definitionsOf,
  methodOf,
  newSlo,
  percent,
  policyOf,
  realisticTarget,
  sourceOf,
  stepOfPath,
} = (await moduleOf("slo-wizard/SloDocument.ts")) as {
  readonly allowedMinutes: (target: unknown, days: number) => number | undefined
  readonly annotationLines: Typing
  readonly badQuery: (slo: SloDefinition, edited?: SloDefinition, total?: string) => Typing
  readonly chooseBudgeting: (draft: Fields, method: string) => void
  readonly chooseMethod: (draft: Fields, method: string) => void
  readonly chooseSource: (draft: Fields, source: string, edited?: SloDefinition) => void
  readonly chooseWindow: (draft: Fields, isRolling: boolean) => void
  readonly definitionsOf: (
    slo: SloDefinition,
    methods: ReadonlyArray<string>,
    existing: object,
  ) => ReadonlyArray<SloDefinition>
  readonly methodOf: (prometheus?: object) => string
  readonly newSlo: (apiVersion: string) => SloDefinition
  readonly percent: Typing
  readonly policyOf: (preset: string, methods: ReadonlyArray<string>, slo: SloDefinition) => object
  readonly realisticTarget: (reliability: number) => number | undefined
  readonly sourceOf: (slo: SloDefinition) => string
  readonly stepOfPath: (path: string) => string
}
const { fieldsOf, unchanged } = (await moduleOf("editor/Fields.ts")) as {
  readonly fieldsOf: (bound: object) => Fields
  readonly unchanged: (values: SloDefinition) => { readonly values: SloDefinition }
}

/** An SLO that is edited by steps, and what it is after them. */
const editedBy = (slo: SloDefinition, ...acts: ReadonlyArray<(draft: Fields) => void>): unknown => {
  let entered = unchanged(slo)
  for (const act of acts) {
    act(
      fieldsOf({
        ...entered,
        rules: {},
        issues: [],
        isShown: () => true,
        change: (changed: typeof entered) => {
          entered = changed
        },
      }),
    )
  }
  return JSON.parse(JSON.stringify(entered.values))
}

const stored = (spec: object): SloDefinition => ({
  apiVersion: "tocsin/v1alpha",
  kind: "SLO",
  metadata: { name: "checkout", project: "shop" },
  spec: {
    budgetingMethod: "Occurrences",
    timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
    objectives: [{ name: "fast", target: 0.999 }],
    ...spec,
  },
})

const dataSource = { name: "m", project: "shop" }

describe("an SLO in the wizard", () => {
  it.each([
    ["pushed", {}, "good"],
    ["dataSource", { indicator: { prometheus: { dataSource, good: "g", total: "t" } } }, "good"],
    ["dataSource", { indicator: { prometheus: { dataSource, bad: "b", total: "t" } } }, "bad"],
    ["url", { indicator: { prometheus: { url: "https://metrics.example.com", metric: "m" } } }, "metric"],
    ["dataSource", { indicator: { prometheus: { dataSource, histogram: { series: "h" } } } }, "histogram"],
    ["pushed", { indicator: { otlp: { total: { metric: "t" }, bad: { metric: "b" } } } }, "good"],
    ["other", { indicator: { metricSource: { name: "agent", kind: "Agent" } } }, "good"],
  ])("spec/console §13: has its source, %s, and the way that events are counted", (source, spec, method) => {
    const slo = stored(spec)
    expect([sourceOf(slo), methodOf(slo.spec.indicator?.prometheus)]).toEqual([source, method])
  })

  it("spec/console §13: is as it was after each choice was made and taken back", () => {
    const objectives = [
      { name: "fast", target: 0.9, op: "lt", value: 2.5 },
      { name: "all", target: 0.9, composite: { maxDelay: "10m" } },
    ]
    const slo = stored({ objectives, indicator: { prometheus: { dataSource, metric: "m" } } })
    const kept = (...acts: ReadonlyArray<(draft: Fields) => void>) =>
      expect(editedBy(slo, ...acts)).toEqual(slo)
    kept(
      (draft) => chooseMethod(draft, "good"),
      (draft) => chooseMethod(draft, "histogram"),
      (draft) => chooseMethod(draft, "metric"),
    )
    kept(
      (draft) => chooseSource(draft, "pushed"),
      (draft) => chooseSource(draft, "dataSource"),
    )
    kept(
      (draft) => chooseBudgeting(draft, "Timeslices"),
      (draft) => chooseBudgeting(draft, "Occurrences"),
    )
    kept(
      (draft) => chooseWindow(draft, false),
      (draft) => chooseWindow(draft, true),
    )
  })

  it("has what each choice needs", () => {
    const slo = newSlo("tocsin/v1alpha")
    const specOf = (...acts: ReadonlyArray<(draft: Fields) => void>) =>
      (editedBy(slo, ...acts) as SloDefinition).spec
    expect(specOf((draft) => chooseMethod(draft, "metric"))).toMatchObject({
      objectives: [{ target: 0.999, op: "lte", value: "" }],
      indicator: { prometheus: { dataSource: { name: "" }, metric: "" } },
    })
    expect(specOf((draft) => chooseMethod(draft, "bad")).indicator?.prometheus).toEqual({
      dataSource: { name: "" },
      bad: "",
      total: "",
    })
    expect(specOf((draft) => chooseSource(draft, "pushed"))).not.toHaveProperty("indicator")
    expect(specOf((draft) => chooseBudgeting(draft, "Timeslices"))).toMatchObject({
      budgetingMethod: "Timeslices",
      objectives: [{ target: 0.999, timeSliceTarget: 0.95 }],
    })
    expect(specOf((draft) => chooseWindow(draft, false)).timeWindows).toEqual([
      { unit: "Month", count: 1, calendar: { startTime: "2026-01-01 00:00:00", timeZone: "UTC" } },
    ])
  })

  it("counts bad events, also before the first one, and writes a query as it is stored", () => {
    const slo = stored({ indicator: { prometheus: { dataSource, bad: "b", total: "t" } } })
    const { parse } = badQuery(slo)
    expect(["b", "b or vector(0)", "", 'b{or="x"}'].map(parse)).toEqual([
      "(b) or vector(0)",
      "b or vector(0)",
      "",
      '(b{or="x"}) or vector(0)',
    ])
    const grouped = stored({ indicator: { prometheus: { bad: "b", total: "t", groupBy: ["region"] } } })
    expect(["b", "c"].map(badQuery(grouped, grouped, "t2").parse)).toEqual(["b", "(c) or (t2) * 0"])
  })

  it("creates what does not exist before it", () => {
    const slo = stored({ service: "web", alertPolicies: ["fast-burn", "slow-burn"] })
    const kindsOf = (...known: ReadonlyArray<string>) => {
      const existing = new Set(known)
      return definitionsOf(slo, [], { projects: existing, services: existing, policies: existing }).map(
        ({ kind, metadata }) => `${kind} ${metadata.name}`,
      )
    }
    expect(kindsOf()).toEqual([
      "Project shop",
      "Service web",
      "AlertPolicy fast-burn",
      "AlertPolicy slow-burn",
      "SLO checkout",
    ])
    expect(kindsOf("shop", "shop/web", "shop/fast-burn")).toEqual(["AlertPolicy slow-burn", "SLO checkout"])
  })

  it("has presets of burn rates, and one for an outage without traffic", () => {
    const slo = stored({})
    expect(policyOf("noTraffic", ["ops/on-call"], slo)).toMatchObject({
      metadata: { name: "no-traffic", project: "shop" },
      spec: {
        conditionGroups: ["15m", "1h", "6h", "24h"].map((per) => ({
          conditions: [{ fewerThan: { ofUsual: 0.05, per, weeks: 4, minUsual: 20 } }],
        })),
        alertMethods: [{ metadata: { project: "ops", name: "on-call" } }],
      },
    })
    expect(policyOf("page", [], slo)).toMatchObject({ spec: { sreWorkbook: "page" } })
  })

  it("has percentages exactly, and leaves what is no number to the server", () => {
    expect(["99.9", "99,95", " 50 ", "0"].map(percent.parse)).toEqual([0.999, 0.9995, 0.5, 0])
    expect(["", "many"].map(percent.parse)).toEqual(["", "many"])
    expect([0.999, 0.07, "many", undefined].map(percent.format)).toEqual(["99.9", "7", "many", ""])
  })

  it("has an annotation a line", () => {
    const annotations = { "example.com/owner": "Anna", link: "https://a.example/b" }
    expect(annotationLines.parse(annotationLines.format(annotations))).toEqual(annotations)
    expect(annotationLines.parse("a\n\nb : c")).toEqual({ a: "", b: "c" })
    expect(annotationLines.parse(" \n")).toBeUndefined()
  })

  it("says what a target allows, and which one a reliability supports", () => {
    expect(allowedMinutes(0.999, 28)).toBeCloseTo(40.32)
    expect([allowedMinutes(1, 28), allowedMinutes("", 28), allowedMinutes(0.99, Number.NaN)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect([0.9993, 1, 0.4].map(realisticTarget)).toEqual([0.999, 0.99999, undefined])
  })

  it("knows the step of each property", () => {
    expect(
      [
        "metadata.name",
        "spec.service",
        "spec.indicator.prometheus.dataSource.name",
        "spec.indicator.prometheus.good",
        "spec.objectives[0].target",
        "spec.timeWindows[0]",
        "spec.alertPolicies[1]",
        "spec.unknown",
      ].map(stepOfPath),
    ).toEqual(["source", "source", "source", "query", "objectives", "objectives", "alerts", "review"])
  })
})

describe("the comparison of lines", () => {
  it("finds the fewest lines that differ", () => {
    expect(lineDiff("a\nb\nc\n", "a\nx\nc\nd\n").map(({ change, text }) => `${change} ${text}`)).toEqual([
      "same a",
      "removed b",
      "added x",
      "same c",
      "added d",
    ])
  })
  it("folds lines that are far from every change, if they are many", () => {
    const folded = (before: string, after: string): string =>
      foldSame(lineDiff(before, after))
        .map(({ change, text, count }) => (change === "folded" ? `(${count})` : text))
        .join("")
    const linesOf = (text: string): string => [...text].join("\n")
    expect(folded(linesOf("abcdefghijk"), linesOf("abcdefghijkX"))).toBe("(8)ijkX")
    expect(folded(linesOf("abcdefgh"), linesOf("Xabcdefgh"))).toBe("Xabc(5)")
    expect(folded(linesOf("abcdef"), linesOf("Xabcdef"))).toBe("Xabcdef")
    expect(folded(linesOf("1abcdefghij2"), linesOf("abcdefghij"))).toBe("1abc(4)hij2")
    expect(folded(linesOf("abcde"), linesOf("abcde"))).toBe("(5)")
  })
  it("does not compare long texts line by line", () => {
    const long = "line\n".repeat(1_001)
    expect(new Set(lineDiff(long, long).map(({ change }) => change))).toEqual(new Set(["removed", "added"]))
  })
})
