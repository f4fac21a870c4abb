import { NodeApiServer } from "@tocsin/adapters-http"
import { DefinitionOptions } from "@tocsin/adapters-http/documents"
import { definitionFromStored, type DefinitionJson, definitionToStored } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { describe, expect, it } from "@tocsin/testing/vitest"
import {
  aBudgetAdjustment,
  aProject,
  aService,
  anAgent,
  anAlertMethod,
  anAlertPolicy,
  anAlertSilence,
  anSlo,
  aSourceSlo,
  changed,
  decodeOptions,
  type Plain,
  promql,
} from "../../../test/definition/valid-definitions.ts"
import { api, apiPorts } from "../../../test/http/api-ports.ts"
import { basicOf, errorsOf, headersOf, type ReceivedResponse, send } from "../../../test/http/api-client.ts"

const serverWith = (options: Partial<typeof decodeOptions>) =>
  NodeApiServer.layer({ host: "127.0.0.1", port: 0 }, api).pipe(
    Layer.provideMerge(apiPorts),
    Layer.provideMerge(Layer.succeed(DefinitionOptions, { ...decodeOptions, ...options })),
  )

const test = (
  what: string,
  effect: Effect.Effect<void, unknown, Layer.Success<ReturnType<typeof serverWith>>>,
  options: Partial<typeof decodeOptions> = {},
): void => it.effect(what, () => Effect.provide(effect, serverWith(options)))

/** The headers of a public client. */
const clientHeaders = Effect.gen(function* () {
  const { authorization } = yield* basicOf("acme")
  const answer = yield* send("/oauth2/acme/v1/token", {
    method: "POST",
    headers: { authorization, "content-type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials&scope=m2m",
  })
  const { access_token: token } = JSON.parse(answer.text)
  return { authorization: `Bearer ${token}`, organization: "acme", project: "shop" }
})

type Headers = Readonly<Record<string, string>>

const apply = (headers: Headers, documents: unknown) =>
  send("/api/apply", {
    method: "PUT",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(documents),
  })

const get = (headers: Headers, kind: string) =>
  Effect.map(send(`/api/get/${kind}`, { headers }), ({ text }): ReadonlyArray<DefinitionJson> =>
    JSON.parse(text),
  )

/** Documents without what the service computes (spec/clients §2). */
const applied = (documents: ReadonlyArray<DefinitionJson>): ReadonlyArray<object> =>
  documents.map((document) => {
    const { status: _status, spec, ...rest } = document as DefinitionJson & { readonly status?: object }
    const {
      createdAt: _at,
      createdBy: _by,
      timeWindows,
      ...others
    } = spec as {
      readonly createdAt?: string
      readonly createdBy?: string
      readonly timeWindows?: ReadonlyArray<{ readonly period?: object }>
    }
    const windows = timeWindows?.map(({ period: _period, ...window }) => window)
    return { ...rest, spec: { ...others, ...(windows !== undefined && { timeWindows: windows }) } }
  })

const outcomes = ({ text }: ReceivedResponse): ReadonlyArray<string> =>
  JSON.parse(text).data.map(({ outcome }: { readonly outcome: string }) => outcome)

const url = "https://prometheus.example.com"

const withIndicator = (name: string, indicator: object | undefined, objectives?: unknown): Plain => {
  const slo = changed(anSlo(name), "spec.indicator", indicator)
  return objectives === undefined ? slo : changed(slo, "spec.objectives", objectives)
}

const component = { project: "shop", slo: "pushed", objective: "good", weight: 1, whenDelayed: "Ignore" }

/** An SLO with each indicator that the clients do not know. */
const ownSlos = [
  withIndicator("counted", undefined),
  withIndicator("pushed", { otlp: { good: { metric: "a" }, total: { metric: "b" } } }),
  withIndicator("ratio", { prometheus: { url, good: "sum(a)", total: "sum(b)" } }),
  withIndicator("errors", { prometheus: { url, bad: "sum(a)", total: "sum(b)" } }),
  withIndicator("grouped", {
    prometheus: { url, good: "sum by (x) (a)", total: "sum by (x) (b)", groupBy: ["x"] },
  }),
  withIndicator("metric", { prometheus: { url, metric: "latency" } }, [
    { name: "a", target: 0.9, op: "lt", value: 0.5 },
    { name: "b", target: 0.9, op: "lt", value: 1 },
  ]),
  withIndicator(
    "histogram",
    { prometheus: { url, histogram: { series: "latency_seconds", type: "native" } } },
    [
      { name: "a", target: 0.9, value: 0.5 },
      { name: "b", target: 0.9, composite: { maxDelay: "5m", components: { objectives: [component] } } },
    ],
  ),
]

const base = [aProject(), aService(), anAlertMethod(), anAlertPolicy()]

describe("SLOs of the public clients", () => {
  test(
    "spec/client-slos §2: a client gets a data source and metrics for every indicator, and applying them changes nothing",
    Effect.gen(function* () {
      const own = yield* headersOf("acme")
      const client = yield* clientHeaders
      expect((yield* apply(own, [...base, ...ownSlos])).status).toBe(200)
      const shown = yield* get(client, "slo")
      for (const { metadata, spec } of shown) {
        const { indicator, objectives } = spec as { indicator: object; objectives: ReadonlyArray<Plain> }
        expect(indicator).toEqual({
          metricSource: { kind: "Agent", project: "shop", name: "stored-indicator" },
        })
        const plain = objectives.filter((objective) => objective["composite"] === undefined)
        expect(new Set(plain.map(({ value }) => value)).size, metadata.name).toBe(plain.length)
        for (const { countMetrics, rawMetric } of plain) expect(countMetrics ?? rawMetric).toBeDefined()
      }
      const before = yield* get({ ...own, project: "shop" }, "slo")
      expect(outcomes(yield* apply(client, shown))).toEqual(ownSlos.map(() => "unchanged"))
      // Those who know all indicators get them as they were applied.
      expect(yield* get({ ...own, project: "shop" }, "slo")).toEqual(before)
      expect(before.find(({ metadata }) => metadata.name === "pushed")?.spec).toMatchObject({
        indicator: { otlp: { good: { metric: "a" } } },
      })
    }),
  )

  test(
    "spec/client-slos §2: a client can change everything but the indicator, which must exist",
    Effect.gen(function* () {
      const own = yield* headersOf("acme")
      const client = yield* clientHeaders
      yield* apply(own, [...base, ...ownSlos])
      const shown = (yield* get(client, "slo")) as unknown as ReadonlyArray<Plain>
      const of = (name: string) => {
        const found = shown.find(({ metadata }) => (metadata as Plain)["name"] === name)
        if (found === undefined) throw new Error(name)
        return found
      }
      const objectivesOf = (slo: Plain) => (slo["spec"] as { objectives: ReadonlyArray<Plain> }).objectives
      const ratio = of("ratio")
      const added = [
        ...objectivesOf(ratio),
        { ...objectivesOf(ratio)[0], name: "added", value: 3, target: 0.5 },
      ]
      const edited = changed(changed(ratio, "spec.description", "Edited"), "spec.objectives", added)
      expect(outcomes(yield* apply(client, edited))).toEqual(["updated"])
      const stored = (yield* get({ ...own, project: "shop" }, "slo")).find(
        ({ metadata }) => metadata.name === "ratio",
      )
      expect(stored?.spec).toMatchObject({
        description: "Edited",
        indicator: { prometheus: { url, good: "sum(a)", total: "sum(b)" } },
        objectives: [
          { name: "good", target: 0.99 },
          { name: "great", target: 0.999 },
          { name: "added", target: 0.5 },
        ],
      })
      expect(JSON.stringify(stored)).not.toContain("countMetrics")

      const propertiesOf = (answer: ReceivedResponse) =>
        errorsOf(answer).map(({ source }) => source?.propertyName)
      const other = changed(ratio, "spec.objectives[0].countMetrics.good", promql("sum(c)"))
      expect(propertiesOf(yield* apply(client, other))).toEqual(["spec.objectives[0].countMetrics"])
      const valueless = changed(of("histogram"), "spec.objectives[0].value", undefined)
      expect(propertiesOf(yield* apply(client, valueless))).toEqual(["spec.objectives[0].value"])
      const renamed = changed(ratio, "metadata.name", "unknown")
      expect(propertiesOf(yield* apply(client, renamed))).toEqual(["spec.indicator.metricSource.name"])
      // Afterwards it has a data source like any other, and nothing to stand for.
      const source = changed(ratio, "spec.indicator.metricSource.name", "scraper")
      expect(outcomes(yield* apply(client, [anAgent(), source]))).toEqual(["created", "updated"])
      expect(propertiesOf(yield* apply(client, ratio))).toEqual(["spec.indicator.metricSource.name"])
    }),
  )

  test(
    "spec/client-slos §2: a client gets SLOs with a data source, Agents and Directs as they were applied",
    Effect.gen(function* () {
      const client = yield* clientHeaders
      const direct = { ...anAgent("other"), kind: "Direct" }
      expect((yield* apply(client, [...base, anAgent(), direct, aSourceSlo()])).status).toBe(200)
      expect(applied(yield* get(client, "slo"))).toEqual([aSourceSlo()])
      expect(applied(yield* get(client, "agent"))).toEqual([anAgent()])
      expect(applied(yield* get(client, "direct"))).toEqual([direct])
      const state = yield* send("/api/slos/payment/indicator", { headers: client })
      expect(JSON.parse(state.text)).toEqual({
        failures: 0,
        dataSource: { kind: "Agent", project: "shop", name: "scraper" },
      })
    }),
  )

  const datadog = { datadog: { query: "avg:x{*}" } }
  const unread = changed(anSlo("unread"), "spec.objectives", [
    { name: "a", target: 0.9, countMetrics: { incremental: false, good: datadog, total: datadog } },
  ])
  const unreadSlo = changed(unread, "spec.indicator", {
    metricSource: { kind: "Direct", project: "shop", name: "datadog" },
  })
  const unreadSource = {
    ...anAgent("datadog"),
    kind: "Direct",
    spec: { datadog: { site: "eu", apiKey: "k3y" } },
  }

  test(
    "spec/client-slos §3: an SLO whose data source is not read has no data, and says why",
    Effect.gen(function* () {
      const client = yield* clientHeaders
      expect(outcomes(yield* apply(client, [...base, unreadSource, unreadSlo])).slice(-2)).toEqual([
        "created",
        "created",
      ])
      const slos = yield* get(client, "slo")
      expect(applied(slos)).toEqual([unreadSlo])
      expect(JSON.stringify(yield* get(client, "direct"))).not.toContain("k3y")
      expect(outcomes(yield* apply(client, [unreadSource, unreadSlo]))).toEqual(["unchanged", "unchanged"])
      const state = yield* send("/api/slos/unread/indicator", { headers: client })
      expect(JSON.parse(state.text)).toMatchObject({
        failures: 0,
        problem: {
          reason: "source_unsupported",
          detail: "Data source type datadog is not supported: only prometheus is read",
        },
        dataSource: { kind: "Direct", project: "shop", name: "datadog" },
      })
      const status = yield* send("/api/v2/slos/unread", { headers: client })
      expect(status.text).not.toContain("reliability")
      const backfill = yield* send("/api/slos/unread/indicator/backfill", { headers: client })
      expect(backfill.status).toBe(404)
      const stored = Result.getOrThrow(
        definitionFromStored({ json: JSON.stringify({ version: 1, document: slos[0] }), secrets: [] }),
      )
      expect(definitionToStored(stored).secrets).toEqual([])
    }),
    { allowUnsupportedSources: true },
  )

  test(
    "spec/client-slos §3: without the setting, everything of such a source is rejected at once",
    Effect.gen(function* () {
      const client = yield* clientHeaders
      const answer = yield* apply(client, [...base, unreadSource, unreadSlo])
      expect(answer.status).toBe(400)
      expect(errorsOf(answer).map(({ source }) => source?.propertyName)).toEqual([
        "[4].spec.datadog",
        "[5].spec.objectives[0].countMetrics.good.datadog",
        "[5].spec.objectives[0].countMetrics.total.datadog",
      ])
    }),
  )
})

/** The properties of documents that the SDK of the clients has, `true` with everything below. */
type Known = true | { readonly [name: string]: Known } | readonly [Known]

const named: Known = { name: true, displayName: true, project: true, labels: true, annotations: true }
const unlabelled: Known = { name: true, displayName: true, project: true, annotations: true }

const sdkKinds: Readonly<Record<string, { readonly metadata: Known; readonly spec: Known }>> = {
  Project: { metadata: named, spec: { description: true } },
  Service: { metadata: named, spec: true },
  SLO: { metadata: named, spec: true },
  AlertPolicy: {
    metadata: named,
    spec: {
      description: true,
      severity: true,
      coolDown: true,
      conditions: [{ measurement: true, value: true, alertingWindow: true, lastsFor: true, op: true }],
      alertMethods: true,
    },
  },
  AlertMethod: {
    metadata: unlabelled,
    spec: { description: true, webhook: { url: true, template: true, templateFields: true, headers: true } },
  },
  AlertSilence: {
    metadata: { name: true, project: true },
    spec: { description: true, slo: true, alertPolicy: true, period: true },
  },
  Agent: { metadata: unlabelled, spec: true },
  Report: { metadata: { name: true, displayName: true }, spec: true },
  BudgetAdjustment: { metadata: { name: true, displayName: true }, spec: true },
}

const parsed = (known: Known, value: unknown): unknown => {
  if (known === true) return value
  if (Array.isArray(value)) return value.map((each) => parsed((known as readonly [Known])[0], each))
  return Object.fromEntries(
    Object.entries(value as Plain).flatMap(([name, each]) => {
      const part = (known as Readonly<Record<string, Known>>)[name]
      return part === undefined ? [] : [[name, parsed(part, each)]]
    }),
  )
}

/** A document as a client applies it that has read it. */
const reapplied = ({ apiVersion, kind, metadata, spec }: DefinitionJson): Plain => {
  const known = sdkKinds[kind]
  if (known === undefined) throw new Error(kind)
  return { apiVersion, kind, metadata: parsed(known.metadata, metadata), spec: parsed(known.spec, spec) }
}

describe("budget adjustments of the public clients", () => {
  const ofClients = {
    apiVersion: "tocsin/v1alpha",
    kind: "BudgetAdjustment",
    metadata: { name: "maintenance" },
    spec: {
      firstEventStart: "2026-01-01T12:00:00Z",
      duration: "1h",
      filters: { slos: [{ name: "checkout", project: "shop" }] },
    },
  }
  const ofProject = (project: string) => {
    const adjustment = aBudgetAdjustment("maintenance", project)
    return changed(adjustment, "spec.slos", ofClients.spec.filters.slos)
  }
  const remove = (headers: Headers, path: string, body?: unknown) =>
    send(path, {
      method: "DELETE",
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const byName = "/api/delete/budgetadjustment?name=maintenance"
  const ofDefault = { project: "default" }

  test(
    "spec/budget-adjustments §9: neither form replaces the other",
    Effect.gen(function* () {
      const own = yield* headersOf("acme")
      const client = yield* clientHeaders
      yield* apply(own, [...base, anSlo(), ofProject("default")])
      const inDefault = Effect.map(get({ ...own, ...ofDefault }, "budgetadjustment"), (all) =>
        all.map(({ metadata }) => metadata.project ?? ""),
      )
      for (const headers of [client, own]) {
        const rejected = yield* apply(headers, ofClients)
        expect([rejected.status, errorsOf(rejected)]).toEqual([
          400,
          [
            {
              title:
                "is the name of a BudgetAdjustment of project default; choose another name, or delete that one first",
              code: "duplicate",
              source: { propertyName: "metadata.name" },
            },
          ],
        ])
        // It does not exist in the form of the clients, which pass over it.
        const removed = yield* remove(headers, "/api/delete", ofClients)
        expect(removed.status).toBe(headers === client ? 204 : 404)
      }
      expect((yield* remove(client, byName)).status).toBe(204)
      expect(yield* inDefault).toEqual(["default"])

      expect((yield* remove({ ...own, ...ofDefault }, byName)).status).toBe(204)
      expect(outcomes(yield* apply(client, ofClients))).toEqual(["created"])
      const rejected = yield* apply(own, ofProject("default"))
      expect(errorsOf(rejected)[0]?.title).toContain("BudgetAdjustment without a project")
      expect(yield* inDefault).toEqual([""])
    }),
  )

  test(
    "spec/budget-adjustments §9: to a client, a name is that of an adjustment without a project",
    Effect.gen(function* () {
      const own = yield* headersOf("acme")
      const client = yield* clientHeaders
      yield* apply(own, [...base, anSlo(), ofProject("shop")])
      expect(outcomes(yield* apply(client, ofClients))).toEqual(["created"])
      const listed = get({ ...client, project: "*" }, "budgetadjustment")
      expect(yield* listed).toEqual([ofClients])
      expect((yield* remove(client, byName)).status).toBe(204)
      expect(yield* listed).toEqual([])
      expect(yield* get({ ...own, project: "shop" }, "budgetadjustment")).toHaveLength(1)
      expect((yield* remove(client, byName)).status).toBe(204)
      expect(yield* get({ ...own, project: "shop" }, "budgetadjustment")).toHaveLength(1)
    }),
  )
})

describe("properties that the public clients do not know", () => {
  const condition = { measurement: "averageBurnRate", value: 20, alertingWindow: "5m" }
  const slower = { ...condition, value: 6, alertingWindow: "30m" }
  const escalation = { after: "30m", alertMethods: [{ metadata: { name: "ops", project: "shop" } }] }
  const full = [
    changed(aProject(), "spec.statusPage", { slug: "shop", title: "Shop" }),
    changed(aService(), "spec.responsibleUsers", [{ id: "00u2y" }]),
    changed(anAlertMethod(), "spec.webhook.sendResolution", true),
    changed(
      changed(
        changed(anAlertPolicy(), "spec.conditions", [
          { ...condition, minEvents: 10 },
          { ...slower, minEvents: 20, minBadEvents: 2 },
        ]),
        "spec.renotify",
        { every: "1h", atMost: 3 },
      ),
      "spec.then",
      [escalation],
    ),
    anSlo(),
    changed(
      changed(
        changed(anAlertSilence(), "spec.notifyBeforeEnd", {
          before: "1h",
          alertMethods: [{ name: "ops", project: "shop" }],
        }),
        "metadata.displayName",
        "Night work",
      ),
      "metadata.annotations",
      { "example.com/team": "ops" },
    ),
    anAgent(),
    {
      apiVersion: "tocsin/v1alpha",
      kind: "Report",
      metadata: { name: "errors", displayName: "Errors" },
      spec: { shared: true, filters: { projects: ["shop"] }, errorBudgetStatus: {} },
    },
    {
      apiVersion: "tocsin/v1alpha",
      kind: "BudgetAdjustment",
      metadata: { name: "move", displayName: "Move" },
      spec: {
        firstEventStart: "2026-01-01T12:00:00Z",
        duration: "1h",
        filters: { slos: [{ name: "checkout", project: "shop" }] },
      },
    },
  ]
  const kindsOf = full.map((each) => String(each["kind"]).toLowerCase())

  test(
    "spec/clients §2: are kept when a client applies what it has read",
    Effect.gen(function* () {
      const own = yield* headersOf("acme")
      const client = yield* clientHeaders
      expect((yield* apply(own, full)).status).toBe(200)
      expect(new Set(kindsOf).size).toBe(Object.keys(sdkKinds).length)
      const read = (yield* Effect.forEach(kindsOf, (kind) => get(client, kind))).flat()
      const documents = read.filter(({ metadata }) => metadata.name !== "default").map(reapplied)
      expect(documents).toHaveLength(full.length)
      expect(outcomes(yield* apply(client, documents))).toEqual(full.map(() => "unchanged"))
      // Those who know everything say what is to be kept.
      const policy = documents.filter(({ kind }) => kind === "AlertPolicy")
      expect(outcomes(yield* apply(own, policy))).toEqual(["updated"])
    }),
  )

  test(
    "spec/clients §2: can be given, are kept beside changes, and for the condition that they are of",
    Effect.gen(function* () {
      const own = { ...(yield* headersOf("acme")), project: "shop" }
      const client = yield* clientHeaders
      yield* apply(own, full)
      const specOf = (kind: string) =>
        Effect.map(get(own, kind), ([first]) => first?.spec as Readonly<Record<string, unknown>>)
      const policyWith = (conditions: ReadonlyArray<object>) =>
        Effect.andThen(
          Effect.map(apply(client, changed(anAlertPolicy(), "spec.conditions", conditions)), outcomes),
          Effect.map(specOf("alertpolicy"), (spec) => spec["conditions"]),
        )
      const tenMinutes = { ...condition, op: "gte", alertingWindow: "10m" }
      expect(yield* policyWith([{ ...condition, op: "", alertingWindow: "10m" }, slower])).toEqual([
        { ...tenMinutes, minEvents: 10 },
        { ...slower, op: "gte", minEvents: 20, minBadEvents: 2 },
      ])
      expect(yield* policyWith([slower, condition])).toEqual([
        { ...slower, op: "gte", minEvents: 20, minBadEvents: 2 },
        { ...condition, op: "gte" },
      ])
      expect(yield* policyWith([{ ...condition, minEvents: 1 }])).toEqual([
        { ...condition, op: "gte", minEvents: 1 },
      ])
      expect(yield* specOf("alertpolicy")).toMatchObject({
        renotify: { every: "1h", atMost: 3 },
        then: [escalation],
      })

      const method = changed(anAlertMethod(), "spec.webhook.sendResolution", false)
      expect(outcomes(yield* apply(client, method))).toEqual(["updated"])
      expect((yield* specOf("alertmethod"))["webhook"]).not.toHaveProperty("sendResolution")

      const short = changed(anAlertSilence(), "spec.period.duration", "30m")
      const rejected = yield* apply(client, short)
      expect([rejected.status, errorsOf(rejected)[0]?.source?.propertyName]).toEqual([
        400,
        "spec.notifyBeforeEnd.before",
      ])
    }),
  )
})
