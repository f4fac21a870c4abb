import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { refreshStatuses } from "@tocsin/domain"
import { CountStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { apiServer, headersOf, send } from "../../../../test/http/api-client.ts"

const organization = "acme"
const key = { project: "shop", name: "checkout" }
const entry = { objective: "good", at: "2026-01-30T12:00:00Z", good: 9, total: 10 }

type Context = Layer.Success<typeof apiServer>

const test = (what: string, effect: Effect.Effect<void, unknown, Context>): void =>
  it.effect(what, () =>
    Effect.provide(Effect.andThen(TestClock.setTime(Date.UTC(2026, 0, 30, 12, 0, 30)), effect), apiServer),
  )

const post = (headers: Record<string, string>, body: unknown, path = "/api/slos/checkout/counts") =>
  send(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })

describe("POST /api/slos/{name}/counts", () => {
  test(
    "spec/counts §1: records counts, and the record has them at once; the same minute again replaces",
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf(organization, "editor")), project: "shop" }
      yield* putDefinitions(organization, [anSlo(key)])
      for (const [good, reliability] of [
        [9, 0.9],
        [5, 0.5],
      ] as const) {
        const response = yield* post(headers, [{ ...entry, good }])
        expect([response.status, response.text]).toEqual([204, ""])
        const record = JSON.parse((yield* send("/api/v2/slos/checkout", { headers })).text)
        expect(record.objectives[0].reliability).toBe(reliability)
      }
      expect((yield* post(headers, [])).status).toBe(204)
    }),
  )

  test(
    "spec/counts §1: every invalid entry is reported, by its path",
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf(organization, "editor")), project: "shop" }
      yield* putDefinitions(organization, [anSlo(key)])
      const response = yield* post(headers, [entry, { ...entry, objective: "other", good: -1 }])
      expect(response.status).toBe(400)
      const { errors } = JSON.parse(response.text)
      expect(errors.map(({ code, source }: { code: string; source: unknown }) => [code, source])).toEqual([
        ["out_of_range", { propertyName: "[1].good" }],
        ["not_found", { propertyName: "[1].objective" }],
      ])
      const record = JSON.parse((yield* send("/api/v2/slos/checkout", { headers })).text)
      expect(record.objectives[0]).not.toHaveProperty("reliability")
    }),
  )

  test(
    "spec/counts §1: needs the role editor, the header project and an SLO that exists",
    Effect.gen(function* () {
      const headers = yield* headersOf(organization, "editor")
      const viewer = yield* headersOf(organization, "viewer")
      yield* putDefinitions(organization, [anSlo(key)])
      expect((yield* post({ ...viewer, project: "shop" }, [entry])).status).toBe(403)
      expect((yield* post({ organization, project: "shop" }, [entry])).status).toBe(401)
      expect((yield* post(headers, [entry])).status).toBe(400)
      const withProject = { ...headers, project: "shop" }
      expect((yield* post(withProject, [entry], "/api/slos/other/counts")).status).toBe(404)
      expect((yield* post({ ...headers, project: "other" }, [entry])).status).toBe(404)
    }),
  )

  test(
    "spec/errors §2: a body that is not JSON is 400, of another type 415, too large 413",
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf(organization, "editor")), project: "shop" }
      yield* putDefinitions(organization, [anSlo(key)])
      expect((yield* post(headers, "[{]")).status).toBe(400)
      expect((yield* post(headers, "{}")).status).toBe(400)
      expect((yield* post({ ...headers, "content-type": "text/plain" }, [entry])).status).toBe(415)
      expect((yield* post(headers, `["${"x".repeat(1024 * 1024)}"]`)).status).toBe(413)
    }),
  )
})

describe("POST /api/counts", () => {
  const search = { project: "web", name: "search" }
  const batch = [
    { project: "shop", slo: "checkout", ...entry },
    { project: "web", slo: "search", ...entry, good: 5 },
  ]

  test(
    "spec/counts §2: records counts of several SLOs, and their records have them once statuses are refreshed",
    Effect.gen(function* () {
      const headers = yield* headersOf(organization, "editor")
      yield* putDefinitions(organization, [anSlo(key), anSlo(search)])
      const response = yield* post(headers, batch, "/api/counts")
      expect([response.status, response.text]).toEqual([204, ""])
      yield* Effect.forkChild(refreshStatuses)
      yield* TestClock.adjust("10 seconds")
      for (const [project, name, reliability] of [
        ["shop", "checkout", 0.9],
        ["web", "search", 0.5],
      ] as const) {
        const record = JSON.parse(
          (yield* send(`/api/v2/slos/${name}`, { headers: { ...headers, project } })).text,
        )
        expect(record.objectives[0].reliability).toBe(reliability)
      }
      expect((yield* post(headers, [], "/api/counts")).status).toBe(204)
    }),
  )

  test(
    "spec/counts §2: writes nothing when one entry is invalid, and reports which",
    Effect.gen(function* () {
      const headers = yield* headersOf(organization, "editor")
      yield* putDefinitions(organization, [anSlo(key)])
      const response = yield* post(headers, batch, "/api/counts")
      expect(response.status).toBe(400)
      expect(JSON.parse(response.text).errors).toEqual([
        {
          title: "Invalid counts",
          code: "not_found",
          detail: "must be the name of an SLO of the project; check both names",
          source: { propertyName: "[1].slo" },
        },
      ])
      const range = { from: Date.UTC(2026, 0, 30), to: Date.UTC(2026, 0, 31) }
      const store = yield* CountStore
      const [found] = yield* store.sums([{ organization, slo: key, ranges: [range] }])
      expect(found?.sums).toEqual([[]])
    }),
  )

  test(
    "spec/counts §2: needs the role editor, and takes SLOs of its own organization alone",
    Effect.gen(function* () {
      const viewer = yield* headersOf(organization, "viewer")
      const foreign = yield* headersOf("globex", "editor")
      yield* putDefinitions(organization, [anSlo(key), anSlo(search)])
      expect((yield* post(viewer, batch, "/api/counts")).status).toBe(403)
      expect((yield* post({ organization }, batch, "/api/counts")).status).toBe(401)
      expect((yield* post(foreign, batch, "/api/counts")).status).toBe(400)
    }),
  )

  test(
    "spec/counts §2: 9,000 entries with short names fit into one request",
    Effect.gen(function* () {
      const headers = yield* headersOf(organization, "editor")
      const names = Array.from({ length: 9_000 }, (_, index) => `checkout-${index}`)
      yield* putDefinitions(
        organization,
        names.map((name) => anSlo({ project: "shop", name })),
      )
      const entries = names.map((slo) => ({ project: "shop", slo, ...entry, good: 970, total: 1_000 }))
      expect((yield* post(headers, entries, "/api/counts")).status).toBe(204)
    }),
  )
})
