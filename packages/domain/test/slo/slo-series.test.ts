import { findSloSeries, type MetricSeries } from "@tocsin/domain"
import { durationOf } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import { seriesPointsMax } from "@tocsin/domain/limits"
import { type CountRead, CountStore, SloStore } from "@tocsin/domain/ports"
import { anSlo, calendarOf, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Result from "effect/Result"
import { MemoryStores } from "@tocsin/adapters-memory"
import { refreshStatus } from "../../src/refresh/RefreshStatus.ts"
import { sloToJson } from "@tocsin/adapters-http/server"
import type { SloRecord as SloJson } from "@tocsin/api"
import { parseSeriesFrame, type SloSeriesQuery } from "../../src/status/SloSeries.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { type ModelWorld, modelStatus } from "../../../../test/slo/StatusModel.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const start = Date.UTC(2026, 0, 30, 12)
const organization = "acme"
const key = { project: "shop", name: "checkout" }
const text = (at: number) => new Date(at).toISOString()

const read = (from: number, to: number, query: Partial<SloSeriesQuery> = {}) =>
  findSloSeries(organization, { ...key, from: text(from), to: text(to), ...query })

const frameOf = (from: number, to: number, step?: string) => {
  const frame = parseSeriesFrame({ from: text(from), to: text(to), step })
  return Result.isSuccess(frame) ? [frame.success.from, frame.success.to, frame.success.step] : frame.failure
}

describe("the steps of a series", () => {
  it("spec/console §5: are the shortest of which there are at most 750, and whole", () => {
    expect(frameOf(start, start + hour)).toEqual([start, start + hour, "1m"])
    expect(frameOf(start, start + 750 * minute)).toEqual([start, start + 750 * minute, "1m"])
    expect(frameOf(start, start + 751 * minute)).toEqual([start, start + 755 * minute, "5m"])
    expect(frameOf(start + minute, start + 24 * hour)).toEqual([start, start + 24 * hour, "5m"])
    expect(frameOf(start, start + 7 * day)).toEqual([start, start + 7 * day, "15m"])
    expect(frameOf(start, start + 31 * day)).toEqual([start, start + 31 * day, "1h"])
    expect(frameOf(start, start + 92 * day)).toEqual([start, start + 92 * day, "3h"])
    expect(frameOf(start, start + 184 * day)).toEqual([start, start + 184 * day, "6h"])
    expect(frameOf(start, start + 366 * day)).toEqual([start, start + 366 * day, "12h"])
    expect(frameOf(start, start + 400 * day)).toEqual([start - 12 * hour, start + 400.5 * day, "1d"])
    expect(frameOf(start + minute + 1, start + minute + 2)).toEqual([
      start + minute,
      start + 2 * minute,
      "1m",
    ])
  })

  it("spec/console §5: can be asked for, where they are few enough", () => {
    expect(frameOf(start + 59 * minute, start + hour, "1h")).toEqual([start, start + hour, "1h"])
    expect(frameOf(start, start + hour, "")).toEqual([start, start + hour, "1m"])
    expect(frameOf(start, start + 7 * day, "1h")).toEqual([start, start + 7 * day, "1h"])
    expect(frameOf(start, start + 28 * day, "1d")).toEqual([start - 12 * hour, start + 28.5 * day, "1d"])
    expect(frameOf(start, start + 751 * minute, "1m")).toMatchObject({
      code: "step_invalid",
      detail: `step must be one of 5m, 15m, 1h, 3h, 6h, 12h, 1d, as there are at most ${seriesPointsMax} points`,
    })
    expect(frameOf(start, start + hour, "2m")).toMatchObject({
      code: "step_invalid",
      propertyName: "step",
      propertyValue: "2m",
    })
  })

  it("spec/console §5: need from and to, at most 400 days apart", () => {
    const refused = (query: Partial<SloSeriesQuery>) => {
      const frame = parseSeriesFrame(query)
      return Result.isSuccess(frame) ? frame.success : [frame.failure.code, frame.failure.propertyName]
    }
    const [from, to] = [text(start), text(start + 400 * day + 1)]
    expect(refused({})).toEqual(["range_incomplete", "from"])
    expect(refused({ from })).toEqual(["range_incomplete", "to"])
    expect(refused({ to })).toEqual(["range_incomplete", "from"])
    expect(refused({ from: "yesterday", to })).toEqual(["date_time_invalid", "from"])
    expect(refused({ from, to })).toEqual(["range_too_long", "to"])
    expect(refused({ from: to, to: from })).toEqual(["range_invalid", "from"])
  })
})

/** SLOs of each method and kind of window, with and without the legacy composite. */
const specs: fc.Arbitrary<Partial<Slo["spec"]>> = fc
  .record({
    timeWindow: fc.constantFrom<Slo["spec"]["timeWindow"]>(
      { unit: "Minute", count: 45 },
      { unit: "Hour", count: 6 },
      // Restarts within the range, and not with a step.
      { unit: "Day", count: 1, calendar: calendarOf({ startTime: "2026-01-01 13:07:00", timeZone: "UTC" }) },
    ),
    isTimeslices: fc.boolean(),
    isComposite: fc.boolean(),
  })
  .map(({ timeWindow, isTimeslices, isComposite }) => ({
    timeWindow,
    budgetingMethod: isTimeslices ? "Timeslices" : "Occurrences",
    objectives: [
      { name: "good", target: 0.9, ...(isTimeslices && { timeSliceTarget: 0.75 }) },
      { name: "great", target: 0.99, ...(isTimeslices && { timeSliceTarget: 1 }) },
    ],
    ...(isComposite && {
      composite: {
        target: 0.5,
        ...(!isTimeslices && { burnRateCondition: { value: 2, op: "gte" as const } }),
      },
    }),
  }))

const counts = fc.uniqueArray(
  fc.record({
    objective: fc.constantFrom("good", "great"),
    at: fc.integer({ min: -60, max: 240 }).map((minutes) => start + minutes * minute),
    total: fc.constantFrom(0, 1, 4, 10),
    share: fc.constantFrom(0, 0.5, 0.75, 1),
  }),
  { maxLength: 60, selector: ({ objective, at }) => `${objective} ${at}` },
)

/** A range, the length of its steps in minutes, and how long its time window is. */
const cases = [
  { step: "5m", minutes: 5, hours: 4, scale: 1 },
  { step: "15m", minutes: 15, hours: 4, scale: 1 },
  { step: "1h", minutes: 60, hours: 4, scale: 1 },
  { step: "3h", minutes: 180, hours: 48, scale: 12 },
  { step: "12h", minutes: 720, hours: 96, scale: 24 },
  { step: "1d", minutes: 1_440, hours: 96, scale: 24 },
] as const

describe("the series of an SLO", () => {
  it("spec/console §5: have the metrics of the plain model at the end of each step, and of each step alone", () =>
    fc.assert(
      fc.asyncProperty(
        specs,
        counts,
        fc.constantFrom(...cases),
        (spec, given, { step, minutes, hours, scale }) =>
          Effect.gen(function* () {
            // The last quarter is to come.
            const from = step === "1d" ? start - 12 * hour : start
            const now = from + ((hours * 3) / 4) * hour
            yield* TestClock.setTime(now + 30_000)
            const window = spec.timeWindow
            const slo = anSlo(key, {
              ...spec,
              ...(window !== undefined &&
                !("calendar" in window) && { timeWindow: { ...window, count: window.count * scale } }),
            })
            yield* putDefinitions(organization, [slo])
            const recorded = given.map(({ share, at, ...count }) => ({
              ...count,
              at: from + (at - start) * scale,
              good: share * count.total,
            }))
            yield* (yield* CountStore).record(organization, [{ slo: key, counts: recorded }])
            const world: ModelWorld = {
              slo,
              createdAt: 0,
              components: new Map(),
              counts: new Map(
                recorded.map(({ objective, at, ...count }) => [`checkout ${objective} ${at}`, count]),
              ),
            }
            const series = yield* read(from, from + hours * hour, { step })
            const written: Array<readonly [string, MetricSeries]> = series.objectives.map((each) => [
              each.name,
              each,
            ])
            if (series.composite) written.push(["", series.composite])
            expect(written.length).toBe(spec.composite === undefined ? 2 : 3)
            for (const [track, metrics] of written) {
              expect(metrics.reliability.length).toBe((hours * 60) / minutes)
              for (const index of metrics.reliability.keys()) {
                const stepFrom = from + index * minutes * minute
                const known = Math.min(minutes, (now - stepFrom) / minute + 1)
                const ofWindow = modelStatus(world, stepFrom + (known - 1) * minute).get(track)
                const alone = {
                  ...slo,
                  spec: { ...slo.spec, timeWindow: { unit: "Minute", count: known } },
                } as const
                const ofStep =
                  known < 1
                    ? undefined
                    : modelStatus({ ...world, slo: alone }, stepFrom + (known - 1) * minute)
                const target = track === "" ? 0.5 : track === "good" ? 0.9 : 0.99
                const stepReliability = ofStep?.get(track)?.["reliability"]
                const longBurn =
                  stepReliability === undefined ? undefined : (1 - stepReliability) / (1 - target)
                const expected: Readonly<Record<keyof Omit<MetricSeries, "latestAt">, number | undefined>> = {
                  reliability: ofWindow?.["reliability"],
                  errorBudgetRemainingPercentage: ofWindow?.["errorBudgetRemainingPercentage"],
                  burnRate: minutes > 60 ? longBurn : ofWindow?.["burnRate"],
                  stepReliability,
                }
                for (const name of Object.keys(expected) as ReadonlyArray<keyof typeof expected>) {
                  const value = known < 1 ? undefined : expected[name]
                  const found = metrics[name][index]
                  if (value === undefined)
                    expect([track, name, index, found]).toEqual([track, name, index, null])
                  else expect(found, `${track} ${name} ${index}`).toBeCloseTo(value, 9)
                }
              }
            }
          }).pipe(Effect.provide(Layer.merge(MemoryStores.layer, TestClock.layer())), Effect.runPromise),
      ),
      { numRuns: 40 },
    ))

  it.effect("spec/console §5: have the events of each step, and null where none were counted", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start + 12 * minute)
      yield* putDefinitions(organization, [anSlo(key)])
      const at = (minutes: number, good: number, total: number) => ({
        objective: "good",
        at: start + minutes * minute,
        good,
        total,
      })
      const given = [at(-1, 7, 7), at(0, 1, 2), at(4, 3, 3), at(5, 0, 0), at(14, 5, 9), at(15, 8, 8)]
      yield* (yield* CountStore).record(organization, [{ slo: key, counts: given }])
      const series = yield* read(start, start + 15 * minute, { step: "5m" })
      expect(series.objectives[0]?.counts).toEqual({ good: [4, 0, 5], total: [5, 0, 9] })
      expect(series.objectives[1]?.counts).toEqual({ good: [null, null, null], total: [null, null, null] })
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect("spec/console §5: end with the status as it is now, also of a composite objective", () =>
    Effect.gen(function* () {
      const part = anSlo({ project: "shop", name: "part" })
      const component = { slo: { project: "shop", name: "part" }, objective: "good", weight: 2 }
      const whole = {
        name: "whole",
        target: 0.9,
        composite: {
          maxDelay: durationOf("5m"),
          components: [
            { ...component, whenDelayed: "CountAsBad" as const },
            { ...component, objective: "great", weight: 1, whenDelayed: "Ignore" as const },
          ],
        },
      }
      yield* TestClock.setTime(start - hour)
      const slo = anSlo(key, {
        timeWindow: { unit: "Hour", count: 1 },
        objectives: [{ name: "good", target: 0.99 }, whole],
      })
      yield* putDefinitions(organization, [part, slo])
      yield* TestClock.setTime(start + 12 * minute + 1)
      const given = Array.from({ length: 40 }, (_, index) => ({
        objective: index % 3 === 0 ? "great" : "good",
        at: start - 30 * minute + index * minute,
        good: index % 4,
        total: 4,
      }))
      yield* (yield* CountStore).record(organization, [
        { slo: { project: "shop", name: "part" }, counts: given },
        { slo: key, counts: given.filter(({ objective }) => objective === "good") },
      ])
      yield* refreshStatus(organization, key)
      const row = Option.getOrThrow(yield* (yield* SloStore).find(organization, key))
      const record = JSON.parse(sloToJson({ record: row }, "v2")) as SloJson
      const series = yield* read(start, start + hour, { step: "15m" })
      for (const [index, { name, errorBudgetRemainingPercentage: now }] of record.objectives.entries()) {
        expect(now).toBeTypeOf("number")
        expect(series.objectives[index]).toMatchObject({
          name,
          errorBudgetRemainingPercentage: [now, null, null, null],
        })
      }
      expect(series.objectives.map(({ counts }) => counts !== undefined)).toEqual([true, false])
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect(
    "spec/console §5: read each time once, however many windows lie over it, and however often an SLO is a component",
    () => {
      const read: Array<CountRead> = []
      const watching = Layer.effect(
        CountStore,
        Effect.map(CountStore, (store) => ({
          ...store,
          sums: (reads: ReadonlyArray<CountRead>) => {
            read.push(...reads)
            return store.sums(reads)
          },
        })),
      )
      return Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const part = { project: "shop", name: "part" }
        const composite = (maxDelay: string) => {
          const component = { slo: part, objective: "good", weight: 1, whenDelayed: "CountAsBad" as const }
          return {
            name: maxDelay,
            target: 0.9,
            composite: { maxDelay: durationOf(maxDelay), components: [component] },
          }
        }
        const whole = anSlo(key, { objectives: [composite("1m"), composite("1h"), composite("24h")] })
        yield* putDefinitions(organization, [anSlo(part), whole])
        yield* findSloSeries(organization, { ...key, from: text(start - 400 * day), to: text(start) })
        expect(read.map(({ slo }) => slo.name)).toEqual(["checkout", "part"])
        for (const { ranges } of read) {
          for (const [index, { from }] of ranges.entries()) {
            expect(from).toBeGreaterThanOrEqual(ranges[index - 1]?.to ?? 0)
          }
        }
      }).pipe(Effect.provide(watching.pipe(Layer.provideMerge(MemoryStores.layer))))
    },
  )

  it.effect("spec/console §5: are of an SLO that there is, in a project that is named", () =>
    Effect.gen(function* () {
      yield* putDefinitions("other", [anSlo(key)])
      const tagOf = (query: Partial<SloSeriesQuery>) =>
        Effect.match(read(start, start + hour, query), {
          onFailure: ({ _tag }): string => _tag,
          onSuccess: () => "ok",
        })
      expect(yield* tagOf({})).toBe("SloNotFound")
      expect(yield* tagOf({ project: "" })).toBe("ParameterIsInvalid")
      expect(yield* tagOf({ name: "a".repeat(64) })).toBe("ParameterIsInvalid")
      yield* putDefinitions(organization, [anSlo(key)])
      expect(yield* tagOf({})).toBe("ok")
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect("let others take their turn after each objective and each window of burn rates", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      /** How many turns others had while a series of so many objectives and windows was computed. */
      const turnsFor = Effect.fnUntraced(function* (objectives: number, windows: number) {
        yield* putDefinitions(organization, [
          anSlo(key, {
            objectives: Array.from({ length: objectives }, (_, index) => ({
              name: `o-${index}`,
              target: 0.9,
            })),
          }),
        ])
        let turns = 0
        const other = yield* Effect.forkChild(
          Effect.forever(
            Effect.andThen(
              Effect.sync(() => turns++),
              Effect.yieldNow,
            ),
            { disableYield: true },
          ),
        )
        const query = { windows: Array.from({ length: windows }, (_, index) => `${index + 1}h`) }
        yield* read(start - 400 * day, start, query)
        yield* Fiber.interrupt(other)
        return turns
      })
      const few = yield* turnsFor(1, 1)
      expect((yield* turnsFor(40, 1)) - few).toBeGreaterThanOrEqual(39)
      expect((yield* turnsFor(1, 6)) - few).toBeGreaterThanOrEqual(5)
    }).pipe(Effect.provide(MemoryStores.layer)),
  )
})
