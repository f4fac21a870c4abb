import { anSlo, putDefinitions, removeSlos } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { ApiOptions, NodeApiServer } from "@tocsin/adapters-http"
import { sloRecord } from "@tocsin/api"
import { pageSchema } from "@tocsin/api/openapi"
import { sloRecordV1 } from "@tocsin/api"
import { recordCounts } from "@tocsin/domain"
import { SloStore, StoreIsUnavailable } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import {
  apiServer,
  errorsOf,
  headersOf,
  send,
  type ReceivedResponse,
} from "../../../../test/http/api-client.ts"
import { apiPorts } from "../../../../test/http/api-ports.ts"

const organization = "acme"
const key = { project: "shop", name: "checkout" }
const start = Date.UTC(2026, 0, 30, 12)
const versions = ["v1", "v2"] as const

type Context = Layer.Success<typeof apiServer>

const test = (what: string, effect: Effect.Effect<void, unknown, Context>, timeout?: number): void =>
  it.effect(what, () => Effect.provide(Effect.andThen(TestClock.setTime(start), effect), apiServer), timeout)

const json = (answer: ReceivedResponse) => JSON.parse(answer.text)
const errorOf = (answer: ReceivedResponse) => json(answer).errors[0]

describe("GET /api/v2/slos and its version 1", () => {
  test(
    "spec/status-api §5: returns the list envelope, in version 2 with objects and in version 1 with names",
    Effect.gen(function* () {
      const headers = yield* headersOf(organization, "viewer")
      yield* putDefinitions(organization, [anSlo(key)])
      const v2 = yield* send("/api/v2/slos", { headers })
      expect(v2.status).toBe(200)
      expect(v2.headers.get("content-type")).toBe("application/json")
      expect(v2.headers.get("trace-id")).toMatch(/^[0-9a-f]{32}$/)
      expect(json(v2)).toEqual({
        data: [expect.objectContaining({ name: "checkout", project: { name: "shop", displayName: "shop" } })],
        links: { self: "/api/v2/slos?limit=500&cursor=" },
      })
      const v1 = yield* send("/api/v1/slos", { headers })
      expect(json(v1).data).toEqual([{ ...json(v2).data[0], project: "shop", service: "web" }])
      expect(json(v1).links).toEqual({ self: "/api/v1/slos?limit=500&cursor=" })
    }),
  )

  test(
    "spec/status-api §1: is what the OpenAPI documents describe, and nothing else",
    Effect.gen(function* () {
      const headers = yield* headersOf(organization)
      const labels = { team: ["a", "b"] }
      const slo = anSlo(key)
      yield* putDefinitions(organization, [
        { kind: "Project", metadata: { name: "shop", labels }, spec: {} },
        { ...slo, metadata: { ...slo.metadata, labels, annotations: { "a/b": "c" } } },
      ])
      const at = "2026-01-30T12:00:00Z"
      yield* recordCounts(organization, { ...key, body: [{ objective: "good", at, good: 1, total: 2 }] })
      const strict = { onExcessProperty: "error" } as const
      const v2 = json(yield* send("/api/v2/slos", { headers }))
      expect(yield* Schema.decodeUnknownEffect(pageSchema(sloRecord, "Page"), strict)(v2)).toEqual(v2)
      const v1 = json(yield* send("/api/v1/slos", { headers }))
      expect(yield* Schema.decodeUnknownEffect(pageSchema(sloRecordV1, "Page"), strict)(v1)).toEqual(v1)
      expect(Object.keys(v2.data[0].objectives[0])).toHaveLength(8)
    }),
  )

  test(
    "spec/status-api §5: the header Project does not filter the list",
    Effect.gen(function* () {
      const headers = yield* headersOf(organization)
      yield* putDefinitions(organization, [anSlo(key)])
      const answer = yield* send("/api/v2/slos", { headers: { ...headers, project: "other" } })
      expect(json(answer).data).toHaveLength(1)
    }),
  )

  test(
    "spec/status-api §6: limit 0, an empty cursor and unknown parameters are taken, other limits are 400",
    Effect.gen(function* () {
      const headers = yield* headersOf(organization)
      expect((yield* send("/api/v2/slos?limit=0&cursor=&more=1", { headers })).status).toBe(200)
      expect((yield* send("/api/v2/slos?limit=500", { headers })).status).toBe(200)
      for (const limit of ["501", "-1", "1.5", "x"]) {
        const answer = yield* send(`/api/v2/slos?limit=${limit}`, { headers })
        expect(answer.status).toBe(400)
        expect(errorOf(answer)).toMatchObject({
          code: "limit_invalid",
          source: { propertyName: "limit", propertyValue: limit },
        })
      }
    }),
  )

  test(
    "spec/status-api §7: a damaged cursor, and one of the other version, are 400 cursor_invalid",
    Effect.gen(function* () {
      const headers = yield* headersOf(organization)
      yield* putDefinitions(organization, [anSlo(key), anSlo({ ...key, name: "search" })])
      const { links } = json(yield* send("/api/v2/slos?limit=1", { headers }))
      const cursor = new URL(links.next, "http://host").searchParams.get("cursor") ?? ""
      for (const path of [
        `/api/v2/slos?cursor=${cursor.slice(1)}`,
        "/api/v2/slos?cursor=%00",
        `/api/v1/slos?cursor=${cursor}`,
      ]) {
        const answer = yield* send(path, { headers })
        expect(answer.status).toBe(400)
        expect(errorOf(answer)).toMatchObject({ code: "cursor_invalid", source: { propertyName: "cursor" } })
      }
    }),
  )

  it.effect.prop(
    "spec/status-api §7: paging 1,234 SLOs by links.next returns each exactly once, in both versions, while others come and go",
    [fc.constantFrom(...versions), fc.integer({ min: 1, max: 500 })],
    ([version, limit]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const headers = yield* headersOf(organization)
        const staying = Array.from({ length: 1_234 }, (_, index) => keyOf(index))
        yield* putDefinitions(
          organization,
          staying.map((key) => anSlo(key)),
        )
        const read: Array<string> = []
        let path: string | undefined = `/api/${version}/slos?limit=${limit}`
        for (let turn = 0; path !== undefined; turn++) {
          if (turn % 10 === 9) yield* TestClock.adjust("1 second")
          // Some before, some behind what was read.
          const passing = Array.from({ length: 20 }, (_, index) => passingKeyOf(turn * 7 + index * 61))
          if (turn % 2 === 0)
            yield* putDefinitions(
              organization,
              passing.map((key) => anSlo(key)),
            )
          else yield* removeSlos(organization, passing)
          const answer: ReceivedResponse = yield* send(path, { headers })
          expect(answer.status).toBe(200)
          const { data, links } = json(answer)
          expect(data.length).toBeLessThanOrEqual(limit)
          for (const { project, name } of data) {
            read.push(`${version === "v2" ? project.name : project}/${name}`)
          }
          path = links.next
        }
        expect(new Set(read).size).toBe(read.length)
        const stayed = new Set(staying.map(({ project, name }) => `${project}/${name}`))
        expect(read.filter((id) => stayed.has(id))).toHaveLength(1_234)
      }).pipe(Effect.provide(apiServer)),
    {
      timeout: 60_000,
      fastCheck: {
        numRuns: 6,
        examples: [
          ["v2", 7],
          ["v1", 500],
        ],
      },
    },
  )

  test(
    "spec/rate-limits §1, spec/rate-limits §4: the eleventh list request in a second is 429, in each version on its own",
    Effect.gen(function* () {
      const headers = yield* headersOf(organization)
      for (const version of versions) {
        for (let request = 1; request <= 10; request++) {
          const answer = yield* send(`/api/${version}/slos`, { headers })
          expect(answer.status).toBe(200)
          expect(answer.headers.get("ratelimit")).toContain(`r=${10 - request}`)
        }
        const refused = yield* send(`/api/${version}/slos`, { headers })
        expect(refused.status).toBe(429)
        expect(refused.headers.get("retry-after")).toBe("1")
        expect(refused.headers.get("ratelimit-policy")).toContain("q=10;w=1")
        expect(errorsOf(refused)[0]?.code).toBe("rate_limit_exceeded")
      }
      const others = yield* headersOf("other")
      expect((yield* send("/api/v2/slos", { headers: others })).status).toBe(200)
      yield* TestClock.adjust("1 second")
      expect((yield* send("/api/v2/slos", { headers })).status).toBe(200)
    }),
  )

  test(
    "spec/access §2: is rejected without a token, and with that of another organization",
    Effect.gen(function* () {
      const headers = yield* headersOf(organization)
      for (const path of ["/api/v2/slos", "/api/v2/slos/checkout"]) {
        expect((yield* send(path, { headers: { organization } })).status).toBe(401)
        expect((yield* send(path, { headers: { ...headers, organization: "other" } })).status).toBe(403)
      }
    }),
  )
})

describe("GET /api/v2/slos/{sloName} and its version 1", () => {
  test(
    "spec/status-api §8: returns the record, and 404 if it does not exist",
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf(organization)), project: "shop" }
      yield* putDefinitions(organization, [anSlo(key)])
      const v2 = yield* send("/api/v2/slos/checkout", { headers })
      expect(json(v2)).toMatchObject({
        name: "checkout",
        project: { name: "shop" },
        service: { name: "web" },
      })
      const v1 = yield* send("/api/v1/slos/checkout", { headers })
      expect(json(v1)).toMatchObject({ name: "checkout", project: "shop", service: "web" })
      const unknown = yield* send("/api/v2/slos/other", { headers })
      expect(unknown.status).toBe(404)
      expect(errorOf(unknown)).toMatchObject({ code: "slo_not_found" })
      expect(
        (yield* send("/api/v2/slos/checkout", { headers: { ...headers, project: "other" } })).status,
      ).toBe(404)
    }),
  )

  test(
    "spec/status-api §8: the header project is required",
    Effect.gen(function* () {
      const answer = yield* send("/api/v2/slos/checkout", { headers: yield* headersOf(organization) })
      expect(answer.status).toBe(400)
      expect(errorOf(answer)).toMatchObject({ code: "project_required", source: { propertyName: "project" } })
    }),
  )

  test(
    "spec/status-api §8: a name of 64 characters is 400",
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf(organization)), project: "shop" }
      expect((yield* send(`/api/v2/slos/${"a".repeat(63)}`, { headers })).status).toBe(404)
      const answer = yield* send(`/api/v2/slos/${"a".repeat(64)}`, { headers })
      expect(answer.status).toBe(400)
      expect(errorOf(answer)).toMatchObject({ code: "name_too_long", source: { propertyName: "sloName" } })
    }),
  )

  test(
    "spec/status-api §9: counts come with fields, from and to; a + that was not escaped is taken; bad ranges are 400",
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf(organization)), project: "shop" }
      yield* putDefinitions(organization, [anSlo(key)])
      const body = [{ objective: "good", at: "2026-01-30T11:00:00Z", good: 3, total: 4 }]
      const sent = yield* send("/api/slos/checkout/counts", {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body),
      })
      expect(sent.status).toBe(204)
      for (const version of versions) {
        const query = "fields=counts&from=2026-01-23T12:00:00+00:00&to=2026-01-30T12:00:00Z"
        const answer = yield* send(`/api/${version}/slos/checkout?${query}`, { headers })
        expect(json(answer).objectives[0]).toMatchObject({ reliability: 0.75, counts: { good: 3, total: 4 } })
        expect(json(answer).objectives[1]).not.toHaveProperty("counts")
      }
      for (const [query, code, propertyName] of [
        ["fields=counts", "range_incomplete", "from"],
        ["fields=all", "fields_invalid", "fields"],
        ["from=2026-01-30T12:00:00Z", "range_incomplete", "to"],
        ["from=now&to=2026-01-30T12:00:00Z", "date_time_invalid", "from"],
        ["from=2026-01-30T12:00:00Z&to=2026-01-30T12:00:00Z", "range_invalid", "from"],
        ["from=2026-01-23T11:59:59Z&to=2026-01-30T12:00:00Z", "range_too_long", "to"],
      ] as const) {
        const answer = yield* send(`/api/v2/slos/checkout?${query}`, { headers })
        expect(answer.status).toBe(400)
        expect(errorOf(answer)).toMatchObject({ code, source: { propertyName } })
      }
    }),
  )

  test(
    "spec/rate-limits §1: reading one SLO has its own limit of 100 a second",
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf(organization)), project: "shop" }
      yield* putDefinitions(organization, [anSlo(key)])
      for (let request = 1; request <= 100; request++) {
        expect((yield* send("/api/v2/slos/checkout", { headers })).status).toBe(200)
      }
      expect((yield* send("/api/v1/slos/checkout", { headers })).status).toBe(429)
      expect((yield* send("/api/v2/slos", { headers })).status).toBe(200)
    }),
  )
})

describe("version 1", () => {
  const withoutV1 = Layer.effect(
    ApiOptions,
    Effect.map(ApiOptions, (options) => ({ ...options, isV1Served: false })),
  )

  test(
    "spec/status-api §10: every response has the deprecation, the sunset and the successor",
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf(organization)), project: "shop" }
      yield* putDefinitions(organization, [anSlo(key)])
      for (const [path, successor, init] of [
        ["/api/v1/slos", "/api/v2/slos", { headers }],
        ["/api/v1/slos?limit=x", "/api/v2/slos", { headers }],
        ["/api/v1/slos", "/api/v2/slos", {}],
        ["/api/v1/slos/checkout", "/api/v2/slos/checkout", { headers }],
        ["/api/v1/slos/a%3E%22b", "/api/v2/slos/a%3E%22b", { headers }],
        ["/api/v1/slos?limit=5", "/api/v2/slos", { headers: { ...headers, accept: "*/*;version=v9" } }],
        ["/api/v1/slos", "/api/v2/slos", { headers, method: "DELETE" }],
        ["/api/v1/nothing", "/api/v2/nothing", { headers }],
      ] as const) {
        const answer = yield* send(path, init)
        expect(answer.headers.get("deprecation")).toBe("@1769774400")
        expect(answer.headers.get("sunset")).toBe("Fri, 30 Jan 2026 12:00:00 GMT")
        expect(answer.headers.get("link")).toBe(`<${successor}>; rel="successor-version"`)
      }
      const v2 = yield* send("/api/v2/slos", { headers })
      for (const name of ["deprecation", "sunset", "link"]) expect(v2.headers.get(name)).toBeNull()
    }),
  )

  it.effect("spec/status-api §10: returns 410 when the operator has turned it off", () =>
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf(organization)), project: "shop" }
      for (const path of ["/api/v1/slos", "/api/v1/slos/checkout", "/api/v1/nothing"]) {
        const answer = yield* send(path, { headers })
        expect(answer.status).toBe(410)
        expect(errorOf(answer)).toMatchObject({ code: "version_disabled" })
        expect(answer.headers.get("link")).toContain("successor-version")
      }
      expect((yield* send("/api/v2/slos", { headers })).status).toBe(200)
    }).pipe(Effect.provide(apiServer.pipe(Layer.provide(withoutV1)))),
  )
})

describe("while the store is unavailable", () => {
  const away = Effect.fail(
    new StoreIsUnavailable({ store: "SloStore", operation: "page", isRetryable: true, cause: "secret" }),
  )
  const store = Layer.succeed(SloStore, {
    page: () => away,
    find: () => away,
    findAll: () => away,
    projectVersions: () => away,
    changedSlos: () => away,
    dueForStatus: () => away,
    oldestDueAt: () => away,
    makeDue: () => away,
    findForStatus: () => away,
    findAllForStatus: () => away,
    held: () => away,
    writeStatuses: () => away,
  })
  const server = NodeApiServer.layer({ host: "127.0.0.1", port: 0 }).pipe(
    Layer.provide(store),
    Layer.provideMerge(apiPorts),
  )

  it.effect("spec/errors §2: the list is 503 with Retry-After, without the cause", () =>
    Effect.gen(function* () {
      const answer = yield* send("/api/v2/slos", { headers: yield* headersOf(organization) })
      expect(answer.status).toBe(503)
      expect(answer.headers.get("retry-after")).toBe("5")
      expect(answer.text).not.toContain("secret")
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None"), Effect.provide(server)),
  )
})

const keyOf = (index: number) => ({
  project: ["a", "a-b", "a0", "shop"][index % 4] ?? "a",
  name: `slo-${(index * 7_919) % 1_234}-x`,
})

/** Never one of `keyOf`, but between them. */
const passingKeyOf = (index: number) => ({
  project: ["a", "a-b", "a0", "shop"][index % 4] ?? "a",
  name: `slo-${index % 1_234}`,
})
