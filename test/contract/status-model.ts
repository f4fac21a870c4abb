import { refreshStatus } from "@tocsin/domain"
import { anSlo, calendarOf, putDefinitions } from "@tocsin/testing/fixtures"
import { durationOf } from "@tocsin/domain/codec"
import {
  budgetingMethods,
  type Component,
  isCompositeObjective,
  type Objective,
  type Slo,
} from "@tocsin/domain/definitions"
import { type AlertStore, type Count, CountStore, type DefinitionStore, SloStore } from "@tocsin/domain/ports"
import type { TimeWindow } from "@tocsin/domain/slo"
import { sloToJson } from "@tocsin/adapters-http/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ModelWorld, modelStatus } from "../slo/StatusModel.ts"

const minute = 60_000
const day = 24 * 60 * minute
const project = "shop"

const targets = fc.constantFrom(0, 0.5, 0.9, 0.99)
const shares = fc.constantFrom(0.25, 0.5, 0.9, 1)

const windows: fc.Arbitrary<TimeWindow> = fc.oneof(
  fc.record({ unit: fc.constant("Minute" as const), count: fc.integer({ min: 5, max: 200 }) }),
  fc.record({ unit: fc.constant("Hour" as const), count: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ unit: fc.constant("Day" as const), count: fc.integer({ min: 1, max: 31 }) }),
  fc.record({
    unit: fc.constantFrom("Day" as const, "Week" as const, "Month" as const),
    count: fc.constantFrom(1, 1, 2),
    calendar: fc
      .record({
        startTime: fc.constantFrom("2026-01-31 00:00:00", "2025-12-01 02:30:00", "2027-06-07 17:59:00"),
        timeZone: fc.constantFrom("UTC", "Europe/Paris", "America/St_Johns", "Australia/Lord_Howe"),
      })
      .map(calendarOf),
  }),
)

const shortWindows: fc.Arbitrary<TimeWindow> = fc.oneof(
  fc.record({ unit: fc.constant("Minute" as const), count: fc.integer({ min: 5, max: 200 }) }),
  fc.record({ unit: fc.constant("Hour" as const), count: fc.integer({ min: 1, max: 72 }) }),
  fc.record({
    unit: fc.constant("Day" as const),
    count: fc.constantFrom(1, 2),
    calendar: fc.constant(calendarOf({ startTime: "2025-12-01 02:30:00", timeZone: "Europe/Paris" })),
  }),
)

const component: fc.Arbitrary<Component> = fc.record({
  slo: fc.constantFrom("a", "b").map((name) => ({ project, name })),
  objective: fc.constantFrom("good", "great"),
  weight: fc.constantFrom(0.1, 1, 3),
  whenDelayed: fc.constantFrom("CountAsGood", "CountAsBad", "Ignore"),
})

const plainNames = ["good", "great"]

const objectivesOf = (method: Slo["spec"]["budgetingMethod"], names = plainNames) =>
  fc.tuple(
    ...names.map((name): fc.Arbitrary<Objective> =>
      fc.tuple(targets, shares).map(([target, share]) => ({
        name,
        target,
        ...(method === "Timeslices" && { timeSliceTarget: share }),
      })),
    ),
  )

const compositeObjective: fc.Arbitrary<Objective> = fc.record({
  name: fc.constant("whole"),
  target: targets,
  composite: fc.record({
    maxDelay: fc.constantFrom("1m", "30m", "1h30m").map(durationOf),
    components: fc.uniqueArray(component, {
      minLength: 1,
      maxLength: 4,
      selector: ({ slo, objective }) => `${slo.name} ${objective}`,
    }),
  }),
})

/** What minutes without data or events count as, with either method. */
const emptyMinutes: fc.Arbitrary<Partial<Slo["spec"]>> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(...budgetingMethods),
      shortWindows,
      fc.constantFrom("good", "bad", "ignored"),
      fc.constantFrom("good", "bad", "ignored"),
      fc.boolean(),
      fc.constantFrom(undefined, "good" as const, "ignored" as const),
    )
    .chain(([budgetingMethod, timeWindow, good, great, treatZeroAsNoData, emptyTimeSlices]) =>
      objectivesOf(budgetingMethod).map((objectives): Partial<Slo["spec"]> => ({
        budgetingMethod,
        timeWindow,
        objectives: objectives.flatMap((each, index) =>
          isCompositeObjective(each) ? [] : [{ ...each, absent: index === 0 ? good : great }],
        ),
        ...(budgetingMethod === "Timeslices" && emptyTimeSlices !== undefined && { emptyTimeSlices }),
        anomalyConfig: {
          noData: { alertMethods: [], alertAfter: durationOf("15m"), treatZeroAsNoData },
        },
      })),
    ),
  fc
    .tuple(shortWindows, objectivesOf("Timeslices"), fc.constantFrom("lastState", "ignored"), fc.boolean())
    .map(([timeWindow, objectives, emptyTimeSlices, isComposite]): Partial<Slo["spec"]> => ({
      budgetingMethod: "Timeslices",
      timeWindow,
      objectives,
      emptyTimeSlices,
      ...(isComposite && { composite: { target: 0.9 } }),
    })),
)

/** Plain objectives with either method and perhaps the legacy composite, or plain and composite ones. */
const spec: fc.Arbitrary<Partial<Slo["spec"]>> = fc.oneof(
  emptyMinutes,
  fc.constantFrom(...budgetingMethods).chain((budgetingMethod) =>
    fc.record(
      {
        budgetingMethod: fc.constant(budgetingMethod),
        timeWindow: windows,
        objectives: objectivesOf(budgetingMethod),
        composite: fc.record({
          target: targets,
          ...(budgetingMethod === "Occurrences" && {
            burnRateCondition: fc.record({
              value: fc.constantFrom(0, 0.5, 1, 2, 10),
              op: fc.constantFrom("gt", "gte"),
            }),
          }),
        }),
      },
      { requiredKeys: ["budgetingMethod", "timeWindow", "objectives"] },
    ),
  ),
  fc.record({
    timeWindow: windows,
    objectives: fc
      .tuple(compositeObjective, objectivesOf("Occurrences", ["good"]))
      .map((each) => each.flat()),
  }),
)

/** How many minutes before the present a count is: mostly few, also ahead, or many days. */
const ages = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -5, max: 130 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 * 24 * 60 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 * 24 * 60 }) },
)

const counted = fc.record({
  slo: fc.constantFrom("checkout", "checkout", "a", "b"),
  objective: fc.constantFrom(...plainNames),
  age: ages,
  total: fc.constantFrom(0, 1, 2, 4, 10, 0.5),
  share: fc.constantFrom(0, 0.25, 0.5, 0.75, 0.9, 1, 1),
})

/** Counts as they come in: at several times, in any order, the same minute perhaps again. */
const recordings = fc.array(
  fc.record({ waitMinutes: fc.integer({ min: 0, max: 90 }), counts: fc.array(counted, { maxLength: 40 }) }),
  { minLength: 1, maxLength: 4 },
)

const componentAge = fc.constantFrom(0, 10.5 * minute, 2 * day, 40 * day)

const worlds = fc.record({
  start: fc.integer({ min: Date.UTC(2026, 1, 1), max: Date.UTC(2026, 11, 1) }),
  spec,
  componentTargets: objectivesOf("Timeslices"),
  ageOfSlo: fc.constantFrom(0, 20 * minute, 3 * day),
  /** Components are older than the SLO, or come when it is there already, and are put into it then. */
  agesOfComponents: fc.tuple(componentAge, componentAge),
  recordings,
})

type World = typeof worlds extends fc.Arbitrary<infer A> ? A : never

/** The record of an SLO after all of that, and the same world for the model. */
const play = ({ start, spec, componentTargets, ageOfSlo, agesOfComponents, recordings }: World) =>
  Effect.gen(function* () {
    const slo = anSlo({ project, name: "checkout" }, spec)
    const created = [
      { slo: anSlo({ project, name: "checkout" }), createdAt: start - ageOfSlo },
      { slo: anSlo({ project, name: "a" }), createdAt: start - agesOfComponents[0] },
      {
        slo: anSlo({ project, name: "b" }, { budgetingMethod: "Timeslices", objectives: componentTargets }),
        createdAt: start - agesOfComponents[1],
      },
    ]
    for (const each of created.toSorted((one, other) => one.createdAt - other.createdAt)) {
      yield* TestClock.setTime(each.createdAt)
      yield* putDefinitions("acme", [each.slo])
    }
    yield* TestClock.setTime(start)
    yield* putDefinitions("acme", [slo])
    const store = yield* CountStore
    const counts = new Map<string, { readonly good: number; readonly total: number }>()
    let now = start
    for (const recording of recordings) {
      now += recording.waitMinutes * minute
      yield* TestClock.setTime(now)
      const written = new Map<string, Map<string, Count>>()
      for (const { slo, objective, age, total, share } of recording.counts) {
        const at = Math.floor(now / minute) * minute - age * minute
        const key = `${slo} ${objective} ${at}`
        counts.set(key, { good: total * share, total })
        const ofSlo = written.get(slo) ?? new Map<string, Count>()
        written.set(slo, ofSlo.set(key, { objective, at, good: total * share, total }))
      }
      const all = [...written].map(([name, ofSlo]) => ({
        slo: { project, name },
        counts: [...ofSlo.values()],
      }))
      expect(yield* store.record("acme", all)).toEqual([])
      yield* refreshStatus("acme", { project, name: "checkout" })
    }
    const row = yield* Effect.map(
      (yield* SloStore).find("acme", { project, name: "checkout" }),
      Option.getOrThrow,
    )
    const components = new Map(created.map((each) => [each.slo.metadata.name, each]))
    const world: ModelWorld = { slo, createdAt: start - ageOfSlo, components, counts }
    return { record: JSON.parse(sloToJson({ record: row }, "v2")), world, now }
  })

const metrics = ["burnRate", "errorBudgetRemaining", "errorBudgetRemainingPercentage", "reliability"]

const expectMetrics = (
  actual: Readonly<Record<string, number>>,
  expected: Readonly<Record<string, number>>,
) => {
  for (const metric of metrics) {
    const [got, wanted] = [actual[metric], expected[metric]]
    if (wanted === undefined) expect(got, metric).toBeUndefined()
    else {
      const isClose = got !== undefined && Math.abs(got - wanted) < 1e-6 * Math.max(1, Math.abs(wanted))
      expect(isClose, `${metric} is ${got}, not ${wanted}`).toBe(true)
    }
  }
}

/**
 * Compares the record of an SLO with the model over every store of counts, in as many worlds as `numRuns`; `layer` gives empty ones.
 */
export const statusModelContract = <E>(
  name: string,
  layer: Layer.Layer<AlertStore | SloStore | CountStore | DefinitionStore, E>,
  numRuns: number,
): void => {
  const stores = Layer.merge(layer, TestClock.layer())

  describe(`the record of an SLO ${name}`, () => {
    it("spec/slos §3, spec/slos §2, spec/slos §5, spec/slos §6, spec/slos §8, spec/slos §7: equals a minute-by-minute count of its window", async () => {
      await fc.assert(
        fc.asyncProperty(worlds, async (given) => {
          const { record, world, now } = await Effect.runPromise(Effect.provide(play(given), stores))
          const expected = modelStatus(world, now)
          for (const objective of record.objectives) {
            expectMetrics(objective, expected.get(objective.name) ?? {})
          }
          if (world.slo.spec.composite !== undefined) expectMetrics(record.composite, expected.get("") ?? {})
        }),
        { numRuns },
      )
    }, 120_000)
  })
}
