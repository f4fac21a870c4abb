import { HashNode } from "@tocsin/adapters-http/crypto"
import { MemoryStores } from "@tocsin/adapters-memory"
import type { Condition } from "../../src/alert-policy/AlertPolicy.ts"
import { applyDefinitions, definitionToJson, participantsLayer } from "@tocsin/domain"
import { groupObjectiveName } from "@tocsin/domain/adapter"
import { durationOf } from "@tocsin/domain/codec"
import { objectivesOf } from "@tocsin/domain/definitions"
import { pollIndicators } from "@tocsin/domain/features/data-source"
import { AlertStore, DefinitionStore, IndicatorStore, MetricSource, SloStore } from "@tocsin/domain/ports"
import { selectGroups } from "../../src/data-source/KeepGroups.ts"
import { histogramExpressions } from "../../src/slo/HistogramExpressions.ts"
import { planPolls, settlePoll } from "../../src/data-source/PollIndicator.ts"
import { readCountsTogether } from "../../src/data-source/ReadTogether.ts"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { objectiveGroupsContract } from "@tocsin/testing/contracts"
import { aGroupedSlo, aMethod, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { changed, codesOf, anSlo, decodeOptions } from "../../../../test/definition/valid-definitions.ts"
import {
  alertsOf,
  aPolicy,
  hook,
  organization,
  pager,
  policyKey,
  sloKey,
  start,
  watch,
} from "../../../../test/alerting/Incident.ts"

const stores = Layer.mergeAll(MemoryStores.layer, HashNode.layer, participantsLayer([]))

objectiveGroupsContract("in memory", stores)

/** The good events of 10 in a minute of a group; absent: it has no series then. */
type World = (region: string, minute: number) => number | undefined

const source = (regions: ReadonlyArray<string>, world: World) =>
  Layer.succeed(MetricSource, {
    readGaps: () => Effect.succeed([]),
    readNames: () => Effect.succeed({ names: [], isComplete: true }),
    readSeries: ({ expression, from, to, groupBy }) =>
      Effect.sync(() => {
        expect(groupBy).toEqual(["region"])
        return regions.flatMap((region) => {
          const samples = []
          for (let at = from; at <= to; at += 60_000) {
            const good = world(region, (at - start) / 60_000 - 1)
            if (good === undefined) continue
            samples.push({ at, value: expression.includes("good") ? good : 10, group: [region] })
          }
          return samples
        })
      }),
  })

/** Polls each quarter of a minute instead of every second. */
const poll = Effect.flatMap(Clock.Clock, (clock) => {
  const slower: Clock.Clock = Object.create(clock, {
    sleep: { value: () => clock.sleep(Duration.seconds(15)) },
  })
  return Effect.forkScoped(Effect.provideService(pollIndicators, Clock.Clock, slower))
})

const objectives = Effect.gen(function* () {
  const record = Option.getOrThrow(yield* (yield* SloStore).find(organization, sloKey))
  return objectivesOf(record.slo).map(({ name }) => [
    name,
    record.statuses.get(name)?.errorBudgetRemainingPercentage,
  ])
})

const burns: Condition = {
  measurement: "averageBurnRate",
  op: "gte",
  value: 5,
  alertingWindow: durationOf("10m"),
}

const hours = { unit: "Minute" as const, count: 60 }

describe("an SLO by groups", () => {
  it.effect("spec/data-sources §13: each group has its own budget and its own alerts", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* putDefinitions(organization, [
        aMethod(hook),
        aMethod(pager),
        aPolicy([burns]),
        aGroupedSlo({ timeWindow: hours, alertPolicies: [policyKey.name] }),
      ])
      yield* watch
      yield* poll
      for (let minute = 0; minute < 60; minute++) yield* TestClock.adjust("1 minute")
      expect((yield* objectives).map(([name]) => name)).toEqual(['good{region="eu"}', 'good{region="us"}'])
      const [[, ofEu] = [], [, ofUs] = []] = yield* objectives
      expect(ofEu).toBeLessThan(0)
      expect(ofUs).toBe(1)
      const { items } = yield* (yield* AlertStore).list(organization, {}, { limit: 10 })
      expect(items.map(({ subject }) => subject.objective)).toEqual(['good{region="eu"}'])
      expect((yield* alertsOf())[0]?.slice(0, 2)).toEqual(["resolved", 25.5])
    }).pipe(
      Effect.provide(
        Layer.merge(
          stores,
          source(["eu", "us"], (region, minute) => (region === "eu" && minute >= 20 && minute < 35 ? 0 : 10)),
        ),
      ),
    ),
  )

  it.effect("spec/data-sources §13: a group that appears, bad in its past, pages for nothing before it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* putDefinitions(organization, [
        aMethod(hook),
        aMethod(pager),
        aPolicy([burns]),
        aGroupedSlo({ timeWindow: hours, alertPolicies: [policyKey.name] }),
      ])
      yield* watch
      yield* poll
      for (let minute = 0; minute < 20; minute++) yield* TestClock.adjust("1 minute")
      expect((yield* objectives).map(([name]) => name)).toEqual(['good{region="eu"}'])
      for (let minute = 0; minute < 20; minute++) yield* TestClock.adjust("1 minute")
      expect((yield* objectives).map(([name]) => name)).toEqual(['good{region="eu"}', 'good{region="us"}'])
      expect(yield* alertsOf()).toEqual([])
      // Without its series, its status stays that of its counts until they leave the time window, and the group goes after that.
      for (let hour = 0; hour < 27; hour++) yield* TestClock.adjust("1 hour")
      expect((yield* objectives).map(([name]) => name)).toEqual(['good{region="eu"}'])
    }).pipe(
      Effect.provide(
        Layer.merge(
          stores,
          source(["eu", "us"], (region, minute) =>
            region === "eu" ? 10 : minute >= 25 && minute < 40 ? 10 : undefined,
          ),
        ),
      ),
    ),
  )

  it.effect(
    "spec/data-sources §13: a group stays when it is read again after longer than the time window",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        yield* putDefinitions(organization, [aGroupedSlo({ timeWindow: hours })])
        const pollOnce = Effect.gen(function* () {
          const slo = Option.getOrThrow(yield* (yield* DefinitionStore).find(organization, "SLO", sloKey))
          const state = Option.getOrThrow(yield* (yield* IndicatorStore).find(organization, sloKey))
          for (const planned of yield* planPolls([{ organization, slo, state }])) {
            const { range, read } = planned
            const [result] = range === undefined ? [] : yield* readCountsTogether([{ ...read, range }])
            yield* settlePoll(planned, result)
          }
          return (yield* objectives).map(([name]) => name)
        })
        yield* TestClock.adjust("30 minutes")
        yield* pollOnce
        yield* TestClock.adjust("72 hours")
        for (let part = 0; part < 4; part++) {
          expect([part, yield* pollOnce]).toEqual([part, ['good{region="eu"}']])
        }
      }).pipe(
        Effect.provide(
          Layer.merge(
            stores,
            source(["eu"], () => 10),
          ),
        ),
      ),
  )

  it.effect("spec/data-sources §13: more groups than an SLO can have are reported, and not counted", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* putDefinitions(organization, [aGroupedSlo({ timeWindow: hours })])
      yield* poll
      for (let minute = 0; minute < 35; minute++) yield* TestClock.adjust("1 minute")
      expect(yield* objectives).toHaveLength(100)
      const state = Option.getOrThrow(yield* (yield* IndicatorStore).find(organization, sloKey))
      expect(state.problem).toMatchObject({
        reason: "groups_rejected",
        detail:
          "region has more than 100 groups, as an SLO has at most 100 objectives in all; 3 are not counted. Group by fewer values, or delete objectives",
      })
    }).pipe(
      Effect.provide(
        Layer.merge(
          stores,
          source(
            Array.from({ length: 103 }, (_, n) => `r${n}`),
            (_, minute) => (minute >= -5 ? 10 : undefined),
          ),
        ),
      ),
    ),
  )

  it.effect("spec/data-sources §13: applying an SLO again keeps its groups, unless groupBy has changed", () =>
    Effect.gen(function* () {
      const slo = aGroupedSlo()
      const { groups: _, ...spec } = slo.spec
      yield* putDefinitions(organization, [
        { kind: "Project", metadata: { name: "shop" }, spec: {} },
        { kind: "Service", metadata: { project: "shop", name: "web" }, spec: {} },
        { ...slo, spec: { ...spec, groups: [["eu"]] } },
      ] as never)
      const apply = (given: typeof slo) =>
        Effect.map(
          applyDefinitions(organization, [definitionToJson(given, "tocsin")], decodeOptions),
          (applied) => applied.map(({ outcome }) => outcome),
        )
      const groups = Effect.map(
        Effect.flatMap(DefinitionStore, (store) => store.find(organization, "SLO", sloKey)),
        (found) => Option.getOrThrow(found).definition.spec.groups,
      )
      expect(yield* apply(slo)).toEqual(["unchanged"])
      const stricter = aGroupedSlo({ objectives: [{ name: "good", target: 0.99 }] })
      expect(yield* apply(stricter)).toEqual(["updated"])
      expect(yield* groups).toEqual([["eu"]])
      const prometheus = { ...slo.spec.indicator?.prometheus, groupBy: ["region", "tier"] }
      expect(yield* apply(aGroupedSlo({ indicator: { prometheus } }))).toEqual(["updated"])
      expect(yield* groups).toBeUndefined()
    }).pipe(Effect.provide(stores)),
  )

  it("spec/data-sources §13: groupBy names labels, and goes without composites", () => {
    const url = "https://prometheus.example.com"
    const prometheus = { url, good: "a", total: "b", groupBy: ["region"] }
    const slo = changed(anSlo(), "spec.indicator", { prometheus })
    expect(codesOf(slo)).toEqual([])
    for (const [groupBy, code] of [
      [[], "too_few"],
      [["a", "b", "c", "d", "e", "f", "g", "h"], undefined],
      [["a", "b", "c", "d", "e", "f", "g", "h", "i"], "too_many"],
      [["a", "a"], "duplicate"],
      [["a-b"], "invalid_format"],
    ] as const) {
      const [[, found] = []] = codesOf(changed(slo, "spec.indicator.prometheus.groupBy", groupBy))
      expect([groupBy, found]).toEqual([groupBy, code])
    }
    const composite = { target: 0.9, burnRateCondition: { value: 2, op: "gt" } }
    const two = changed(slo, "spec.objectives", [
      { name: "a", target: 0.9 },
      { name: "b", target: 0.9 },
    ])
    expect(codesOf(changed(two, "spec.composite", composite))).toEqual([
      ["spec.indicator.prometheus.groupBy", "not_allowed_value"],
    ])
    expect(codesOf(changed(slo, "spec.groups", [["eu"]]))).toEqual([["spec.groups", "unknown_property"]])
  })

  it("spec/data-sources §13: a group is not counted if its objective has too long a name, unless it is known", () => {
    const groupBy = Array.from({ length: 8 }, (_, index) => `label_${index}`)
    const { indicator } = aGroupedSlo().spec
    const slo = aGroupedSlo({ indicator: { prometheus: { ...indicator?.prometheus, groupBy } } })
    const groupOf = (value: string) => groupBy.map(() => value)
    const [short, wide] = [groupOf("x".repeat(100)), groupOf("\u{1f514}".repeat(30))]
    expect(selectGroups(slo, [short])).toEqual({ groups: [short], problem: undefined })
    const { groups, problem } = selectGroups(slo, [short, wide])
    expect(groups).toEqual([short])
    expect(problem).toMatch(/^the values of label_0, .* are longer than 1000 bytes together/)
    const known = { ...slo, spec: { ...slo.spec, groups: [wide] } }
    expect(selectGroups(known, [wide])).toEqual({ groups: [wide], problem: undefined })
  })

  it("spec/data-sources §13: no two groups of an SLO have an objective of the same name", () => {
    const objective = fc.constantFrom("a", "b", "a-b")
    const values = fc.tuple(fc.string(), fc.string())
    fc.assert(
      fc.property(objective, values, objective, values, (one, ofOne, other, ofOther) => {
        const labels = ["x", "y"]
        const isSame = groupObjectiveName(one, labels, ofOne) === groupObjectiveName(other, labels, ofOther)
        expect(isSame).toBe(one === other && ofOne[0] === ofOther[0] && ofOne[1] === ofOther[1])
      }),
    )
    expect(groupObjectiveName("taken", ["region", "tier"], ["eu", '"1"'])).toBe(
      String.raw`taken{region="eu",tier="\"1\""}`,
    )
  })

  it("spec/data-sources §13: known groups come first, and a value that is too long is reported", () => {
    const slo = aGroupedSlo()
    const known = { ...slo, spec: { ...slo.spec, groups: [["z"]] } }
    expect(selectGroups(known, [["a"], ["z"]])).toEqual({ groups: [["z"], ["a"]], problem: undefined })
    const { groups, problem } = selectGroups(slo, [["x".repeat(101)], ["a\u0000"], ["a"]])
    expect(groups).toEqual([["a"]])
    expect(problem).toBe("a value of region is longer than 100 characters, and is not counted")
  })

  it("spec/data-sources §13: histograms are summed by the labels", () => {
    const { goodOf, total } = histogramExpressions('latency{job="a"}', "classic", ["region", "tier"])
    expect(total).toBe('sum by (region, tier) (increase(latency_count{job="a"}[1m]))')
    expect(goodOf(0.5)).toContain("sum by (region, tier) (increase(latency_bucket")
  })
})
