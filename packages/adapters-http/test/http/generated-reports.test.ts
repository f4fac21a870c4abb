import { CountStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

const now = Date.parse("2026-03-11T12:00:00Z")
const day = 86_400_000
const hostile = `=1+1,"<script>`
const filters = { projects: ["shop"] }
const timeFrame = { rolling: { unit: "Week", count: 1 }, timeZone: "Europe/Berlin" }

const specs = {
  systemHealthReview: {
    filters,
    systemHealthReview: {
      timeFrame: { snapshot: { point: "past", dateTime: "2026-03-11T11:00:00Z" }, timeZone: "UTC" },
      rowGroupBy: "service",
      columns: [{ displayName: hostile, labels: { team: ["pay"] } }],
      thresholds: { redLte: 0, greenGt: 0.5 },
    },
  },
  sloHistory: { filters, sloHistory: { timeFrame } },
  errorBudgetStatus: { filters, errorBudgetStatus: {} },
  reliabilityRollup: { filters, reliabilityRollup: { timeFrame } },
}

const lines = {
  systemHealthReview: ["row,column,exhausted,atRisk,healthy,noData", `web,"'=1+1,""<script>",1,0,0,0`],
  sloHistory: [
    "report,project,service,slo,displayName,objective,periodFrom,",
    "slo-history,shop,web,checkout,checkout,good,2026-03-04T12:00:00.000Z,2026-03-11T12:00:00.000Z,0.9,0.8,",
  ],
  errorBudgetStatus: [
    "project,service,slo,displayName,objective,target,reliability,errorBudgetRemaining,errorBudgetRemainingPercentage,burnRate,state",
    "shop,web,checkout,checkout,good,0.9,,,,,noData",
  ],
  reliabilityRollup: [
    "folder,depth,project,service,slo,displayName,score,weight,days,daysMet",
    "shop,0,,,,,0,1,,",
  ],
} as const

const nameOf = (type: string): string => type.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(now - 40 * day)
  const slo = anSlo({ project: "shop", name: "checkout" }, { objectives: [{ name: "good", target: 0.9 }] })
  yield* putDefinitions("acme", [{ ...slo, metadata: { ...slo.metadata, labels: { team: ["pay"] } } }])
  const counts = [{ objective: "good", at: now - day, good: 8, total: 10 }]
  yield* (yield* CountStore).record("acme", [{ slo: { project: "shop", name: "checkout" }, counts }])
  yield* TestClock.setTime(now)
  const headers = { ...(yield* headersOf("acme")), "content-type": "application/json" }
  const documents = Object.entries(specs).map(([type, spec]) => ({
    apiVersion: "tocsin/v1alpha",
    kind: "Report",
    metadata: { name: nameOf(type), displayName: type },
    spec,
  }))
  const applied = yield* send("/api/apply", { method: "PUT", headers, body: JSON.stringify(documents) })
  expect(applied.status, applied.text).toBe(200)
  return headers
})

describe("saved reports", () => {
  it.effect("spec/reports §11: are generated as JSON and CSV", () =>
    Effect.gen(function* () {
      yield* prepare
      const viewer = yield* headersOf("acme", "viewer")
      for (const type of [
        "systemHealthReview",
        "sloHistory",
        "errorBudgetStatus",
        "reliabilityRollup",
      ] as const) {
        const path = `/api/saved-reports/${nameOf(type)}`
        const json = yield* send(path, { headers: viewer })
        expect(json.status, json.text).toBe(200)
        expect(JSON.parse(json.text)).toMatchObject({
          name: nameOf(type),
          displayName: type,
          type,
          generatedAt: "2026-03-11T12:00:00.000Z",
          slos: [{ project: "shop", service: "web", slo: "checkout" }],
        })
        const csv = yield* send(path, { headers: { ...viewer, accept: "text/csv" } })
        expect(csv.headers.get("content-disposition")).toBe(`attachment; filename="${nameOf(type)}.csv"`)
        const [head, first] = csv.text.split("\r\n")
        expect(head?.startsWith(lines[type][0]), head).toBe(true)
        expect(first?.startsWith(lines[type][1]), first).toBe(true)
      }
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/reports §11: are not found, or cannot be generated, with the path in their definition",
    () =>
      Effect.gen(function* () {
        const headers = yield* prepare
        const body = {
          apiVersion: "tocsin/v1alpha",
          kind: "Report",
          metadata: { name: "old" },
          spec: {
            filters,
            sloHistory: {
              timeFrame: { calendar: { from: "2020-01-01", to: "2020-02-01" }, timeZone: "UTC" },
            },
          },
        }
        yield* send("/api/apply", { method: "PUT", headers, body: JSON.stringify(body) })
        const old = yield* send("/api/saved-reports/old", { headers })
        expect(old.status).toBe(409)
        expect(errorsOf(old)).toEqual([
          {
            title: "Report cannot be generated",
            code: "out_of_range",
            detail: expect.stringMatching(/^must be at or after .*, as earlier counts are not retained/),
            source: { propertyName: "spec.sloHistory.timeFrame.calendar.from" },
          },
        ])
        const impossible = {
          ...body.spec.sloHistory.timeFrame,
          calendar: { from: "2026-02-30", to: "2026-99-99" },
        }
        const rejected = yield* send("/api/apply", {
          method: "PUT",
          headers,
          body: JSON.stringify({ ...body, spec: { filters, sloHistory: { timeFrame: impossible } } }),
        })
        expect(rejected.status).toBe(400)
        expect(errorsOf(rejected).map(({ source }) => source?.propertyName)).toEqual([
          expect.stringContaining("calendar.from"),
          expect.stringContaining("calendar.to"),
        ])
        const missing = yield* send("/api/saved-reports/gone", { headers })
        expect([missing.status, errorsOf(missing)[0]?.code]).toEqual([404, "saved_report_not_found"])
        const foreign = yield* send("/api/saved-reports/slo-history", { headers: yield* headersOf("globex") })
        expect(foreign.status).toBe(404)
        const html = yield* send("/api/saved-reports/slo-history?format=html", { headers })
        expect([html.status, errorsOf(html)[0]?.code]).toEqual([400, "format_invalid"])
      }).pipe(Effect.provide(apiServer)),
  )
})
