import { durationOf } from "@tocsin/domain/codec"
import { CountStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

const key = { project: "shop", name: "checkout" }
const now = Date.UTC(2026, 0, 30, 12)
const minute = 60_000

/** Of the last 60 minutes, the 6 from 11:10 to 11:16 are bad. */
const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(now)
  yield* putDefinitions("acme", [
    { kind: "Project", metadata: { name: "shop" }, spec: {} },
    { kind: "Service", metadata: { project: "shop", name: "web" }, spec: {} },
    anSlo(key, {
      timeWindow: { unit: "Minute", count: 60 },
      objectives: [{ name: "good", target: 0.8 }],
    }),
    anSlo(
      { ...key, name: "whole" },
      {
        timeWindow: { unit: "Minute", count: 60 },
        objectives: [
          {
            name: "all",
            target: 0.8,
            composite: {
              maxDelay: durationOf("5m"),
              components: [{ slo: key, objective: "good", weight: 1, whenDelayed: "Ignore" }],
            },
          },
        ],
      },
    ),
  ])
  const counts = Array.from({ length: 60 }, (_, index) => ({
    objective: "good",
    at: now - (59 - index) * minute,
    good: index >= 9 && index < 15 ? 0 : 10,
    total: 10,
  }))
  yield* (yield* CountStore).record("acme", [{ slo: key, counts }])
})

const adjustment = (spec: object = {}, name = "move") => ({
  apiVersion: "tocsin/v1alpha",
  kind: "BudgetAdjustment",
  metadata: { name, project: "shop" },
  spec: {
    reason: "The data center moved.",
    slos: [{ name: "checkout" }],
    period: { startTime: "2026-01-30T11:10:00Z", duration: "6m" },
    ...spec,
  },
})

const preview = (headers: Readonly<Record<string, string>>, body: unknown) =>
  send("/api/budget-adjustments/preview", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })

const change = (headers: Readonly<Record<string, string>>, method: "PUT" | "DELETE", body: unknown) =>
  send(method === "PUT" ? "/api/apply" : "/api/delete", {
    method,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })

const left = (share: number) => ({ errorBudgetRemainingPercentage: share })

const effectsOfMove = [
  { project: "shop", slo: "checkout", objective: "good", before: left(0.5), after: left(1) },
  { project: "shop", slo: "whole", objective: "all", before: left(0.5), after: left(1) },
]

describe("budget adjustments", () => {
  it.effect(
    "spec/budget-adjustments §8: are previewed, with composites over their SLOs, for a viewer too",
    () =>
      Effect.gen(function* () {
        yield* prepare
        const viewer = yield* headersOf("acme", "viewer")
        const response = yield* preview(viewer, adjustment())
        expect([response.status, JSON.parse(response.text)]).toMatchObject([
          200,
          { isPartial: false, objectives: effectsOfMove.map((effect) => ({ ...effect, badRemoved: 60 })) },
        ])
        const set = JSON.parse((yield* preview(viewer, [adjustment({ set: { good: 5, total: 10 } })])).text)
        expect(set.objectives[0]).toMatchObject({ before: left(0.5), after: left(0.75), badRemoved: 30 })
        const editor = yield* headersOf("acme")
        const changes = yield* send("/api/budget-adjustments/changes", { headers: editor })
        expect(JSON.parse(changes.text).data).toEqual([])
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/budget-adjustments §8: reject a preview of anything else, and with every issue", () =>
    Effect.gen(function* () {
      yield* prepare
      const headers = yield* headersOf("acme")
      const other = { apiVersion: "tocsin/v1alpha", kind: "Project", metadata: { name: "shop" } }
      const mixed = yield* preview(headers, [adjustment(), other])
      expect([mixed.status, errorsOf(mixed).map(({ source }) => source?.propertyName)]).toEqual([
        400,
        ["[1].kind"],
      ])
      const invalid = yield* preview(
        headers,
        adjustment({ slos: [{ name: "gone" }], set: { good: 2, total: 1 }, reason: undefined }),
      )
      expect(errorsOf(invalid).map(({ source }) => source?.propertyName)).toEqual([
        "spec.reason",
        "spec.set.good",
      ])
      const gone = yield* preview(headers, adjustment({ slos: [{ name: "gone" }] }))
      expect(errorsOf(gone).map(({ source }) => source?.propertyName)).toEqual(["spec.slos[0].name"])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/budget-adjustments §7: keep each change with author, reason, and the numbers before and after",
    () =>
      Effect.gen(function* () {
        yield* prepare
        const headers = yield* headersOf("acme")
        const list = (query = "") =>
          Effect.map(
            send(`/api/budget-adjustments/changes${query}`, { headers }),
            ({ text }) =>
              JSON.parse(text) as { data: Array<Record<string, unknown>>; links: { next?: string } },
          )
        expect((yield* change(headers, "PUT", [adjustment(), adjustment({}, "other")])).status).toBe(200)
        expect((yield* change(headers, "PUT", adjustment())).status).toBe(200)
        yield* TestClock.adjust("1 milli")
        const later = adjustment({
          period: { startTime: "2026-01-30T11:10:00Z", duration: "3m" },
          reason: "Less.",
        })
        expect((yield* change(headers, "DELETE", adjustment({}, "other"))).status).toBe(204)
        yield* TestClock.adjust("1 milli")
        expect((yield* change(headers, "PUT", later)).status).toBe(200)
        yield* TestClock.adjust("1 milli")
        const byName = yield* send("/api/delete/budgetadjustment?name=move", {
          method: "DELETE",
          headers: { ...headers, project: "shop" },
        })
        expect(byName.status).toBe(204)

        const { data } = yield* list()
        // 3 bad minutes of the 57 that are left: 1 - 3 / 57 / 0.2.
        expect(data).toMatchObject([
          {
            author: expect.any(String),
            adjustments: [{ outcome: "deleted", definition: { spec: { reason: "Less." } } }],
            effects: { objectives: [{ before: left(0.736842105263), after: left(0.5) }, {}] },
          },
          {
            at: "2026-01-30T12:00:00.002Z",
            adjustments: [
              { outcome: "updated", definition: { metadata: { name: "move" }, spec: { reason: "Less." } } },
            ],
            effects: { objectives: [{ before: left(1), after: left(0.736842105263) }, {}] },
          },
          {
            adjustments: [{ outcome: "deleted", definition: { metadata: { name: "other" } } }],
            effects: { objectives: [{ before: left(1), after: left(1) }, {}] },
          },
          {
            at: "2026-01-30T12:00:00.000Z",
            adjustments: [
              { outcome: "created", definition: { metadata: { name: "move" } } },
              { outcome: "created", definition: { metadata: { name: "other" } } },
            ],
            effects: { isPartial: false, objectives: effectsOfMove },
          },
        ])
        expect((yield* list("?project=shop&name=other")).data).toEqual([data[2], data[3]])
        expect((yield* list("?name=other")).data).toEqual([])
        const first = yield* list("?limit=3&project=shop&name=move")
        expect(first.data).toHaveLength(3)
        const page = yield* list("?limit=2&project=shop&name=move")
        const rest = yield* send(page.links.next ?? "", { headers })
        expect(JSON.parse(rest.text).data).toEqual([data[3]])
        const others = yield* send("/api/budget-adjustments/changes", { headers: yield* headersOf("other") })
        expect(JSON.parse(others.text).data).toEqual([])
      }).pipe(Effect.provide(apiServer)),
  )
})
