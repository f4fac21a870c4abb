import { sourceUrlOf } from "./ParsedValues.ts"
import { describe, expect, it } from "./EffectTest.ts"
import type { DataSource, Indicator } from "@tocsin/domain/adapter"
import { durationOf } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import type { ProjectKey } from "@tocsin/domain/kernel"
import {
  type ClaimedBackfill,
  type Count,
  CountStore,
  type DefinitionStore,
  type BackfillClaim,
  BackfillIsRunning,
  type BackfillSettled,
  BackfillStore,
  SloStore,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { anSlo, putDefinitions, removeSlos } from "./slo-definitions.ts"

const organization = "acme"
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const start = Date.UTC(2026, 0, 30, 12)
const leaseMs = 60_000
const key = { project: "shop", name: "checkout" }
const range = { from: start - 2 * day, to: start - day }

const indicatorOf = (total = "total"): Indicator => ({
  prometheus: { url: sourceUrlOf("http://a.example.com:9090"), good: "good", total },
})

const withIndicator = (slo: ProjectKey = key, indicator = indicatorOf()) => anSlo(slo, { indicator })

const begin = (slo: ProjectKey = key, scope = organization, over = range, now = start) =>
  Effect.flatMap(BackfillStore, (store) => store.start(scope, slo, over, now))

const find = (slo: ProjectKey = key, scope = organization) =>
  Effect.flatMap(BackfillStore, (store) => Effect.map(store.find(scope, slo), Option.getOrUndefined))

const claim = (now: number, request: Partial<BackfillClaim> = {}) =>
  Effect.flatMap(BackfillStore, (store) =>
    store.claim({
      now,
      leaseMs,
      inFlight: new Set(),
      organizationsMax: 10,
      backfillsPerOrganizationMax: 1,
      ...request,
    }),
  )

/** The one backfill that is due. */
const claimOne = (now: number) =>
  Effect.map(claim(now), (claimed) => {
    expect(claimed).toHaveLength(1)
    return claimed[0] as ClaimedBackfill
  })

/** Settles a claimed backfill with a change of its state. */
const settle = (claimed: ClaimedBackfill, change: Partial<BackfillSettled>) => {
  const { range: _range, startedAt: _startedAt, ...state } = claimed.backfill
  return Effect.flatMap(BackfillStore, (store) =>
    store.settle(claimed, { ...state, counts: [], dueAt: start, ...change }),
  )
}

const complete = (claimed: ClaimedBackfill, objectives = ["good", "great"], now = start) =>
  Effect.flatMap(BackfillStore, (store) => store.complete(claimed, objectives, now))

const record = (counts: ReadonlyArray<Count>, slo: ProjectKey = key) =>
  Effect.flatMap(CountStore, (store) => store.record(organization, [{ slo, counts }]))

const sums = (ranges: ReadonlyArray<{ readonly from: number; readonly to: number }>, slo: ProjectKey = key) =>
  Effect.flatMap(CountStore, (store) =>
    Effect.map(store.sums([{ organization, slo, ranges }]), ([read]) =>
      (read?.sums ?? []).map((each) => each.toSorted((a, b) => (a.objective < b.objective ? -1 : 1))),
    ),
  )

type Stores = BackfillStore | DefinitionStore | CountStore | SloStore

/** What every `BackfillStore` does; `layer` gives an empty one, with the stores that it shares its data with. */
export const backfillStoreContract = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, Stores>): void =>
    it.effect(what, () => Effect.provide(Effect.andThen(TestClock.setTime(start), effect), layer))

  const running = {
    range,
    state: "running",
    readTo: range.from,
    failures: 0,
    startedAt: start,
    readAt: start,
  }

  describe(`BackfillStore ${name}`, () => {
    test(
      "spec/data-sources §10: an SLO with an indicator has one backfill at a time, which is due at once",
      Effect.gen(function* () {
        const other = { project: "shop", name: "other" }
        yield* putDefinitions(organization, [withIndicator(), anSlo(other)])
        expect(yield* begin(other)).toEqual(Option.none())
        expect(yield* begin({ project: "\u0000", name: "\u0000" })).toEqual(Option.none())
        expect([yield* find(), yield* find({ project: "\u0000", name: "\u0000" })]).toEqual([
          undefined,
          undefined,
        ])
        expect(yield* begin()).toEqual(Option.some(running))
        expect([yield* find(), yield* find(key, "globex")]).toEqual([running, undefined])
        expect(yield* Effect.flip(begin())).toEqual(new BackfillIsRunning(key))
        const store = yield* BackfillStore
        expect(yield* store.list(organization, { limit: 1 })).toEqual({
          items: [{ slo: key, backfill: running }],
          hasMore: false,
        })
        expect(yield* store.list("globex", { limit: 1 })).toEqual({ items: [], hasMore: false })
        expect(yield* claim(start - 1)).toEqual([])
        const claimed = yield* claimOne(start)
        expect(claimed).toMatchObject({ organization, backfill: running, indicator: { readTo: 0 } })
        expect(claimed.slo.definition).toEqual(withIndicator())
        expect(yield* claim(start + leaseMs - 1)).toEqual([])
        expect(yield* claim(start + leaseMs)).toHaveLength(1)
      }),
    )

    test(
      "spec/data-sources §10: stores the state of each step, and only that of the backfill that was claimed",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [withIndicator()])
        yield* begin()
        const claimed = yield* claimOne(start)
        const problem = { reason: "timeout", detail: "the server did not answer in time", at: start } as const
        const state = {
          readTo: range.from + hour,
          firstAt: range.from + minute,
          failures: 2,
          problem,
          readAt: start + 1,
        }
        expect(yield* settle(claimed, { ...state, dueAt: start + 5_000 })).toBe(true)
        expect(yield* find()).toEqual({ ...running, ...state })
        expect(yield* settle(claimed, { readTo: range.to })).toBe(false)
        expect(yield* complete(claimed)).toBe(false)
        expect(yield* claim(start + 4_999)).toEqual([])
        const next = yield* claimOne(start + 5_000)
        expect(next.backfill).toEqual({ ...running, ...state })
        const failed = { state: "failed", reason: "source_unavailable", endedAt: start + 7_000 } as const
        expect(yield* settle(next, failed)).toBe(true)
        expect(yield* find()).toEqual({ ...running, ...state, ...failed })
        expect(yield* claim(start + 2 * day)).toEqual([])
        // The next one begins from the start, and the steps of the earlier one have no effect on it.
        expect(yield* begin()).toEqual(Option.some(running))
        expect(yield* settle({ ...next, backfill: claimed.backfill }, { readTo: range.to })).toBe(false)
        expect(yield* find()).toEqual(running)
      }),
    )

    test(
      "spec/data-sources §10: a failure after the end of its lease does not end that of another claim",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [withIndicator()])
        yield* begin()
        const late = yield* claimOne(start)
        const current = yield* claimOne(start + leaseMs)
        expect(yield* settle(late, { failures: 1, dueAt: start })).toBe(false)
        expect(yield* claim(start + leaseMs)).toEqual([])
        expect(yield* find()).toEqual(running)
        // What it has read is of use, whoever has read it.
        expect(yield* settle(late, { readTo: range.from + hour, dueAt: start + day })).toBe(true)
        expect(yield* settle(current, { failures: 1 })).toBe(false)
        expect(yield* find()).toEqual({ ...running, readTo: range.from + hour })
      }),
    )

    test(
      "spec/data-sources §10: a canceled backfill stops, and continues with what it has read when it is resumed",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [withIndicator()])
        const store = yield* BackfillStore
        expect(yield* store.cancel(organization, key, start)).toEqual(Option.none())
        expect(yield* store.resume(organization, key, start)).toEqual(Option.none())
        yield* begin()
        const claimed = yield* claimOne(start)
        const at = range.from + 3 * minute
        const counts = [{ objective: "good", at, good: 1, total: 2 }]
        yield* settle(claimed, { counts, readTo: range.from + hour, firstAt: at })
        const late = yield* claimOne(start)
        const canceled = {
          ...running,
          state: "canceled",
          reason: "requested",
          readTo: range.from + hour,
          firstAt: at,
          endedAt: start + 1,
        }
        expect(yield* store.cancel(organization, key, start + 1)).toEqual(Option.some(canceled))
        expect(yield* store.cancel(organization, key, start + 2)).toEqual(Option.some(canceled))
        expect(yield* settle(late, { readTo: range.to })).toBe(false)
        expect(yield* complete(late)).toBe(false)
        expect(yield* claim(start + day)).toEqual([])
        const { reason: _reason, endedAt: _endedAt, ...rest } = canceled
        const resumed = { ...rest, state: "running", readAt: start + 3 }
        expect(yield* store.resume(organization, key, start + 3)).toEqual(Option.some(resumed))
        expect(yield* store.resume(organization, key, start + 4)).toEqual(Option.some(resumed))
        const again = yield* claimOne(start + 3)
        expect(again.backfill).toEqual(resumed)
        expect(yield* complete(again)).toBe(true)
        expect(yield* sums([range])).toMatchObject([[{ objective: "good", good: 1, total: 2, minutes: 1 }]])
        // A complete one has nothing to continue with.
        expect(yield* store.resume(organization, key, start)).toEqual(yield* store.find(organization, key))
        expect(yield* find()).toMatchObject({ state: "complete", endedAt: start })
        expect(yield* store.cancel(organization, key, start + 9)).toMatchObject({
          value: { state: "complete" },
        })
      }),
    )

    test(
      "spec/data-sources §10: the minutes stay as they are until the backfill is complete, and alerts know those that have changed",
      Effect.gen(function* () {
        const composed = { project: "shop", name: "composed" }
        yield* putDefinitions(organization, [
          withIndicator(),
          anSlo(composed, {
            objectives: [
              {
                name: "all",
                target: 0.9,
                composite: {
                  maxDelay: durationOf("5m"),
                  components: [{ slo: key, objective: "good", weight: 1, whenDelayed: "Ignore" }],
                },
              },
            ],
          }),
        ])
        const recorded = [0, 1, 2, 3, 24 * 60].map((minutes): Count => ({
          objective: "good",
          at: range.from + minutes * minute,
          good: 10,
          total: 20,
        }))
        yield* record(recorded)
        yield* begin()
        const claimed = yield* claimOne(start)
        const read = [1, 3].map((minutes): Count => ({
          objective: "good",
          at: range.from + minutes * minute,
          good: 3,
          total: 4,
        }))
        yield* settle(claimed, { counts: read, readTo: range.to, firstAt: range.from + minute })
        const all = [{ from: range.from, to: range.to + day }]
        expect(yield* sums(all)).toMatchObject([[{ objective: "good", good: 50, total: 100 }]])
        const slos = yield* SloStore
        const marks = Effect.forEach([key, composed], (slo) =>
          Effect.map(
            slos.findForStatus(organization, slo),
            (due) => Option.getOrThrow(due).pastChanges?.counts,
          ),
        )
        const revisions = Effect.forEach([key, composed], (slo) =>
          Effect.map(slos.findForStatus(organization, slo), (due) => Option.getOrThrow(due).revision),
        )
        expect((yield* marks)[0]).toBeUndefined()
        const before = yield* revisions
        expect(yield* complete(yield* claimOne(start))).toBe(true)
        // The first minute is earlier than what the data source has, the last one behind the range.
        expect(yield* sums(all)).toMatchObject([[{ good: 10 + 6 + 10, total: 20 + 8 + 20, minutes: 4 }]])
        const replaced = {
          track: "good",
          ranges: [{ from: range.from + minute, to: range.from + 4 * minute }],
          before: [1, 2, 3].map((minutes) => ({ at: range.from + minutes * minute, good: 10, total: 20 })),
        }
        // The minutes were recorded more than an hour late, which is the past of a composite.
        const ofComponent = { component: "shop/checkout", track: "good", before: [] }
        expect(yield* marks).toMatchObject([[replaced], [ofComponent]])
        const after = yield* revisions
        expect(after.map((revision, index) => revision === before[index])).toEqual([false, false])
      }),
    )

    test(
      "spec/data-sources §10: a changed indicator cancels the backfill; removing it or the SLO deletes the backfill",
      Effect.gen(function* () {
        const [other, third] = ["other", "third"].map((each) => ({ project: "shop", name: each }))
        if (other === undefined || third === undefined) return
        yield* putDefinitions(organization, [withIndicator(), withIndicator(other), withIndicator(third)])
        for (const slo of [key, other, third]) yield* begin(slo)
        const all = yield* Effect.forEach([0, 1, 2], () => claimOne(start))
        const claimed = all.find(({ slo }) => slo.definition.metadata.name === key.name) as ClaimedBackfill
        yield* putDefinitions(organization, [anSlo(key, { indicator: indicatorOf(), description: "Orders" })])
        expect(yield* find()).toEqual(running)
        yield* TestClock.adjust(1_000)
        yield* putDefinitions(organization, [withIndicator(key, indicatorOf("changed")), anSlo(other)])
        yield* removeSlos(organization, [third])
        const canceled = {
          ...running,
          state: "canceled",
          reason: "indicator_changed",
          endedAt: start + 1_000,
        }
        expect([yield* find(), yield* find(other), yield* find(third)]).toEqual([
          canceled,
          undefined,
          undefined,
        ])
        expect(yield* settle(claimed, { readTo: range.to })).toBe(false)
        const store = yield* BackfillStore
        expect(yield* store.resume(organization, key, start)).toEqual(Option.some(canceled))
        yield* putDefinitions(organization, [withIndicator(other)])
        expect(yield* find(other)).toBe(undefined)
        // One that is complete stays so.
        yield* begin()
        yield* settle(yield* claimOne(start), { readTo: range.to, firstAt: range.from })
        yield* complete(yield* claimOne(start))
        yield* putDefinitions(organization, [withIndicator()])
        expect(yield* find()).toMatchObject({ state: "complete" })
      }),
    )

    test(
      "spec/data-sources §10: a backfill that is canceled because of a changed indicator leaves nothing to the next one",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [withIndicator()])
        yield* begin()
        const counts = [{ objective: "good", at: range.from, good: 1, total: 2 }]
        yield* settle(yield* claimOne(start), { counts, firstAt: range.from })
        yield* putDefinitions(organization, [withIndicator(key, indicatorOf("changed"))])
        yield* begin()
        yield* settle(yield* claimOne(start), { readTo: range.to, firstAt: range.from })
        yield* complete(yield* claimOne(start))
        expect(yield* sums([range])).toEqual([[]])
      }),
    )

    test(
      "spec/data-sources §10: organizations take turns, one backfill of each at a time, the longest due first",
      Effect.gen(function* () {
        const slos = ["a", "b", "c"].map((each) => ({ project: "shop", name: each }))
        for (const [index, scope] of ["globex", organization, "initech"].entries()) {
          yield* putDefinitions(
            scope,
            slos.map((slo) => withIndicator(slo)),
          )
          for (const [place, slo] of slos.entries()) {
            yield* begin(slo, scope, range, start + 10 * index - place)
          }
        }
        const names = (now: number, request: Partial<BackfillClaim> = {}) =>
          Effect.map(claim(now, request), (claimed) =>
            claimed.map((each) => `${each.organization} ${each.slo.definition.metadata.name}`).toSorted(),
          )
        const now = start + 100
        expect(yield* names(now, { organizationsMax: 2 })).toEqual(["acme c", "globex c"])
        expect(yield* names(now, { inFlight: new Set([organization]) })).toEqual(["globex b", "initech c"])
        expect(yield* names(now, { organizationsMax: 1 })).toEqual(["globex a"])
        expect(yield* names(now)).toEqual(["acme b", "initech b"])
      }),
    )

    test(
      "spec/data-sources §10: those of an organization that are read from one server can be claimed together",
      Effect.gen(function* () {
        const slos = ["a", "b", "c", "d"].map((each) => ({ project: "shop", name: each }))
        const { prometheus } = indicatorOf()
        const other = { prometheus: { ...prometheus, url: sourceUrlOf("http://b.example.com") } }
        yield* putDefinitions(
          organization,
          slos.map((slo) => anSlo(slo, { indicator: slo.name === "b" ? other : indicatorOf() })),
        )
        for (const [place, slo] of slos.entries()) yield* begin(slo, organization, range, start + place)
        const names = (backfillsPerOrganizationMax: number) =>
          Effect.map(claim(start + 100, { backfillsPerOrganizationMax }), (claimed) =>
            claimed.map(({ slo }) => slo.definition.metadata.name),
          )
        expect(yield* names(2)).toEqual(["a", "c"])
        expect(yield* names(10)).toEqual(["b"])
        expect(yield* names(10)).toEqual(["d"])
      }),
    )

    test(
      "spec/data-sources §10: releases those that were claimed and not settled since, in the order in which they are due then",
      Effect.gen(function* () {
        const slos = ["a", "b", "c", "d"].map((each) => ({ project: "shop", name: each }))
        for (const scope of [organization, "globex"]) {
          yield* putDefinitions(
            scope,
            slos.map((slo) => withIndicator(slo)),
          )
        }
        for (const [index, slo] of slos.entries()) yield* begin(slo, organization, range, start + index)
        yield* begin(slos[0], "globex")
        const now = start + 100
        const names = (claimed: ReadonlyArray<ClaimedBackfill>) =>
          claimed.map(({ slo }) => slo.definition.metadata.name)
        const all = yield* claim(now, { backfillsPerOrganizationMax: 4, inFlight: new Set(["globex"]) })
        expect(names(all)).toHaveLength(4)
        const [settled, canceled] = all as [ClaimedBackfill, ClaimedBackfill]
        yield* settle(settled, { readTo: range.from + hour, dueAt: now + 50 })
        const store = yield* BackfillStore
        yield* store.cancel(organization, canceled.slo.definition.metadata, now)
        yield* store.release("globex", all, now)
        expect(yield* claim(now, { inFlight: new Set(["globex"]) })).toEqual([])
        yield* store.release(organization, all, now + 10)
        expect(yield* claim(now + 9, { inFlight: new Set(["globex"]) })).toEqual([])
        const again = yield* claim(now + 50, {
          backfillsPerOrganizationMax: 4,
          inFlight: new Set(["globex"]),
        })
        expect(names(again)).toEqual([...names(all.slice(2)), ...names([settled])])
        // Claimed again meanwhile: an earlier claim releases nothing.
        yield* store.release(organization, all, now)
        expect(yield* claim(now + 50, { inFlight: new Set(["globex"]) })).toEqual([])
        yield* store.release(organization, [], now)
      }),
    )

    test(
      "spec/data-sources §10: makes those due that would wait for longer than is asked, and those of a changed data source",
      Effect.gen(function* () {
        const source = { project: "shop", name: "mimir" }
        const indicator: Indicator = { prometheus: { dataSource: source, good: "good", total: "total" } }
        const defined = (tenant: string): DataSource => ({
          kind: "DataSource",
          metadata: source,
          spec: { prometheus: { url: sourceUrlOf("https://mimir.example.com"), headers: [], tenant } },
        })
        const other = { project: "shop", name: "other" }
        yield* putDefinitions(organization, [
          defined("a"),
          withIndicator(key, indicator),
          withIndicator(other),
        ])
        yield* begin()
        yield* begin(other)
        for (const _ of [0, 1]) yield* settle(yield* claimOne(start), { dueAt: start + 300_000 })
        yield* putDefinitions(organization, [defined("b")])
        const due = yield* claim(start)
        expect(due.map(({ slo }) => slo.definition.metadata.name)).toEqual(["checkout"])
        const store = yield* BackfillStore
        yield* store.makeDue(start, 300_000)
        expect(yield* claim(start)).toEqual([])
        yield* store.makeDue(start, 299_999)
        expect(yield* claim(start)).toHaveLength(1)
      }),
    )

    it.effect.prop(
      "spec/data-sources §10: the sums after a backfill are those of the counts that were read, and of the others as they were",
      [
        fc.uuid(),
        fc.array(steps, { maxLength: 4 }),
        minutes,
        minutes,
        fc.array(recordedCounts, { maxLength: 40 }),
        rules,
      ],
      ([scope, parts, a, b, recorded, spec]) =>
        Effect.gen(function* () {
          const over = { from: Math.min(a, b), to: Math.max(a, b) + minute }
          const twin = { project: "shop", name: "twin" }
          yield* TestClock.setTime(start)
          yield* putDefinitions(scope, [anSlo(key, { ...spec, indicator: indicatorOf() }), anSlo(twin, spec)])
          const counts = yield* CountStore
          yield* counts.record(scope, [{ slo: key, counts: recorded }])
          yield* begin(key, scope, over)
          const kept = new Map(recorded.map((count) => [`${count.objective} ${count.at}`, count]))
          const read = new Map<string, Count>()
          let firstAt = over.to
          for (const [index, part] of parts.entries()) {
            const claimed = (yield* claim(start)).find((each) => each.organization === scope)
            if (claimed === undefined) break
            const within = part.filter(({ at }) => at >= over.from && at < over.to)
            for (const count of within) read.set(`${count.objective} ${count.at}`, count)
            firstAt = Math.min(firstAt, ...within.map(({ at }) => at))
            yield* settle(claimed, {
              counts: within,
              readTo: over.from + index + 1,
              ...(firstAt < over.to && { firstAt }),
            })
          }
          const claimed = (yield* claim(start)).find((each) => each.organization === scope)
          if (claimed === undefined) return
          expect(yield* complete(claimed)).toBe(true)
          const expected = [
            ...[...kept.values()].filter(({ at }) => at < firstAt || at >= over.to),
            ...read.values(),
          ]
          yield* counts.record(scope, [{ slo: twin, counts: expected }])
          const hours = Array.from({ length: 4 * 24 }, (_, index) => start - 3 * day + index * hour)
          const ranges = [
            ...hours.map((from) => ({ from, to: from + hour })),
            over,
            { from: start - 10 * day, to: start + 10 * day },
          ]
          const sumsOf = (slo: ProjectKey) =>
            Effect.map(counts.sums([{ organization: scope, slo, ranges }]), ([found]) =>
              (found?.sums ?? []).map((each) =>
                each.toSorted((x, y) => (x.objective < y.objective ? -1 : 1)),
              ),
            )
          expect(yield* sumsOf(key)).toEqual(yield* sumsOf(twin))
        }).pipe(Effect.provide(layer)),
      { fastCheck: { numRuns: 40 }, timeout: 120_000 },
    )
  })
}

const minutes = fc
  .tuple(fc.integer({ min: 0, max: 150 }), fc.constantFrom(0, 0, 0, 1, 2))
  .map(([count, days]) => start - hour - count * minute - days * day)

const aCount = (parts: { objective: string; at: number; bad: number; good: number }): Count => ({
  objective: parts.objective,
  at: parts.at,
  good: parts.good,
  total: parts.good + parts.bad,
})

const recordedCounts = fc
  .record({ objective: fc.constantFrom("good", "great"), at: minutes, bad: fc.nat(3), good: fc.nat(9) })
  .map(aCount)

const steps = fc.array(recordedCounts, { maxLength: 20 })

const rules: fc.Arbitrary<Partial<Slo["spec"]>> = fc.constantFrom<Partial<Slo["spec"]>>(
  {},
  { composite: { target: 0.9, burnRateCondition: { value: 2.5, op: "gte" as const } } },
  {
    budgetingMethod: "Timeslices" as const,
    objectives: [
      { name: "good", target: 0.99, timeSliceTarget: 0.75 },
      { name: "great", target: 0.999, timeSliceTarget: 0.9 },
    ],
    composite: { target: 0.9 },
  },
)
