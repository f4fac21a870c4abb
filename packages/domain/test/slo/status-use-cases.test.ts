import { anSlo, calendarOf, putDefinitions, removeSlos } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { findSlo, listSlos, recordCounts, refreshStatuses } from "@tocsin/domain"
import { durationOf, minuteOf } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import { pageLinks } from "@tocsin/domain/pagination"
import {
  type AlertStore,
  CountStore,
  type DefinitionStore,
  type RateLimiter,
  SloStore,
  StoreIsUnavailable,
} from "@tocsin/domain/ports"
import { MemoryStores } from "@tocsin/adapters-memory"
import { sloToJson } from "@tocsin/adapters-http/server"
import type { PageQuery } from "../../src/pagination/Page.ts"
import type { FindSloQuery } from "../../src/status/FindSlo.ts"
import { refreshStatus } from "../../src/refresh/RefreshStatus.ts"
import type { Component } from "../../src/slo/CompositeObjective.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"

type Stores = AlertStore | SloStore | CountStore | DefinitionStore | RateLimiter

const organization = "acme"
const key = { project: "shop", name: "checkout" }
const start = Date.UTC(2026, 0, 30, 12, 0, 30)

const test = (what: string, effect: Effect.Effect<void, unknown, Stores>): void =>
  it.effect(what, () => Effect.provide(Effect.andThen(TestClock.setTime(start), effect), MemoryStores.layer))

const find = (query: Partial<FindSloQuery> = {}) =>
  Effect.map(findSlo(organization, { ...key, ...query }), (found) => JSON.parse(sloToJson(found, "v2")))

const list = ({ version = "v2", ...query }: PageQuery & { readonly version?: "v1" | "v2" }) =>
  Effect.map(listSlos(organization, { list: version, ...query }), ({ items, limit, next }) => {
    const links = pageLinks(`/api/${version}/slos`, limit, query.cursor ?? "", next)
    return JSON.parse(
      `{"data":[${items.map((record) => sloToJson({ record }, version)).join()}],"links":${JSON.stringify(links)}}`,
    )
  })

const record = (body: unknown) => recordCounts(organization, { ...key, body })

const count = (at: string, good: number, total: number, objective = "good") => ({
  objective,
  at,
  good,
  total,
})

describe("finding an SLO", () => {
  test(
    "spec/status-api §8: adds the counts of a range to the objectives that have any",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [anSlo(key)])
      yield* record([count("2026-01-30T11:59:00Z", 9, 10), count("2026-01-30T12:00:00Z", 5, 5)])
      const range = { fields: "counts", from: "2026-01-30T11:00:00Z", to: "2026-01-30T12:00:00Z" }
      const { objectives } = yield* find(range)
      expect(objectives[0].counts).toEqual({ good: 9, total: 10 })
      expect(objectives[1]).not.toHaveProperty("counts")
      expect((yield* find({ from: range.from, to: range.to })).objectives[0]).not.toHaveProperty("counts")
    }),
  )

  test(
    "spec/status-api §8: takes a name of 63 characters and rejects one of 64",
    Effect.gen(function* () {
      const name = "a".repeat(63)
      yield* putDefinitions(organization, [anSlo({ ...key, name })])
      expect((yield* find({ name })).name).toBe(name)
      expect(yield* Effect.flip(find({ name: `${name}a` }))).toMatchObject({
        _tag: "ParameterIsInvalid",
        code: "name_too_long",
        propertyName: "sloName",
      })
    }),
  )

  test(
    "spec/status-api §8: needs the project, and finds nothing in another one",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [anSlo(key)])
      const withoutProject = findSlo(organization, { name: key.name })
      expect(yield* Effect.flip(withoutProject)).toMatchObject({ code: "project_required" })
      expect(yield* Effect.flip(find({ project: "" }))).toMatchObject({ code: "project_required" })
      expect(yield* Effect.flip(find({ project: "other" }))).toMatchObject({ _tag: "SloNotFound" })
      const foreign = findSlo("other", key)
      expect(yield* Effect.flip(foreign)).toMatchObject({ _tag: "SloNotFound" })
    }),
  )
})

describe("listing SLOs", () => {
  test(
    "spec/status-api §5: pages of the list envelope follow one another by links.next",
    Effect.gen(function* () {
      const names = ["a", "a-b", "a0", "b"]
      yield* putDefinitions(
        organization,
        names.map((name) => anSlo({ ...key, name })),
      )
      const first = yield* list({ limit: "3" })
      expect(first.data.map(({ name }: { name: string }) => name)).toEqual(["a", "a-b", "a0"])
      expect(first.links.self).toBe("/api/v2/slos?limit=3&cursor=")
      const next = new URL(first.links.next, "http://host").searchParams
      expect(next.get("limit")).toBe("3")
      const cursor = next.get("cursor") ?? ""
      const second = yield* list({ limit: "3", cursor })
      expect(second.data.map(({ name }: { name: string }) => name)).toEqual(["b"])
      expect(second.links).toEqual({ self: `/api/v2/slos?limit=3&cursor=${cursor}` })
      // A cursor leads on in its own version alone.
      const foreign = list({ version: "v1", limit: "3", cursor })
      expect(yield* Effect.flip(foreign)).toMatchObject({ _tag: "CursorIsInvalid", value: cursor })
    }),
  )

  test(
    "spec/status-api §5: no SLOs are an empty page",
    Effect.gen(function* () {
      expect(yield* list({ version: "v1", cursor: "" })).toEqual({
        data: [],
        links: { self: "/api/v1/slos?limit=500&cursor=" },
      })
    }),
  )
})

describe("recording counts", () => {
  test(
    "spec/slos §3: the record has the metrics at once",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [anSlo(key, { timeWindow: { unit: "Day", count: 28 } })])
      yield* record([count("2026-01-30T12:00:00Z", 0, 10), count("2026-01-30T10:00:00Z", 990, 990)])
      const [good, great] = (yield* find()).objectives
      expect(good.reliability).toBeCloseTo(0.99, 12)
      expect(good.errorBudgetRemainingPercentage).toBeCloseTo(0, 9)
      expect(good.errorBudgetRemaining).toBeCloseTo(0, 4)
      // All events of the last hour were bad.
      expect(good.burnRate).toBeCloseTo(100, 9)
      expect(Object.keys(great)).toEqual(["name", "displayName", "target", "sliType"])
    }),
  )

  test(
    "spec/counts §1: a list with a bad entry writes nothing",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [anSlo(key)])
      const refused = yield* Effect.flip(record([count("2026-01-30T12:00:00Z", 1, 1), count("x", 1, 1)]))
      expect(refused).toMatchObject({ _tag: "CountsAreInvalid", issues: [{ path: "[1].at" }] })
      expect((yield* find()).objectives[0]).not.toHaveProperty("reliability")
    }),
  )

  test(
    "spec/counts §1: counts of an SLO that does not exist are rejected",
    Effect.gen(function* () {
      expect(yield* Effect.flip(record([]))).toMatchObject({ _tag: "SloNotFound" })
    }),
  )

  test(
    "computes again when the definition changes in between",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [anSlo(key)])
      const changed = anSlo(key, { objectives: [{ name: "good", target: 0.5 }] })
      const interrupted = yield* afterFirstSums(putDefinitions(organization, [changed]))
      yield* Effect.provideService(record([count("2026-01-30T12:00:00Z", 3, 4)]), CountStore, interrupted)
      expect((yield* find()).objectives).toEqual([
        {
          name: "good",
          displayName: "good",
          target: 0.5,
          burnRate: 0.5,
          errorBudgetRemaining: 28 * 86_400 * 0.25,
          errorBudgetRemainingPercentage: 0.5,
          reliability: 0.75,
          sliType: "Ratio",
        },
      ])
    }),
  )

  test(
    "computes again when other counts come in between",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [anSlo(key)])
      const others: Array<Fiber.Fiber<void, unknown>> = []
      // It records while the status is computed, and joins the next computation.
      const other = Effect.map(
        Effect.forkDetach(record([count("2026-01-30T11:59:00Z", 0, 6)]), { startImmediately: true }),
        (fiber) => others.push(fiber),
      )
      const interrupted = yield* afterFirstSums(Effect.andThen(other, TestClock.adjust("1 second")))
      yield* Effect.provideService(record([count("2026-01-30T12:00:00Z", 2, 2)]), CountStore, interrupted)
      expect(yield* Fiber.joinAll(others)).toHaveLength(1)
      expect((yield* find()).objectives[0].reliability).toBe(0.25)
    }),
  )

  test(
    "leaves an SLO alone that is removed in between",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [anSlo(key)])
      const interrupted = yield* afterFirstSums(removeSlos(organization, [key]))
      yield* Effect.provideService(refreshStatus(organization, key), CountStore, interrupted)
      expect(yield* Effect.flip(find())).toMatchObject({ _tag: "SloNotFound" })
    }),
  )
})

describe("keeping statuses current", () => {
  const fiveMinutes = anSlo(key, { timeWindow: { unit: "Minute", count: 5 } })
  const reliability = Effect.map(find(), ({ objectives }) => objectives[0].reliability)

  test(
    "spec/slos §3: the window moves on over counts, until none are left in it",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [fiveMinutes])
      yield* Effect.forkChild(refreshStatuses)
      yield* record([count("2026-01-30T11:57:00Z", 0, 1), count("2026-01-30T12:00:00Z", 1, 1)])
      expect(yield* reliability).toBe(0.5)
      yield* TestClock.adjust("1 minute")
      expect(yield* reliability).toBe(0.5)
      yield* TestClock.adjust("1 minute")
      expect(yield* reliability).toBe(1)
      yield* TestClock.adjust("4 minutes")
      expect(yield* reliability).toBeUndefined()
      expect(yield* (yield* SloStore).dueForStatus(Number.MAX_SAFE_INTEGER, 1, 1_000)).toEqual([])
    }),
  )

  test(
    "spec/slos §3: counts ahead of the clock are included once their minute has come",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [fiveMinutes])
      yield* Effect.forkChild(refreshStatuses)
      yield* record([count("2026-01-30T12:05:00Z", 1, 2)])
      expect(yield* reliability).toBeUndefined()
      yield* TestClock.adjust("5 minutes")
      expect(yield* reliability).toBe(0.5)
    }),
  )

  test(
    "spec/slos §3: is recomputed as each minute begins, while there are counts in the window",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [fiveMinutes])
      yield* Effect.forkChild(refreshStatuses)
      yield* record([count("2026-01-30T11:56:00Z", 0, 1), count("2026-01-30T12:00:00Z", 1, 1)])
      expect(yield* reliability).toBe(0.5)
      yield* TestClock.adjust("29 seconds")
      expect(yield* reliability).toBe(0.5)
      yield* TestClock.adjust("1 second")
      expect(yield* reliability).toBe(1)
    }),
  )

  test(
    "spec/slos §5: a calendar window that ends takes the metrics with it, and counts that come late do not bring them back",
    Effect.gen(function* () {
      // 30 January ends at 23:00 UTC in Paris.
      const midnight = Date.UTC(2026, 0, 30, 23)
      yield* TestClock.setTime(midnight - 90_000)
      const calendar = calendarOf({ startTime: "2026-01-01 00:00:00", timeZone: "Europe/Paris" })
      yield* putDefinitions(organization, [anSlo(key, { timeWindow: { unit: "Day", count: 1, calendar } })])
      yield* Effect.forkChild(refreshStatuses)
      yield* TestClock.adjust(0)
      const store = yield* SloStore
      expect(yield* store.dueForStatus(midnight - 1, 1, 0)).toEqual([])
      expect(yield* store.dueForStatus(midnight, 1, 0)).toHaveLength(1)
      yield* record([count("2026-01-29T22:59:00Z", 0, 9), count("2026-01-30T12:00:00Z", 1, 2)])
      expect(yield* reliability).toBe(0.5)
      yield* TestClock.setTime(midnight - 1)
      expect(yield* reliability).toBe(0.5)
      yield* TestClock.adjust("1 second")
      expect(yield* reliability).toBeUndefined()
      yield* record([count("2026-01-30T22:59:00Z", 1, 2)])
      expect(yield* reliability).toBeUndefined()
      yield* record([count("2026-01-30T23:00:00Z", 1, 4)])
      expect(yield* reliability).toBe(0.25)
    }),
  )

  const overall = (whenDelayed: Component["whenDelayed"]): Slo => {
    const components = ["a", "b"].map((name, index): Component => ({
      slo: { project: "other", name },
      objective: "good",
      weight: index + 1,
      whenDelayed,
    }))
    return anSlo(key, {
      timeWindow: { unit: "Minute", count: 10 },
      objectives: [{ name: "whole", target: 0.5, composite: { maxDelay: durationOf("2m"), components } }],
    })
  }
  const component = (name: string): Slo => anSlo({ project: "other", name })
  const recordOf = (name: string, at: string, good: number, total: number) =>
    recordCounts(organization, { project: "other", name, body: [count(at, good, total)] })

  test(
    "spec/slos §6: a composite objective follows counts of its components within a second",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [component("a"), component("b"), overall("Ignore")])
      yield* Effect.forkChild(refreshStatuses)
      yield* TestClock.adjust(0)
      expect((yield* find()).objectives[0]).toEqual({
        name: "whole",
        displayName: "whole",
        target: 0.5,
        sliType: "Composite",
      })
      yield* recordOf("a", "2026-01-30T12:00:00Z", 1, 2)
      yield* TestClock.adjust("1 second")
      expect(yield* reliability).toBe(0.5)
      yield* recordOf("b", "2026-01-30T11:59:00Z", 4, 5)
      yield* TestClock.adjust("1 second")
      expect(yield* reliability).toBeCloseTo((0.5 + 2 * 0.8) / 3, 12)
      // The component's own record counts events, not minutes.
      const found = yield* findSlo(organization, { project: "other", name: "b" })
      expect(found.record.statuses.get("good")?.reliability).toBe(0.8)
    }),
  )

  test(
    "spec/slos §6: a component whose minutes are judged by another time slice target is recomputed at once",
    Effect.gen(function* () {
      const slices = (timeSliceTarget: number): Slo =>
        anSlo(
          { project: "other", name: "a" },
          { budgetingMethod: "Timeslices", objectives: [{ name: "good", target: 0.9, timeSliceTarget }] },
        )
      yield* putDefinitions(organization, [slices(0.9), component("b"), overall("Ignore")])
      yield* Effect.forkChild(refreshStatuses)
      yield* recordOf("a", "2026-01-30T12:00:00Z", 1, 2)
      yield* TestClock.adjust("1 second")
      expect(yield* reliability).toBe(0)
      yield* putDefinitions(organization, [slices(0.5)])
      yield* TestClock.adjust("1 second")
      expect(yield* reliability).toBe(1)
    }),
  )

  test(
    "spec/slos §9: a composite objective has its status though counts of its components come with every look",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [component("a"), component("b"), overall("Ignore")])
      const counts = yield* CountStore
      let looks = 0
      const record = Effect.suspend(() =>
        counts.record(organization, [
          {
            slo: { project: "other", name: "b" },
            counts: [{ objective: "good", at: minuteOf(start), good: ++looks, total: 1_000 }],
          },
        ]),
      )
      const busy = CountStore.of({ ...counts, sums: (reads) => Effect.tap(counts.sums(reads), record) })
      yield* Effect.forkChild(Effect.provideService(refreshStatuses, CountStore, busy))
      yield* TestClock.adjust("3 seconds")
      const before = yield* reliability
      expect(before).toBeGreaterThan(0)
      yield* TestClock.adjust("2 seconds")
      expect(yield* reliability).toBeGreaterThan(before)
    }),
  )

  test(
    "spec/slos §6: minutes without counts get late as time passes, from the composite's creation on",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [component("a"), component("b"), overall("CountAsBad")])
      yield* Effect.forkChild(refreshStatuses)
      yield* recordOf("a", "2026-01-30T12:00:00Z", 1, 1)
      yield* TestClock.adjust("1 second")
      expect(yield* reliability).toBe(1)
      // The minute of 12:01, the first that began after the composite was created, is late at 12:03.
      yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12, 2, 59))
      yield* TestClock.adjust(0)
      expect(yield* reliability).toBe(1)
      yield* TestClock.adjust("2 seconds")
      expect(yield* reliability).toBe(1 / 4)
      // Then it comes after all.
      yield* recordOf("b", "2026-01-30T12:01:00Z", 1, 1)
      yield* TestClock.adjust("1 second")
      expect(yield* reliability).toBe(3 / 4)
    }),
  )

  test(
    "computes plain and composite SLOs in one batch, each from its own counts",
    Effect.gen(function* () {
      const names = ["a", "b", "c", "d"]
      yield* putDefinitions(organization, [overall("Ignore"), ...names.map(component)])
      const counts = yield* CountStore
      const recordings = names.map((name, index) => ({
        slo: { project: "other", name },
        counts: [{ objective: "good", at: minuteOf(start), good: index, total: 3 }],
      }))
      expect(yield* counts.record(organization, recordings)).toEqual([])
      yield* Effect.forkChild(refreshStatuses)
      yield* TestClock.adjust(0)
      for (const [index, name] of names.entries()) {
        const found = yield* findSlo(organization, { project: "other", name })
        expect(found.record.statuses.get("good")?.reliability).toBe(index / 3)
      }
      expect(yield* reliability).toBeCloseTo((0 + 2 / 3) / 3, 12)
    }),
  )

  test(
    "follows a definition that is replaced, without new counts",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [fiveMinutes])
      yield* Effect.forkChild(refreshStatuses)
      yield* record([count("2026-01-30T11:00:00Z", 0, 1), count("2026-01-30T12:00:00Z", 1, 1)])
      expect(yield* reliability).toBe(1)
      yield* putDefinitions(organization, [anSlo(key, { timeWindow: { unit: "Hour", count: 2 } })])
      yield* TestClock.adjust("1 second")
      expect(yield* reliability).toBe(0.5)
    }),
  )

  test(
    "spec/slos §9: one whose counts cannot be read keeps no other of its batch from its turn",
    Effect.gen(function* () {
      const bad = { ...key, name: "bad" }
      yield* putDefinitions(organization, [
        anSlo(bad),
        ...["a", "b", "c", "d"].map((name) => anSlo({ ...key, name })),
      ])
      const counts = yield* CountStore
      const slos = ["a", "b", "c", "d"].map((name) => ({ ...key, name }))
      const aCount = { objective: "good", at: minuteOf(start), good: 1, total: 2 }
      yield* counts.record(
        organization,
        [bad, ...slos].map((slo) => ({ slo, counts: [aCount] })),
      )
      const sums: (typeof counts)["sums"] = (reads) =>
        reads.some(({ slo }) => slo.name === bad.name) ? Effect.die("too large") : counts.sums(reads)
      yield* refreshStatuses.pipe(
        Effect.provideService(CountStore, { ...counts, sums }),
        Effect.provideService(References.MinimumLogLevel, "None"),
        Effect.forkChild,
      )
      yield* TestClock.adjust("1 second")
      for (const { name } of slos) expect((yield* find({ name })).objectives[0].reliability, name).toBe(0.5)
    }),
  )

  test(
    "computes more than a batch at once",
    Effect.gen(function* () {
      const keys = Array.from({ length: 250 }, (_, index) => ({ ...key, name: `slo-${index}` }))
      yield* putDefinitions(
        organization,
        keys.map((key) => anSlo(key)),
      )
      yield* Effect.forkChild(refreshStatuses)
      yield* TestClock.adjust(0)
      expect(yield* (yield* SloStore).dueForStatus(Number.MAX_SAFE_INTEGER, 1, 1_000)).toEqual([])
    }),
  )

  test(
    "continues after a store was unavailable",
    Effect.gen(function* () {
      const healthy = yield* CountStore
      let isAway = true
      const failing = CountStore.of({
        ...healthy,
        sums: (...call) =>
          Effect.suspend(() =>
            isAway
              ? Effect.fail(
                  new StoreIsUnavailable({
                    store: "CountStore",
                    operation: "sums",
                    isRetryable: true,
                    cause: "away",
                  }),
                )
              : healthy.sums(...call),
          ),
      })
      yield* putDefinitions(organization, [fiveMinutes])
      const counts = [{ objective: "good", at: minuteOf(start), good: 1, total: 2 }]
      yield* healthy.record(organization, [{ slo: key, counts }])
      yield* Effect.forkChild(Effect.provideService(refreshStatuses, CountStore, failing))
      yield* TestClock.adjust("5 seconds")
      expect(yield* reliability).toBeUndefined()
      isAway = false
      yield* TestClock.adjust("11 seconds")
      expect(yield* reliability).toBe(0.5)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
  )
})

/** The count store, but something happens once sums were first read. */
const afterFirstSums = (effect: Effect.Effect<unknown, unknown, Stores>) =>
  Effect.gen(function* () {
    const counts = yield* CountStore
    const context = yield* Effect.context<Stores>()
    let isFirst = true
    const once = Effect.suspend(() => {
      if (!isFirst) return Effect.void
      isFirst = false
      return Effect.provide(effect, context).pipe(Effect.orDie)
    })
    return CountStore.of({
      ...counts,
      sums: (...call) => Effect.tap(counts.sums(...call), () => once),
    })
  })
