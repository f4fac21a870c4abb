import { CountStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { createPublicKey, verify } from "node:crypto"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

const day = 86_400_000
const to = Date.parse("2026-04-01T00:00:00Z")
const period = { from: "2026-01-01T00:00:00Z", to: "2026-04-01T00:00:00Z" }
const hostile = `=1+1,"<script>alert('x')</script>&`

/** Two SLOs, of which one missed its target in the second week. */
const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(to - 90 * day)
  const objectives = [{ name: "good", displayName: hostile, target: 0.9 }]
  const [checkout, search] = ["checkout", "search"].map((name) =>
    anSlo({ project: "shop", name }, { objectives }),
  )
  if (checkout === undefined || search === undefined) return yield* Effect.die(new Error("no SLOs"))
  yield* putDefinitions("acme", [checkout, search])
  const counts = [{ objective: "good", at: Date.parse("2026-01-05T10:00:00Z"), good: 8, total: 10 }]
  yield* (yield* CountStore).record("acme", [{ slo: { project: "shop", name: "checkout" }, counts }])
  yield* TestClock.setTime(to)
  const headers = { ...(yield* headersOf("acme")), "content-type": "application/json" }
  return {
    headers,
    create: (body: object) =>
      send("/api/reviews", { method: "POST", headers, body: JSON.stringify({ ...period, ...body }) }),
  }
})

describe("reviews", () => {
  it.effect("spec/reports §9: are created, listed, and returned as JSON, CSV and HTML, signed", () =>
    Effect.gen(function* () {
      const { headers, create } = yield* prepare
      const created = yield* create({ project: "shop", title: hostile })
      expect(created.status, created.text).toBe(201)
      const summary = JSON.parse(created.text)
      expect(summary).toMatchObject({
        title: hostile,
        scope: { project: "shop" },
        results: { met: 0, missed: 1, insufficient_data: 1 },
      })
      expect(summary).not.toHaveProperty("document")
      const viewer = yield* headersOf("acme", "viewer")
      const listed = JSON.parse((yield* send("/api/reviews", { headers: viewer })).text)
      expect(listed.data).toEqual([summary])
      const path = `/api/reviews/${summary.id}`
      const json = yield* send(path, { headers: viewer })
      expect(JSON.parse(json.text).slos.map((each: { readonly slo: string }) => each.slo)).toEqual([
        "checkout",
        "search",
      ])
      const signed = JSON.parse((yield* send(`${path}/signature`, { headers: viewer })).text)
      const isValid = verify(
        undefined,
        Buffer.from(json.text),
        createPublicKey(signed.publicKeyPem),
        Buffer.from(signed.signature, "base64"),
      )
      expect(isValid).toBe(true)
      const csv = (yield* send(`${path}?format=csv`, { headers: viewer })).text.split("\r\n")
      const [head = "", first = "", second = ""] = csv
      expect(head).toMatch(/^review,project,service,slo,.*,budgetSpent 2026-01-05T00:00:00.000Z,/)
      expect(first).toContain(`,shop,web,checkout,checkout,good,2026-01-01T00:00:00.000Z,`)
      expect(second).toContain(",shop,web,search,")
      // Nothing of 10 events in the first week, then twice the budget.
      expect(first).toMatch(/,missed,.*,0,0,,2,/)
      const page = yield* send(`${path}?format=html`, { headers: viewer })
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
      expect(page.text).toContain("SLO review: =1+1,&#34;&#60;script&#62;")
      expect(page.text).not.toContain("<script>")
      const removed = yield* send(path, { method: "DELETE", headers })
      expect(removed.status).toBe(204)
      expect((yield* send(path, { headers: viewer })).status).toBe(404)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/reports §9: are rejected with every issue, and for viewers", () =>
    Effect.gen(function* () {
      const { create } = yield* prepare
      const rejected = yield* create({ project: "none", to: "2026-04-01T00:00:30Z" })
      expect(rejected.status).toBe(400)
      expect(errorsOf(rejected).map(({ code }) => code)).toEqual([
        "not_found",
        "out_of_range",
        "out_of_range",
      ])
      const headers = { ...(yield* headersOf("acme", "viewer")), "content-type": "application/json" }
      const body = JSON.stringify(period)
      expect((yield* send("/api/reviews", { method: "POST", headers, body })).status).toBe(403)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/reports §10: notes are not overwritten if they have changed", () =>
    Effect.gen(function* () {
      const { headers, create } = yield* prepare
      const { id } = JSON.parse((yield* create({})).text)
      const write = (body: object) =>
        send(`/api/reviews/${id}/notes`, { method: "PUT", headers, body: JSON.stringify(body) })
      const first = yield* write({ text: "Lower the target", revision: 0 })
      expect(JSON.parse(first.text)).toMatchObject({ text: "Lower the target", revision: 1 })
      const lost = yield* write({ text: "Raise the target", revision: 0 })
      expect(lost.status).toBe(412)
      expect(errorsOf(lost)).toMatchObject([{ code: "review_notes_changed" }])
      const viewer = yield* headersOf("acme", "viewer")
      const notes = JSON.parse((yield* send(`/api/reviews/${id}/notes`, { headers: viewer })).text)
      expect(notes).toMatchObject({ text: "Lower the target", revision: 1 })
      const missing = yield* send("/api/reviews/none/notes", { headers: viewer })
      expect(errorsOf(missing)).toMatchObject([{ code: "review_not_found" }])
    }).pipe(Effect.provide(apiServer)),
  )
})
