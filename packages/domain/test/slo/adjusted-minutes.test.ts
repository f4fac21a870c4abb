import { MemoryStores } from "@tocsin/adapters-memory"
import { overallTrack } from "@tocsin/domain/adapter"
import { decode, durationOf, minuteMs, type MinuteRange } from "@tocsin/domain/codec"
import type { BudgetAdjustment, Slo } from "@tocsin/domain/definitions"
import { CountStore, type StoredDefinition } from "@tocsin/domain/ports"
import { recurrence } from "../../src/codec/Recurrence.ts"
import { RangeList } from "../../src/codec/MinuteRange.ts"
import { adjustedMinutes } from "../../src/status/AdjustedMinutes.ts"
import { planCounts } from "../../src/status/CountsPlan.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anSlo, calendarOf, instantOf, putDefinitions } from "@tocsin/testing/fixtures"

const start = Date.UTC(2026, 0, 30, 22)
const length = 6 * 60
const at = (minute: number): number => start + minute * minuteMs

const stored = (name: string, spec: Partial<Slo["spec"]>): StoredDefinition<Slo> => ({
  definition: anSlo({ project: "shop", name }, spec),
  version: "1",
  createdAt: 0,
  updatedAt: 0,
})

interface Adjusted extends MinuteRange {
  readonly slos: ReadonlyArray<"checkout" | "whole">
  readonly set: { readonly good: number; readonly total: number } | undefined
}

const adjustmentOf = ({ slos, from, to, set }: Adjusted, index: number): BudgetAdjustment => ({
  kind: "BudgetAdjustment",
  metadata: { project: "shop", name: `a${index}` },
  spec: {
    reason: "maintenance",
    slos: slos.map((name) => ({ project: "shop", name })),
    period: {
      startTime: instantOf(new Date(from).toISOString()),
      endTime: instantOf(new Date(to).toISOString()),
    },
    ...(set !== undefined && { set }),
  },
})

const minuteRange = fc
  .tuple(fc.integer({ min: -30, max: length }), fc.integer({ min: 1, max: 120 }))
  .map(([from, minutes]): MinuteRange => ({ from: at(from), to: at(from + minutes) }))
const adjusted = fc
  .record({
    range: minuteRange,
    slos: fc.constantFrom<Adjusted["slos"]>(["checkout"], ["checkout"], ["whole"], ["checkout", "whole"]),
    set: fc.option(
      fc.record({ good: fc.nat(3), bad: fc.nat(2) }).map(({ good, bad }) => ({ good, total: good + bad })),
      { nil: undefined },
    ),
  })
  .map(({ range, ...rest }): Adjusted => ({ ...rest, ...range }))
const arbitrary = fc.record({
  method: fc.constantFrom("Occurrences" as const, "Timeslices" as const),
  counts: fc.uniqueArray(
    fc.record({ minute: fc.integer({ min: 0, max: length - 1 }), good: fc.nat(10), bad: fc.nat(3) }),
    { selector: ({ minute }) => minute, minLength: 30, maxLength: 200 },
  ),
  adjustments: fc.array(adjusted, { maxLength: 5 }),
  whenDelayed: fc.constantFrom("Ignore" as const, "CountAsGood" as const, "CountAsBad" as const),
  range: minuteRange,
  later: fc.nat(60),
})

interface ModelMinute {
  readonly good: number
  readonly total: number
}

const isGood = ({ good, total }: ModelMinute): boolean => good / total >= 0.8 - 1e-12
const sumOf = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)

describe("spec/budget-adjustments §3: adjusted minutes", () => {
  it("leave what the counts would be with those minutes removed or set, for each method and in composites", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ method, counts, adjustments, whenDelayed, range, later }) => {
        const objectives = [{ name: "good", target: 0.9, timeSliceTarget: 0.8 }]
        const slo = stored("checkout", {
          budgetingMethod: method,
          objectives,
          composite: { target: 0.9 },
          timeWindow: {
            unit: "Day",
            count: 1,
            calendar: calendarOf({ startTime: "2026-01-01 00:00:00", timeZone: "UTC" }),
          },
        })
        const composite = stored("whole", {
          objectives: [
            {
              name: "whole",
              target: 0.9,
              composite: {
                maxDelay: durationOf("1m"),
                components: [
                  { slo: { project: "shop", name: "checkout" }, objective: "good", weight: 2, whenDelayed },
                ],
              },
            },
          ],
        })
        const now = at(length * 2)
        const plans = [slo, composite].map((of) =>
          planCounts("acme", of, new RangeList([range]), now, () => slo, adjustments.map(adjustmentOf)),
        )
        const [reading, ofComposite] = await Effect.runPromise(
          Effect.gen(function* () {
            yield* TestClock.setTime(now)
            yield* putDefinitions("acme", [slo.definition])
            const store = yield* CountStore
            const recorded = counts.map(({ minute, good, bad }) => ({
              objective: "good",
              at: at(minute),
              good,
              total: good + bad,
            }))
            yield* store.record("acme", [{ slo: { project: "shop", name: "checkout" }, counts: recorded }])
            return yield* Effect.forEach(plans, (plan) =>
              Effect.map(store.sums(plan.reads), (found) =>
                plan.interpret(found.map(({ sums }) => ({ latestAt: new Map(), sums }))),
              ),
            )
          }).pipe(Effect.provide(Layer.merge(MemoryStores.layer, TestClock.layer()))),
        )

        // The model: minute by minute.
        const recorded = new Map(
          counts.map(({ minute, good, bad }) => [at(minute), { good, total: good + bad }]),
        )
        const covers = (each: Adjusted, name: string, instant: number): boolean =>
          each.slos.some((slo) => slo === name) && each.from <= instant && instant < each.to
        const isExcluded = (names: ReadonlyArray<string>, instant: number): boolean =>
          adjustments.some(
            (each) => each.set === undefined && names.some((name) => covers(each, name, instant)),
          )
        const countOf = (instant: number): ModelMinute | undefined => {
          const set = adjustments.find((each) => each.set !== undefined && covers(each, "checkout", instant))
          return set?.set ?? recorded.get(instant)
        }
        const model = (names: ReadonlyArray<string>, to: number) => {
          const slots = Array.from(
            { length: (to - range.from) / minuteMs },
            (_, n) => range.from + n * minuteMs,
          )
          const kept = slots.filter((instant) => !isExcluded(names, instant))
          const counted = kept
            .filter((instant) => instant < range.to)
            .flatMap((instant) => countOf(instant) ?? [])
            .filter(({ total }) => total > 0)
          return { kept: kept.length, counted }
        }

        const lengthMs = range.to - range.from + later * minuteMs
        const own = model(["checkout"], range.from + lengthMs)
        const bad = own.counted.filter((each) => !isGood(each)).length
        const ofMinutes = own.counted.length === 0 ? undefined : { good: own.kept - bad, total: own.kept }
        const found = reading?.goodTotal("good", range, lengthMs)
        if (method === "Occurrences" && own.counted.length > 0) {
          const [good, total] = [
            sumOf(own.counted.map((c) => c.good)),
            sumOf(own.counted.map((c) => c.total)),
          ]
          expect(found).toMatchObject({ good, total })
        } else expect(found).toEqual(ofMinutes)
        expect(reading?.goodTotal(overallTrack, range, lengthMs)).toEqual(ofMinutes)
        expect(reading?.countedMs("good", range, lengthMs)).toBe(
          method === "Occurrences" ? lengthMs : own.kept * minuteMs,
        )

        const part = model(["checkout", "whole"], range.to)
        const missing = whenDelayed === "Ignore" ? 0 : part.kept - part.counted.length
        const good =
          sumOf(part.counted.map((c) => (method === "Occurrences" ? c.good / c.total : Number(isGood(c))))) +
          (whenDelayed === "CountAsGood" ? missing : 0)
        const total = part.counted.length + missing
        const wholeFound = ofComposite?.goodTotal("whole", range)
        if (total === 0) expect(wholeFound).toBeUndefined()
        else {
          expect(wholeFound?.total).toBe(2 * total)
          expect(wholeFound?.good).toBeCloseTo(2 * good, 9)
        }
      }),
      { numRuns: 300 },
    )
  })

  it("are found for a year of many daily adjustments in a moment", () => {
    const year = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2027, 0, 1) }
    const adjustments = Array.from({ length: 100 }, (_, index): BudgetAdjustment => ({
      kind: "BudgetAdjustment",
      metadata: { project: "shop", name: `a${index}` },
      spec: {
        reason: "maintenance",
        slos: [{ project: "shop", name: "checkout" }],
        recurrence: Result.getOrThrow(
          decode(
            recurrence,
            {
              startTime: `2026-01-01 ${String(index % 24).padStart(2, "0")}:${String(index % 60).padStart(2, "0")}:00`,
              timeZone: "UTC",
              rrule: "FREQ=DAILY",
              duration: "30m",
            },
            {},
          ),
        ),
        ...(index % 5 > 0 && { set: { good: index, total: 100 } }),
      },
    }))
    const { definition } = stored("checkout", {})
    adjustedMinutes(adjustments, definition, year)
    const before = process.cpuUsage()
    const { excluded, set } = adjustedMinutes(adjustments, definition, year)
    const { user } = process.cpuUsage(before)
    expect(excluded.length + set.length).toBeGreaterThan(10_000)
    // The occurrences are known by then. A comparison of each range with each other would take seconds.
    expect(user / 1_000).toBeLessThan(1_500)
  })
})
