import { refreshStatus } from "@tocsin/domain"
import { durationOf } from "@tocsin/domain/codec"
import { CountStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { aPolicy } from "../../../../test/alerting/Incident.ts"
import { anSlo, instantOf, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

const key = { project: "shop", name: "checkout" }
const now = Date.UTC(2026, 0, 30, 12)
const path = "/api/slos/checkout/annotations"

const policy = aPolicy([{ measurement: "burnedBudget", op: "gte", value: 1 }], { alertMethods: [] })

const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(now)
  yield* putDefinitions("acme", [
    { ...policy, metadata: { ...policy.metadata, displayName: "Fast burn" } },
    anSlo(key, {
      timeWindow: { unit: "Hour", count: 1 },
      objectives: [{ name: "good", target: 0.9 }],
      alertPolicies: ["fast-burn"],
    }),
  ])
  return yield* headersOf("acme")
})

const write = (
  headers: Readonly<Record<string, string>>,
  body: unknown,
  { method = "POST", id = "" }: { readonly method?: string; readonly id?: string } = {},
) =>
  send(id === "" ? path : `${path}/${id}`, {
    method,
    headers: { project: "shop", "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })

const read = (headers: Readonly<Record<string, string>>, query = "") =>
  Effect.map(
    send(`${path}${query}`, { headers: { project: "shop", ...headers } }),
    ({ text }) => JSON.parse(text) as { isPartial: boolean; annotations: ReadonlyArray<{ title: string }> },
  )

const titles = (headers: Readonly<Record<string, string>>, query = "") =>
  Effect.map(read(headers, query), ({ annotations }) => annotations.map(({ title }) => title))

describe("annotations of an SLO", () => {
  it.effect("spec/annotations §2: reject texts and URLs that look like others", () =>
    Effect.gen(function* () {
      const headers = yield* prepare
      const note = {
        kind: "note",
        title: "Deployed",
        text: "Line\n\tLine",
        url: "https://ci.example.com/a?b=c@d#e",
      }
      expect((yield* write(headers, note)).status).toBe(201)
      for (const url of [
        "https://CI.example.com:443",
        "https://xn--bcher-kva.example:8443/?a#b",
        "https://192.0.2.1/",
        "https://[2001:db8::1]:9/",
      ])
        expect([url, (yield* write(headers, { ...note, url })).status]).toEqual([url, 201])
      for (const [property, value] of [
        ["title", "Deployed\u202egnp.exe"],
        ["title", "Deployed\u0007"],
        ["title", "Two\nlines"],
        ["text", "Safe \u2066text"],
        ["text", "\u001b[31mred"],
        ["url", "https://bank.example@evil.example/"],
        ["url", "https://user:secret@evil.example/"],
        ["url", "https://evil.example/\u202etxt"],
        ["url", "http://ci.example.com/"],
        ["url", "https://h%40evil/"],
        ["url", "https://bank%2eexample/"],
        ["url", "https://ci.example.com:99999/"],
        ["url", "https://ci.example.com:0/"],
        ["url", "https://ci.example.com:x/"],
        ["url", "https://:443/"],
        ["url", "https://[::g]/"],
        ["url", "https://0x7f.1/"],
        ["url", "https://a..b\u3002c/"],
        ["url", "https://b\u0430nk.example/"],
        ["url", "https://\uff45vil.example/"],
        ["url", "https://a<b/"],
      ] as const) {
        const rejected = yield* write(headers, { ...note, [property]: value })
        const { errors } = JSON.parse(rejected.text)
        expect([rejected.status, errors[0].source.propertyName, errors[0].code]).toEqual([
          400,
          property,
          "invalid_format",
        ])
      }
      const label = yield* write(headers, { ...note, labels: { team: ["blue\u202egnp"] } })
      expect(errorsOf(label).map(({ code, source }) => [source?.propertyName, code])).toEqual([
        ["labels.team[0]", "invalid_format"],
      ])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/annotations §1: are created, replaced by their own ID, and deleted", () =>
    Effect.gen(function* () {
      const headers = yield* prepare
      const created = yield* write(headers, { kind: "note", title: "Traffic doubles" })
      expect([created.status, JSON.parse(created.text)]).toEqual([
        201,
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          kind: "note",
          title: "Traffic doubles",
          from: "2026-01-30T12:00:00.000Z",
          author: expect.any(String),
          createdAt: "2026-01-30T12:00:00.000Z",
        },
      ])
      const deployment = { kind: "deployment", title: "4.2.0", from: "2026-01-30T11:00:00Z" }
      const put = { method: "PUT", id: "deploy-8213" }
      for (const title of ["4.2.0", "4.2.1"]) {
        const response = yield* write(
          headers,
          { ...deployment, title, to: "2026-01-30T11:05:00Z", url: "https://ci.example.com/8213" },
          put,
        )
        expect([response.status, JSON.parse(response.text)]).toMatchObject([
          200,
          { id: "deploy-8213", title },
        ])
      }
      expect(yield* titles(yield* headersOf("acme", "viewer"))).toEqual(["Traffic doubles", "4.2.1"])
      const remove = send(`${path}/deploy-8213`, {
        method: "DELETE",
        headers: { project: "shop", ...headers },
      })
      expect((yield* remove).status).toBe(204)
      const again = yield* remove
      expect([again.status, errorsOf(again)[0]?.code]).toEqual([404, "annotation_not_found"])
      expect(yield* titles(headers)).toEqual(["Traffic doubles"])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/annotations §2: reject invalid ones with every issue, unknown SLOs, and viewers", () =>
    Effect.gen(function* () {
      const headers = yield* prepare
      const invalid = yield* write(
        headers,
        { kind: "party", title: "", url: "javascript:alert(1)", to: "2026-01-30T11:00:00Z", colour: "red" },
        { method: "PUT", id: "a%20b" },
      )
      expect(errorsOf(invalid).map(({ source, code }) => `${source?.propertyName} ${code}`)).toEqual([
        "colour unknown_property",
        "from required",
        "id invalid_format",
        "kind not_allowed_value",
        "title required",
        "url invalid_format",
      ])
      const range = { from: "2026-01-30T11:00:00Z", to: "2026-01-30T10:00:00Z" }
      const backwards = yield* write(headers, { kind: "note", title: "a", ...range })
      expect(errorsOf(backwards).map(({ source }) => source?.propertyName)).toEqual(["to"])
      const elsewhere = yield* write({ ...headers, project: "gone" }, { kind: "note", title: "a" })
      expect([elsewhere.status, errorsOf(elsewhere)[0]?.code]).toEqual([404, "slo_not_found"])
      const viewer = yield* write(yield* headersOf("acme", "viewer"), { kind: "note", title: "a" })
      expect(viewer.status).toBe(403)
      const years = yield* send(`${path}?from=2025-01-01T00:00:00Z&to=2026-03-30T00:00:00Z`, {
        headers: { project: "shop", ...headers },
      })
      expect([years.status, errorsOf(years)[0]?.code]).toEqual([400, "range_too_long"])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/annotations §3: are listed with the alerts and budget adjustments that overlap the range",
    () =>
      Effect.gen(function* () {
        const headers = yield* prepare
        yield* write(headers, {
          kind: "incident",
          title: "Over",
          from: "2026-01-30T08:00:00Z",
          to: "2026-01-30T09:00:00Z",
        })
        yield* write(headers, {
          kind: "incident",
          title: "Long",
          from: "2026-01-29T08:00:00Z",
          to: "2026-01-30T13:00:00Z",
        })
        yield* write(headers, { kind: "note", title: "Later", from: "2026-01-30T12:30:00Z" })
        yield* putDefinitions("acme", [
          {
            kind: "BudgetAdjustment",
            metadata: { project: "shop", name: "move" },
            spec: {
              reason: "The data center moved.",
              slos: [key],
              period: { startTime: instantOf("2026-01-30T12:05:00Z"), duration: durationOf("240h") },
            },
          },
        ])
        // What the adjustment changed in the past notifies nobody.
        yield* refreshStatus("acme", key)
        const counts = [{ objective: "good", at: now - 60_000, good: 0, total: 10 }]
        yield* (yield* CountStore).record("acme", [{ slo: key, counts }])
        yield* refreshStatus("acme", key)
        const range = "?from=2026-01-30T11:00:00Z&to=2026-01-30T12:10:00Z"
        const { isPartial, annotations } = yield* read(headers, range)
        expect(isPartial).toBe(false)
        expect(annotations).toMatchObject([
          {
            kind: "adjustment",
            id: "shop/move",
            title: "The data center moved.",
            from: "2026-01-30T12:05:00.000Z",
            to: "2026-02-09T12:05:00.000Z",
          },
          {
            kind: "alert",
            title: "Fast burn",
            objective: "good",
            status: "triggered",
            from: "2026-01-30T12:00:00.000Z",
          },
          { kind: "incident", title: "Long" },
        ])
        expect(annotations).toHaveLength(3)
      }).pipe(Effect.provide(apiServer)),
  )
})
