import { NodeApiServer } from "@tocsin/adapters-http"
import { refreshStatus } from "@tocsin/domain"
import type { Definition } from "@tocsin/domain/adapter"
import type { Slo } from "@tocsin/domain/definitions"
import { roundedBudget } from "@tocsin/domain/features/overview"
import { writeCursor } from "@tocsin/domain/pagination"
import { CountStore, DeliveryQueue, IndicatorStore, SloStore } from "@tocsin/domain/ports"
import { aMethod, anSlo, calendarOf, putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import type { Overview, SloReliabilityList, SloRowList, SloTrendList } from "@tocsin/api"
import type { SloForecast } from "@tocsin/api"
import { costlyListUnits, costlyUnitsPerWindow } from "@tocsin/domain/rate-limit"
import { keptResponses } from "../../src/console/KeptResponses.ts"
import { sharedJson } from "../../src/console/SharedJson.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import {
  apiServer,
  errorsOf,
  headersOf,
  type ReceivedResponse,
  send,
} from "../../../../test/http/api-client.ts"
import { api, apiPorts } from "../../../../test/http/api-ports.ts"

const now = Date.UTC(2026, 0, 30, 12)
const minute = 60_000

const json = <A>(response: ReceivedResponse): A => {
  expect([response.status, response.text]).toEqual([200, response.text])
  return JSON.parse(response.text) as A
}

/** A server whose store does something in another way. */
const serverWith = (changed: (store: SloStore["Service"]) => Partial<SloStore["Service"]>) =>
  NodeApiServer.layer({ host: "127.0.0.1", port: 0 }, api).pipe(
    Layer.provide(
      Layer.effect(
        SloStore,
        Effect.map(SloStore, (store) => SloStore.of({ ...store, ...changed(store) })),
      ),
    ),
    Layer.provideMerge(apiPorts),
  )

/** A server whose store claims to have so many SLOs of each project. */
const serverOfMany = (slos: number) =>
  serverWith((store) => ({
    projectVersions: (organization) =>
      Effect.map(store.projectVersions(organization), (versions) =>
        versions.map((each) => ({ ...each, slos })),
      ),
  }))

const overviewOf = (headers: Readonly<Record<string, string>>) =>
  Effect.map(send("/api/console/overview", { headers }), json<Overview>)

type TrendListJson = SloTrendList

type RowListJson = SloRowList

const good = { name: "good", target: 0.99 }

/** An SLO whose last half hour has some bad events of 100 a minute. */
const anSloWith = (name: string, spec: Partial<Slo["spec"]> = {}) =>
  anSlo({ project: "shop", name }, { objectives: [good], ...spec })

const record = (headers: Readonly<Record<string, string>>, slo: string, bad: number, from = 30) =>
  Effect.gen(function* () {
    const counts = Array.from({ length: 30 }, (_, index) => ({
      objective: "good",
      at: new Date(now - (from - index) * minute).toISOString(),
      bad,
      total: 100,
    }))
    const response = yield* send(`/api/slos/${slo}/counts`, {
      method: "POST",
      headers: { ...headers, project: "shop", "content-type": "application/json" },
      body: JSON.stringify(counts),
    })
    expect([response.status, response.text]).toEqual([204, ""])
    yield* refreshStatus("acme", { project: "shop", name: slo })
  })

const named: ReadonlyArray<Definition> = [
  { kind: "Project", metadata: { name: "shop", displayName: "The shop" }, spec: {} },
  { kind: "Service", metadata: { project: "shop", name: "web", displayName: "Web front end" }, spec: {} },
]

/** Healthy, at risk and breached SLOs, one without data, one in the last days of its window, and troubles around them. */
const filled = Effect.gen(function* () {
  yield* TestClock.setTime(now)
  const headers = yield* headersOf("acme")
  const calendar = calendarOf({ startTime: "2026-01-01 00:00:00", timeZone: "UTC" })
  const hook = { project: "shop", name: "hook" }
  const indicator = {
    prometheus: { url: sourceUrlOf("http://127.0.0.1:9090"), good: "good", total: "total" },
  }
  yield* putDefinitions("acme", [
    ...named,
    anSloWith("breached"),
    anSloWith("calm", { service: "search" }),
    { ...anSloWith("healthy"), metadata: { project: "shop", name: "healthy", labels: { env: ["prod"] } } },
    anSloWith("month", { timeWindow: { unit: "Month", count: 1, calendar } }),
    anSloWith("silent"),
    anSloWith("unread", { indicator }),
    aMethod(hook),
    aMethod({ project: "shop", name: "paused" }),
  ])
  yield* record(headers, "breached", 3)
  yield* record(headers, "calm", 0, 100)
  yield* record(headers, "healthy", 0)
  yield* record(headers, "month", 0)
  const accepted = yield* send("/api/alerts", {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({
      status: "triggered",
      slo: { project: "shop", name: "breached" },
      objective: "good",
      severity: "High",
      alertMethods: [hook],
      alertId: "a-1",
    }),
  })
  expect(accepted.status).toBe(202)
  const queue = yield* DeliveryQueue
  const { claims } = yield* queue.claim({ limit: 10, leaseMs: 30_000 })
  yield* queue.settle(
    claims.map(({ claimId }) => ({
      claimId,
      attempt: { number: 1, startedAt: now, durationMs: 3 },
      outcome: { kind: "failed" },
      random: 0.5,
    })),
  )
  yield* send("/api/alertmethods/paused/pause", { method: "POST", headers: { ...headers, project: "shop" } })
  const store = yield* IndicatorStore
  yield* store.settle(
    "acme",
    { project: "shop", name: "unread" },
    { indicator, readTo: 0 },
    {
      readTo: 0,
      failures: 1,
      dueAt: now + minute,
      unavailableSince: now,
      problem: { reason: "timeout", detail: "The server did not respond in time.", at: now },
    },
  )
  return headers
})

describe("GET /api/console/overview", () => {
  it.effect("spec/console §12: returns what needs attention, most urgent first, to a viewer too", () =>
    Effect.gen(function* () {
      yield* filled
      const viewer = yield* headersOf("acme", "viewer")
      const overview = yield* overviewOf(viewer)
      expect(overview.states).toEqual({ breached: 1, atRisk: 0, healthy: 3, noData: 2 })
      expect(overview.hasMoreSlos).toBe(false)
      expect(overview.lowestBudgets).toEqual([
        {
          slo: { project: "shop", name: "breached" },
          sloDisplayName: "breached",
          state: "breached",
          name: "good",
          target: 0.99,
          reliability: 0.97,
          errorBudgetRemainingPercentage: -2,
          burnRate: 3,
        },
      ])
      expect(overview.fastestBurns).toMatchObject([{ slo: { name: "breached" }, burnRate: 3 }])
      expect(overview.exhausting).toEqual([])
      expect(overview.closing).toMatchObject([
        { slo: { name: "month" }, endsAt: "2026-02-01T00:00:00.000Z", errorBudgetRemainingPercentage: 1 },
      ])
      expect(overview.alerts).toEqual({
        open: 1,
        acknowledged: 0,
        newest: [
          {
            id: "a-1",
            slo: { project: "shop", name: "breached" },
            sloDisplayName: "breached",
            objective: "good",
            objectiveDisplayName: "good",
            severity: "High",
            isNoData: false,
            isSilenced: false,
            triggeredAt: "2026-01-30T12:00:00.000Z",
          },
        ],
      })
      expect(overview.alertMethods).toEqual([
        { alertMethod: { project: "shop", name: "hook" }, state: "failing", failures: 1 },
        { alertMethod: { project: "shop", name: "paused" }, state: "paused", failures: 0 },
      ])
      expect(overview.troubledMethods).toBe(2)
      expect(overview.sources).toEqual([
        {
          server: "http://127.0.0.1:9090",
          slos: 1,
          firstSlo: { project: "shop", name: "unread" },
          isUnavailable: true,
          reason: "timeout",
          detail: "The server did not respond in time.",
          at: "2026-01-30T12:00:00.000Z",
        },
      ])
      expect(overview.withoutData.map((each) => each.slo.name)).toEqual(["silent", "unread"])
      const shop = { name: "shop", displayName: "The shop" }
      expect(overview.services).toEqual([
        {
          project: shop,
          service: { name: "search" },
          state: "healthy",
          states: { breached: 0, atRisk: 0, healthy: 1, noData: 0 },
          openAlerts: 0,
        },
        {
          project: shop,
          service: { name: "web", displayName: "Web front end" },
          state: "breached",
          states: { breached: 1, atRisk: 0, healthy: 2, noData: 2 },
          openAlerts: 1,
        },
      ])

      yield* send("/api/alerts/a-1/acknowledge", { method: "POST", headers: yield* headersOf("acme") })
      const later = yield* overviewOf(viewer)
      expect(later.alerts).toMatchObject({
        open: 1,
        acknowledged: 1,
        newest: [{ acknowledgedBy: expect.any(String) }],
      })
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/console §12: forecasts which budgets will be exhausted, soonest first", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const headers = yield* headersOf("acme")
      yield* putDefinitions("acme", [anSloWith("slow"), anSloWith("fast"), anSloWith("calm")])
      for (const [name, bad] of [
        ["slow", 2],
        ["fast", 4],
        ["calm", 0],
      ] as const) {
        const counts = Array.from({ length: 1_440 }, (_, index) => ({
          objective: "good",
          at: now - (index + 1) * minute,
          good: 100 - (index < 60 ? bad : 0),
          total: 100,
        }))
        const slo = { project: "shop", name }
        yield* (yield* CountStore).record("acme", [{ slo, counts }])
        yield* refreshStatus("acme", slo)
      }
      const overview = yield* overviewOf(headers)
      expect(overview.exhausting.map((each) => each.slo.name)).toEqual(["fast", "slow"])
      for (const { slo, name, exhaustedAt } of overview.exhausting) {
        const forecast = json<SloForecast>(
          yield* send(`/api/slos/${slo.name}/forecast`, { headers: { ...headers, project: "shop" } }),
        )
        expect(forecast.objectives[0]).toMatchObject({ name, exhaustedAt, outlook: "Exhausting" })
      }
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/console §12: is empty for an organization without SLOs, whatever others have", () =>
    Effect.gen(function* () {
      yield* filled
      const other = yield* headersOf("globex")
      expect(yield* overviewOf(other)).toEqual({
        states: { breached: 0, atRisk: 0, healthy: 0, noData: 0 },
        hasMoreSlos: false,
        lowestBudgets: [],
        fastestBurns: [],
        exhausting: [],
        closing: [],
        alerts: { open: 0, acknowledged: 0, newest: [] },
        alertMethods: [],
        silentPolicies: [],
        troubledMethods: 0,
        sources: [],
        withoutData: [],
        services: [],
      })
      expect((yield* send("/api/console/overview")).status).toBe(401)
    }).pipe(Effect.provide(apiServer)),
  )
})

describe("GET /api/console/alert-coverage", () => {
  it.effect(
    "spec/console §16: returns which SLOs and policies notify nobody, and what each policy was worth, to a viewer too",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(now)
        const headers = yield* headersOf("acme")
        const policy = (name: string, ...methods: ReadonlyArray<string>) => ({
          apiVersion: "tocsin/v1alpha",
          kind: "AlertPolicy",
          metadata: { project: "shop", name },
          spec: {
            severity: "High",
            conditions: [{ measurement: "averageBurnRate", value: 2, op: "gte", alertingWindow: "15m" }],
            alertMethods: methods.map((method) => ({ metadata: { project: "shop", name: method } })),
          },
        })
        yield* putDefinitions("acme", [
          ...named,
          aMethod({ project: "shop", name: "hook" }),
          aMethod({ project: "shop", name: "paused" }),
        ])
        const apply = (documents: ReadonlyArray<object>) =>
          Effect.map(
            send("/api/apply", {
              method: "PUT",
              headers: { ...headers, "content-type": "application/json" },
              body: JSON.stringify(documents),
            }),
            json<{ warnings: ReadonlyArray<{ path: string; code: string }> }>,
          )
        yield* send("/api/alertmethods/paused/pause", {
          method: "POST",
          headers: { ...headers, project: "shop" },
        })
        const { warnings } = yield* apply([
          policy("loud", "hook", "paused"),
          policy("mute"),
          policy("stopped", "paused"),
          policy("unused", "hook"),
        ])
        expect(warnings.map(({ path, code }) => [path, code])).toEqual([
          ["[1].spec.alertMethods", "notifies_nobody"],
          ["[2].spec.alertMethods", "notifies_nobody"],
        ])
        yield* putDefinitions("acme", [
          anSloWith("bare"),
          anSloWith("covered", { alertPolicies: ["loud", "mute"] }),
          anSloWith("silent", { alertPolicies: ["mute", "stopped"] }),
        ])
        // Half of what is bad comes after the alert has triggered.
        yield* record(headers, "covered", 10)
        yield* TestClock.setTime(now + 30 * minute)
        yield* record(headers, "covered", 10, 0)
        const viewer = yield* headersOf("acme", "viewer")
        const response = yield* send("/api/console/alert-coverage", { headers: viewer })
        const shop = (name: string) => ({ project: "shop", name })
        const quiet = { severity: "High", alerts: 0, open: 0 }
        const alerted = {
          severity: "High",
          alerts: 1,
          open: 1,
          latestAt: new Date(now).toISOString(),
          budgetCaught: 0.5,
        }
        expect(json<object>(response)).toEqual({
          from: new Date(now + 30 * minute - 30 * 86_400_000).toISOString(),
          to: new Date(now + 30 * minute).toISOString(),
          slos: 3,
          hasMoreSlos: false,
          withoutPolicy: { count: 1, slos: [{ slo: shop("bare"), displayName: "bare" }] },
          withoutMethod: { count: 1, slos: [{ slo: shop("silent"), displayName: "silent" }] },
          policies: [
            { policy: shop("loud"), displayName: "loud", reach: "notifies", slos: 1, ...alerted },
            { policy: shop("mute"), displayName: "mute", reach: "no_methods", slos: 2, ...alerted },
            { policy: shop("stopped"), displayName: "stopped", reach: "stopped", slos: 1, ...quiet },
            { policy: shop("unused"), displayName: "unused", reach: "notifies", slos: 0, ...quiet },
          ],
          hasMorePolicies: false,
        })
        const reach = yield* send("/api/console/policy-reach", { headers: viewer })
        expect(json<object>(reach)).toEqual({
          policies: json<{ policies: ReadonlyArray<object> }>(response).policies.map((each) => {
            const { policy, displayName, severity, reach, slos } = each as Record<string, unknown>
            return { policy, displayName, severity, reach, slos }
          }),
          hasMorePolicies: false,
        })
        const overview = yield* overviewOf(viewer)
        expect(overview.silentPolicies.map(({ policy, reach }) => [policy.name, reach])).toEqual([
          ["mute", "no_methods"],
          ["stopped", "stopped"],
        ])
        for (const [kind, name, path] of [
          ["alertpolicy", "stopped", "spec.alertMethods"],
          ["slo", "silent", "spec.alertPolicies[0]"],
        ]) {
          const stored = yield* send(`/api/definitions/${kind}/${name}/warnings`, {
            headers: { ...viewer, project: "shop" },
          })
          expect(json<{ warnings: ReadonlyArray<object> }>(stored).warnings[0]).toMatchObject({
            path,
            code: "notifies_nobody",
          })
        }
        const other = yield* send("/api/console/alert-coverage", { headers: yield* headersOf("globex") })
        expect(json<object>(other)).toMatchObject({ slos: 0, withoutPolicy: { count: 0 }, policies: [] })
        expect((yield* send("/api/console/alert-coverage")).status).toBe(401)
        // Each computation is charged.
        for (const path of ["alert-coverage", "policy-reach"]) {
          const statuses = yield* Effect.forEach(Array.from({ length: 20 }), () =>
            Effect.map(send(`/api/console/${path}`, { headers: viewer }), ({ status }) => status),
          )
          expect([path, statuses[0], statuses.at(-1)]).toEqual([path, 200, 429])
        }
      }).pipe(Effect.provide(apiServer)),
  )
})

describe("GET /api/console/rows", () => {
  it.effect(
    "spec/console §12: returns all SLOs in brief with their open alerts, and 304 while nothing changes",
    () =>
      Effect.gen(function* () {
        const headers = yield* filled
        const first = yield* send("/api/console/rows", { headers })
        const rows = json<RowListJson>(first)
        expect(rows.data.map((row) => row.name)).toEqual([
          "breached",
          "calm",
          "healthy",
          "month",
          "silent",
          "unread",
        ])
        expect(rows.data[0]).toEqual({
          project: "shop",
          service: "web",
          name: "breached",
          objectives: [
            {
              name: "good",
              target: 0.99,
              reliability: 0.97,
              errorBudgetRemainingPercentage: -2,
              burnRate: 3,
            },
          ],
        })
        expect(rows.data[2]?.labels).toEqual({ env: ["prod"] })
        expect(rows.data[4]?.objectives).toEqual([{ name: "good", target: 0.99 }])
        expect(rows.projects).toEqual([{ name: "shop", displayName: "The shop" }])
        expect(rows.services).toEqual([
          { project: "shop", name: "web", displayName: "Web front end" },
          { project: "shop", name: "search" },
        ])
        expect(rows.openAlerts).toEqual([{ project: "shop", name: "breached", open: 1, acknowledged: 0 }])
        expect(rows.links).toEqual({ self: "/api/console/rows?cursor=" })

        const etag = first.headers.get("etag") ?? ""
        const again = yield* send("/api/console/rows", { headers: { ...headers, "if-none-match": etag } })
        expect([again.status, again.text]).toEqual([304, ""])
        yield* record(headers, "silent", 0)
        const changed = yield* send("/api/console/rows", { headers: { ...headers, "if-none-match": etag } })
        expect(json<RowListJson>(changed).data[4]?.objectives[0]?.reliability).toBe(1)
        for (const [query, code] of [
          ["cursor=x", "cursor_invalid"],
          ["part=x", "part_invalid"],
        ]) {
          const refused = yield* send(`/api/console/rows?${query}`, { headers })
          expect([refused.status, errorsOf(refused)[0]?.code]).toEqual([400, code])
        }
        const urgentResponse = yield* send("/api/console/rows?part=urgent", { headers })
        const urgent = json<RowListJson>(urgentResponse)
        expect(urgent.data.map((row) => row.name)).toEqual([
          "breached",
          "calm",
          "healthy",
          "month",
          "silent",
          "unread",
        ])
        expect(urgent.states).toEqual({ breached: 1, atRisk: 0, healthy: 4, noData: 1 })
        expect(urgent.links).toEqual({ self: "/api/console/rows?part=urgent" })
        const urgentEtag = urgentResponse.headers.get("etag") ?? ""
        const same = yield* send("/api/console/rows?part=urgent", {
          headers: { ...headers, "if-none-match": urgentEtag },
        })
        expect([same.status, same.text]).toEqual([304, ""])
        const ofOther = yield* send("/api/console/rows", { headers: yield* headersOf("globex") })
        expect(json<RowListJson>(ofOther).data).toEqual([])
      }).pipe(Effect.provide(apiServer)),
  )

  it("spec/console §12: rounds budgets so that no state changes", () =>
    fc.assert(
      fc.property(
        fc.oneof(fc.double({ min: -3, max: 1, noNaN: true }), fc.constantFrom(0, 0.2, 0.29, 1e-9, 1)),
        (budget) => {
          const rounded = roundedBudget(budget)
          expect([rounded > 0, rounded >= 0.2]).toEqual([budget > 0, budget >= 0.2])
          expect(Math.abs(rounded - budget)).toBeLessThanOrEqual(1.0001e-4)
        },
      ),
    ))

  it.effect(
    "makes a response once for requests at the same time, and then again only after ten times as long",
    () =>
      Effect.gen(function* () {
        let made = 0
        const responses = keptResponses({
          kind: "test",
          maxBytes: 10_000,
          read: () => Effect.as(Effect.sleep("2 seconds"), sharedJson(Uint8Array.of(++made))),
        })
        const get = responses("acme")
        const both = yield* Effect.forkChild(Effect.all([get, get], { concurrency: 2 }))
        yield* TestClock.adjust("2 seconds")
        const [first, second] = yield* Fiber.join(both)
        expect([second === first, made]).toEqual([true, 1])
        yield* TestClock.adjust("19 seconds")
        expect(yield* get).toBe(first)
        yield* TestClock.adjust("1 second")
        const later = yield* Effect.forkChild(get)
        yield* TestClock.adjust("2 seconds")
        expect(yield* Fiber.join(later)).not.toBe(first)
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("keeps a limited number of responses, also of organizations without SLOs", () =>
    Effect.gen(function* () {
      const read: Array<string> = []
      const responses = keptResponses({
        kind: "few",
        maxBytes: 1_100,
        read: (organization) => {
          read.push(organization)
          return Effect.as(Effect.sleep("2 seconds"), sharedJson(new Uint8Array()))
        },
      })
      for (const organization of ["a", "b", "c", "c", "b", "a"]) {
        const reading = yield* Effect.forkChild(responses(organization))
        yield* TestClock.adjust("2 seconds")
        yield* Fiber.join(reading)
      }
      expect(read).toEqual(["a", "b", "c", "a"])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("does not keep a response that could not be made", () =>
    Effect.gen(function* () {
      let isBroken = true
      const responses = keptResponses({
        kind: "broken",
        maxBytes: 1_000,
        read: () =>
          Effect.suspend(() =>
            isBroken ? Effect.fail("gone" as const) : Effect.succeed(sharedJson(new Uint8Array())),
          ),
      })
      expect(yield* Effect.flip(responses("acme"))).toBe("gone")
      isBroken = false
      expect((yield* responses("acme")).status).toBe(200)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("reads SLOs once for the rows, the overview and the alert coverage, then what has changed", () =>
    Effect.gen(function* () {
      const reads: Array<string> = []
      const counting = serverWith((store) => ({
        page: (...args) =>
          Effect.andThen(
            Effect.sync(() => reads.push("page")),
            store.page(...args),
          ),
        findAll: (...args) =>
          Effect.andThen(
            Effect.sync(() => reads.push("findAll")),
            store.findAll(...args),
          ),
        changedSlos: (...args) =>
          Effect.tap(store.changedSlos(...args), ({ items }) =>
            Effect.sync(() => reads.push(`${items.filter(({ outline }) => outline !== undefined).length}`)),
          ),
      }))
      yield* Effect.gen(function* () {
        yield* TestClock.setTime(now)
        const headers = yield* headersOf("acme")
        yield* putDefinitions("acme", [anSloWith("a"), anSloWith("b"), anSloWith("c")])
        for (const path of ["rows?part=urgent", "rows", "overview", "policy-reach", "alert-coverage"])
          expect((yield* send(`/api/console/${path}`, { headers })).status).toBe(200)
        expect(reads).toEqual(["3"])
        yield* putDefinitions("acme", [anSloWith("b", { service: "search" })])
        const rows = json<RowListJson>(yield* send("/api/console/rows", { headers }))
        expect(rows.data.map(({ service }) => service)).toEqual(["web", "search", "web"])
        expect(reads).toEqual(["3", "1"])
      }).pipe(Effect.provide(counting))
    }),
  )

  it.effect("spec/console §12: lists the first SLOs if the latest statuses would take too much memory", () =>
    Effect.gen(function* () {
      const headers = yield* filled
      const names = ["breached", "calm", "healthy", "month", "silent", "unread"]
      const urgent = json<RowListJson>(yield* send("/api/console/rows?part=urgent", { headers }))
      expect(urgent.data.map((row) => row.name)).toEqual(names)
      expect(urgent.states).toBe(undefined)
      expect(urgent.openAlerts).toEqual([{ project: "shop", name: "breached", open: 1, acknowledged: 0 }])
      const overview = yield* overviewOf(headers)
      expect([overview.hasMoreSlos, overview.states]).toEqual([true, undefined])
      expect(overview.lowestBudgets.map(({ slo }) => slo.name)).toEqual(["breached"])
      const rows = json<RowListJson>(yield* send("/api/console/rows", { headers }))
      expect(rows.data.map((row) => row.name)).toEqual(names)
      const next = rows.links.next ?? ""
      expect(json<RowListJson>(yield* send(next, { headers })).data).toEqual([])
      const after = `/api/console/rows?cursor=${writeCursor("console/rows", ["shop", "healthy"])}`
      const page = json<RowListJson>(yield* send(after, { headers }))
      expect(page.data.map((row) => row.name)).toEqual(["month", "silent", "unread"])
      expect(page.services).toEqual([{ project: "shop", name: "web", displayName: "Web front end" }])
      expect(page.links.next).toBe(undefined)
      // What has changed since is read again.
      yield* record(headers, "silent", 0)
      const later = json<RowListJson>(yield* send("/api/console/rows", { headers }))
      expect(later.data[4]?.objectives[0]?.reliability).toBe(1)
    }).pipe(Effect.provide(serverOfMany(10_000_000))),
  )

  it.effect("spec/rate-limits §8: pages after a cursor are costly reads", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      yield* putDefinitions("acme", [anSloWith("a"), anSloWith("b")])
      const headers = yield* headersOf("acme", "viewer")
      const after = (name: string) =>
        send(`/api/console/rows?cursor=${writeCursor("console/rows", ["shop", name])}`, { headers })
      const page = yield* after("a")
      expect(json<RowListJson>(page).data.map(({ name }) => name)).toEqual(["b"])
      expect(page.headers.get("ratelimit")).toBe('"console-rows";r=299')
      for (let index = 1; index < costlyUnitsPerWindow / costlyListUnits; index++) {
        expect((yield* after(`z-${index}`)).status).toBe(200)
      }
      const rejected = yield* after("z")
      expect([rejected.status, errorsOf(rejected)[0]?.code]).toEqual([429, "rate_limit_exceeded"])
      expect((yield* send("/api/console/rows", { headers })).status).toBe(200)
    }).pipe(Effect.provide(apiServer)),
  )
})

describe("GET /api/console/reliability", () => {
  it.effect("spec/console §12: returns the reliability over the days asked for, of the SLOs that exist", () =>
    Effect.gen(function* () {
      const headers = yield* filled
      const readAt = (query: string) => send(`/api/console/reliability?${query}`, { headers })
      const { data } = json<SloReliabilityList>(
        yield* readAt("slo=shop/breached&slo=shop/nothing&days=30&days=7"),
      )
      expect(data.map(({ slo }) => slo)).toEqual([{ project: "shop", name: "breached" }])
      expect(data[0]?.objectives[0]?.periods.map(({ days, result }) => [days, result])).toEqual([
        [30, "missed"],
        [7, "missed"],
      ])
      expect(json<SloReliabilityList>(yield* readAt("")).data).toEqual([])
      for (const [query, code] of [
        ["slo=breached", "slo_invalid"],
        ["slo=shop/breached&days=8", "days_invalid"],
      ] as const) {
        const refused = yield* readAt(query)
        expect([refused.status, errorsOf(refused)[0]?.code]).toEqual([400, code])
      }
    }).pipe(Effect.provide(apiServer)),
  )
})

describe("GET /api/console/trends", () => {
  it.effect(
    "spec/console §12: returns the trends of the SLOs asked for, without those that do not exist",
    () =>
      Effect.gen(function* () {
        const headers = yield* filled
        const trendsAt = (query: string) => send(`/api/console/trends?${query}`, { headers })
        const { data } = json<TrendListJson>(
          yield* trendsAt("slo=shop/breached&slo=shop/nothing&slo=shop/breached"),
        )
        expect(data.length).toBe(1)
        expect(data[0]?.slo).toEqual({ project: "shop", name: "breached" })
        const budgets = data[0]?.objectives[0]?.errorBudgetRemaining
        expect(budgets).toEqual([...Array.from({ length: 29 }, () => null), -2])
        expect(json<TrendListJson>(yield* trendsAt("")).data).toEqual([])
        const refused = yield* trendsAt("slo=breached")
        expect([refused.status, errorsOf(refused)[0]?.code]).toEqual([400, "slo_invalid"])
      }).pipe(Effect.provide(apiServer)),
  )
})
