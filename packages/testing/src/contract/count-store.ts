import { describe, expect, it } from "./EffectTest.ts"
import type { MinuteStates } from "@tocsin/domain/adapter"
import type { Slo } from "@tocsin/domain/definitions"
import type { ProjectKey } from "@tocsin/domain/kernel"
import {
  type Count,
  type CountRead,
  CountStore,
  type CountSum,
  type DefinitionStore,
  SloStore,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { anSlo, putDefinitions, removeSlos } from "./slo-definitions.ts"

const organization = "acme"
const key = { project: "shop", name: "checkout" }
const minute = 60_000
const day = 86_400_000
const start = Date.UTC(2026, 0, 30)

/** What every `CountStore` does, together with the stores that write beside it. `layer` gives empty ones. */
export const countStoreContract = <E>(
  name: string,
  layer: Layer.Layer<SloStore | CountStore | DefinitionStore, E>,
): void => {
  const test = (
    what: string,
    effect: Effect.Effect<void, unknown, SloStore | CountStore | DefinitionStore>,
  ): void =>
    it.effect(what, () =>
      Effect.provide(
        Effect.andThen(
          Effect.andThen(TestClock.setTime(start), putDefinitions(organization, [anSlo(key)])),
          effect,
        ),
        layer,
      ),
    )

  describe(`CountStore ${name}`, () => {
    test(
      "sums the minutes of each objective, from ≤ at < to",
      Effect.gen(function* () {
        yield* record([
          { objective: "good", at: start, good: 1, total: 2 },
          { objective: "good", at: start + minute, good: 10, total: 20 },
          { objective: "good", at: start + 2 * minute, good: 100, total: 200 },
          { objective: "great", at: start + minute, good: 0, total: 0 },
        ])
        expect(yield* sums(start, start + 2 * minute)).toEqual([
          { objective: "good", good: 11, total: 22 },
          { objective: "great", good: 0, total: 0 },
        ])
        expect(yield* sums(start + 2 * minute, start + 3 * minute)).toEqual([
          { objective: "good", good: 100, total: 200 },
        ])
        expect(yield* sums(start - day, start)).toEqual([])
        expect(yield* sums(start, start)).toEqual([])
      }),
    )

    test(
      "records requests that arrive together each for itself: one of an SLO that does not exist, and later counts of a minute",
      Effect.gen(function* () {
        const store = yield* CountStore
        const count = (at: number, total: number) => ({ objective: "good", at, good: 1, total })
        const unknown = { project: "shop", name: "unknown" }
        const requests = [
          [{ slo: key, counts: [count(start, 2)] }],
          [
            { slo: key, counts: [count(start, 100), count(start + 2 * minute, 100)] },
            { slo: unknown, counts: [count(start, 100)] },
          ],
          [{ slo: unknown, counts: [count(start, 100)] }],
          [{ slo: key, counts: [count(start + minute, 3)] }],
          [{ slo: key, counts: [count(start, 4)] }],
        ]
        const missing = yield* Effect.forEach(requests, (request) => store.record(organization, request), {
          concurrency: "unbounded",
        })
        expect(missing).toEqual([[], [unknown], [unknown], [], []])
        expect(yield* sums(start, start + 3 * minute)).toEqual([{ objective: "good", good: 2, total: 7 }])
      }),
    )

    test(
      "reads the minutes of the hours with counts that overlap a range, of some objectives, and which have counts",
      Effect.gen(function* () {
        const hour = 60 * minute
        yield* record([
          { objective: "good", at: start - minute, good: 1, total: 2 },
          { objective: "good", at: start + minute, good: 10, total: 20 },
          { objective: "good", at: start + hour, good: 100, total: 200 },
          { objective: "great", at: start, good: 0, total: 0 },
        ])
        const hours = (from: number, to: number, ...tracks: ReadonlyArray<string>) =>
          Effect.flatMap(CountStore, (store) =>
            store.hours([{ organization, slo: key, range: { from, to }, tracks: new Set(tracks) }]),
          ).pipe(
            Effect.map((found) =>
              found
                .flat()
                .flatMap(({ track, at, counts }) =>
                  counts.total.flatMap((total, n) =>
                    Number.isNaN(total) ? [] : [[track, (at - start) / minute + n, counts.good[n], total]],
                  ),
                )
                .toSorted(),
            ),
          )
        const present = Effect.flatMap(CountStore, (store) =>
          store.presence([
            {
              organization,
              slo: key,
              range: { from: start, to: start + hour + minute },
              tracks: new Set(["good", "great"]),
            },
          ]),
        )
        const [ofRead = []] = yield* present
        const inOrder = ofRead.toSorted((a, b) => a.at - b.at || (a.track < b.track ? -1 : 1))
        expect(inOrder).toEqual([
          { track: "good", at: start, counts: { early: 2, late: 0 } },
          { track: "great", at: start, counts: { early: 1, late: 0 } },
          { track: "good", at: start + hour, counts: { early: 1, late: 0 } },
        ])
        expect(yield* hours(start + 30 * minute, start + hour, "good", "great", "none")).toEqual([
          ["good", 1, 10, 20],
          ["great", 0, 0, 0],
        ])
        expect(yield* hours(start, start + hour + minute, "good")).toEqual([
          ["good", 1, 10, 20],
          ["good", 60, 100, 200],
        ])
        expect(yield* hours(start - hour, start, "good")).toEqual([["good", -1, 1, 2]])
        expect(yield* hours(start, start + hour)).toEqual([])
        const read = {
          organization,
          slo: key,
          tracks: new Set(["good"]),
          range: { from: start, to: start + hour },
        }
        const none = { ...read, slo: { project: "shop", name: "none" } }
        const before = { ...read, range: { from: start - hour, to: start } }
        const found = yield* (yield* CountStore).hours([before, none, read])
        expect(found.map((ofRead) => ofRead.map(({ at }) => (at - start) / hour))).toEqual([[-1], [], [0]])
      }),
    )

    test(
      "spec/counts §1: the same objective and minute again replaces",
      Effect.gen(function* () {
        yield* record([{ objective: "good", at: start, good: 0.1, total: 0.2 }])
        yield* record([{ objective: "good", at: start + minute, good: 1, total: 1 }])
        yield* record([{ objective: "good", at: start, good: 0, total: 5 }])
        expect(yield* sums(start, start + 2 * minute)).toEqual([{ objective: "good", good: 1, total: 6 }])
      }),
    )

    test(
      "loses nothing of recordings at once",
      Effect.gen(function* () {
        const minutes = Array.from({ length: 20 }, (_, index) => start + index * minute)
        yield* Effect.forEach(minutes, (at) => record([{ objective: "good", at, good: 1, total: 2 }]), {
          concurrency: "unbounded",
        })
        expect(yield* sums(start, start + 60 * minute)).toEqual([{ objective: "good", good: 20, total: 40 }])
      }),
    )

    test(
      "uses the last count of a minute that is duplicated in a list",
      Effect.gen(function* () {
        yield* record([
          { objective: "good", at: start, good: 1, total: 2 },
          { objective: "good", at: start, good: 3, total: 4 },
        ])
        expect(yield* sums(start, start + minute)).toEqual([{ objective: "good", good: 3, total: 4 }])
      }),
    )

    test(
      "writes nothing of an SLO that does not exist",
      Effect.gen(function* () {
        const store = yield* CountStore
        const other = { project: "shop", name: "other" }
        const counts = [{ objective: "good", at: start, good: 1, total: 1 }]
        expect(yield* store.record(organization, [{ slo: other, counts }])).toEqual([other])
        expect(yield* store.record("other", [{ slo: key, counts }])).toEqual([key])
        yield* putDefinitions(organization, [anSlo(other)])
        expect(yield* sumsOf({ organization, slo: other, ranges: [{ from: 0, to: start + day }] })).toEqual(
          [],
        )
      }),
    )

    test(
      "spec/counts §1: writes the counts of several SLOs, or none if one of them does not exist",
      Effect.gen(function* () {
        const store = yield* CountStore
        const [other, gone] = ["other", "gone"].map((name) => ({ ...key, name }))
        if (other === undefined || gone === undefined) return expect.fail()
        yield* putDefinitions(organization, [anSlo(other)])
        const counts = [{ objective: "good", at: start, good: 1, total: 1 }]
        const range = { from: start, to: start + minute }
        const both = [
          { organization, slo: key, ranges: [range] },
          { organization, slo: other, ranges: [range] },
        ]
        const refused = yield* store.record(
          organization,
          [key, gone, other, { ...gone, project: "else" }].map((slo) => ({ slo, counts })),
        )
        expect(refused).toEqual([gone, { ...gone, project: "else" }])
        expect((yield* store.sums(both)).map(({ sums }) => sums)).toEqual([[[]], [[]]])

        const later = [{ objective: "great", at: start, good: 0, total: 2 }]
        yield* store.record(organization, [
          { slo: key, counts },
          { slo: other, counts },
          { slo: key, counts: later },
          { slo: other, counts: [] },
        ])
        const good = { objective: "good", good: 1, total: 1, minutes: 1, goodShares: 1, goodMinutes: 1 }
        const great = { objective: "great", good: 0, total: 2, minutes: 1, goodShares: 0, goodMinutes: 1 }
        const [ofKey, ofOther] = yield* store.sums(both)
        expect(ofKey?.sums.map(rounded)).toEqual([[good, great]])
        expect(ofOther?.sums).toEqual([[good]])
        expect(yield* store.record(organization, [])).toEqual([])
        expect(yield* store.sums([])).toEqual([])
      }),
    )

    test(
      "returns the result of each read and range in its order",
      Effect.gen(function* () {
        const other = { ...key, name: "other" }
        yield* putDefinitions(organization, [anSlo(other)])
        const store = yield* CountStore
        const counts = [0, 60, 24 * 60].map((age) => ({
          objective: "good",
          at: start - age * minute,
          good: 1,
          total: age + 1,
        }))
        yield* store.record(organization, [{ slo: key, counts }])
        const ranges = [
          { from: start, to: start + minute },
          { from: start, to: start },
          { from: start - 30 * day, to: start + day },
          { from: start - 60 * minute, to: start },
          { from: start + minute, to: start + 2 * minute },
        ]
        const found = yield* store.sums([
          { organization, slo: other, ranges: ranges.slice(0, 1) },
          { organization, slo: key, ranges },
          { organization, slo: { ...key, name: "gone" }, ranges },
          { organization, slo: key, ranges: [] },
          { organization, slo: key, ranges: ranges.slice(2, 3) },
        ])
        const totals = found.map(({ sums }) => sums.map((ofRange) => ofRange.map(({ total }) => total)))
        expect(totals).toEqual([[[]], [[1], [], [1503], [61], []], [[], [], [], [], []], [], [[1503]]])
      }),
    )

    test(
      "knows the latest minute of each objective that ever had a count",
      Effect.gen(function* () {
        yield* record([
          { objective: "good", at: start, good: 0, total: 0 },
          { objective: "good", at: start - minute, good: 1, total: 1 },
        ])
        yield* record([{ objective: "good", at: start - day, good: 1, total: 1 }])
        yield* record([{ objective: "great", at: start - day, good: 1, total: 1 }])
        const [found] = yield* (yield* CountStore).sums([{ organization, slo: key, ranges: [] }])
        expect(found?.latestAt).toEqual(
          new Map([
            ["good", start],
            ["great", start - day],
          ]),
        )
      }),
    )

    test(
      "spec/slos §2: judges all minutes by the definition as it is now",
      Effect.gen(function* () {
        const shares = [0.5, 0.9, 0.95, 1]
        const ages = [0, 45, 26 * 60, 29 * 24 * 60]
        yield* record(
          ages.flatMap((age) =>
            shares.map((share, index) => ({
              objective: "good",
              at: start - (age + index) * minute,
              good: 100 * share,
              total: 100,
            })),
          ),
        )
        const read = {
          organization,
          slo: key,
          ranges: [{ from: start - 30 * day - minute, to: start + minute }],
        }
        const goodMinutes = Effect.map(sumsOf(read), (sums) => sums.map(({ goodMinutes }) => goodMinutes))
        expect(yield* goodMinutes).toEqual([16])
        for (const [timeSliceTarget, expected] of [
          [0.95, 8],
          [0.9, 12],
          [1, 4],
        ] as const) {
          const objectives = [{ name: "good", target: 0.9, timeSliceTarget }]
          yield* putDefinitions(organization, [anSlo(key, { budgetingMethod: "Timeslices", objectives })])
          expect(yield* goodMinutes).toEqual([expected])
        }
        yield* record([{ objective: "good", at: start, good: 100, total: 100 }])
        expect(yield* goodMinutes).toEqual([5])
        yield* putDefinitions(organization, [anSlo(key)])
        expect(yield* goodMinutes).toEqual([16])
      }),
    )

    test(
      "keeps organizations and SLOs apart",
      Effect.gen(function* () {
        const other = { project: "shop", name: "other" }
        yield* putDefinitions(organization, [anSlo(other)])
        yield* putDefinitions("other", [anSlo(key)])
        yield* record([{ objective: "good", at: start, good: 1, total: 1 }])
        const ranges = [{ from: 0, to: start + day }]
        expect(yield* sumsOf({ organization, slo: other, ranges })).toEqual([])
        expect(yield* sumsOf({ organization: "other", slo: key, ranges })).toEqual([])
      }),
    )

    test(
      "keeps the counts when the definition is replaced, and drops them when it is removed",
      Effect.gen(function* () {
        yield* record([{ objective: "good", at: start, good: 1, total: 1 }])
        yield* putDefinitions(organization, [anSlo(key, { description: "new" })])
        expect(yield* sums(start, start + minute)).toHaveLength(1)
        yield* removeSlos(organization, [key])
        expect(yield* sums(start, start + minute)).toEqual([])
      }),
    )

    test(
      "makes the SLO due at once, and changes the revision with every recording that changes a minute",
      Effect.gen(function* () {
        const slos = yield* SloStore
        const first = yield* findForStatus(key)
        const status = { organization, slo: key, revision: first.revision, statuses: new Map() }
        expect(yield* slos.writeStatuses([status])).toEqual([true])
        expect(yield* slos.dueForStatus(Number.MAX_SAFE_INTEGER, 1, leaseMs)).toEqual([])
        yield* record([{ objective: "good", at: start, good: 1, total: 1 }])
        const [next] = yield* slos.dueForStatus(start, 1, leaseMs)
        yield* record([{ objective: "good", at: start, good: 0, total: 1 }])
        const last = yield* findForStatus(key)
        yield* record([{ objective: "good", at: start, good: 0, total: 1 }])
        expect(yield* findForStatus(key)).toEqual(last)
        expect(new Set([first.revision, next?.revision, last.revision]).size).toBe(3)
      }),
    )

    test(
      "spec/counts §1: keeps counts for 31 days",
      Effect.gen(function* () {
        yield* record([{ objective: "good", at: start, good: 1, total: 1 }])
        yield* TestClock.adjust("31 days")
        yield* record([{ objective: "great", at: start + 31 * day, good: 2, total: 2 }])
        expect(yield* sums(start, start + 32 * day)).toEqual([
          { objective: "good", good: 1, total: 1 },
          { objective: "great", good: 2, total: 2 },
        ])
      }),
    )

    it.effect.prop(
      "sums as adding up minute by minute does, whatever is recorded in which order and judged by which rules",
      [
        fc.uuid(),
        fc.array(fc.oneof(fc.array(counts, { maxLength: 20 }), rules), { maxLength: 10 }),
        fc.array(ranges, { maxLength: 10 }),
      ],
      ([organization, steps, ranges]) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(start)
          let slo = anSlo(key)
          yield* putDefinitions(organization, [slo])
          const store = yield* CountStore
          const kept = new Map<string, Count>()
          for (const step of steps) {
            if (!isCounts(step)) {
              slo = anSlo(key, step)
              yield* putDefinitions(organization, [slo])
              continue
            }
            expect(yield* store.record(organization, [{ slo: key, counts: step }])).toEqual([])
            for (const count of step) kept.set(`${count.objective} ${count.at}`, count)
          }
          const [found] = yield* store.sums([{ organization, slo: key, ranges, hasStates: true }])
          expect(found?.sums.map(rounded)).toEqual(
            ranges.map((range) => rounded(naiveSums(slo, [...kept.values()], range))),
          )
          expect(found?.latestAt).toEqual(naiveLatest([...kept.values()]))
          // As many as those of a series.
          const many = Array.from({ length: 17 }, () => ranges).flat()
          const [series] = yield* store.sums([{ organization, slo: key, ranges: many }])
          expect(series?.sums.map(withoutStates)).toEqual(
            many.map((range) => withoutStates(naiveSums(slo, [...kept.values()], range))),
          )
          expect(series?.latestAt).toEqual(found?.latestAt)
        }).pipe(Effect.provide(layer)),
      { fastCheck: { numRuns: 50 }, timeout: 120_000 },
    )
  })
}

const leaseMs = 30_000

// Close together, over the edges of hours, and far apart, over those of days and partitions.
const minutes = fc
  .tuple(fc.integer({ min: -200, max: 200 }), fc.constantFrom(0, 0, 0, 1, 2, 29))
  .map(([count, days]) => start + count * minute - days * day)
const counts = fc
  .record({ objective: fc.constantFrom("good", "great"), at: minutes, bad: fc.nat(3), good: fc.nat(9) })
  .map(({ objective, at, bad, good }): Count => ({ objective, at, good, total: good + bad }))
const ranges = fc.tuple(minutes, minutes).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))

type Rules = Pick<Slo["spec"], "budgetingMethod" | "objectives" | "composite" | "emptyTimeSlices">

const share = fc.constantFrom(0.5, 0.75, 0.9, 1)
const rules: fc.Arbitrary<Rules> = fc.oneof(
  fc.tuple(share, share, fc.boolean(), fc.boolean()).map(([good, great, isComposite, isCarried]): Rules => ({
    budgetingMethod: "Timeslices",
    ...(isCarried && { emptyTimeSlices: "lastState" }),
    objectives: [
      { name: "good", target: 0.9, timeSliceTarget: good },
      { name: "great", target: 0.9, timeSliceTarget: great },
    ],
    ...(isComposite && { composite: { target: 0.9 } }),
  })),
  fc
    .tuple(fc.constantFrom("gt" as const, "gte" as const), fc.constantFrom(1, 2.5, 5))
    .map(([op, value]): Rules => ({
      budgetingMethod: "Occurrences",
      objectives: anSlo(key, {
        objectives: [
          { name: "good", target: 0.9 },
          { name: "great", target: 0.8 },
        ],
      }).spec.objectives,
      composite: { target: 0.9, burnRateCondition: { value, op } },
    })),
)

const isCounts = (step: ReadonlyArray<Count> | Rules): step is ReadonlyArray<Count> => Array.isArray(step)

/** The slow and obvious way: one minute after the other. */
const naiveSums = (
  slo: Slo,
  kept: ReadonlyArray<Count>,
  { from, to }: { readonly from: number; readonly to: number },
): ReadonlyArray<CountSum> => {
  const within = kept.filter(({ at }) => at >= from && at < to)
  const { objectives, composite } = slo.spec
  const isGood = ({ objective, good, total }: Count): boolean => {
    const found = objectives.find(({ name }) => name === objective)
    const timeSliceTarget =
      found !== undefined && "timeSliceTarget" in found ? found.timeSliceTarget : undefined
    return timeSliceTarget === undefined || good / total >= timeSliceTarget
  }
  const isGoodOverall = (count: Count): boolean => {
    const condition = composite?.burnRateCondition
    if (condition === undefined) return isGood(count)
    const target = objectives.find(({ name }) => name === count.objective)?.target ?? 0
    const burnRate = Number(((1 - count.good / count.total) / (1 - target)).toPrecision(10))
    return condition.op === "gt" ? burnRate <= condition.value : burnRate < condition.value
  }
  const statesOf = (counts: ReadonlyArray<Count>, isGood: (count: Count) => boolean) =>
    slo.spec.emptyTimeSlices === "lastState" ? { states: naiveStates(counts, isGood) } : {}
  const sumsOf = (objective: string, counts: ReadonlyArray<Count>): ReadonlyArray<CountSum> => {
    if (counts.length === 0) return []
    const withEvents = counts.filter(({ total }) => total > 0)
    return [
      {
        objective,
        good: counts.reduce((sum, { good }) => sum + good, 0),
        total: counts.reduce((sum, { total }) => sum + total, 0),
        minutes: withEvents.length,
        goodShares: withEvents.reduce((sum, { good, total }) => sum + good / total, 0),
        goodMinutes: withEvents.filter(isGood).length,
        ...statesOf(counts, isGood),
      },
    ]
  }
  const overall = [...new Set(within.map(({ at }) => at))].map((at): Count => {
    const ofMinute = within.filter((count) => count.at === at && count.total > 0)
    const isMinuteGood = ofMinute.length > 0 && ofMinute.every(isGoodOverall)
    return { objective: "", at, good: isMinuteGood ? 1 : 0, total: Math.min(1, ofMinute.length) }
  })
  return [
    ...["good", "great"].flatMap((name) =>
      sumsOf(
        name,
        within.filter(({ objective }) => objective === name),
      ),
    ),
    ...(composite === undefined
      ? []
      : overallSums(overall).map((sums) => ({ ...sums, ...statesOf(overall, ({ good }) => good === 1) }))),
  ]
}

/** A minute of the legacy composite is one event; it is as good as it says. */
const overallSums = (minutes: ReadonlyArray<Count>): ReadonlyArray<CountSum> => {
  const good = minutes.reduce((sum, count) => sum + count.good, 0)
  const total = minutes.reduce((sum, count) => sum + count.total, 0)
  return minutes.length === 0
    ? []
    : [{ objective: "", good, total, minutes: total, goodShares: good, goodMinutes: good }]
}

const naiveStates = (counts: ReadonlyArray<Count>, isGood: (count: Count) => boolean): MinuteStates => {
  const events = counts.filter(({ total }) => total > 0).toSorted((a, b) => a.at - b.at)
  const [first, last] = [events[0], events.at(-1)]
  if (first === undefined || last === undefined) return { counted: counts.length, carriedBad: 0 }
  let carriedBad = 0
  for (const [index, each] of events.entries()) {
    const until = Math.min(events[index + 1]?.at ?? each.at, each.at + day + minute)
    if (!isGood(each)) carriedBad += Math.max(0, (until - each.at) / minute - 1)
  }
  return {
    counted: counts.length,
    carriedBad,
    events: { firstAt: first.at, lastAt: last.at, isLastGood: isGood(last) },
  }
}

const naiveLatest = (kept: ReadonlyArray<Count>): ReadonlyMap<string, number> =>
  new Map(
    ["good", "great"].flatMap((name) => {
      const times = kept.filter(({ objective }) => objective === name).map(({ at }) => at)
      return times.length === 0 ? [] : [[name, Math.max(...times)] as const]
    }),
  )

/** In one order, and without the noise of sums of fractions that were added up in another order. */
const rounded = (sums: ReadonlyArray<CountSum>): ReadonlyArray<CountSum> =>
  sums
    .map((sum) => ({ ...sum, goodShares: Number(sum.goodShares.toFixed(9)) }))
    .toSorted((a, b) => (a.objective < b.objective ? -1 : 1))

const withoutStates = (sums: ReadonlyArray<CountSum>) =>
  rounded(sums).map((sum) => ({ ...sum, states: undefined }))

const record = (counts: ReadonlyArray<Count>) =>
  Effect.flatMap(CountStore, (store) =>
    Effect.map(store.record(organization, [{ slo: key, counts }]), (missing) => expect(missing).toEqual([])),
  )

const sumsOf = (read: CountRead) =>
  Effect.flatMap(CountStore, (store) =>
    Effect.map(store.sums([read]), ([found]) =>
      (found?.sums[0] ?? []).toSorted((a, b) => (a.objective < b.objective ? -1 : 1)),
    ),
  )

/** Good and total alone. */
const sums = (from: number, to: number) =>
  Effect.map(sumsOf({ organization, slo: key, ranges: [{ from, to }] }), (sums) =>
    sums.map(({ objective, good, total }) => ({ objective, good, total })),
  )

const findForStatus = (key: ProjectKey) =>
  Effect.flatMap(SloStore, (store) =>
    Effect.flatMap(store.findForStatus(organization, key), Effect.fromOption),
  )
