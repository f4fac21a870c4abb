import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { ask, hook, slo, test } from "./delivery-client.ts"

const triggered = { status: "triggered", slo, objective: "good", alertMethods: [hook] }

describe("POST /api/alerts", () => {
  test(
    "6.1: answers 202 with the alert and its deliveries, then 200 for what is so already",
    Effect.gen(function* () {
      const first = yield* ask("POST", "/api/alerts", { body: triggered })
      expect(first.status).toBe(202)
      const { alertId, deliveries } = first.json
      expect(deliveries).toEqual([{ id: expect.any(String), alertMethod: hook }])
      const second = yield* ask("POST", "/api/alerts", { body: triggered })
      expect([second.status, second.json]).toEqual([200, { alertId, deliveries: [] }])
      const found = yield* ask("GET", `/api/deliveries/${deliveries[0].id}`)
      expect(found.json).toMatchObject({ alertId, event: "alert.triggered", state: "pending", attempts: [] })
      const resolved = yield* ask("POST", "/api/alerts", { body: { ...triggered, status: "resolved" } })
      expect([resolved.status, resolved.json]).toEqual([202, { alertId, deliveries: [] }])
      const again = yield* ask("POST", "/api/alerts", { body: { ...triggered, status: "resolved" } })
      expect(again.status).toBe(200)
    }),
  )

  test(
    "6.1: tells every issue with its path",
    Effect.gen(function* () {
      const malformed = yield* ask("POST", "/api/alerts", { body: { status: "on fire", slo: {} } })
      expect(malformed.status).toBe(400)
      expect(
        malformed.json.errors.map((error: { source: { propertyName: string } }) => error.source.propertyName),
      ).toEqual(["slo.name", "slo.project", "status"])
      const unknown = yield* ask("POST", "/api/alerts", { body: { ...triggered, objective: "unknown" } })
      expect(unknown.json.errors).toMatchObject([
        { title: "The alert is invalid", code: "not_found", source: { propertyName: "objective" } },
      ])
      const missing = yield* ask("POST", "/api/alerts", { body: { ...triggered, status: "resolved" } })
      expect([missing.status, missing.json.errors[0].code]).toEqual([404, "alert_not_found"])
    }),
  )

  test(
    "6.1: honours Idempotency-Key",
    Effect.gen(function* () {
      const headers = { "idempotency-key": "key-1" }
      const first = yield* ask("POST", "/api/alerts", { body: triggered, headers })
      const again = yield* ask("POST", "/api/alerts", { body: triggered, headers })
      expect([again.status, again.text]).toEqual([202, first.text])
      const reused = yield* ask("POST", "/api/alerts", {
        body: { ...triggered, objective: "great" },
        headers,
      })
      expect([reused.status, reused.json.errors[0].code]).toEqual([409, "idempotency_key_reused"])
      const long = { "idempotency-key": "x".repeat(256) }
      expect((yield* ask("POST", "/api/alerts", { body: triggered, headers: long })).status).toBe(400)
    }),
  )

  test(
    "6.1: needs the role editor and JSON",
    Effect.gen(function* () {
      expect((yield* ask("POST", "/api/alerts", { body: triggered, role: "viewer" })).status).toBe(403)
      expect((yield* ask("POST", "/api/alerts", { body: "{" })).status).toBe(400)
      const headers = { "content-type": "text/plain" }
      expect((yield* ask("POST", "/api/alerts", { body: "x", headers })).status).toBe(415)
    }),
  )
})

describe("GET /api/get/alert", () => {
  test(
    "6.1: tells alerts as objects that are read only, by project and ID, in JSON and YAML",
    Effect.gen(function* () {
      yield* ask("POST", "/api/alerts", { body: { ...triggered, alertId: "incident-1", severity: "High" } })
      const inShop = yield* ask("GET", "/api/get/alert", { headers: { project: "shop" }, role: "viewer" })
      expect(inShop.json).toEqual([
        {
          apiVersion: "tocsin/v1alpha",
          kind: "Alert",
          metadata: { name: "incident-1", project: "shop" },
          spec: {
            status: "triggered",
            slo,
            objective: { name: "good" },
            severity: "High",
            conditions: [],
            alertMethods: [hook],
            triggeredAt: "2026-01-30T12:00:00.000Z",
          },
        },
      ])
      const all = { headers: { project: "*" } }
      expect((yield* ask("GET", "/api/get/Alerts", all)).json.length).toBe(1)
      expect((yield* ask("GET", "/api/get/alert?name=unknown", all)).json).toEqual([])
      expect((yield* ask("GET", "/api/get/alert?name=unknown&name=incident-1", all)).json.length).toBe(1)
      expect((yield* ask("GET", "/api/get/alert")).json).toEqual([])
      expect((yield* ask("GET", "/api/get/alert?labels=", all)).json.length).toBe(1)
      expect((yield* ask("GET", "/api/get/alert?labels=team:blue", all)).json).toEqual([])
      const malformed = yield* ask("GET", "/api/get/alert?labels=:x", all)
      expect([malformed.status, malformed.json.errors[0].source]).toEqual([400, { propertyName: "labels" }])
      expect((yield* ask("GET", "/api/get/alert", { ...all, organization: "another" })).json).toEqual([])
      const yaml = yield* ask("GET", "/api/get/alert", {
        headers: { project: "*", accept: "application/yaml" },
      })
      expect(yaml.headers.get("content-type")).toBe("application/yaml")
      expect(yaml.text).toContain("name: incident-1")
      expect((yield* ask("DELETE", "/api/delete/alert?name=incident-1", all)).status).toBe(404)
    }),
  )
})
