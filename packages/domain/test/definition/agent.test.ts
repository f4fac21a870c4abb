import { MemoryStores } from "@tocsin/adapters-memory"
import {
  applyDefinitions,
  decodeDefinition,
  definitionToJson,
  deleteDefinitions,
  type Participants,
  participantsLayer,
} from "@tocsin/domain"
import { definitionFromStored, definitionToStored } from "@tocsin/domain/adapter"
import { type CountStore, DefinitionStore } from "@tocsin/domain/ports"
import { serverOfAgent } from "../../src/slo/MetricAgent.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { describe, expect, it } from "@tocsin/testing/vitest"
import {
  aDataSource,
  anAgent,
  anAlertMethod,
  aProject,
  aService,
  aSourceSlo,
  changed,
  codesOf,
  decodeOptions,
  issuesOf,
  type Plain,
} from "../../../../test/definition/valid-definitions.ts"

const allowing = { ...decodeOptions, allowUnsupportedSources: true }

const ofType = (type: string, spec: unknown, kind = "Agent"): Plain => ({
  ...anAgent(),
  kind,
  spec: { [type]: spec },
})

describe.each(["Agent", "Direct"] as const)("the kind %s", (kind) => {
  const agent = { ...anAgent(), kind }
  const decoded = (input: Plain, options = decodeOptions) => {
    const definition = Result.getOrThrow(decodeDefinition(input, options))
    if (definition.kind !== kind) throw new Error(definition.kind)
    return definition
  }

  it("spec/data-sources §16: is read back as it was applied, and stored", () => {
    expect(issuesOf(agent)).toEqual([])
    expect(definitionToJson(decoded(agent), "tocsin")).toEqual(agent)
    expect(Result.getOrThrow(definitionFromStored(definitionToStored(decoded(agent))))).toEqual(
      decoded(agent),
    )
    const bare = changed(agent, "spec", { prometheus: { url: "http://prometheus.example.com:9090" } })
    expect(definitionToJson(decoded(bare), "tocsin")).toEqual(bare)
  })

  it("spec/data-sources §16: is read at its URL, after its query delay, without authentication", () => {
    expect(serverOfAgent(decoded(agent))).toMatchObject({
      url: { href: "https://prometheus.example.com/" },
      headers: [],
      queryDelay: { ms: 120_000 },
    })
    expect(serverOfAgent(decoded(changed(agent, "spec.queryDelay", undefined)))).not.toHaveProperty(
      "queryDelay",
    )
  })

  it("spec/data-sources §16: ignores what clients send back as they received it", () => {
    const echoed = {
      ...changed(
        changed(agent, "spec.interval", { value: 1, unit: "Minute" }),
        "spec.queryDelay.minimumAgentVersion",
        "v0.65.0",
      ),
      status: { agentType: "Prometheus" },
    }
    expect(definitionToJson(decoded(echoed), "tocsin")).toEqual(agent)
  })

  it.each<[string, unknown, string, string]>([
    ["prometheus.url", "http://10.0.0.1", "prometheus.url", "url_address_forbidden"],
    ["prometheus.bearer", { token: "x" }, "prometheus.bearer", "unknown_property"],
    ["prometheus", undefined, "prometheus", "required"],
    ["datadog", { site: "eu" }, "", "mutually_exclusive"],
    ["queryDelay", { value: 86_401, unit: "Second" }, "queryDelay", "out_of_range"],
    ["labels", {}, "labels", "unknown_property"],
  ])("spec/data-sources §16: %s %j is rejected", (property, value, path, code) => {
    expect(codesOf(changed(agent, `spec.${property}`, value))).toEqual([
      [path === "" ? "spec" : `spec.${path}`, code],
    ])
  })

  it("spec/client-slos §3: of another type is stored only if the server allows it, and without its secrets", () => {
    const spec = {
      site: "eu",
      apiKey: "k3y",
      oauth: { clientSecret: "s3cret", scopes: ["a"] },
      accessKeyID: "AK1A",
    }
    const other = ofType("datadog", spec, kind)
    expect(issuesOf(other)).toEqual([
      {
        path: "spec.datadog",
        code: "not_allowed_value",
        message:
          "Data source type datadog is not supported; use prometheus. A server with TOCSIN_ALLOW_UNSUPPORTED_SOURCES stores it without reading it",
      },
    ])
    const stored = decoded(other, allowing)
    expect(serverOfAgent(stored)).toBeUndefined()
    expect(definitionToStored(stored).json).not.toMatch(/k3y|s3cret|AK1A/)
    const json = definitionToJson(stored, "tocsin")
    expect(json.spec).toEqual({
      datadog: {
        accessKeyID: "[hidden]",
        apiKey: "[hidden]",
        oauth: { clientSecret: "[hidden]", scopes: ["a"] },
        site: "eu",
      },
    })
    expect(decoded(json as unknown as Plain, allowing)).toEqual(stored)
  })
})

describe("an SLO and its Agent", () => {
  const layer = Layer.merge(MemoryStores.layer, participantsLayer([]))
  const test = (
    what: string,
    effect: Effect.Effect<void, unknown, CountStore | DefinitionStore | Participants>,
  ): void => it.effect(what, () => Effect.provide(effect, layer))
  const apply = (...inputs: ReadonlyArray<unknown>) => applyDefinitions("acme", inputs, allowing)
  const issuesOfApply = (...inputs: ReadonlyArray<unknown>) =>
    Effect.map(Effect.flip(apply(...inputs)), (error) =>
      "issues" in error ? error.issues.map(({ path, code, message }) => [path, code, message]) : [],
    )
  const base = [aProject(), aService(), anAlertMethod()]
  const datadog = { a: { datadog: { query: "x" } } }
  const datadogSlo = changed(
    changed(aSourceSlo(), "spec.objectives[0].countMetrics", {
      incremental: false,
      good: datadog.a,
      total: datadog.a,
    }),
    "spec.objectives[1].rawMetric.query",
    datadog.a,
  )

  test(
    "spec/data-sources §16: the Agent must exist, and cannot be deleted while an SLO names it",
    Effect.gen(function* () {
      yield* apply(...base)
      const path = "spec.indicator.metricSource.name"
      expect(yield* issuesOfApply(aSourceSlo())).toEqual([
        [
          path,
          "not_found",
          "references an Agent that does not exist: scraper in project shop; apply its definition first, or in the same request",
        ],
      ])
      // Neither a Direct nor a DataSource of the name is the Agent.
      const others = [
        { ...anAgent(), kind: "Direct" },
        changed(aDataSource("scraper"), "spec.prometheus", { url: "https://a.example.com" }),
      ]
      yield* apply(...others)
      expect((yield* issuesOfApply(aSourceSlo())).map(([where]) => where)).toEqual([path])
      yield* apply(aSourceSlo(), anAgent())
      const failure = yield* Effect.flip(deleteDefinitions("acme", [anAgent()], allowing))
      expect("issues" in failure && failure.issues.map(({ code }) => code)).toEqual(["in_use"])
      yield* deleteDefinitions("acme", [aSourceSlo(), anAgent()], allowing)
    }),
  )

  test(
    "spec/client-slos §3: the queries are of the type of the Agent, which keeps its type",
    Effect.gen(function* () {
      yield* apply(...base, anAgent())
      const message = "names a data source of the type prometheus, and the queries are for datadog"
      const path = "spec.indicator.metricSource.name"
      expect(yield* issuesOfApply(datadogSlo)).toEqual([[path, "not_allowed_value", message]])
      const other = ofType("datadog", { site: "eu" })
      expect(yield* issuesOfApply(other)).toEqual([
        [
          "spec.datadog",
          "not_allowed_value",
          "cannot replace the type prometheus; choose another name, or delete the Agent first",
        ],
      ])
      yield* deleteDefinitions("acme", [anAgent()], allowing)
      expect((yield* issuesOfApply(aSourceSlo(), other)).map(([where]) => where)).toEqual([`[0].${path}`])
      expect((yield* apply(datadogSlo, other)).map(({ outcome }) => outcome)).toEqual(["created", "created"])
      expect((yield* apply(datadogSlo, other)).map(({ outcome }) => outcome)).toEqual([
        "unchanged",
        "unchanged",
      ])
      const found = yield* (yield* DefinitionStore).find("acme", "SLO", { project: "shop", name: "payment" })
      expect(Option.isSome(found)).toBe(true)
    }),
  )
})
