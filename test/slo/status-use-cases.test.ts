import { describe, expect, it } from "@effect/vitest"
import * as CountStoreMemory from "@tocsin/adapters-memory/CountStoreMemory"
import * as DefinitionStoreMemory from "@tocsin/adapters-memory/DefinitionStoreMemory"
import * as MemoryDatabase from "@tocsin/adapters-memory/MemoryDatabase"
import * as SloStoreMemory from "@tocsin/adapters-memory/SloStoreMemory"
import type { DefinitionStore } from "@tocsin/domain/definition/DefinitionStore"
import { CountStore, CountStoreIsUnavailable } from "@tocsin/domain/slo/CountStore"
import { findSlo, type FindSloQuery } from "@tocsin/domain/slo/FindSlo"
import { listSlos } from "@tocsin/domain/slo/ListSlos"
import { recordCounts } from "@tocsin/domain/slo/RecordCounts"
import { refreshStatus } from "@tocsin/domain/slo/RefreshStatus"
import { refreshStatuses } from "@tocsin/domain/slo/RefreshStatuses"
import { SloStore } from "@tocsin/domain/slo/SloStore"
import { minuteOf } from "@tocsin/domain/slo/MinuteInstant"
import { Effect, Layer, Logger, LogLevel, TestClock } from "effect"
import { anSlo, putDefinitions, removeSlos } from "../contract/slo-definitions.ts"

type Stores = SloStore | CountStore | DefinitionStore

const stores = Layer.mergeAll(SloStoreMemory.layer, CountStoreMemory.layer, DefinitionStoreMemory.layer).pipe(
  Layer.provide(MemoryDatabase.layer),
)
const organization = "acme"
const key = { project: "shop", name: "checkout" }
const start = Date.UTC(2026, 0, 30, 12, 0, 30)

const test = (what: string, effect: Effect.Effect<void, unknown, Stores>): void =>
  it.effect(what, () => Effect.provide(Effect.zipRight(TestClock.setTime(start), effect), stores))

const find = (query: Partial<FindSloQuery> = {}) =>
  Effect.map(findSlo(organization, { version: "v2", ...key, ...query }), (json) => JSON.parse(json))

const parse = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes))

const record = (body: unknown) => recordCounts(organization, { ...key, body })

const count = (at: string, good: number, total: number, objective = "good") => ({
  objective,
  at,
  good,
  total,
})

describe("finding an SLO", () => {
  test(
    "contract 4.3: adds the counts of a range to the objectives that have any",
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
    "contract 8: takes a name of 63 characters and refuses one of 64",
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
    "contract 4.3: needs the project, and finds nothing in another one",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [anSlo(key)])
      const withoutProject = findSlo(organization, { version: "v2", name: key.name })
      expect(yield* Effect.flip(withoutProject)).toMatchObject({ code: "project_required" })
      expect(yield* Effect.flip(find({ project: "" }))).toMatchObject({ code: "project_required" })
      expect(yield* Effect.flip(find({ project: "other" }))).toMatchObject({ _tag: "SloNotFound" })
      const foreign = findSlo("other", { version: "v2", ...key })
      expect(yield* Effect.flip(foreign)).toMatchObject({ _tag: "SloNotFound" })
    }),
  )
})

describe("listing SLOs", () => {
  test(
    "contract 4.2: pages of the list envelope follow one another by links.next",
    Effect.gen(function* () {
      const names = ["a", "a-b", "a0", "b"]
      yield* putDefinitions(
        organization,
        names.map((name) => anSlo({ ...key, name })),
      )
      const first = parse(yield* listSlos(organization, { version: "v2", limit: "3" }))
      expect(first.data.map(({ name }: { name: string }) => name)).toEqual(["a", "a-b", "a0"])
      expect(first.links.self).toBe("/api/v2/slos?limit=3&cursor=")
      const next = new URL(first.links.next, "http://host").searchParams
      expect(next.get("limit")).toBe("3")
      const cursor = next.get("cursor") ?? ""
      const second = parse(yield* listSlos(organization, { version: "v2", limit: "3", cursor }))
      expect(second.data.map(({ name }: { name: string }) => name)).toEqual(["b"])
      expect(second.links).toEqual({ self: `/api/v2/slos?limit=3&cursor=${cursor}` })
      // A cursor leads on in its own version alone.
      const foreign = listSlos(organization, { version: "v1", limit: "3", cursor })
      expect(yield* Effect.flip(foreign)).toMatchObject({ _tag: "CursorIsInvalid", value: cursor })
    }),
  )

  test(
    "contract 4.2: no SLOs are an empty page",
    Effect.gen(function* () {
      expect(parse(yield* listSlos(organization, { version: "v1", cursor: "" }))).toEqual({
        data: [],
        links: { self: "/api/v1/slos?limit=500&cursor=" },
      })
    }),
  )
})

describe("recording counts", () => {
  test(
    "5.4: the record tells the metrics at once",
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
    "6.3: a list with a bad entry writes nothing",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [anSlo(key)])
      const refused = yield* Effect.flip(record([count("2026-01-30T12:00:00Z", 1, 1), count("x", 1, 1)]))
      expect(refused).toMatchObject({ _tag: "CountsAreInvalid", issues: [{ path: "[1].at" }] })
      expect((yield* find()).objectives[0]).not.toHaveProperty("reliability")
    }),
  )

  test(
    "6.3: counts of an SLO that does not exist are refused",
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
      const other = record([count("2026-01-30T11:59:00Z", 0, 6)])
      const interrupted = yield* afterFirstSums(Effect.zipRight(other, TestClock.adjust("1 second")))
      yield* Effect.provideService(record([count("2026-01-30T12:00:00Z", 2, 2)]), CountStore, interrupted)
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
    "5.4: the window moves on over counts, until none are left in it",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [fiveMinutes])
      yield* Effect.fork(refreshStatuses)
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
    "5.4: counts ahead of the clock are told once their minute has come",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [fiveMinutes])
      yield* Effect.fork(refreshStatuses)
      yield* record([count("2026-01-30T12:05:00Z", 1, 2)])
      expect(yield* reliability).toBeUndefined()
      yield* TestClock.adjust("5 minutes")
      expect(yield* reliability).toBe(0.5)
    }),
  )

  test(
    "follows a definition that is replaced, without new counts",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [fiveMinutes])
      yield* Effect.fork(refreshStatuses)
      yield* record([count("2026-01-30T11:00:00Z", 0, 1), count("2026-01-30T12:00:00Z", 1, 1)])
      expect(yield* reliability).toBe(1)
      yield* putDefinitions(organization, [anSlo(key, { timeWindow: { unit: "Hour", count: 2 } })])
      yield* TestClock.adjust("1 second")
      expect(yield* reliability).toBe(0.5)
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
      yield* Effect.fork(refreshStatuses)
      yield* TestClock.adjust(0)
      expect(yield* (yield* SloStore).dueForStatus(Number.MAX_SAFE_INTEGER, 1, 1_000)).toEqual([])
    }),
  )

  test(
    "goes on after a store was away",
    Effect.gen(function* () {
      const healthy = yield* CountStore
      let isAway = true
      const failing = CountStore.of({
        ...healthy,
        sums: (...call) =>
          Effect.suspend(() =>
            isAway
              ? Effect.fail(
                  new CountStoreIsUnavailable({ operation: "sums", isRetryable: true, cause: "away" }),
                )
              : healthy.sums(...call),
          ),
      })
      yield* putDefinitions(organization, [fiveMinutes])
      const counts = [{ objective: "good", at: minuteOf(start), good: 1, total: 2 }]
      yield* healthy.record(organization, [{ slo: key, counts }])
      yield* Effect.fork(Effect.provideService(refreshStatuses, CountStore, failing))
      yield* TestClock.adjust("5 seconds")
      expect(yield* reliability).toBeUndefined()
      isAway = false
      yield* TestClock.adjust("11 seconds")
      expect(yield* reliability).toBe(0.5)
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None)),
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
