import { HashNode } from "@tocsin/adapters-http/crypto"
import { MemoryStores } from "@tocsin/adapters-memory"
import { minutesReadOf } from "@tocsin/domain/adapter"
import { durationOf } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import { explainPolicy } from "@tocsin/domain/features/backtest"
import {
  CountStore,
  DefinitionStore,
  IndicatorStore,
  MetricsAreUnavailable,
  MetricSource,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { aGroupedSlo, aMethod, anSlo, putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import {
  alertsOf,
  aPolicy,
  at,
  hook,
  organization,
  pager,
  policyKey,
  sloKey,
  start,
  watch,
} from "../../../../test/alerting/Incident.ts"
import type { Condition } from "../../src/alert-policy/AlertPolicy.ts"
import { planPolls, settlePoll } from "../../src/data-source/PollIndicator.ts"
import type { PollPlan } from "../../src/data-source/PollPlan.ts"
import type { ReadCounts } from "../../src/data-source/ReadCounts.ts"
import { readCountsTogether } from "../../src/data-source/ReadTogether.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const stores = Layer.mergeAll(MemoryStores.layer, HashNode.layer)

/** The bad events of 100 in the minute that begins then, in Unix milliseconds; absent: it has no value. */
type World = (at: number, group: string) => number | undefined

const source = (world: World, groups: ReadonlyArray<string> = [""]) =>
  Layer.succeed(MetricSource, {
    readGaps: () => Effect.succeed([]),
    readNames: () => Effect.succeed({ names: [], isComplete: true }),
    readSeries: ({ expression, from, to, groupBy }) =>
      Effect.sync(() =>
        groups.flatMap((group) => {
          const samples = []
          for (let end = from; end <= to; end += minute) {
            const bad = world(end - minute, group)
            if (bad === undefined) continue
            const value = expression.includes("good") ? 100 - bad : 100
            samples.push({ at: end, value, ...(groupBy && { group: [group] }) })
          }
          return samples
        }),
      ),
  })

const test = (
  what: string,
  world: Layer.Layer<MetricSource>,
  effect: Effect.Effect<void, unknown, Layer.Success<typeof stores> | MetricSource | Scope.Scope>,
): void =>
  it.effect(what, () =>
    Effect.andThen(TestClock.setTime(start), effect).pipe(Effect.provide(Layer.merge(stores, world))),
  )

const indicator = { prometheus: { url: sourceUrlOf("http://a.example.com"), good: "good", total: "total" } }

const sloOf = (spec: Partial<Slo["spec"]>, name = sloKey.name): Slo =>
  anSlo(
    { ...sloKey, name },
    {
      timeWindow: { unit: "Day", count: 28 },
      objectives: [{ name: "good", target: 0.99 }],
      alertPolicies: [policyKey.name],
      indicator,
      ...spec,
    },
  )

const state = Effect.flatMap(IndicatorStore, (store) =>
  Effect.map(store.find(organization, sloKey), Option.getOrThrow),
)

/** Reads the next part, unless it is one of those that fail. */
const pollOnce = (failing?: PollPlan["kind"], change = (read: ReadCounts): ReadCounts => read) =>
  Effect.gen(function* () {
    const slo = Option.getOrThrow(yield* (yield* DefinitionStore).find(organization, "SLO", sloKey))
    for (const planned of yield* planPolls([{ organization, slo, state: yield* state }])) {
      const { range, read, kind } = planned
      const [result] =
        range === undefined
          ? []
          : kind === failing
            ? [Result.fail(new MetricsAreUnavailable({ reason: "timeout", detail: "slow" }))]
            : yield* readCountsTogether([{ ...read, range }])
      yield* settlePoll(planned, result && Result.map(result, change))
    }
  })

/** Reads everything that is missing. */
const readAll = Effect.gen(function* () {
  do yield* pollOnce()
  while ((yield* state).recent !== undefined)
})

const pass = (minutes: number, poll: typeof readAll = readAll) =>
  Effect.gen(function* () {
    for (let passed = 0; passed < minutes; passed++) {
      yield* TestClock.adjust("1 minute")
      yield* poll
    }
    yield* TestClock.adjust("30 seconds")
  })

const burned: Condition = { measurement: "burnedBudget", op: "gte", value: 0.9 }

/** The SLO `composed` of the objective of `sloKey`. */
const composedOf = (spec: Partial<Slo["spec"]> = {}): Slo => {
  const composite = {
    maxDelay: durationOf("5m"),
    components: [{ slo: sloKey, objective: "good", weight: 1, whenDelayed: "Ignore" as const }],
  }
  const { indicator: _indicator, ...composed } = sloOf({
    objectives: [{ name: "all", target: 0.99, composite }],
    ...spec,
  }).spec
  return anSlo({ ...sloKey, name: "composed" }, composed)
}

/** The store while what was read of recent minutes cannot be noted, as after a crash. */
const withoutProgress = Effect.map(IndicatorStore, (store): IndicatorStore["Service"] => ({
  ...store,
  settle: (...args) => {
    const { recent } = args[3]
    return recent !== undefined && recent.to > recent.from ? Effect.die("gone") : store.settle(...args)
  },
}))

const fast: Condition = {
  measurement: "averageBurnRate",
  op: "gte",
  value: 14.4,
  alertingWindow: durationOf("5m"),
}

describe("recent minutes that are read before older ones", () => {
  test(
    "spec/alerting §12: let a composite over them page for conditions that measure only these",
    source((at) => (at < start - 10 * minute ? 0 : 50)),
    Effect.gen(function* () {
      yield* putDefinitions(organization, [
        aMethod(hook),
        aMethod(pager),
        aPolicy([burned]),
        aPolicy([fast], {}, "fast"),
        sloOf({ alertPolicies: [] }),
        composedOf({ alertPolicies: [policyKey.name, "fast"] }),
      ])
      yield* watch
      yield* pollOnce()
      expect((yield* state).recent?.from).toBeGreaterThan(start - day)
      yield* pass(2, pollOnce("history"))
      // Of the last six hours, 11 minutes that are half bad are more than the budget of all.
      expect([yield* alertsOf(), (yield* alertsOf("fast")).length]).toEqual([[], 1])
      yield* pass(2)
      expect((yield* state).recent).toBe(undefined)
      expect([yield* alertsOf(), (yield* alertsOf("fast")).length]).toEqual([[], 1])
    }),
  )

  test(
    "spec/alerting §12: are known to be, for composites and as the measured ones, after a crash before they were noted",
    source((at) => (at < start - 2 * day || at >= start - 10 * minute ? 50 : 0)),
    Effect.gen(function* () {
      yield* putDefinitions(organization, [
        aMethod(hook),
        aMethod(pager),
        aPolicy([burned]),
        aPolicy([burned], {}, "composed"),
        sloOf({}),
        composedOf({ alertPolicies: ["composed"] }),
      ])
      yield* watch
      const crash = pollOnce().pipe(Effect.provideServiceEffect(IndicatorStore, withoutProgress))
      yield* Effect.exit(crash)
      const minutes = Effect.flatMap(CountStore, (store) =>
        Effect.map(
          store.sums([{ organization, slo: sloKey, ranges: [{ from: start - day, to: start }] }]),
          ([found]) => found?.sums[0]?.[0]?.minutes,
        ),
      )
      expect(yield* minutes).toBeGreaterThan(360)
      // Of the last six hours, 9 minutes that are half bad are more than the budget of all.
      yield* TestClock.adjust("2 minutes")
      expect([yield* alertsOf("composed"), yield* alertsOf()]).toEqual([[], []])
      yield* readAll
      yield* TestClock.adjust("1 minute")
      expect((yield* alertsOf()).map(([status]) => status)).toEqual(["triggered"])
    }),
  )

  test(
    "spec/alerting §12: are none while a server of the version before reads the oldest first, which no composite measures alone",
    source((at) => (at < start - 10 * minute ? 0 : 50)),
    Effect.gen(function* () {
      yield* putDefinitions(organization, [
        aMethod(hook),
        aMethod(pager),
        aPolicy([burned]),
        sloOf({ alertPolicies: [] }),
        composedOf(),
      ])
      yield* watch
      yield* pollOnce()
      const store = yield* IndicatorStore
      // It knows nothing of recent minutes, and has read the first days.
      const { recent: _recent, indicator, ...older } = yield* state
      const settled = { ...older, readTo: start - 29 * day, succeededAt: start, dueAt: start }
      expect(yield* store.settle(organization, sloKey, yield* state, settled)).toBe(true)
      expect((yield* state).indicator).toEqual(indicator)
      // Of what is read, the last minutes are more than the budget of all.
      yield* TestClock.adjust("2 minutes")
      expect(yield* alertsOf()).toEqual([])
      yield* readAll
      yield* TestClock.adjust("2 minutes")
      expect(yield* alertsOf()).toEqual([])
    }),
  )

  test(
    "spec/alerting §24: hold nothing in explanations of earlier minutes that are read, neither of the SLO nor of a composite over it",
    source(() => 50),
    Effect.gen(function* () {
      yield* putDefinitions(organization, [aPolicy([fast], { alertMethods: [] }), sloOf({}), composedOf()])
      yield* readAll
      yield* TestClock.setTime(start + 30 * hour)
      yield* pollOnce()
      yield* watch
      yield* TestClock.adjust("1 minute")
      const { readTo, recent: { from = 0 } = {} } = yield* state
      expect([readTo, from]).toEqual([start - minute, start + 23 * hour])
      const heldAt = (name: string, at: number) =>
        Effect.map(
          explainPolicy(organization, {
            ...sloKey,
            name,
            alertPolicy: policyKey.name,
            from: new Date(at - minute).toISOString(),
            to: new Date(at).toISOString(),
          }),
          ({ minutes }) =>
            minutes.flatMap(({ objectives }) =>
              objectives.map(({ groups, held }) => [groups.flat().every(({ isMet }) => isMet), held?.reason]),
            ),
        )
      for (const name of [sloKey.name, "composed"]) {
        expect([name, yield* heldAt(name, readTo)]).toEqual([name, [[true, undefined]]])
        expect([name, yield* heldAt(name, from + 2 * minute)]).toEqual([name, [[true, "source_behind"]]])
        expect([name, yield* heldAt(name, from + hour)]).toEqual([name, [[true, undefined]]])
      }
    }),
  )

  test(
    "spec/alerting §4: are without data only if data is missing in them, whatever is missing before them",
    source((at) => (at < start + 22 * hour + 45 * minute ? 0 : undefined)),
    Effect.gen(function* () {
      const noData = { noData: { alertAfter: durationOf("8h"), alertMethods: [hook] } }
      yield* putDefinitions(organization, [
        aMethod(hook),
        sloOf({ alertPolicies: [], anomalyConfig: noData }),
      ])
      yield* readAll
      yield* TestClock.setTime(start + 30 * hour)
      yield* watch
      yield* pass(5, pollOnce("history"))
      expect(yield* state).toMatchObject({ readTo: start - minute, recent: { from: start + 24 * hour } })
      expect(yield* alertsOf(null)).toEqual([])
      yield* TestClock.adjust("2 hours")
      yield* pass(3, pollOnce("history"))
      expect((yield* alertsOf(null)).map(([status]) => status)).toEqual(["triggered"])
    }),
  )

  test(
    "spec/data-sources §13: let no group go that may have counts in older ones",
    source((at, group) => (group === "us" ? 0 : at < start + 8 * day ? 0 : undefined), ["eu", "us"]),
    Effect.gen(function* () {
      const groups = Effect.map(
        Effect.flatMap(DefinitionStore, (store) => store.find(organization, "SLO", sloKey)),
        (found) => Option.getOrThrow(found).definition.spec.groups,
      )
      yield* putDefinitions(organization, [aGroupedSlo()])
      yield* readAll
      expect(yield* groups).toEqual([["eu"], ["us"]])
      yield* TestClock.setTime(start + 9 * day)
      yield* pollOnce("recent")
      yield* pollOnce("recent")
      let parts = 0
      do {
        yield* pollOnce()
        parts++
        expect([parts, yield* groups]).toEqual([parts, [["eu"], ["us"]]])
      } while ((yield* state).recent !== undefined)
      expect(parts).toBeGreaterThan(3)
      yield* TestClock.setTime(start + 17 * day)
      yield* readAll
      expect(yield* groups).toEqual([["us"]])
    }),
  )

  let isChanged = false
  test(
    "spec/alerting §12: of a changed indicator, older ones are a change of the past up to where the one before was counted",
    source((at) =>
      isChanged && at < start - 10 * day ? 4 : isChanged || at >= start - hour ? 0 : undefined,
    ),
    Effect.gen(function* () {
      yield* putDefinitions(organization, [aMethod(hook), aMethod(pager), aPolicy([burned]), sloOf({})])
      yield* watch
      yield* readAll
      yield* pass(2)
      isChanged = true
      yield* putDefinitions(organization, [
        sloOf({ indicator: { prometheus: { ...indicator.prometheus, total: "sum(total)" } } }),
      ])
      yield* pass(5)
      expect((yield* state).readTo).toBe(at(7))
      expect(yield* alertsOf()).toEqual([])
    }),
  )

  test(
    "spec/data-sources §2: have the problem of the last older ones, which has no other place",
    source(() => 0),
    Effect.gen(function* () {
      yield* putDefinitions(organization, [sloOf({ alertPolicies: [] })])
      const invalid = (read: ReadCounts): ReadCounts => ({
        ...read,
        problem: { reason: "value_invalid", detail: "a value is negative" },
      })
      yield* pollOnce()
      do yield* pollOnce(undefined, invalid)
      while ((yield* state).recent !== undefined)
      expect((yield* state).problem).toMatchObject({ reason: "value_invalid" })
      yield* pass(2)
      expect((yield* state).problem).toBe(undefined)
    }),
  )

  it("spec/data-sources §2: are all that is read until the older ones are, and then everything is up to their end", () => {
    const recent = { from: at(0), to: at(60), measuredTo: 0, history: { failures: 0 } }
    expect(minutesReadOf({ readTo: 7 })).toEqual({ readTo: 7 })
    expect(minutesReadOf({ readTo: at(-1), recent })).toEqual({
      readTo: at(-1),
      recent: { from: at(0), to: at(60) },
    })
    expect(minutesReadOf({ readTo: at(0), recent })).toEqual({ readTo: at(60) })
    expect(minutesReadOf({ readTo: at(70), recent })).toEqual({ readTo: at(70) })
  })
})
