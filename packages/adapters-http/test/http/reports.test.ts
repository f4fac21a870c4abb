import { rotateSigningKey } from "@tocsin/domain"
import { publicKeysPath } from "@tocsin/domain/limits"
import { AlertStore, CountStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { createHash, createPublicKey, verify } from "node:crypto"
import { alertOf, anSlo, calendarOf, putDefinitions, removeSlos } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { runReports } from "../../../../test/report/RunReports.ts"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

const hour = 3_600_000
const day = 24 * hour
const to = Date.parse("2026-03-31T22:00:00Z")
const key = { project: "shop", name: "checkout" }
const hostile = `=1+1,"<script>alert('x')</script>&`

/** An organization with one report, of March in Berlin. */
const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(to - day)
  const slo = anSlo(key, {
    timeWindow: {
      unit: "Month",
      count: 1,
      calendar: calendarOf({ startTime: "2026-01-01 00:00:00", timeZone: "Europe/Berlin" }),
    },
    objectives: [
      { name: "good", displayName: hostile, target: 0.9 },
      { name: "great", target: 0.999 },
    ],
  })
  yield* putDefinitions("acme", [{ kind: "Project", metadata: { name: "shop" }, spec: {} }, slo])
  const adjusted = yield* send("/api/apply", {
    method: "PUT",
    headers: { ...(yield* headersOf("acme")), "content-type": "application/json" },
    body: JSON.stringify({
      apiVersion: "tocsin/v1alpha",
      kind: "BudgetAdjustment",
      metadata: { project: "shop", name: "migration" },
      spec: {
        reason: hostile,
        slos: [{ name: "checkout" }],
        period: { startTime: "2026-03-31T19:00:00Z", duration: "90m" },
      },
    }),
  })
  expect(adjusted.status, adjusted.text).toBe(200)
  const counts = [{ objective: "good", at: to - hour, good: 19, total: 20 }]
  yield* (yield* CountStore).record("acme", [{ slo: key, counts }])
  const alert = alertOf("a-1", {
    subject: { slo: key, objective: "good", alertPolicy: { project: "shop", name: "fast-burn" } },
    severity: "High",
    conditions: [hostile],
    triggeredAt: to - hour,
  })
  yield* (yield* AlertStore).change("acme", { subject: alert.subject, id: "a-1" }, undefined, () =>
    Result.succeed({ put: alert, receipt: { alertId: "a-1", isChanged: true, deliveries: [] } }),
  )
  yield* TestClock.setTime(to + hour)
  yield* runReports
  const headers = yield* headersOf("acme", "viewer")
  const listed = JSON.parse((yield* send("/api/reports", { headers })).text)
  const id: string = listed.data[0].id
  return { headers, listed, id, path: `/api/reports/${id}` }
})

describe("GET /api/reports", () => {
  it.effect(
    "spec/reports §5: lists the reports of an organization by project, SLO and period, in pages",
    () =>
      Effect.gen(function* () {
        const { headers, listed, id } = yield* prepare
        const first = {
          id,
          project: "shop",
          slo: "checkout",
          period: { from: "2026-02-28T23:00:00.000Z", to: "2026-03-31T22:00:00.000Z" },
          createdAt: "2026-03-31T23:00:00.000Z",
        }
        expect(listed).toEqual({ data: [first], links: { self: "/api/reports?limit=500&cursor=" } })
        yield* TestClock.setTime(to + 31 * day)
        yield* runReports
        const fresh = yield* headersOf("acme", "viewer")
        const list = (query: string) =>
          Effect.map(send(`/api/reports?${query}`, { headers: fresh }), ({ text }) => JSON.parse(text))
        const both = "project=shop&slo=checkout&from=2026-02-28T23:00:00Z&to=2026-04-01T00:00:00Z"
        const page = yield* list(`${both}&limit=1`)
        expect(page.data).toMatchObject([{ period: { from: "2026-03-31T22:00:00.000Z" } }])
        const next = yield* list(page.links.next.split("?")[1])
        expect([next.data, next.links.next]).toEqual([[first], undefined])
        for (const none of [
          "project=other",
          "slo=other",
          "from=2026-04-01T00:00:00Z",
          "to=2026-02-28T23:00:00Z",
        ]) {
          expect((yield* list(none)).data, none).toEqual([])
        }
        const other = yield* headersOf("globex")
        expect(JSON.parse((yield* send("/api/reports", { headers: other })).text).data).toEqual([])
        for (const [query, code] of [
          ["from=March", "date_time_invalid"],
          ["limit=501", "limit_invalid"],
          ["cursor=x", "cursor_invalid"],
        ]) {
          const rejected = yield* send(`/api/reports?${query}`, { headers: fresh })
          expect([rejected.status, errorsOf(rejected)[0]?.code]).toEqual([400, code])
        }
        expect([(yield* send("/api/reports")).status, headers.organization]).toEqual([401, "acme"])
      }).pipe(Effect.provide(apiServer)),
  )
})

describe("POST /api/reports", () => {
  const body = { project: "shop", slo: "checkout", from: "2026-03-31T00:00:00Z", to: "2026-03-31T22:00:00Z" }
  const post = (headers: Readonly<Record<string, string>>, request: object = body) =>
    send("/api/reports", {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(request),
    })

  it.effect("spec/reports §8: creates the signed report of a period, once", () =>
    Effect.gen(function* () {
      const { headers: viewer } = yield* prepare
      const editor = yield* headersOf("acme", "editor")
      const rejected = yield* post(viewer)
      expect([rejected.status, errorsOf(rejected)[0]?.code]).toEqual([403, "insufficient_permissions"])
      const created = yield* post(editor)
      const period = { from: "2026-03-31T00:00:00.000Z", to: "2026-03-31T22:00:00.000Z" }
      expect(created.status, created.text).toBe(201)
      const summary = JSON.parse(created.text)
      expect(summary).toMatchObject({ project: "shop", slo: "checkout", period })
      const again = yield* post(editor, { ...body, from: "2026-03-31T00:00:00.000+00:00" })
      expect([again.status, JSON.parse(again.text)]).toEqual([200, summary])
      const { text } = yield* send(`/api/reports/${summary.id}`, { headers: viewer })
      // The figures and the alerts are those of the period.
      expect(JSON.parse(text)).toMatchObject({
        period,
        window: period,
        minCoverage: 0.9,
        objectives: [
          { good: 19, total: 20, coverage: expect.closeTo(1 / 1_230, 9), result: "insufficient_data" },
          { name: "great", result: "insufficient_data" },
        ],
        alerts: [{ id: "a-1" }],
      })
      const signed = JSON.parse(
        (yield* send(`/api/reports/${summary.id}/signature`, { headers: viewer })).text,
      )
      const key = createPublicKey(signed.publicKeyPem)
      expect(verify(null, Buffer.from(text), key, Buffer.from(signed.signature, "base64"))).toBe(true)
      // One that was made at the end of its period is returned as well.
      const whole = yield* post(editor, { ...body, from: "2026-02-28T23:00:00Z" })
      expect(whole.status).toBe(200)
      const listed = JSON.parse((yield* send("/api/reports", { headers: viewer })).text)
      expect(listed.data).toHaveLength(2)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/reports §8: rejects a period that cannot be reported on, and an SLO that does not exist",
    () =>
      Effect.gen(function* () {
        yield* prepare
        const editor = yield* headersOf("acme", "editor")
        for (const [change, path, code] of [
          [{ from: undefined }, "from", "required"],
          [{ to: "yesterday" }, "to", "invalid_format"],
          [{ from: "2026-03-31T00:00:30Z" }, "from", "out_of_range"],
          [{ to: "2026-04-01T00:00:00Z" }, "to", "out_of_range"],
          [{ from: body.to }, "to", "out_of_range"],
          [{ from: "2025-01-01T00:00:00Z" }, "to", "out_of_range"],
          [{ from: "2020-01-01T00:00:00Z", to: "2020-02-01T00:00:00Z" }, "from", "out_of_range"],
          [{ slos: [] }, "slos", "unknown_property"],
        ] as const) {
          const rejected = yield* post(editor, { ...body, ...change })
          expect(rejected.status, JSON.stringify(change)).toBe(400)
          expect(errorsOf(rejected)).toMatchObject([{ code, source: { propertyName: path } }])
        }
        const missing = yield* post(editor, { ...body, slo: "no-such" })
        expect([missing.status, errorsOf(missing)[0]?.code]).toEqual([404, "slo_not_found"])
        const foreign = yield* post(yield* headersOf("globex", "editor"))
        expect(foreign.status).toBe(404)
      }).pipe(Effect.provide(apiServer)),
  )
})

describe("GET /api/reports/{id}", () => {
  it.effect(
    "spec/reports §7: the body as received is verified with the signature and the public key, after rotations too",
    () =>
      Effect.gen(function* () {
        const { headers, path } = yield* prepare
        const { text: before } = yield* send(path, { headers })
        for (const days of [2, 4, 800]) {
          yield* TestClock.setTime(to + days * day)
          yield* rotateSigningKey
        }
        yield* removeSlos("acme", [key])
        const fresh = yield* headersOf("acme", "viewer")
        const report = yield* send(path, { headers: fresh })
        expect([report.status, report.headers.get("content-type")]).toEqual([200, "application/json"])
        expect(report.text).toBe(before)
        const signed = JSON.parse((yield* send(`${path}/signature`, { headers: fresh })).text)
        expect(signed.algorithm).toBe("ed25519")
        const publicKey = createPublicKey(signed.publicKeyPem)
        const isValid = (text: string) =>
          verify(null, Buffer.from(text), publicKey, Buffer.from(signed.signature, "base64"))
        expect([isValid(report.text), isValid(`${report.text} `)]).toEqual([true, false])
        // The ID is the thumbprint of the key (RFC 7638), and the server publishes the key without authentication.
        const { x } = publicKey.export({ format: "jwk" })
        const thumbprint = createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)
        expect(signed.keyId).toBe(thumbprint.digest("base64url"))
        expect((yield* send(publicKeysPath)).text).not.toContain(signed.keyId)
        const published = yield* send(`${publicKeysPath}/${signed.keyId}`)
        expect(JSON.parse(published.text)).toEqual({
          keyId: signed.keyId,
          algorithm: "ed25519",
          publicKeyPem: signed.publicKeyPem,
        })
        const unknown = yield* send(`${publicKeysPath}/unknown`)
        expect([unknown.status, errorsOf(unknown)[0]?.code]).toEqual([404, "public_key_not_found"])
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/reports §6: writes CSV with a line for each objective, and no formulas", () =>
    Effect.gen(function* () {
      const { headers, id, path } = yield* prepare
      const csv = yield* send(`${path}?format=csv`, { headers })
      expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8")
      expect(csv.headers.get("content-disposition")).toBe(`attachment; filename="report-${id}.csv"`)
      const range = "2026-02-28T23:00:00.000Z,2026-03-31T22:00:00.000Z"
      expect(csv.text.split("\r\n")).toEqual([
        "report,project,service,slo,objective,displayName,periodFrom,periodTo,windowFrom,windowTo,target,reliability,errorBudget,errorBudgetRemaining,errorBudgetRemainingPercentage,good,total,alerts,coverage,result",
        `${id},shop,web,checkout,good,"'=1+1,""<script>alert('x')</script>&",${range},${range},0.9,0.95,267480,133740,0.5,19,20,1,0.0000224769611149,insufficient_data`,
        `${id},shop,web,checkout,great,great,${range},${range},0.999,,2674.8,,,,,0,0,insufficient_data`,
        "",
      ])
      expect((yield* send(path, { headers: { ...headers, accept: "text/csv" } })).text).toBe(csv.text)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/reports §6: writes a page for printing, escaped and without scripts, with its hash as policy",
    () =>
      Effect.gen(function* () {
        const { headers, path } = yield* prepare
        const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        const page = yield* send(path, { headers: { ...headers, accept } })
        expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
        expect(page.headers.get("vary")).toMatch(/accept/i)
        const [style = ""] = /(?<=<style>)[\s\S]*?(?=<\/style>)/.exec(page.text) ?? []
        const hash = createHash("sha256").update(style).digest("base64")
        expect(page.headers.get("content-security-policy")).toBe(
          `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
        )
        expect(style).toContain("@media print")
        expect(page.text).not.toMatch(/<script|<link|<img| style=| on\w+=|javascript:/i)
        expect(page.text).toContain("=1+1,&#34;&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;&#38;")
        expect(page.text).toContain("2026-03-01 00:00 to 2026-04-01 00:00 (Europe/Berlin)")
        for (const text of [
          "95%",
          "74.3 h",
          "shop/migration",
          "90",
          "fast-burn",
          "No data",
          "Insufficient data",
          "1 month, calendar-aligned",
          "2026-03-31 23:00",
        ]) {
          expect(page.text).toContain(`<td>${text}</td>`)
        }
        const { signature, keyId } = JSON.parse((yield* send(`${path}/signature`, { headers })).text)
        expect(page.text).toContain(keyId)
        expect(page.text).toContain(signature)
        expect((yield* send(`${path}?format=html`, { headers })).text).toBe(page.text)
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/reports §6: is JSON by default; another format, ID or organization is rejected", () =>
    Effect.gen(function* () {
      const { headers, path } = yield* prepare
      const json = yield* send(path, { headers: { ...headers, accept: "text/csv;q=0.5, application/json" } })
      expect(JSON.parse(json.text)).toMatchObject({
        slo: "checkout",
        alerts: [{ id: "a-1" }],
        adjustments: [
          {
            name: "migration",
            reason: hostile,
            author: expect.any(String),
            from: "2026-03-31T19:00:00.000Z",
            to: "2026-03-31T20:30:00.000Z",
            minutes: 90,
          },
        ],
      })
      expect((yield* send(`${path}?format=`, { headers })).text).toBe(json.text)
      const etag = json.headers.get("etag") ?? ""
      expect((yield* send(path, { headers: { ...headers, "if-none-match": etag } })).status).toBe(304)
      const rejected = yield* send(`${path}?format=pdf`, { headers })
      expect([rejected.status, errorsOf(rejected)[0]?.code]).toEqual([400, "format_invalid"])
      const other = yield* headersOf("globex")
      for (const [url, from] of [
        [path, other],
        [`${path}/signature`, other],
        ["/api/reports/unknown", headers],
        ["/api/reports/%00", headers],
      ] as const) {
        const missing = yield* send(url, { headers: from })
        expect([url, missing.status, errorsOf(missing)[0]?.code]).toEqual([url, 404, "report_not_found"])
      }
    }).pipe(Effect.provide(apiServer)),
  )
})
