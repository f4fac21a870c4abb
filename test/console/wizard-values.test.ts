import { describe, expect, it } from "vitest"

/** The types of the console's sources are checked in a project of their own. */
const sourceOf = (path: string): Promise<unknown> =>
  import(new URL(`../../apps/console/src/${path}`, import.meta.url).href)

const { foldSame, lineDiff } = (await sourceOf("history/LineDiff.ts")) as {
  readonly foldSame: (
    lines: ReadonlyArray<{ readonly change: string; readonly text: string }>,
  ) => ReadonlyArray<{ readonly change: string; readonly text?: string; readonly count?: number }>
  readonly lineDiff: (
    before: string,
    after: string,
  ) => ReadonlyArray<{ readonly change: string; readonly text: string }>
}

interface SloDefinition {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly project: string }
  readonly spec: { readonly indicator?: { readonly prometheus?: object } }
}

const {
  allowedMinutes,
  definitionsOf,
  emptyValues,
  policyOf,
  realisticTarget,
  shareOf,
  sloOf,
  stepOfPath,
  valuesOf,
} = (await sourceOf("slo-wizard/WizardValues.ts")) as {
  readonly allowedMinutes: (target: string, days: number) => number | undefined
  readonly policyOf: (preset: string, values: object, slo: SloDefinition) => object
  readonly definitionsOf: (
    values: object,
    slo: SloDefinition,
    existing: object,
  ) => ReadonlyArray<SloDefinition>
  readonly emptyValues: object
  readonly realisticTarget: (reliability: number) => number | undefined
  readonly shareOf: (text: string) => number
  readonly sloOf: (values: object, apiVersion: string, edited?: SloDefinition) => SloDefinition
  readonly stepOfPath: (path: string) => string
  readonly valuesOf: (slo: SloDefinition) => object
}

const stored = (spec: object): SloDefinition =>
  ({
    apiVersion: "tocsin/v1alpha",
    kind: "SLO",
    metadata: { name: "checkout", project: "shop", labels: { team: ["a"] } },
    spec: {
      service: "web",
      budgetingMethod: "Occurrences",
      timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
      objectives: [{ name: "fast", target: 0.999 }],
      alertPolicies: [],
      ...spec,
    },
  }) as unknown as SloDefinition

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const composite = {
  maxDelay: "10m",
  components: { objectives: [{ slo: "a", objective: "b", weight: 1, whenDelayed: "Ignore" }] },
}

describe("the values of the wizard", () => {
  it.each([
    ["without an indicator", {}],
    [
      "with good and total of groups",
      {
        indicator: {
          prometheus: {
            dataSource: { name: "m", project: "shop" },
            good: "g",
            total: "t",
            groupBy: ["region"],
          },
        },
      },
    ],
    [
      "with bad and total",
      { indicator: { prometheus: { dataSource: { name: "m", project: "shop" }, bad: "b", total: "t" } } },
    ],
    [
      "with a metric at a URL",
      {
        objectives: [{ name: "fast", target: 0.9, op: "lt", value: 2.5 }],
        indicator: { prometheus: { url: "https://metrics.example.com", metric: "m" } },
      },
    ],
    [
      "with a native histogram",
      {
        objectives: [{ name: "fast", target: 0.9, value: 0.3 }],
        indicator: {
          prometheus: { dataSource: { name: "m", project: "p" }, histogram: { series: "h", type: "native" } },
        },
      },
    ],
    ["with OTLP", { indicator: { otlp: { total: { metric: "t" }, bad: { metric: "b" } } } }],
    [
      "with a metric source of its own",
      {
        objectives: [{ name: "fast", target: 0.9, countMetrics: { incremental: true }, op: "lt", value: 1 }],
        indicator: { metricSource: { name: "agent", kind: "Agent" } },
      },
    ],
    ["of composite objectives", { objectives: [{ name: "all", target: 0.9, composite }] }],
    [
      "with minutes in calendar months, and what the form does not show",
      {
        budgetingMethod: "Timeslices",
        objectives: [{ name: "fast", target: 0.9, timeSliceTarget: 0.95 }],
        timeWindows: [
          { unit: "Month", count: 1, calendar: { startTime: "2026-01-01 00:00:00", timeZone: "UTC" } },
        ],
        anomalyConfig: { noData: { alertMethods: [{ name: "ops", project: "shop" }], alertAfter: "20m" } },
        alertPolicies: ["fast-burn"],
      },
    ],
  ])("spec/console §13: are those of an SLO %s, which they describe again", (_, spec) => {
    const slo = stored(spec)
    expect(plain(sloOf(valuesOf(slo), slo.apiVersion, slo))).toEqual(plain(slo))
  })

  it("count bad events, also before the first one, and write a query as it is stored", () => {
    const values = { ...emptyValues, method: "bad" as const, bad: "b", total: "t", dataSource: "shop/m" }
    expect(sloOf(values, "tocsin/v1alpha").spec.indicator?.prometheus).toEqual({
      dataSource: { project: "shop", name: "m" },
      bad: "(b) or vector(0)",
      total: "t",
    })
    const typed = (bad: string) => sloOf({ ...values, bad }, "tocsin/v1alpha").spec.indicator?.prometheus
    expect(typed("b or vector(0)")).toMatchObject({ bad: "b or vector(0)" })
    expect(typed("")).toMatchObject({ bad: "" })
    expect(typed('b{or="x"}')).toMatchObject({ bad: '(b{or="x"}) or vector(0)' })
  })

  it("create what does not exist before the SLO", () => {
    const values = { ...emptyValues, project: "shop", service: "web", presets: ["page", "ticket"] as const }
    const kindsOf = (...known: ReadonlyArray<string>) => {
      const existing = new Set(known)
      return definitionsOf({ ...values, presets: [...values.presets] }, sloOf(values, "tocsin/v1alpha"), {
        projects: existing,
        services: existing,
        policies: existing,
      }).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    }
    expect(kindsOf()).toEqual([
      "Project shop",
      "Service web",
      "AlertPolicy fast-burn",
      "AlertPolicy slow-burn",
      "SLO ",
    ])
    expect(kindsOf("shop", "shop/web", "shop/fast-burn")).toEqual(["AlertPolicy slow-burn", "SLO "])
  })

  it("create an alert policy for an outage without traffic, next to the presets of burn rates", () => {
    const values = { ...emptyValues, project: "shop", methods: ["ops/on-call"] }
    const slo = sloOf(values, "tocsin/v1alpha")
    expect(policyOf("noTraffic", values, slo)).toMatchObject({
      metadata: { name: "no-traffic", project: "shop" },
      spec: {
        conditionGroups: ["15m", "1h", "6h", "24h"].map((per) => ({
          conditions: [{ fewerThan: { ofUsual: 0.05, per, weeks: 4, minUsual: 20 } }],
        })),
        alertMethods: [{ metadata: { project: "ops", name: "on-call" } }],
      },
    })
    expect(policyOf("page", values, slo)).toMatchObject({ spec: { sreWorkbook: "page" } })
  })

  it("read percentages exactly, and leave what is no number to the server", () => {
    expect(["99.9", "99,95", " 50 ", "0"].map(shareOf)).toEqual([0.999, 0.9995, 0.5, 0])
    expect(["", "many"].map(shareOf)).toEqual(["", "many"])
  })

  it("say what a target allows, and which one a reliability supports", () => {
    expect(allowedMinutes("99.9", 28)).toBeCloseTo(40.32)
    expect([allowedMinutes("100", 28), allowedMinutes("", 28), allowedMinutes("99", Number.NaN)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect([0.9993, 1, 0.4].map(realisticTarget)).toEqual([0.999, 0.99999, undefined])
  })

  it("know the step of each property", () => {
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
