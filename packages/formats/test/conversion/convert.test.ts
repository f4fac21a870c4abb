import * as Result from "effect/Result"
import { readDocuments } from "@tocsin/formats/documents"
import { promqlParser } from "@tocsin/promql"
import { decodeDefinition } from "@tocsin/domain"
import { anyAddress } from "@tocsin/domain/delivery"
import { type ConversionOptions, convertDocuments, countObjects } from "@tocsin/formats"
import { ConversionResult } from "../../src/conversion/ConversionResult.ts"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { describe, expect, it, vi } from "vitest"
import {
  condition,
  dataSource,
  documents,
  policy,
  service,
  sli,
  slo,
  target,
} from "../../../../test/conversion/documents.ts"

/** What JSON gives. */
type Plain = ReturnType<typeof JSON.parse>

const options: ConversionOptions = { vendorPrefix: "tocsin", project: "default", promql: promqlParser }

const convert = (values: ReadonlyArray<unknown>, more: Partial<ConversionOptions> = {}) => {
  const { definitions, notes, isComplete } = convertDocuments(values, { ...options, ...more })
  return {
    definitions: definitions as ReadonlyArray<Record<string, Plain>>,
    notes: notes.map(({ document, path, message }) => `${document} ${path}: ${message}`),
    paths: notes.map(({ document, path }) => `${document} ${path}`),
    isComplete,
  }
}

const kindsOf = (definitions: ReadonlyArray<Record<string, Plain>>) =>
  definitions.map(({ kind, metadata }) => `${kind} ${metadata.name}`)

const issuesOf = (definitions: ReadonlyArray<unknown>) =>
  definitions.flatMap((definition) => {
    const decoded = decodeDefinition(definition, { vendorPrefix: "tocsin", addressPolicy: anyAddress })
    return Result.isSuccess(decoded) ? [] : decoded.failure
  })

/** The document with what `change` makes of its `spec`. */
const withSpec = <D extends { readonly kind: string; readonly spec: object }>(
  document: D,
  change: object,
) => ({
  ...document,
  spec: { ...document.spec, ...change },
})

/** The SLO with what `change` makes of its one objective. */
const withObjective = (change: object) =>
  withSpec(slo, { objectives: [{ ...slo.spec.objectives[0], ...change }] })

const withWindow = (window: object) => withSpec(slo, { timeWindow: [window] })

const withCondition = (change: object) =>
  withSpec(condition, { condition: { ...condition.spec.condition, ...change } })

/** All documents, those of the same kind as one of these replaced by it. */
const replaced = (...changed: ReadonlyArray<{ readonly kind: string }>) =>
  documents.map((document) => changed.find(({ kind }) => kind === document.kind) ?? document)

const sloOf = (definitions: ReadonlyArray<Record<string, Plain>>) =>
  definitions.find(({ kind }) => kind === "SLO")?.["spec"]

describe("converting OpenSLO", () => {
  it("spec/openslo §2: carries a service, a target, a policy and an SLO over, without a word where all of it can be", () => {
    const { definitions, notes, isComplete } = convert(documents)
    expect({ notes, isComplete }).toEqual({ notes: [], isComplete: true })
    const common = { apiVersion: "tocsin/v1alpha" }
    expect(definitions).toEqual([
      {
        ...common,
        kind: "Service",
        metadata: { name: "shop", displayName: "Shop", project: "default" },
        spec: { description: "Sells." },
      },
      {
        ...common,
        kind: "AlertMethod",
        metadata: { name: "on-call", project: "default" },
        spec: {
          description: "Notifies.",
          webhook: {
            url: "https://hooks.example.com/slo",
            templateFields: expect.arrayContaining(["slo_name", "alert_policy_conditions[]"]),
            sendResolution: true,
          },
        },
      },
      {
        ...common,
        kind: "AlertPolicy",
        metadata: { name: "fast-burn", project: "default" },
        spec: {
          description: "Burns fast.",
          severity: "High",
          conditions: [{ measurement: "averageBurnRate", value: 2, op: "gte", alertingWindow: "1h" }],
          alertMethods: [{ metadata: { name: "on-call", project: "default" } }],
        },
      },
      {
        ...common,
        kind: "SLO",
        metadata: {
          name: "checkout",
          displayName: "Checkout",
          project: "default",
          labels: { team: ["payments", "web"], tier: ["gold"] },
          annotations: { "example.com/owner": "payments" },
        },
        spec: {
          description: "Orders are taken.",
          service: "shop",
          budgetingMethod: "Occurrences",
          timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
          objectives: [{ displayName: "Taken", target: 0.995 }],
          indicator: {
            prometheus: {
              url: "http://prometheus:9090",
              bad: '(sum(increase(orders_total{code=~"5.."}[1m]))) or vector(0)',
              total: "sum(increase(orders_total[1m]))",
            },
          },
          alertPolicies: ["fast-burn"],
          anomalyConfig: { noData: { alertMethods: [{ name: "on-call", project: "default" }] } },
        },
      },
    ])
    expect(issuesOf(definitions)).toEqual([])
  })

  it("spec/openslo §2: a service needs no more than its metadata", () => {
    const { apiVersion, kind, metadata } = service
    for (const version of [apiVersion, "openslo/v1alpha"]) {
      const { definitions, notes, isComplete } = convert([{ apiVersion: version, kind, metadata }])
      expect(definitions).toEqual([
        {
          apiVersion: "tocsin/v1alpha",
          kind,
          metadata: { ...metadata, project: "default" },
          spec: {},
        },
      ])
      expect({ notes, isComplete }).toEqual({ notes: [], isComplete: true })
    }
  })

  it("spec/openslo §1: an SLO whose indicator no document describes is left out, since it would have no data", () => {
    const { definitions, paths, isComplete } = convert(replaced(withSpec(slo, { indicatorRef: "gone" })))
    expect(kindsOf(definitions)).not.toContain("SLO checkout")
    expect(paths).toEqual(["1 ", "2 ", "3 spec.indicator", "3 spec.indicatorRef"])
    expect(isComplete).toBe(false)
  })

  it("spec/openslo §2: accepts documents in any order, and inline objects", () => {
    const inlined = withSpec(slo, {
      indicatorRef: undefined,
      indicator: { metadata: { name: "errors" }, spec: sli.spec },
      alertPolicies: [
        withSpec(policy, {
          conditions: [{ kind: "AlertCondition", metadata: condition.metadata, spec: condition.spec }],
          notificationTargets: [{ kind: target.kind, metadata: target.metadata, spec: target.spec }],
        }),
      ],
    })
    expect(convert([inlined, dataSource, service])).toEqual(convert(documents))
    expect(convert(documents.toReversed()).definitions).toEqual(convert(documents).definitions)
  })

  it.each([
    ["1h", { unit: "Hour", count: 1, isRolling: true }],
    ["5m", { unit: "Minute", count: 5, isRolling: true }],
    ["4w", { unit: "Day", count: 28, isRolling: true }],
    ["31d", { unit: "Day", count: 31, isRolling: true }],
  ])("spec/openslo §2: a rolling window of %s keeps its length", (duration, window) => {
    const { definitions, notes } = convert(replaced(withWindow({ duration, isRolling: true })))
    expect(sloOf(definitions).timeWindows).toEqual([window])
    expect(notes).toEqual([])
  })

  it("spec/openslo §1: a rolling month is 30 days, with a note", () => {
    const { definitions, paths } = convert(replaced(withWindow({ duration: "1M", isRolling: true })))
    expect(sloOf(definitions).timeWindows).toEqual([{ unit: "Day", count: 30, isRolling: true }])
    expect(paths).toEqual(["3 spec.timeWindow[0].duration"])
  })

  it.each([
    ["1d", { unit: "Day", count: 1 }],
    ["1w", { unit: "Week", count: 1 }],
    ["1M", { unit: "Month", count: 1 }],
    ["1Q", { unit: "Quarter", count: 1 }],
    ["1Y", { unit: "Year", count: 1 }],
  ])("spec/openslo §2: a window of the calendar of %s keeps its start and its zone", (duration, window) => {
    const calendar = { startTime: "2026-01-01 00:00:00", timeZone: "Europe/Paris" }
    const { definitions, notes } = convert(replaced(withWindow({ duration, calendar })))
    expect(sloOf(definitions).timeWindows).toEqual([{ ...window, calendar }])
    expect(notes).toEqual([])
  })

  it.each([
    ["a rolling window of more than 400 days", withWindow({ duration: "401d", isRolling: true })],
    ["a rolling quarter", withWindow({ duration: "1Q", isRolling: true })],
    ["a window of the calendar of hours", withWindow({ duration: "5h", isRolling: false })],
    ["a window of the calendar without one", withWindow({ duration: "1M" })],
    ["an invalid length", withWindow({ duration: "28 days", isRolling: true })],
    ["RatioTimeslices", withSpec(slo, { budgetingMethod: "RatioTimeslices" })],
    ["a target of 1", withObjective({ target: 1 })],
    ["no target", withObjective({ target: undefined })],
    ["Timeslices without timeSliceTarget", withSpec(slo, { budgetingMethod: "Timeslices" })],
    ["no service", withSpec(slo, { service: undefined })],
    ["no objective", withSpec(slo, { objectives: [] })],
  ])("spec/openslo §1: an SLO with %s is left out, with a note", (_, changed) => {
    const { definitions, notes, isComplete } = convert(replaced(changed))
    expect(kindsOf(definitions)).toEqual(["Service shop", "AlertMethod on-call", "AlertPolicy fast-burn"])
    expect(notes.filter((note) => note.startsWith("3 "))).not.toEqual([])
    expect(notes.some((note) => note.includes("the SLO is omitted"))).toBe(true)
    expect(isComplete).toBe(false)
  })

  it("spec/openslo §2: Timeslices keep their target; slices are minutes", () => {
    const sliced = withSpec(slo, {
      budgetingMethod: "Timeslices",
      objectives: [
        { targetPercent: 99.95, timeSliceTarget: 0.9, timeSliceWindow: "1m" },
        { displayName: "Other", target: 0.5, timeSliceTarget: 0.8, timeSliceWindow: 1 },
        { target: 0.25, timeSliceTarget: 0.7, timeSliceWindow: "5m" },
      ],
    })
    const { definitions, paths } = convert(replaced(sliced))
    expect(sloOf(definitions).objectives).toEqual([
      { target: 0.9995, timeSliceTarget: 0.9 },
      { displayName: "Other", target: 0.5, timeSliceTarget: 0.8 },
      { target: 0.25, timeSliceTarget: 0.7 },
    ])
    expect(paths).toEqual(["3 spec.objectives[2].timeSliceWindow"])
  })

  it("spec/openslo §1: what an objective compares, weighs and measures by itself gets a note", () => {
    const [first] = slo.spec.objectives
    const composite = withSpec(slo, {
      indicatorRef: undefined,
      objectives: [
        { ...first, op: "lte", value: 3, compositeWeight: 2, indicatorRef: "errors" },
        { displayName: "Other", target: 0.5, indicatorRef: "errors" },
      ],
    })
    const { definitions, paths, isComplete } = convert(replaced(composite))
    expect(sloOf(definitions)).toBeUndefined()
    expect(isComplete).toBe(false)
    expect(paths).toEqual([
      "1 ",
      "2 ",
      "3 spec.indicator",
      "3 spec.objectives[0].compositeWeight",
      "3 spec.objectives[0].indicatorRef",
      "3 spec.objectives[0].op",
      "3 spec.objectives[0].value",
      "3 spec.objectives[1].indicatorRef",
    ])
  })

  it("spec/openslo §2: a threshold metric is compared by each objective", () => {
    const metricSource = { metricSourceRef: "metrics", spec: { query: "latency_seconds" } }
    const thresholds = [
      { displayName: "Fast", target: 0.9, op: "lte", value: 0.3 },
      { displayName: "Usable", target: 0.99, op: "lt", value: 1 },
    ]
    const compared = withSpec(slo, { objectives: thresholds })
    const metric = withSpec(sli, { ratioMetric: undefined, thresholdMetric: { metricSource } })
    const { definitions, paths } = convert(replaced(compared, metric))
    expect(paths).toEqual([])
    expect(sloOf(definitions)).toMatchObject({
      objectives: thresholds,
      indicator: { prometheus: { metric: "latency_seconds" } },
    })
    const incomplete = withSpec(slo, { objectives: [{ target: 0.9, op: "eq" }] })
    expect(convert(replaced(incomplete, metric)).paths).toEqual([
      "3 spec.objectives[0].op",
      "3 spec.objectives[0].value",
    ])
  })

  it("spec/openslo §2: the indicator of the one objective is that of the SLO", () => {
    const { indicatorRef, ...spec } = slo.spec
    const moved = { ...slo, spec: { ...spec, objectives: [{ ...spec.objectives[0], indicatorRef }] } }
    expect(convert(replaced(moved))).toEqual(convert(documents))
  })

  it.each([
    ["sum(rate(x[5m]))", "sum(rate(x[5m]))", true],
    ["  x  ", "sum(increase(x[1m]))", false],
    ["x{a=\"}[\",b=~'{'}", "sum(increase(x{a=\"}[\",b=~'{'}[1m]))", false],
    ["sum ( x{} )", "sum(increase(x{}[1m]))", false],
  ])("spec/openslo §2: the counter %s is asked for as %s", (query, expression, isTold) => {
    const metric = { metricSource: { metricSourceRef: "metrics", spec: { query } } }
    const ratioMetric = { counter: true, good: metric, total: metric }
    const { definitions, paths } = convert(replaced(withSpec(sli, { ratioMetric })))
    expect(sloOf(definitions).indicator.prometheus).toMatchObject({ good: expression, total: expression })
    expect(paths).toEqual(isTold ? ["2 spec.ratioMetric.good", "2 spec.ratioMetric.total"] : [])
  })

  it.each([{ counter: false }, {}])(
    "spec/openslo §1: a query not declared a counter (%j) is added up as it is, with a note",
    (said) => {
      const metric = { metricSource: { metricSourceRef: "metrics", spec: { query: "orders_total" } } }
      const ratioMetric = { ...said, good: metric, total: metric }
      const { definitions, paths } = convert(replaced(withSpec(sli, { ratioMetric })))
      expect(sloOf(definitions).indicator.prometheus).toMatchObject({
        good: "sum(orders_total)",
        total: "sum(orders_total)",
      })
      expect(paths).toEqual(["2 spec.ratioMetric.good", "2 spec.ratioMetric.total"])
    },
  )

  it.each([
    [
      "a threshold without a query",
      { ratioMetric: undefined, thresholdMetric: { metricSource: { type: "Prometheus" } } },
      "spec.thresholdMetric.metricSource.spec",
    ],
    ["a ready ratio", { ratioMetric: { raw: {}, rawType: "success" } }, "spec.ratioMetric.raw"],
    ["no good", { ratioMetric: { total: sli.spec.ratioMetric.total } }, "spec.ratioMetric.good"],
    ["no total", { ratioMetric: { good: sli.spec.ratioMetric.total } }, "spec.ratioMetric.total"],
    [
      "a counter of several",
      {
        ratioMetric: {
          ...sli.spec.ratioMetric,
          total: {
            metricSource: { type: "prometheus", metricSourceRef: "metrics", spec: { query: "a + b" } },
          },
        },
      },
      "spec.ratioMetric.total",
    ],
    [
      "a placeholder",
      {
        ratioMetric: {
          ...sli.spec.ratioMetric,
          total: { metricSource: { metricSourceRef: "metrics", spec: { query: "rate(x[{{range}}])" } } },
        },
      },
      "spec.ratioMetric.total",
    ],
    [
      "another kind of source",
      {
        ratioMetric: {
          ...sli.spec.ratioMetric,
          total: { metricSource: { type: "Datadog", spec: { query: "x" } } },
        },
      },
      "spec.ratioMetric.total.metricSource",
    ],
    [
      "two servers",
      {
        ratioMetric: {
          ...sli.spec.ratioMetric,
          total: { metricSource: { type: "Prometheus", spec: { query: "x" } } },
        },
      },
      "spec.ratioMetric",
    ],
  ])(
    "spec/openslo §1: an indicator of %s is left out with its SLO, which would have no data",
    (_, change, path) => {
      const { definitions, paths, notes, isComplete } = convert(replaced(withSpec(sli, change)))
      expect(sloOf(definitions)).toBeUndefined()
      expect(paths).toContain(`2 ${path}`)
      expect(notes).toContain(
        "3 spec.indicator: cannot be converted, so the SLO is omitted: it would have no data",
      )
      expect(isComplete).toBe(false)
    },
  )

  it("spec/openslo §2: a source without a server uses the given one, or omits the SLO", () => {
    const nowhere = replaced(withSpec(dataSource, { connectionDetails: undefined }))
    expect(convert(nowhere)).toMatchObject({ paths: ["3 spec.indicator"], isComplete: false })
    expect(kindsOf(convert(nowhere).definitions)).not.toContain("SLO checkout")
    const { definitions, notes } = convert(nowhere, { prometheusUrl: "http://metrics:9090" })
    expect(sloOf(definitions).indicator.prometheus.url).toBe("http://metrics:9090")
    expect(notes).toEqual([])
  })

  it("spec/openslo §1, spec/openslo §3: a service that no document describes gets a note; it is referenced but not created", () => {
    const { definitions, notes, isComplete } = convert([
      withSpec(slo, { indicatorRef: undefined, alertPolicies: [] }),
    ])
    expect(kindsOf(definitions)).toEqual(["SLO checkout"])
    expect(sloOf(definitions).service).toBe("shop")
    expect(notes).toEqual([
      "0 spec.service: is not in the documents; it must exist when the result is applied",
    ])
    expect(isComplete).toBe(true)
  })

  it("spec/openslo §1: a policy or target that no document describes gets a note, and is still referenced", () => {
    const { definitions, paths } = convert([
      withSpec(slo, { indicatorRef: undefined, alertPolicies: ["gone", { alertPolicyRef: "fast-burn" }] }),
      service,
      policy,
      condition,
    ])
    expect(sloOf(definitions)).toMatchObject({ alertPolicies: ["gone", "fast-burn"] })
    expect(definitions.find(({ kind }) => kind === "AlertPolicy")?.["spec"].alertMethods).toEqual([
      { metadata: { name: "on-call", project: "default" } },
    ])
    expect(paths).toEqual(["0 spec.alertPolicies[0]", "2 spec.notificationTargets[0].targetRef"])
  })

  it.each([
    ["lte", withCondition({ op: "lte" })],
    ["lt", withCondition({ op: "lt" })],
    ["another kind", withCondition({ kind: "latency" })],
    ["no threshold", withCondition({ threshold: undefined })],
    ["a window of months", withCondition({ lookbackWindow: "1M" })],
    ["a window under 5 minutes", withCondition({ lookbackWindow: "1m" })],
    ["an alertAfter of months", withCondition({ alertAfter: "1M" })],
  ])(
    "spec/openslo §2: a condition with %s takes its policy with it, and the SLO no longer names it",
    (_, changed) => {
      const { definitions, paths, isComplete } = convert(replaced(changed))
      expect(kindsOf(definitions)).toEqual(["Service shop", "AlertMethod on-call", "SLO checkout"])
      expect(sloOf(definitions)).not.toHaveProperty("alertPolicies")
      expect(paths).toContain("3 spec.alertPolicies[0].alertPolicyRef")
      expect(isComplete).toBe(false)
    },
  )

  it.each([
    ["that no document describes", { conditionRef: "gone" }, "4 spec.conditions[1]"],
    [
      "on lte",
      withSpec(condition, { condition: { ...condition.spec.condition, op: "lte" } }),
      "4 spec.conditions[1].spec.condition.op",
    ],
  ])(
    "spec/openslo §2: one of two conditions %s removes the policy, which would notify more often",
    (_, second, path) => {
      const conditions = [{ conditionRef: "burns" }, second]
      const { definitions, paths, isComplete } = convert(replaced(withSpec(policy, { conditions })))
      expect(kindsOf(definitions)).not.toContain("AlertPolicy fast-burn")
      expect(paths).toEqual(expect.arrayContaining([path, "4 spec.conditions"]))
      expect(isComplete).toBe(false)
    },
  )

  it("spec/openslo §1: what has no equivalent in a condition gets a note, and the rest is kept", () => {
    const changed = withCondition({ op: "gt", lookbackWindow: "1d", alertAfter: "5m" })
    const { definitions, paths } = convert(
      replaced(withSpec(changed, { severity: "page", description: "Burns." })),
    )
    expect(definitions.find(({ kind }) => kind === "AlertPolicy")?.["spec"]).toMatchObject({
      severity: "High",
      conditions: [
        { measurement: "averageBurnRate", value: 2, op: "gte", alertingWindow: "24h", lastsFor: "5m" },
      ],
    })
    expect(paths).toEqual(["5 spec.condition.op", "5 spec.description", "5 spec.severity"])
  })

  it.each([
    ["page", "High"],
    ["SEV1", "High"],
    ["p2", "Medium"],
    ["whatever", "Medium"],
    ["info", "Low"],
    ["low", "Low"],
  ])("spec/openslo §2: the severity %s becomes %s", (severity, expected) => {
    const { definitions, paths } = convert(replaced(withSpec(condition, { severity })))
    expect(definitions.find(({ kind }) => kind === "AlertPolicy")?.["spec"].severity).toBe(expected)
    expect(paths).toEqual(severity === "low" ? [] : ["5 spec.severity"])
  })

  it("spec/openslo §2: a policy that does not notify on a breach is left out, but can notify of missing data", () => {
    const { definitions, paths } = convert(replaced(withSpec(policy, { alertWhenBreaching: false })))
    expect(kindsOf(definitions)).toEqual(["Service shop", "AlertMethod on-call", "SLO checkout"])
    expect(sloOf(definitions).anomalyConfig.noData.alertMethods).toEqual([
      { name: "on-call", project: "default" },
    ])
    expect(paths).toEqual(["3 spec.alertPolicies[0].alertPolicyRef", "4 spec.alertWhenBreaching"])
  })

  it("spec/openslo §1: a policy without alertWhenResolved gets a note if another policy of the same target has it", () => {
    const quiet = {
      ...withSpec(policy, { alertWhenResolved: false }),
      metadata: { name: "quiet" },
    }
    const { paths } = convert([...documents, quiet])
    expect(paths).toEqual(["7 spec.alertWhenResolved"])
  })

  it("spec/openslo §2: a target without a URL has none in the result, unless one is given", () => {
    const mail = replaced(withSpec(target, { target: "email" }))
    const { definitions, paths } = convert(mail)
    const webhookOf = (all: typeof definitions) =>
      all.find(({ kind }) => kind === "AlertMethod")?.["spec"].webhook
    expect(webhookOf(definitions)).not.toHaveProperty("url")
    expect(paths).toEqual(["6 spec.target"])
    const given = convert(mail, { webhookUrl: "https://hooks.example.com/x" })
    expect(webhookOf(given.definitions).url).toBe("https://hooks.example.com/x")
    expect(given.paths).toEqual(["6 spec.target"])
  })

  it("spec/openslo §2: names become names here, the same everywhere, each object its own", () => {
    const named = (name: string) => ({ ...service, metadata: { name } })
    const { definitions, notes } = convert([
      named("My Shop"),
      named("myShop"),
      named("my-shop"),
      withSpec(slo, { service: "My Shop", indicatorRef: undefined, alertPolicies: [] }),
    ])
    expect(kindsOf(definitions)).toEqual([
      "Service my-shop-2",
      "Service my-shop-3",
      "Service my-shop",
      "SLO checkout",
    ])
    expect(sloOf(definitions).service).toBe("my-shop-2")
    expect(definitions[0]?.["metadata"].displayName).toBe("My Shop")
    expect(notes).toEqual(["0 metadata.name: becomes my-shop-2", "1 metadata.name: becomes my-shop-3"])
  })

  it("spec/openslo §2: many objects of the same name are numbered without trying each number again", () => {
    const texts = Array.from({ length: 2_000 }, (_, index) => `Shop${"!".repeat(index)}`)
    const names = new ConversionResult(
      { Service: ["shop-3", ...texts], AlertMethod: [], AlertPolicy: [], SLO: [] },
      { vendorPrefix: "tocsin", project: "default", promql: promqlParser },
    )
    const looked = vi.spyOn(Set.prototype, "has")
    const given = texts.map((text) => names.nameOf("Service", text))
    const lookUps = looked.mock.calls.length
    looked.mockRestore()
    expect(given.slice(0, 4)).toEqual(["shop", "shop-2", "shop-4", "shop-5"])
    expect(new Set(given).size).toBe(texts.length)
    expect(lookUps).toBeLessThan(4 * texts.length)
  })

  it("counts the objects of lists and the SLOs of Sloth documents", () => {
    const ofSloth = { version: "prometheus/v1", service: "shop", slos: [{}, {}, {}] }
    const list = { apiVersion: "v1", kind: "List", items: [service, { spec: { slos: [{}, {}] } }, "text"] }
    expect(countObjects([])).toBe(0)
    expect(countObjects([service, ofSloth, list, { slos: [] }, null])).toBe(1 + 3 + 4 + 1 + 1)
  })

  it("spec/openslo §2: invalid labels and annotations do not remove others", () => {
    const metadata = {
      name: "shop",
      labels: { costCentre: "a", ok: 1, "9": "b", deep: [{ a: 1 }], costcentre: "c" },
      annotations: { "-x": "a", ok: true },
    }
    const { definitions, paths } = convert([{ ...service, metadata }])
    expect(definitions[0]?.["metadata"]).toMatchObject({
      labels: { ok: ["1"], costcentre: ["a"] },
      annotations: { ok: "true" },
    })
    expect(paths).toEqual([
      "0 metadata.annotations.-x",
      "0 metadata.labels.9",
      "0 metadata.labels.costCentre",
      "0 metadata.labels.costcentre",
      "0 metadata.labels.deep",
    ])
  })

  it.each([
    ["another version", { ...service, apiVersion: "openslo/v2alpha1" }, "apiVersion"],
    ["another kind", { ...service, kind: "Composite" }, "kind"],
    ["no name", { ...service, metadata: {} }, "metadata.name"],
    ["no object", "text", ""],
    ["no format", { kind: "Service", metadata: { name: "x" } }, ""],
    ["what another one describes", service, "metadata.name"],
  ])("spec/openslo §1: a document of %s is left out, with a note", (_, document, path) => {
    const { definitions, paths, isComplete } = convert([service, document])
    expect(kindsOf(definitions)).toEqual(["Service shop"])
    expect(paths).toEqual([`1 ${path}`])
    expect(isComplete).toBe(false)
  })

  it("spec/openslo §1: parts without a reference get a note", () => {
    expect(convert([dataSource, sli, condition]).paths).toEqual(["0 ", "1 ", "2 "])
  })

  it("spec/openslo §2: the example of the documentation gives the documented result", () => {
    const guide = readFileSync(new URL("../../../../docs/guides/openslo.md", import.meta.url), "utf8")
    const [, yaml = ""] = /<<'YAML'\n([^]*?)\nYAML\n/.exec(guide) ?? []
    const read = readDocuments(yaml, "application/yaml")
    if (Result.isFailure(read)) throw new Error(read.failure.message)
    const { definitions, notes } = convert(read.success, { prometheusUrl: "https://prometheus.example.com" })
    expect(kindsOf(definitions)).toEqual(["SLO orders"])
    expect(sloOf(definitions).objectives).toEqual([{ displayName: "Taken", target: 0.995 }])
    expect(notes).toHaveLength(1)
    expect(guide).toContain(notes[0]?.replace(/^0 /, "openslo.yaml, document 1 (SLO orders): "))
  })

  it("spec/openslo §1: an unknown property gets a note, wherever it is", () => {
    const places = documents.flatMap((document, index) =>
      objectsOf(document).map((path) => ({ index, path })),
    )
    expect(places.length).toBeGreaterThan(30)
    for (const { index, path } of places) {
      if (/labels$|annotations$/.test(path.join("."))) continue
      const copy = structuredClone(documents) as Array<Record<string, Plain>>
      const place = path.reduce((node, key) => node[key], copy[index] as Record<string, Plain>)
      place["zzz"] = 1
      expect(convert(copy).paths.filter((each) => each.endsWith("zzz"))).toHaveLength(1)
    }
  })

  it("spec/openslo §1: for any documents, the output decodes, and what is left out gets a note", () => {
    const junk = fc.oneof(
      fc.constantFrom<unknown>(
        null,
        "",
        "x",
        "UPPER",
        0,
        -1,
        1e308,
        true,
        [],
        {},
        ["x"],
        { name: "x" },
        "1M",
        "28d",
      ),
      fc.string(),
    )
    const places = documents.flatMap((document, index) => pathsOf(document).map((path) => ({ index, path })))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...places), junk), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        (changes, hasUrls) => {
          const copy = structuredClone(documents) as Array<Record<string, Plain>>
          for (const [{ index, path }, value] of changes) setAt(copy[index], path, value)
          const urls = { webhookUrl: "https://a.example.com/", prometheusUrl: "http://b.example.com" }
          const { definitions, notes, isComplete } = convert(copy, hasUrls ? urls : {})
          expect(issuesOf(definitions)).toEqual([])
          if (!isComplete) expect(notes).not.toEqual([])
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

type Path = ReadonlyArray<string>

/** The paths of properties in a value. */
const pathsOf = (value: unknown): ReadonlyArray<Path> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, each]) => [[key], ...pathsOf(each).map((path) => [key, ...path])])
    : []

/** The paths of objects in a value, including the value. */
const objectsOf = (value: object): ReadonlyArray<Path> => [
  [],
  ...pathsOf(value).filter((path) => {
    const at = path.reduce((node, key) => node[key], value as Record<string, Plain>)
    return typeof at === "object" && at !== null && !Array.isArray(at)
  }),
]

/** Sets a property, unless an earlier change has taken away what holds it. */
const setAt = (value: unknown, path: Path, to: unknown): void => {
  const holder = path.slice(0, -1).reduce<Plain>((node, key) => node?.[key], value)
  if (typeof holder === "object" && holder !== null) holder[path.at(-1) ?? ""] = to
}
