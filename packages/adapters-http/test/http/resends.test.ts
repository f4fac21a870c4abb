import { notify } from "@tocsin/testing/fixtures"
import { describe, expect } from "@tocsin/testing/vitest"
import { BackgroundWork } from "@tocsin/adapters-http"
import { WebhookTransportRecording as Recording } from "@tocsin/adapters-memory"
import { dispatchDeliveries } from "@tocsin/domain"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { ask, hook, organization, slo, test } from "../../../../test/http/delivery-client.ts"

/** Lets a receiver response 410 to deliveries, which disables its method; answers their IDs. */
const failed = (count: number) =>
  Effect.gen(function* () {
    const ids = yield* notify(
      organization,
      Array.from({ length: count }, () => hook),
    )
    yield* Effect.scoped(
      Effect.andThen(
        dispatchDeliveries({ baseUrl: "https://tocsin.example.com", shutdownGraceMs: 0 }),
        TestClock.adjust(1),
      ),
    )
    yield* ask("POST", "/api/alertmethods/hook/enable", { headers: { project: slo.project } })
    return ids
  })

const resend = (body: unknown, role: "viewer" | "editor" = "editor") =>
  ask("POST", "/api/deliveries/resend", { body, role })

const goneAtFirst = (count: number) => Recording.make((_, n) => Recording.responseOf(n <= count ? 410 : 200))

describe("resending in bulk", () => {
  const recording = goneAtFirst(3)
  test(
    "spec/resends §1: counts in a dry run, then resends what failed, and reports progress",
    Effect.gen(function* () {
      const ids = yield* failed(3)
      const dryRun = yield* resend({ dryRun: true, alertMethod: hook })
      expect([dryRun.status, dryRun.json]).toEqual([200, { matched: 3, mayMatchMore: false }])
      expect((yield* ask("GET", "/api/resends")).json).toEqual({
        data: [],
        links: { self: "/api/resends?limit=500&cursor=" },
      })

      const asked = yield* resend({ alertMethod: hook, from: "2026-01-30T12:00:00Z" })
      const expected = {
        id: asked.json.id,
        state: "running",
        filter: { alertMethod: hook, states: ["exhausted", "failed"], from: "2026-01-30T12:00:00.000Z" },
        matched: 3,
        mayMatchMore: false,
        resent: 0,
        createdAt: "2026-01-30T12:00:00.001Z",
      }
      expect([asked.status, asked.json]).toEqual([202, expected])
      const path = `/api/resends/${asked.json.id}`
      expect((yield* ask("GET", path, { role: "viewer" })).json).toEqual(expected)

      yield* BackgroundWork.start
      yield* TestClock.adjust("3 seconds")
      const done = { ...expected, state: "done", resent: 3, endedAt: "2026-01-30T12:00:00.001Z" }
      expect((yield* ask("GET", path)).json).toEqual(done)
      expect((yield* ask("GET", "/api/resends")).json.data).toEqual([done])
      const states = yield* Effect.forEach(ids, (id) =>
        Effect.map(ask("GET", `/api/deliveries/${id}`), ({ json }) => json.state),
      )
      expect(states).toEqual(["delivered", "delivered", "delivered"])
      expect((yield* resend({ dryRun: true })).json.matched).toBe(0)
      expect((yield* resend({ dryRun: true, states: ["delivered"] })).json.matched).toBe(3)
    }),
    recording,
  )

  test(
    "spec/resends §4: is canceled by editors, and keeps what was resent",
    Effect.gen(function* () {
      yield* failed(2)
      const { json } = yield* resend({})
      const path = `/api/resends/${json.id}/cancel`
      expect((yield* ask("POST", path, { role: "viewer" })).status).toBe(403)
      expect((yield* ask("POST", path, { organization: "another" })).status).toBe(404)
      const canceled = yield* ask("POST", path)
      expect(canceled.status).toBe(200)
      expect(canceled.json).toMatchObject({ state: "canceled", resent: 0, endedAt: expect.any(String) })
      yield* TestClock.adjust("1 minute")
      expect((yield* ask("POST", path)).json).toEqual(canceled.json)
    }),
    goneAtFirst(2),
  )

  test(
    "spec/resends §3: is listed in pages, newest first",
    Effect.gen(function* () {
      const ids: Array<string> = []
      for (let count = 0; count < 3; count++) {
        ids.unshift((yield* resend({})).json.id)
        yield* TestClock.adjust(1)
      }
      const first = yield* ask("GET", "/api/resends?limit=2", { role: "viewer" })
      expect(first.json.data.map(({ id }: { readonly id: string }) => id)).toEqual(ids.slice(0, 2))
      const second = yield* ask("GET", first.json.links.next)
      expect(second.json.data.map(({ id }: { readonly id: string }) => id)).toEqual(ids.slice(2))
      expect(second.json.links).not.toHaveProperty("next")
      expect((yield* ask("GET", "/api/resends", { organization: "another" })).json.data).toEqual([])
    }),
  )

  test(
    "spec/resends §5: rejects a sixth that would run, in words that say what to do; a dry run is not rejected",
    Effect.gen(function* () {
      const ids: Array<string> = []
      for (let count = 0; count < 5; count++) ids.push((yield* resend({})).json.id)
      const refused = yield* resend({})
      expect([refused.status, refused.json]).toEqual([
        409,
        {
          errors: [
            {
              title: "Too many running bulk resends",
              code: "too_many_resends",
              detail:
                "An organization can have at most 5 running bulk resends. Wait until one completes, or cancel one: GET /api/resends (tocsin resend list) lists them, POST /api/resends/{id}/cancel (tocsin resend cancel) cancels one.",
            },
          ],
        },
      ])
      expect((yield* resend({ dryRun: true })).status).toBe(200)
      yield* ask("POST", `/api/resends/${ids[0]}/cancel`)
      expect((yield* resend({})).status).toBe(202)
    }),
  )

  test(
    "spec/resends §6: resends nothing where dryRun, or what narrows the filter, is null or empty",
    Effect.gen(function* () {
      for (const value of [null, ""]) {
        for (const name of ["dryRun", "alertMethod", "states", "from", "to"]) {
          const { status, json } = yield* resend({ [name]: value })
          expect([status, json.errors.length, json.errors[0].source.propertyName], name).toEqual([
            400,
            1,
            name,
          ])
        }
      }
      expect((yield* resend({ dryRun: null })).json.errors).toEqual([
        {
          title: "Invalid resend request",
          code: "wrong_type",
          detail: "must be true or false",
          source: { propertyName: "dryRun" },
        },
      ])
      expect((yield* ask("GET", "/api/resends")).json.data).toEqual([])
    }),
  )

  test(
    "spec/resends §4: reports every issue of a request at once, and what is not found",
    Effect.gen(function* () {
      const wrong = yield* resend({ alertMethod: { name: "Hook" }, states: ["pending"], from: "now" })
      expect(wrong.status).toBe(400)
      expect(
        wrong.json.errors.map((error: { code: string; source: { propertyName: string } }) => [
          error.source.propertyName,
          error.code,
        ]),
      ).toEqual([
        ["alertMethod.name", "invalid_format"],
        ["alertMethod.project", "required"],
        ["from", "invalid_format"],
        ["states[0]", "not_allowed_value"],
      ])
      const misspelled = yield* resend({ alertMethod: { ...hook, name: "hok" }, dryRun: true })
      expect([misspelled.status, misspelled.json.errors[0].code]).toEqual([404, "alert_method_not_found"])
      expect((yield* resend({}, "viewer")).status).toBe(403)
      const codeOf = (method: string, path: string) =>
        Effect.map(ask(method, path), ({ status, json }) => [status, json.errors[0].code])
      expect(yield* codeOf("POST", "/api/deliveries/resend")).toEqual([400, "body_not_json"])
      expect(yield* codeOf("GET", "/api/resends?limit=x")).toEqual([400, "limit_invalid"])
      expect(yield* codeOf("GET", "/api/resends?cursor=x")).toEqual([400, "cursor_invalid"])
      expect(yield* codeOf("GET", "/api/resends/unknown")).toEqual([404, "resend_not_found"])
      expect(yield* codeOf("POST", "/api/resends/unknown/cancel")).toEqual([404, "resend_not_found"])
      expect((yield* ask("GET", "/api/resends")).json.data).toEqual([])
    }),
  )
})
