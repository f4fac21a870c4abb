import { describe, expect } from "@tocsin/testing/vitest"
import { receiveAlert } from "@tocsin/domain"
import { writeCursor } from "@tocsin/domain/pagination"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { ask, hook, organization, slo, test } from "../../../../test/http/delivery-client.ts"
import { alertsPerListMax } from "@tocsin/api"

const triggered = { status: "triggered", slo, objective: "good", alertMethods: [hook] }

describe("POST /api/alerts/{id}/acknowledge", () => {
  test(
    "spec/alerting §15: records who acknowledged an open alert and when, once, and rejects other alerts",
    Effect.gen(function* () {
      const alertId = "disk/7:50%"
      yield* ask("POST", "/api/alerts", { body: { ...triggered, alertId } })
      yield* TestClock.adjust("5 minutes")
      const path = `/api/alerts/${encodeURIComponent(alertId)}/acknowledge`
      expect((yield* ask("POST", path, { role: "viewer" })).status).toBe(403)
      const first = yield* ask("POST", path)
      expect(first.status).toBe(200)
      expect(first.json.spec).toMatchObject({
        status: "Triggered",
        acknowledgement: { by: expect.any(String), at: "2026-01-30T12:05:00.000Z" },
      })
      yield* TestClock.adjust("5 minutes")
      expect((yield* ask("POST", path)).text).toBe(first.text)
      const listed = yield* ask("GET", "/api/get/alert", { headers: { project: "*" } })
      expect(listed.json).toEqual([first.json])

      const unknown = yield* ask("POST", "/api/alerts/unknown/acknowledge")
      expect([unknown.status, unknown.json.errors[0].code]).toEqual([404, "alert_not_found"])
      yield* ask("POST", "/api/alerts", { body: { ...triggered, objective: "great", alertId: "b" } })
      yield* ask("POST", "/api/alerts", {
        body: { ...triggered, objective: "great", alertId: "b", status: "resolved" },
      })
      const closed = yield* ask("POST", "/api/alerts/b/acknowledge")
      expect([closed.status, closed.json.errors[0]]).toEqual([
        409,
        {
          title: "Alert is not open",
          code: "alert_closed",
          detail:
            "The alert is resolved. Only an open alert can be acknowledged. GET /api/get/alert?status=triggered with the header Project: * lists open alerts (tocsin get alerts -A --status triggered).",
        },
      ])
    }),
  )

  test(
    "spec/alerting §15: keeps a note of at most 1,000 characters, which is shown and never sent",
    Effect.gen(function* () {
      yield* ask("POST", "/api/alerts", { body: { ...triggered, alertId: "a" } })
      const path = "/api/alerts/a/acknowledge"
      for (const [body, code] of [
        [{ note: "x".repeat(1_001) }, "too_long"],
        [{ note: 7 }, "wrong_type"],
        [{ note: "Fixed\u202egnp.exe" }, "invalid_format"],
        [{ note: "\u001b[2JFixed" }, "invalid_format"],
        [{ notes: "x" }, "unknown_property"],
        ["[]", "wrong_type"],
      ] as const) {
        const invalid = yield* ask("POST", path, { body })
        expect([invalid.status, invalid.json.errors[0]]).toEqual([
          400,
          expect.objectContaining({ title: "Invalid acknowledgement", code }),
        ])
      }
      const headers = { "content-type": "text/plain" }
      expect((yield* ask("POST", path, { body: "{}", headers })).status).toBe(415)
      const { json } = yield* ask("POST", path, { body: { note: " Rolling back\nrelease 41 " } })
      expect(json.spec.acknowledgement).toMatchObject({ note: "Rolling back\nrelease 41" })
      const again = yield* ask("POST", path, { body: { note: "Another" } })
      expect(again.json).toEqual(json)
      yield* ask("POST", "/api/alerts", { body: { ...triggered, objective: "great", alertId: "b" } })
      const blank = yield* ask("POST", "/api/alerts/b/acknowledge", { body: { note: " " } })
      expect(blank.json.spec.acknowledgement).toEqual({ by: expect.any(String), at: expect.any(String) })
    }),
  )
})

describe("POST /api/alerts", () => {
  test(
    "spec/alerting §7: returns 202 with the alert and its deliveries, then 200 for what is so already",
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
    "spec/alerting §7: reports every issue with its path",
    Effect.gen(function* () {
      const malformed = yield* ask("POST", "/api/alerts", { body: { status: "on fire", slo: {} } })
      expect(malformed.status).toBe(400)
      expect(
        malformed.json.errors.map((error: { source: { propertyName: string } }) => error.source.propertyName),
      ).toEqual(["slo.name", "slo.project", "status"])
      const unknown = yield* ask("POST", "/api/alerts", { body: { ...triggered, objective: "unknown" } })
      expect(unknown.json.errors).toMatchObject([
        { title: "Invalid alert", code: "not_found", source: { propertyName: "objective" } },
      ])
      const missing = yield* ask("POST", "/api/alerts", { body: { ...triggered, status: "resolved" } })
      expect([missing.status, missing.json.errors[0].code]).toEqual([404, "alert_not_found"])
    }),
  )

  test(
    "spec/alerting §8: honours Idempotency-Key",
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
    "spec/alerting §7: needs the role editor and JSON",
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
    "spec/alerting §7: returns alerts as read-only objects, by project and ID, in JSON and YAML",
    Effect.gen(function* () {
      yield* ask("POST", "/api/alerts", { body: { ...triggered, alertId: "incident-1", severity: "High" } })
      const inShop = yield* ask("GET", "/api/get/alert", { headers: { project: "shop" }, role: "viewer" })
      expect(inShop.json).toEqual([
        {
          apiVersion: "tocsin/v1alpha",
          kind: "Alert",
          metadata: { name: "incident-1", project: "shop" },
          spec: {
            slo: { name: "checkout", project: "shop" },
            service: { name: expect.any(String), project: "shop" },
            objective: { name: "good" },
            severity: "High",
            status: "Triggered",
            triggeredClockTime: "2026-01-30T12:00:00.000Z",
            conditions: [],
            conditionTexts: [],
            alertMethods: [hook],
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

  test(
    "spec/alerting §11: lists those of an SLO, an objective, an alert policy, a status and a time",
    Effect.gen(function* () {
      yield* ask("POST", "/api/alerts", { body: { ...triggered, alertId: "a-1" } })
      yield* ask("POST", "/api/alerts", {
        body: { ...triggered, objective: "great", alertId: "a-2", at: "2026-01-30T11:00:00Z" },
      })
      yield* ask("POST", "/api/alerts", { body: { status: "resolved", slo, alertId: "a-2" } })
      const idsOf = (query: string) =>
        Effect.map(ask("GET", `/api/get/alert?${query}`, { headers: { project: "shop" } }), ({ json }) =>
          json.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
        )
      expect(yield* idsOf("slo=checkout")).toEqual(["a-1", "a-2"])
      expect(yield* idsOf("slo=search&slo=other")).toEqual([])
      expect(yield* idsOf("objective=great")).toEqual(["a-2"])
      expect(yield* idsOf("objective=great&objective=good&slo=")).toEqual(["a-1", "a-2"])
      expect(yield* idsOf("service_name=other")).toEqual([])
      expect(yield* idsOf("service_name=other&service_name=web")).toEqual(["a-1", "a-2"])
      expect(yield* idsOf("objective_value=0.5")).toEqual([])
      expect(yield* idsOf("alertPolicy=fast-burn")).toEqual([])
      expect(yield* idsOf("status=triggered")).toEqual(["a-1"])
      expect(yield* idsOf("status=resolved&status=canceled")).toEqual(["a-2"])
      expect(yield* idsOf("from=2026-01-30T11:00:00Z&to=2026-01-30T12:00:00Z")).toEqual(["a-2"])
      // It was open until noon.
      expect(yield* idsOf("from=2026-01-30T11:30:00Z")).toEqual(["a-1", "a-2"])
      expect(yield* idsOf("from=2026-01-30T11:30:00Z&to=2026-01-30T11:45:00Z")).toEqual(["a-2"])
      expect(yield* idsOf("from=2026-01-30T12:00:01Z")).toEqual(["a-1"])
      const inParis = encodeURIComponent("2026-01-30T13:00:01+01:00")
      expect(yield* idsOf(`from=${inParis}`)).toEqual(["a-1"])
      for (const query of [
        "status=open",
        "from=yesterday",
        "limit=501",
        "cursor=x",
        "objective_value=high",
        "order=newest",
        "slos=checkout",
      ]) {
        expect((yield* ask("GET", `/api/get/alert?${query}`)).status).toBe(400)
      }
    }),
  )

  test(
    "spec/alerting §11: lists newest first, in pages",
    Effect.gen(function* () {
      for (const [alertId, hour] of Object.entries({ b: 9, a: 11, d: 10, c: 11 })) {
        const at = `2026-01-30T${String(hour).padStart(2, "0")}:00:00Z`
        yield* ask("POST", "/api/alerts", { body: { ...triggered, alertId, at } })
      }
      const read: Array<ReadonlyArray<string>> = []
      let path = "/api/get/alert?status=triggered&limit=2"
      while (path !== "") {
        const page = yield* ask("GET", path, { headers: { project: "*" } })
        read.push(page.json.map(({ metadata }: { metadata: { name: string } }) => metadata.name))
        path = /^<(.*)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1] ?? ""
      }
      expect(read).toEqual([
        ["c", "a"],
        ["d", "b"],
      ])
      const all = yield* ask("GET", "/api/get/alert", { headers: { project: "*" } })
      expect(all.json.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(
        read.flat(),
      )
      const forged = writeCursor("alerts/newest", ["x", "a"])
      expect((yield* ask("GET", `/api/get/alert?cursor=${forged}`)).status).toBe(400)
    }),
  )

  test(
    "spec/alerting §11: lists alerts in pages with links, or the latest ones, and says that there are more",
    Effect.gen(function* () {
      for (let count = 0; count < 5; count++) {
        yield* ask("POST", "/api/alerts", { body: { ...triggered, alertId: `a-${count}` } })
      }
      const read: Array<ReadonlyArray<string>> = []
      let path = "/api/get/alert?slo=checkout&limit=2"
      while (path !== "") {
        const page = yield* ask("GET", path, { headers: { project: "*" } })
        read.push(page.json.map(({ metadata }: { metadata: { name: string } }) => metadata.name))
        path = /^<(.*)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1] ?? ""
        if (path !== "") expect(path).toContain("slo=checkout")
      }
      expect(read).toEqual([["a-4", "a-3"], ["a-2", "a-1"], ["a-0"]])
      const addTo = (end: number) =>
        Effect.gen(function* () {
          for (; count < end; count++) {
            if (count % 50 === 0) yield* TestClock.adjust("1 second")
            yield* receiveAlert(organization, { body: { ...triggered, alertId: `a-${count}` } })
          }
        })
      const readAll = (path: string) =>
        Effect.map(ask("GET", path, { headers: { project: "*" } }), ({ json, headers }) => ({
          count: new Set(json.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).size,
          truncatedAt: headers.get("truncated-limit-max"),
          next: /^<(.*)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1],
        }))
      let count = 5
      yield* addTo(alertsPerListMax)
      const complete = { count: alertsPerListMax, truncatedAt: null, next: undefined }
      expect(yield* readAll("/api/get/alert")).toEqual(complete)
      yield* addTo(alertsPerListMax + 1)
      const cut = yield* readAll("/api/get/alert?slo=checkout")
      expect(cut).toEqual({ ...complete, truncatedAt: `${alertsPerListMax}`, next: expect.any(String) })
      expect(yield* readAll(cut.next ?? "")).toEqual({ ...complete, count: 1 })
      expect((yield* readAll("/api/get/alert?limit=2")).truncatedAt).toBeNull()
      const yaml = yield* ask("GET", "/api/get/alert", {
        headers: { project: "*", accept: "application/yaml" },
      })
      expect(yaml.text.match(/^- apiVersion/gm)).toHaveLength(alertsPerListMax)
    }),
  )
})
