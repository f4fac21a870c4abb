import { anSlo, putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect } from "@tocsin/testing/vitest"
import { unsupportedCalls } from "../src/UnsupportedCalls.ts"
import { cancelQueuedBackfills } from "@tocsin/domain/features/data-source"
import { IndicatorStore, BackfillStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { ask, organization, slo, start, test } from "../../../test/http/delivery-client.ts"

const other = { project: "shop", name: "search" }

const indicator = {
  prometheus: { url: sourceUrlOf("http://a.example.com:9090"), good: "good", total: "total" },
}

/** Both SLOs have an indicator that is read to the present. */
const withIndicators = Effect.gen(function* () {
  const store = yield* IndicatorStore
  for (const key of [slo, other]) {
    yield* putDefinitions(organization, [anSlo(key, { indicator })])
    const read = { readTo: start, failures: 0, succeededAt: start, dueAt: start }
    yield* store.settle(organization, key, { indicator, readTo: 0 }, read)
  }
})

/** The headers of every request of the clients, as the SDK sends them. */
const inProject = (project: string) => ({ headers: { project, "user-agent": "sdk/v0.133.1" } })

const hour = 3_600_000

const neverDate = "0001-01-01T00:00:00Z"

/** The body of `POST /api/timetravel` as the command line sends it. */
const backfillOf = (name: string, duration: object = { unit: "Minute", value: 65 }) => ({
  project: "shop",
  slo: name,
  duration,
  timeRange: { startDate: neverDate, endDate: neverDate },
})

const statesOf = Effect.map(ask("GET", "/api/timetravel/list", inProject("")), ({ json }) =>
  json.map(({ slo, status }: { slo: string; status: string }) => [slo, status]),
)

describe("backfills of the public clients", () => {
  test(
    "spec/clients §8: are started for a length of time up to the present, listed, canceled and deleted",
    Effect.gen(function* () {
      yield* withIndicators
      const plan = yield* ask("GET", "/api/internal/plan-info", inProject("*"))
      expect([plan.status, plan.json]).toEqual([200, { enabledPlaylists: true }])
      const ask65 = "durationUnit=Minute&durationValue=65&dataSource=&dataSourceKind=Agent&dataSourceProject="
      const available = yield* ask(
        "GET",
        `/api/internal/timemachine/availability?${ask65}`,
        inProject("shop"),
      )
      expect([available.status, available.json]).toEqual([200, { available: true }])
      const years = "durationUnit=Day&durationValue=5000"
      expect((yield* ask("GET", `/api/internal/timemachine/availability?${years}`)).json).toEqual({
        available: false,
        reason: "max_historical_data_retrieval_too_low",
      })

      expect((yield* ask("GET", "/api/timetravel/list", inProject(""))).json).toEqual([])
      const started = yield* ask("POST", "/api/timetravel", {
        ...inProject("shop"),
        body: backfillOf("checkout"),
      })
      expect(started.status).toBe(202)
      const { backfill } = yield* Effect.flatMap(BackfillStore, (store) =>
        Effect.map(store.list(organization, { limit: 1 }), ({ items }) => items[0] ?? expect.fail()),
      )
      expect(backfill.range).toEqual({ from: start - 65 * 60_000, to: start })
      const again = yield* ask("POST", "/api/timetravel", {
        ...inProject("shop"),
        body: backfillOf("checkout"),
      })
      expect([again.status, again.json.errors[0].code]).toEqual([409, "backfill_running"])

      yield* TestClock.adjust("90 seconds")
      expect((yield* ask("GET", "/api/timetravel/list", inProject(""))).json).toEqual([
        {
          slo: "checkout",
          project: "shop",
          createdAt: "2026-01-30T12:00:00.000Z",
          elapsedTime: "1m30s",
          retrievedScope: "0%",
          retrievedFrom: "2026-01-30T10:55:00.000Z",
          status: "queued",
          cancellation: "possible",
        },
      ])
      const found = yield* ask("GET", "/api/timetravel/checkout", inProject("shop"))
      expect(found.json).toMatchObject({
        slo: "checkout",
        status: { status: "queued", unit: "Minute", value: 65 },
      })

      const canceled = yield* ask("POST", "/api/timetravel/cancel", {
        ...inProject("shop"),
        body: { project: "shop", slo: "checkout" },
      })
      expect([canceled.status, canceled.json.status.status]).toEqual([200, "canceled"])
      yield* ask("POST", "/api/timetravel", { body: backfillOf("checkout", { unit: "Hour", value: 1 }) })
      yield* ask("POST", "/api/timetravel", { body: backfillOf("search", { unit: "Day", value: 1 }) })
      const deleted = yield* ask("DELETE", "/api/timetravel", {
        ...inProject("shop"),
        body: { project: "shop", slo: "search" },
      })
      expect(deleted.status).toBe(204)
      expect(yield* statesOf).toEqual([
        ["checkout", "queued"],
        ["search", "canceled"],
      ])
      expect((yield* ask("DELETE", "/api/timetravel", { body: { all: true } })).status).toBe(204)
      expect(yield* statesOf).toEqual([
        ["checkout", "canceled"],
        ["search", "canceled"],
      ])
    }),
  )

  test(
    "spec/clients §8: begin at a date, as the Terraform provider asks, and cannot be deleted once they read",
    Effect.gen(function* () {
      yield* withIndicators
      const timeRange = { startDate: "2026-01-30T11:30:00.5+01:00", endDate: neverDate }
      const body = { project: "shop", slo: "checkout", duration: { unit: "", value: 0 }, timeRange }
      expect((yield* ask("POST", "/api/timetravel", { ...inProject("shop"), body })).status).toBe(202)
      const store = yield* BackfillStore
      const claim = {
        now: start,
        leaseMs: 60_000,
        inFlight: new Set<string>(),
        organizationsMax: 1,
        backfillsPerOrganizationMax: 1,
      }
      const [claimed = expect.fail()] = yield* store.claim(claim)
      const { range, startedAt: _, ...state } = claimed.backfill
      expect(range.from).toBe(Date.parse("2026-01-30T10:30:00Z"))
      yield* store.settle(claimed, { ...state, readTo: range.from + 60_000, counts: [], dueAt: start })
      const all = yield* ask("DELETE", "/api/timetravel", { body: { all: true } })
      expect([all.status, yield* statesOf]).toEqual([204, [["checkout", "in progress"]]])
      const rejected = yield* ask("DELETE", "/api/timetravel", { body: { project: "shop", slo: "checkout" } })
      expect([rejected.status, rejected.json.errors[0].code]).toEqual([409, "backfill_reading"])
    }),
  )

  test(
    "spec/clients §8: end at a date that is given, and at the present if that is earlier",
    Effect.gen(function* () {
      yield* withIndicators
      const rangeOf = (name: string, startDate: string, endDate: string) =>
        Effect.gen(function* () {
          const body = { project: "shop", slo: name, timeRange: { startDate, endDate } }
          const { status, json } = yield* ask("POST", "/api/timetravel", { body })
          if (status !== 202) return json.errors[0].source.propertyName
          const { items } = yield* (yield* BackfillStore).list(organization, { limit: 9 })
          return items.find(({ slo }) => slo.name === name)?.backfill.range
        })
      const [from, to] = ["2026-01-30T09:00:00Z", "2026-01-30T10:00:00.9+00:00"]
      expect(yield* rangeOf("checkout", from, to)).toEqual({ from: start - 3 * hour, to: start - 2 * hour })
      expect(yield* rangeOf("search", from, from)).toBe("timeRange.endDate")
      expect(yield* rangeOf("search", neverDate, to)).toBe("duration")
      expect(yield* rangeOf("search", from, "2026-02-30T10:00:00Z")).toBe("timeRange.endDate")
      expect(yield* rangeOf("search", from, "2026-03-01T10:00:00Z")).toEqual({
        from: start - 3 * hour,
        to: start,
      })
    }),
  )

  test(
    "spec/clients §8: all that wait are canceled, on every page, also if an SLO is deleted meanwhile",
    Effect.gen(function* () {
      yield* withIndicators
      for (const name of ["checkout", "search"])
        yield* ask("POST", "/api/timetravel", { body: backfillOf(name) })
      const store = yield* BackfillStore
      const { items } = yield* store.list(organization, { limit: 9 })
      const deleted = items.slice(0, 1).map((each) => ({ ...each, slo: { project: "a", name: "deleted" } }))
      const onePage = BackfillStore.of({
        ...store,
        list: (of, { after }) =>
          after === undefined
            ? Effect.succeed({ items: deleted, hasMore: true })
            : store.list(of, { limit: 1, after }),
      })
      yield* Effect.provideService(cancelQueuedBackfills(organization), BackfillStore, onePage)
      expect(yield* statesOf).toEqual([
        ["checkout", "canceled"],
        ["search", "canceled"],
      ])
    }),
  )

  test(
    "spec/http §6: reject query parameters that they do not know, and change nothing",
    Effect.gen(function* () {
      yield* withIndicators
      yield* ask("POST", "/api/timetravel", { body: backfillOf("checkout") })
      for (const [method, path, body] of [
        ["GET", "/api/internal/plan-info?project=x", undefined],
        [
          "GET",
          "/api/internal/timemachine/availability?durationUnit=Day&durationValue=1&unit=Day",
          undefined,
        ],
        ["GET", "/api/timetravel/list?project=x", undefined],
        ["GET", "/api/timetravel/checkout?project=x", undefined],
        ["POST", "/api/timetravel?dry_run=true", backfillOf("search")],
        ["POST", "/api/timetravel/cancel?dry_run=true", { project: "shop", slo: "checkout" }],
        ["DELETE", "/api/timetravel?dry_run=true", { all: true }],
        ["PUT", "/api/budgetadjustments/v1/monthly/events/update?dry_run=true", []],
        ["POST", "/api/budgetadjustments/v1/monthly/events/delete?dry_run=true", []],
      ] as const) {
        const { status, json } = yield* ask(method, path, { ...inProject("shop"), body })
        expect([status, json.errors[0].code], path).toEqual([400, "unknown_property"])
      }
      expect(yield* statesOf).toEqual([["checkout", "queued"]])
    }),
  )

  test(
    "spec/clients §8: say what is wrong with a request, and need the role editor",
    Effect.gen(function* () {
      yield* withIndicators
      const bodies: ReadonlyArray<readonly [object, string]> = [
        [backfillOf("checkout", { unit: "Week", value: 1 }), "duration.unit"],
        [backfillOf("checkout", { unit: "Day", value: -1 }), "duration.value"],
        [backfillOf("checkout", { unit: "Day", value: 1_000_000 }), "from"],
        [{ project: "shop", slo: "checkout" }, "duration"],
        [{ ...backfillOf("checkout"), timeRange: { startDate: "2026-01-30T11:00:00Z" } }, "duration"],
        [
          { ...backfillOf("checkout"), sourceSlo: { slo: "a", project: "b", objectivesMap: [] } },
          "sourceSlo",
        ],
        [{ ...backfillOf("checkout"), unknown: 1 }, "unknown"],
      ]
      for (const [body, path] of bodies) {
        const { status, json } = yield* ask("POST", "/api/timetravel", { body })
        expect([status, json.errors[0].source.propertyName], JSON.stringify(body)).toEqual([400, path])
      }
      // Minutes can be read 15 s after their end.
      const late = yield* ask("POST", "/api/timetravel", {
        body: backfillOf("checkout", { unit: "Minute", value: 1 }),
      })
      expect(late.status).toBe(202)
      yield* cancelQueuedBackfills(organization)
      const coming = { startDate: "2026-01-30T13:00:00Z" }
      const early = yield* ask("POST", "/api/timetravel", {
        body: { project: "shop", slo: "checkout", timeRange: coming },
      })
      expect(early.json.errors[0].detail).toBe(
        "must be before 2026-01-30T12:00:00.000Z, up to which the indicator can be read",
      )
      for (const body of [{}, { all: true, slo: "checkout", project: "shop" }]) {
        expect((yield* ask("DELETE", "/api/timetravel", { body })).status).toBe(400)
      }
      const unknown = yield* ask("POST", "/api/timetravel", { body: backfillOf("unknown") })
      expect([unknown.status, unknown.json.errors[0].code]).toEqual([404, "slo_not_found"])
      const asViewer = { role: "viewer", body: { project: "shop", slo: "checkout", all: true } } as const
      for (const [method, path] of [
        ["POST", "/api/timetravel"],
        ["POST", "/api/timetravel/cancel"],
        ["DELETE", "/api/timetravel"],
      ] as const) {
        expect((yield* ask(method, path, asViewer)).status).toBe(403)
      }
    }),
  )
})

describe("calls of the public clients without a counterpart", () => {
  test(
    "spec/clients §10: are rejected with the reason as the title, which is all that the clients show",
    Effect.gen(function* () {
      for (const { methods, path, reason } of unsupportedCalls) {
        for (const method of methods) {
          const { status, json } = yield* ask(method, path.replace(/:\w+/, "x"), inProject("shop"))
          expect([status, json], path).toEqual([404, { errors: [{ title: reason, code: "not_supported" }] }])
          const asked = yield* ask(method, path.replace(/:\w+/, "x"), { headers: { authorization: "" } })
          expect(asked.status, path).toBe(401)
        }
      }
    }),
  )
})

describe("plans of the Terraform provider", () => {
  test(
    "spec/clients §9: fail with issues of a definition, not with what may be in the same plan",
    Effect.gen(function* () {
      const service = (project: string, change: object = {}) => [
        {
          apiVersion: "tocsin/v1alpha",
          kind: "Service",
          metadata: { name: "web", project },
          spec: {},
          ...change,
        },
      ]
      const titles = (body: unknown, headers: Readonly<Record<string, string>>, query = "?dry_run=true") =>
        Effect.map(ask("PUT", `/api/apply${query}`, { body, headers }), ({ status, json }) => [
          status,
          json.errors.map(({ title }: { title: string }) => title),
        ])
      const terraform = { "user-agent": "terraform-provider/1.0" }
      const missing = [
        400,
        ["references a project that does not exist: new; apply its definition first, or in the same request"],
      ]
      expect(yield* titles(service("new"), terraform)).toEqual(missing)
      const invalid = service("new", { spec: { description: 1 } })
      const [status, [first]] = (yield* titles(invalid, terraform)) as [number, ReadonlyArray<string>]
      expect([status, first]).toEqual([
        400,
        "Validation for spec.description has failed: must be a string: put it in quotes",
      ])
      for (const [headers, query] of [
        [{ "user-agent": "sdk/1" }, "?dry_run=true"],
        [terraform, ""],
      ] as const) {
        const [, all] = (yield* titles(invalid, headers, query)) as [number, ReadonlyArray<string>]
        expect(all).toContain("must be a string: put it in quotes")
      }
    }),
  )
})

describe("alert methods of the public clients", () => {
  test(
    "spec/clients §9: other types than webhook are rejected by their name",
    Effect.gen(function* () {
      const method = (spec: object) => [
        { apiVersion: "tocsin/v1alpha", kind: "AlertMethod", metadata: { name: "m", project: "shop" }, spec },
      ]
      for (const type of [
        "discord",
        "email",
        "jira",
        "msteams",
        "opsgenie",
        "pagerduty",
        "servicenow",
        "slack",
      ]) {
        const { status, json } = yield* ask("PUT", "/api/apply", {
          body: method({ description: "", [type]: {} }),
        })
        expect(status, type).toBe(400)
        expect(json.errors[0]).toMatchObject({
          title: expect.stringContaining("is not supported: send a webhook to"),
          source: { propertyName: expect.stringContaining(`spec.${type}`) },
        })
      }
    }),
  )
})
