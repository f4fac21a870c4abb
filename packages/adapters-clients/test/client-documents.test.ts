import { DefinitionOptions } from "@tocsin/adapters-http/documents"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import {
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
} from "../../../test/definition/valid-definitions.ts"
import { apiServer, basicOf, errorsOf, headersOf, send } from "../../../test/http/api-client.ts"

const now = Date.UTC(2026, 3, 15, 12)

const server = apiServer.pipe(
  Layer.provideMerge(Layer.succeed(DefinitionOptions, { ...decodeOptions, allowUnsupportedSources: true })),
)

/** The headers of a public client, whose credential is `editor`. */
const clientHeaders = Effect.gen(function* () {
  const { authorization } = yield* basicOf("acme")
  const answer = yield* send("/oauth2/acme/v1/token", {
    method: "POST",
    headers: { authorization, "content-type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials&scope=m2m",
  })
  const { access_token: token } = JSON.parse(answer.text)
  const clientId = Buffer.from(authorization.replace("Basic ", ""), "base64").toString().split(":")[0]
  return { clientId, headers: { authorization: `Bearer ${token}`, organization: "acme", project: "shop" } }
})

type Headers = Readonly<Record<string, string>>

const sendJson = (method: string, path: string, headers: Headers, body: unknown) =>
  send(path, {
    method,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  })

const get = (headers: Headers, kind: string) =>
  Effect.map(send(`/api/get/${kind}`, { headers }), ({ text }) => JSON.parse(text))

const all = [
  aProject(),
  aService(),
  anAlertMethod(),
  anAlertPolicy(),
  anAgent(),
  changed(anAgent("scraper-2"), "spec", { influxdb: {} }),
  { ...changed(anAgent("scraper-3"), "spec", { bigQuery: {} }), kind: "Direct" },
  aSourceSlo(),
  changed(anSlo("monthly"), "spec.timeWindows", [
    { unit: "Month", count: 1, calendar: { startTime: "2026-01-01 00:00:00", timeZone: "UTC" } },
  ]),
]

const test = (what: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof server>>): void =>
  it.effect(what, () => Effect.provide(Effect.andThen(TestClock.setTime(now), effect), server))

describe("documents of the public clients", () => {
  test(
    "spec/clients §8: a backfill of an SLO for which nothing is read is complete at once, so that the provider keeps the SLO",
    Effect.gen(function* () {
      const { headers } = yield* clientHeaders
      const query = { datadog: { query: "sum:errors{*}" } }
      const unread = changed(
        changed(aSourceSlo("unread"), "spec.indicator.metricSource.name", "datadog"),
        "spec.objectives",
        [
          {
            name: "answered",
            target: 0.99,
            value: 1,
            timeSliceTarget: 0.9,
            countMetrics: { incremental: true, good: query, total: query },
          },
        ],
      )
      const composite = changed(anSlo("both"), "spec.objectives", [
        {
          displayName: "Both",
          target: 0.9,
          composite: {
            maxDelay: "15m",
            components: {
              objectives: [
                { project: "shop", slo: "payment", objective: "fast", weight: 1, whenDelayed: "CountAsGood" },
              ],
            },
          },
        },
      ])
      const documents = [
        ...all,
        changed(anAgent("datadog"), "spec", { datadog: {} }),
        unread,
        composite,
        anSlo("pushed"),
      ]
      expect((yield* sendJson("PUT", "/api/apply", headers, documents)).text).not.toContain("errors")
      const backfill = (slo: string) =>
        Effect.map(
          sendJson("POST", "/api/timetravel", headers, {
            project: "shop",
            slo,
            duration: { unit: "Minute", value: 65 },
          }),
          ({ status, text }) => [status, JSON.parse(text).status?.status],
        )
      expect(yield* backfill("unread")).toEqual([202, "completed"])
      expect(yield* backfill("both")).toEqual([202, "completed"])
      expect(yield* backfill("payment")).toEqual([202, "queued"])
      expect(yield* backfill("pushed")).toEqual([404, undefined])
      expect(yield* backfill("absent")).toEqual([404, undefined])
      const listed = yield* send("/api/timetravel/list", { headers })
      expect(JSON.parse(listed.text).map(({ slo }: { slo: string }) => slo)).toEqual(["payment"])
      const found = (slo: string) =>
        Effect.map(send(`/api/timetravel/${slo}`, { headers }), ({ status, text }) => [
          status,
          JSON.parse(text).status,
        ])
      yield* TestClock.adjust("30 minutes")
      const nothing = {
        status: "completed",
        cancellation: "not_possible",
        value: 0,
        startTime: "2026-04-15T12:00:00.000Z",
        endTime: "2026-04-15T12:00:00.000Z",
      }
      expect(yield* found("unread")).toEqual([200, expect.objectContaining(nothing)])
      expect(yield* found("both")).toEqual([200, expect.objectContaining(nothing)])
      expect(yield* found("payment")).toEqual([200, expect.objectContaining({ status: "queued" })])
      expect(yield* found("pushed")).toEqual([404, undefined])
      expect(yield* found("absent")).toEqual([404, undefined])
    }),
  )

  test(
    "spec/clients §2: have what the service computes, and can be applied as they are",
    Effect.gen(function* () {
      const { clientId, headers } = yield* clientHeaders
      expect((yield* sendJson("PUT", "/api/apply", headers, all)).status).toBe(200)
      const created = { createdAt: "2026-04-15T12:00:00Z", createdBy: clientId }
      const projects = yield* get(headers, "project")
      expect(projects.map(({ spec }: { spec: object }) => spec)).toEqual([
        {},
        expect.objectContaining(created),
      ])
      const agents = yield* get(headers, "agent")
      expect(agents.map(({ status }: { status: object }) => status)).toEqual([
        { agentType: "Prometheus", environment: {} },
        { agentType: "InfluxDB", environment: {} },
      ])
      const directs = yield* get(headers, "direct")
      expect(directs).toMatchObject([{ status: { directType: "BigQuery" } }])
      const slos = yield* get(headers, "slo")
      expect(slos).toMatchObject([
        {
          metadata: { name: "monthly" },
          spec: {
            ...created,
            timeWindows: [{ period: { begin: "2026-04-01T00:00:00Z", end: "2026-05-01T00:00:00Z" } }],
          },
          status: { updatedAt: "2026-04-15T12:00:00Z" },
        },
        {
          metadata: { name: "payment" },
          spec: { timeWindows: [{ period: { end: "2026-04-15T12:01:00Z" } }] },
        },
      ])
      for (const documents of [projects.slice(1), agents, directs, slos]) {
        const again = yield* sendJson("PUT", "/api/apply", headers, documents)
        expect(JSON.parse(again.text).data).toEqual(
          documents.map(() => expect.objectContaining({ outcome: "unchanged" })),
        )
      }
      // Other clients read what was applied.
      const [own] = yield* get({ ...(yield* headersOf("acme")), project: "shop" }, "agent")
      expect(own).not.toHaveProperty("status")
    }),
  )

  test(
    "spec/clients §2: an AlertSilence says when it begins and ends, and when it was written",
    Effect.gen(function* () {
      const { headers } = yield* clientHeaders
      const unlimited = { slo: "payment" }
      const silence = (name: string, times: object): object => ({
        ...anAlertSilence(name),
        spec: { ...unlimited, ...times },
      })
      const silences = [
        silence("a-lasting", { period: { duration: "90m" } }),
        silence("b-past", {
          period: { startTime: "2026-04-01T10:00:00+02:00", endTime: "2026-04-01T09:00:00Z" },
        }),
        silence("c-weekly", {
          recurrence: {
            startTime: "2026-04-16 22:00:00",
            timeZone: "UTC",
            duration: "1h",
            rrule: "FREQ=WEEKLY",
          },
        }),
      ]
      const applied = yield* sendJson("PUT", "/api/apply", headers, [...all, ...silences])
      expect(applied.text).not.toContain("errors")
      yield* TestClock.adjust("30 minutes")
      const written = { createdAt: "2026-04-15T12:00:00Z", updatedAt: "2026-04-15T12:00:00Z" }
      const documents = yield* get(headers, "alertsilence")
      expect(documents.map(({ status }: { status: object }) => status)).toEqual([
        { ...written, from: "2026-04-15T12:00:00Z", to: "2026-04-15T13:30:00Z" },
        { ...written, from: "2026-04-01T08:00:00Z", to: "2026-04-01T09:00:00Z" },
        { ...written, from: "2026-04-16T22:00:00Z", to: "2026-04-16T23:00:00Z" },
      ])
      const again = yield* sendJson("PUT", "/api/apply", headers, documents)
      expect(JSON.parse(again.text).data).toEqual(
        documents.map(() => expect.objectContaining({ outcome: "unchanged" })),
      )
    }),
  )

  test(
    "spec/clients §2: objects that do not exist are deleted without an error, by others with one",
    Effect.gen(function* () {
      const { headers } = yield* clientHeaders
      yield* sendJson("PUT", "/api/apply", headers, [aProject(), aService()])
      const annotation = { ...aService("gone"), kind: "Annotation" }
      for (const path of ["/api/delete?dry_run=true", "/api/delete"]) {
        const own = { ...(yield* headersOf("acme")), project: "shop" }
        const rejected = yield* sendJson("DELETE", path, own, [aService("gone")])
        expect([path, rejected.status]).toEqual([path, 404])
        const deleted = yield* sendJson("DELETE", path, headers, [aService("gone"), annotation, aService()])
        expect([path, deleted.status]).toEqual([path, 204])
      }
      expect(yield* get(headers, "service")).toEqual([])
      const byName = yield* send("/api/delete/service?name=gone", { method: "DELETE", headers })
      expect(byName.status).toBe(204)
      expect((yield* send("/api/delete/annotation?name=gone", { method: "DELETE", headers })).status).toBe(
        204,
      )
      // What is in use stays.
      yield* sendJson("PUT", "/api/apply", headers, all)
      const inUse = yield* sendJson("DELETE", "/api/delete", headers, [aService("gone"), aService()])
      expect(errorsOf(inUse)).toMatchObject([{ code: "in_use" }])
    }),
  )

  test(
    "spec/clients §2: property names are matched without regard to case",
    Effect.gen(function* () {
      const { headers } = yield* clientHeaders
      const upper = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(upper)
        if (typeof value !== "object" || value === null) return value
        return Object.fromEntries(
          Object.entries(value).map(([name, part]) => [
            name === "shop" || name.includes("/") ? name : name.toUpperCase(),
            name === "labels" || name === "annotations" ? part : upper(part),
          ]),
        )
      }
      yield* sendJson("PUT", "/api/apply", headers, all)
      const again = yield* sendJson("PUT", "/api/apply", headers, all.map(upper))
      expect([again.status, again.text]).toEqual([200, expect.not.stringContaining('"updated"')])
      // Both spellings: the exact one counts, and the other is unknown.
      const twice = { ...aService("web"), spec: { description: "a", Description: "b" } }
      expect(errorsOf(yield* sendJson("PUT", "/api/apply", headers, [twice]))).toMatchObject([
        { code: "unknown_property" },
      ])
      const own = yield* headersOf("acme")
      expect((yield* sendJson("PUT", "/api/apply", own, all.map(upper))).status).toBe(400)
    }),
  )

  test(
    "spec/clients §8: a backfill that is started when an SLO is created waits, and ends at the latest minute that can be read",
    Effect.gen(function* () {
      const { headers } = yield* clientHeaders
      yield* sendJson("PUT", "/api/apply", headers, all)
      const backfill = { project: "shop", slo: "payment", duration: { unit: "Minute", value: 65 } }
      const started = yield* sendJson("POST", "/api/timetravel", headers, backfill)
      expect([started.status, JSON.parse(started.text).status]).toMatchObject([
        202,
        { status: "queued", cancellation: "possible", unit: "Minute" },
      ])
    }),
  )

  test(
    "spec/clients §10: an Agent has empty credentials",
    Effect.gen(function* () {
      const { headers } = yield* clientHeaders
      yield* sendJson("PUT", "/api/apply", headers, all)
      const path = "/api/internal/agent/clientcreds"
      const found = yield* send(`${path}?name=scraper`, { headers })
      expect([found.status, JSON.parse(found.text)]).toEqual([200, { client_id: "", client_secret: "" }])
      expect((yield* send(`${path}?name=gone`, { headers })).status).toBe(404)
    }),
  )
})
