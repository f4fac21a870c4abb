import { MemoryStores } from "@tocsin/adapters-memory"
import type { DataSource } from "@tocsin/domain/adapter"
import { anyAddress } from "@tocsin/domain/delivery"
import { testDataSource, testProposedSource } from "@tocsin/domain/features/data-source"
import { IndicatorStore, metricFailureText, MetricsAreUnavailable, MetricSource } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { anSlo, putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { ask, organization, slo, start, test } from "../../../../test/http/delivery-client.ts"

const key = { project: "shop", name: "mimir" }
const source: DataSource = {
  kind: "DataSource",
  metadata: key,
  spec: { prometheus: { url: sourceUrlOf("https://mimir.example.com"), headers: [] } },
}

/** The same as an object of a request, with other properties. */
const proposed = (prometheus: object) => ({
  apiVersion: "tocsin/v1alpha",
  kind: "DataSource",
  metadata: key,
  spec: { prometheus: { url: "https://mimir.example.com", ...prometheus } },
})

interface Rejection {
  readonly json: { readonly errors: ReadonlyArray<{ readonly source: { readonly propertyName: string } }> }
}

const propertiesOf = ({ json }: Rejection): ReadonlyArray<string> =>
  json.errors.map(({ source }) => source.propertyName)

const inShop = { headers: { project: "shop" } }
const path = "/api/datasources/mimir/test"

describe("GET /api/datasources", () => {
  test(
    "spec/data-sources §14: lists data sources with their state, and the SLOs that cannot be read, without secrets",
    Effect.gen(function* () {
      const bearer = { token: Redacted.make("t0ken") }
      const mimir: DataSource = { ...source, spec: { prometheus: { ...source.spec.prometheus, bearer } } }
      const thanos: DataSource = { ...source, metadata: { project: "shop", name: "thanos" } }
      const indicator = { prometheus: { dataSource: key, good: "good", total: "total" } }
      yield* putDefinitions(organization, [mimir, thanos, anSlo(slo, { indicator })])
      yield* (yield* IndicatorStore).settle(
        organization,
        slo,
        { indicator, readTo: 0 },
        {
          readTo: start,
          failures: 2,
          succeededAt: start - 120_000,
          problem: { reason: "connect_refused", detail: "the server refused the connection", at: start },
          unavailableSince: start - 60_000,
          dueAt: start,
        },
      )
      const viewer = { role: "viewer" } as const
      const page = yield* ask("GET", "/api/datasources?project=shop&limit=1", viewer)
      expect(page.status).toBe(200)
      const status = {
        definition: proposed({ bearer: { token: "[hidden]" } }),
        state: "unavailable",
        sloCount: 1,
        succeededAt: "2026-01-30T11:58:00.000Z",
        unavailableSince: "2026-01-30T11:59:00.000Z",
        problem: {
          reason: "connect_refused",
          detail: "the server refused the connection",
          at: "2026-01-30T12:00:00.000Z",
        },
        affectedSloCount: 1,
        affectedSlos: [slo],
      }
      expect(page.json.data).toEqual([status])
      const next = yield* ask("GET", page.json.links.next, viewer)
      const unused = { state: "unused", sloCount: 0, affectedSloCount: 0, affectedSlos: [] }
      expect(next.json.data).toMatchObject([{ definition: { metadata: thanos.metadata }, ...unused }])
      expect(next.json.links.next).toBeUndefined()
      expect((yield* ask("GET", "/api/datasources?project=other", viewer)).json.data).toEqual([])
      expect((yield* ask("GET", "/api/datasources", { organization: "globex" })).json.data).toEqual([])

      const one = yield* ask("GET", "/api/datasources/mimir", { ...inShop, ...viewer })
      expect([one.status, one.json]).toEqual([200, status])
      const unknown = yield* ask("GET", "/api/datasources/unknown", { ...inShop, ...viewer })
      expect([unknown.status, unknown.json.errors[0].code]).toEqual([404, "data_source_not_found"])
      const state = yield* ask("GET", "/api/slos/checkout/indicator", { ...inShop, ...viewer })
      expect(state.json).toMatchObject({
        unavailableSince: "2026-01-30T11:59:00.000Z",
        dataSource: key,
      })
    }),
  )
})

describe("the state of data sources", () => {
  test(
    "spec/rate-limits §8: is a costly read, of which 300 are allowed in 10 s",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [source])
      for (let count = 0; count < 150; count++) {
        expect((yield* ask("GET", "/api/datasources", inShop)).status).toBe(200)
        expect((yield* ask("GET", "/api/datasources/mimir", inShop)).status).toBe(200)
      }
      for (const path of ["/api/datasources", "/api/datasources/mimir"]) {
        const response = yield* ask("GET", path, inShop)
        expect([response.status, response.json.errors[0].code]).toEqual([429, "rate_limit_exceeded"])
      }
    }),
  )
})

describe("POST /api/datasources/{name}/test", () => {
  test(
    "spec/data-sources §6: tests a data source of the organization, for an editor, once in 5 s",
    Effect.gen(function* () {
      expect((yield* ask("POST", path, inShop)).status).toBe(404)
      yield* putDefinitions(organization, [source])
      expect((yield* ask("POST", path, { ...inShop, organization: "globex" })).status).toBe(404)
      expect((yield* ask("POST", path, { ...inShop, role: "viewer" })).status).toBe(403)
      const response = yield* ask("POST", path, inShop)
      expect(response.status).toBe(200)
      expect(response.json).toEqual({ message: "Test completed successfully!", durationMs: 0, warnings: [] })
      expect((yield* ask("POST", path, inShop)).status).toBe(429)
      yield* TestClock.adjust(5_000)
      expect((yield* ask("POST", path, inShop)).status).toBe(200)
    }),
  )

  test(
    "spec/data-sources §6: tests a data source that is not applied, for an editor, 5 times in 10 s",
    Effect.gen(function* () {
      const definition = proposed({})
      const post = (body: unknown, options = {}) => ask("POST", "/api/datasources/test", { body, ...options })
      expect((yield* post({ definition }, { role: "viewer" })).status).toBe(403)
      const invalid = yield* post({ definition: proposed({ tenant: "a b", url: 1 }) })
      expect([invalid.status, propertiesOf(invalid)]).toEqual([
        400,
        ["definition.spec.prometheus.tenant", "definition.spec.prometheus.url"],
      ])
      const otherKind = { ...definition, kind: "Service", spec: {} }
      expect(propertiesOf(yield* post({ definition: otherKind }))).toEqual(["definition.kind"])
      const hidden = proposed({ bearer: { token: "[hidden]" } })
      expect(propertiesOf(yield* post({ definition: hidden }))).toEqual([
        "definition.spec.prometheus.bearer.token",
      ])
      for (let count = 0; count < 5; count++) {
        const response = yield* post({ definition })
        expect([response.status, response.json]).toEqual([
          200,
          { message: "Test completed successfully!", durationMs: 0, warnings: [] },
        ])
      }
      expect((yield* post({ definition })).status).toBe(429)
      const stored = yield* ask("GET", "/api/get/datasource?name=mimir", inShop)
      expect(stored.json).toEqual([])
    }),
  )

  it.effect(
    "spec/data-sources §7: sends a stored secret in a test only to the server it was stored for",
    () => {
      const sent: Array<string | undefined> = []
      const recording = Layer.succeed(MetricSource, {
        readGaps: () => Effect.succeed([]),
        readNames: () => Effect.succeed({ names: [], isComplete: true }),
        readSeries: ({ server }) =>
          Effect.sync(() => {
            sent.push(server.bearer && Redacted.value(server.bearer.token))
            return []
          }),
      })
      return Effect.gen(function* () {
        const bearer = { token: Redacted.make("t0ken") }
        const { prometheus } = source.spec
        yield* putDefinitions(organization, [{ ...source, spec: { prometheus: { ...prometheus, bearer } } }])
        const options = { vendorPrefix: "tocsin", addressPolicy: anyAddress }
        const run = (spec: object) =>
          testProposedSource(organization, { definition: proposed(spec) }, options)
        yield* run({ bearer: { token: "[hidden]" }, tenant: "shop" })
        yield* run({ bearer: { token: "another" }, url: "https://elsewhere.example.com" })
        expect(sent).toEqual(["t0ken", "another"])
        const moved = run({ bearer: { token: "[hidden]" }, url: "https://elsewhere.example.com" })
        const failure = yield* Effect.flip(moved)
        expect(failure).toMatchObject({
          issues: [{ path: "definition.spec.prometheus.bearer.token", code: "hidden_without_stored" }],
        })
        expect(sent).toHaveLength(2)
      }).pipe(Effect.provide(Layer.mergeAll(MemoryStores.layer, recording)))
    },
  )

  const reason = "credentials_rejected"
  const rejecting = Layer.succeed(MetricSource, {
    readGaps: () => Effect.succeed([]),
    readNames: () => Effect.succeed({ names: [], isComplete: true }),
    readSeries: ({ server, expression }) => {
      expect([server.url.text, expression]).toEqual(["https://mimir.example.com", "vector(1)"])
      return Effect.fail(new MetricsAreUnavailable({ reason, detail: metricFailureText[reason] }))
    },
  })

  it.effect("spec/data-sources §6: returns why a test failed", () =>
    Effect.gen(function* () {
      yield* putDefinitions(organization, [source])
      expect(yield* testDataSource(organization, key)).toEqual({
        message: "Test failed",
        durationMs: 0,
        reason,
        detail: metricFailureText[reason],
        warnings: [],
      })
    }).pipe(Effect.provide(Layer.mergeAll(MemoryStores.layer, rejecting))),
  )
})
