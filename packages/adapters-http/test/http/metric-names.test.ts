import { MemoryStores } from "@tocsin/adapters-memory"
import type { DataSource } from "@tocsin/domain/adapter"
import { listMetricNames } from "@tocsin/domain/features/data-source"
import { listedNamesMax, nameListsPerWindow } from "@tocsin/domain/limits"
import { MetricsAreUnavailable, MetricSource, type NameList, type NameQuery } from "@tocsin/domain/ports"
import { putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { ask, organization, start, test } from "../../../../test/http/delivery-client.ts"

const key = { project: "shop", name: "mimir" }
const sourceAt = (url: string): DataSource => ({
  kind: "DataSource",
  metadata: key,
  spec: { prometheus: { url: sourceUrlOf(url), headers: [] } },
})
const source = sourceAt("https://mimir.example.com")

/** A server with these names, and what it was asked. */
const serverOf = (answer: (query: NameQuery) => NameList | MetricsAreUnavailable) => {
  const queries: Array<NameQuery> = []
  const layer = Layer.succeed(MetricSource, {
    readSeries: () => Effect.succeed([]),
    readGaps: () => Effect.succeed([]),
    readNames: (query) =>
      Effect.suspend(() => {
        queries.push(query)
        const answered = answer(query)
        return answered instanceof MetricsAreUnavailable ? Effect.fail(answered) : Effect.succeed(answered)
      }),
  })
  return { queries, layer: Layer.mergeAll(MemoryStores.layer, layer) }
}

const metrics = { label: "__name__" }

describe("names of metrics and labels", () => {
  it.effect("spec/data-sources §17: are searched in what was read once in a minute", () => {
    const names = ["http_requests_total", "process_HTTP", "up"]
    const { queries, layer } = serverOf(() => ({ names, isComplete: true }))
    return Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* putDefinitions(organization, [source])
      const list = (search: string) => listMetricNames(organization, key, { ...metrics, search })
      expect(yield* list("")).toEqual({ names, isComplete: true })
      expect(yield* list("http")).toEqual({ names: names.slice(0, 2), isComplete: true })
      // Those that begin with the text come first.
      expect((yield* list("P")).names).toEqual(["process_HTTP", "http_requests_total", "up"])
      expect(queries).toMatchObject([
        { organization, label: "__name__", from: start - 86_400_000, to: start },
      ])
      yield* TestClock.adjust("61 seconds")
      yield* list("")
      expect(queries).toHaveLength(2)
      // A definition that changed is another server.
      yield* putDefinitions(organization, [sourceAt("https://thanos.example.com")])
      yield* list("")
      expect(queries.map(({ server }) => server.url.text)).toEqual([
        "https://mimir.example.com",
        "https://mimir.example.com",
        "https://thanos.example.com",
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("spec/data-sources §17: of another organization are never used", () => {
    const { queries, layer } = serverOf((query) => ({ names: [query.organization], isComplete: true }))
    return Effect.gen(function* () {
      for (const each of [organization, "globex"]) {
        yield* putDefinitions(each, [source])
        expect((yield* listMetricNames(each, key, metrics)).names).toEqual([each])
      }
      expect(queries).toHaveLength(2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("spec/data-sources §17: are asked by the text if there are too many", () => {
    const many = Array.from({ length: listedNamesMax + 1 }, (_, at) => `metric_${at}`)
    const { queries, layer } = serverOf(({ label, containing }) =>
      label === undefined
        ? { names: many, isComplete: true }
        : containing === undefined
          ? { names: [], isComplete: false }
          : { names: ["up"], isComplete: true },
    )
    return Effect.gen(function* () {
      yield* putDefinitions(organization, [source])
      const list = (request: Parameters<typeof listMetricNames>[2]) =>
        listMetricNames(organization, key, request)
      expect(yield* list(metrics)).toEqual({ names: [], isComplete: false })
      expect(yield* list({ ...metrics, search: "U" })).toEqual({ names: ["up"], isComplete: true })
      expect(queries.map(({ containing }) => containing)).toEqual([undefined, "u"])
      const cut = yield* list({})
      expect([cut.names.length, cut.isComplete]).toEqual([listedNamesMax, false])
      expect(yield* list({ search: "metric_1000" })).toEqual({ names: ["metric_1000"], isComplete: true })
    }).pipe(Effect.provide(layer))
  })

  it.effect("spec/data-sources §17: report a server that cannot be read, and spare it for 10 s", () => {
    let isUp = false
    const { queries, layer } = serverOf(() =>
      isUp
        ? { names: ["up"], isComplete: true }
        : new MetricsAreUnavailable({ reason: "connect_refused", detail: "it refused" }),
    )
    return Effect.gen(function* () {
      yield* putDefinitions(organization, [source])
      const problem = { reason: "connect_refused", detail: "it refused" }
      for (const search of ["", "u"]) {
        const listed = yield* listMetricNames(organization, key, { ...metrics, search })
        expect(listed).toEqual({ names: [], isComplete: false, problem })
      }
      expect(queries).toHaveLength(1)
      isUp = true
      yield* TestClock.adjust("11 seconds")
      expect((yield* listMetricNames(organization, key, metrics)).names).toEqual(["up"])
    }).pipe(Effect.provide(layer))
  })

  test(
    "spec/data-sources §17: are listed for an editor of the organization, 50 times in 10 s",
    Effect.gen(function* () {
      const path = "/api/console/datasources/mimir/names"
      const inShop = { headers: { project: "shop" } }
      expect((yield* ask("GET", path, inShop)).status).toBe(404)
      yield* putDefinitions(organization, [source])
      expect((yield* ask("GET", path, { ...inShop, organization: "globex" })).status).toBe(404)
      expect((yield* ask("GET", path, { ...inShop, role: "viewer" })).status).toBe(403)
      const long = yield* ask("GET", `${path}?search=${"a".repeat(201)}`, inShop)
      expect([long.status, long.json.errors[0]]).toMatchObject([
        400,
        { code: "name_too_long", source: { propertyName: "search" } },
      ])
      // One was used by the 404.
      for (let count = 1; count < nameListsPerWindow; count++) {
        const response = yield* ask("GET", `${path}?label=__name__&metric=up`, inShop)
        expect([response.status, response.json]).toEqual([200, { names: [], isComplete: true }])
      }
      expect((yield* ask("GET", path, inShop)).status).toBe(429)
    }),
  )
})
