import { minuteOf } from "@tocsin/domain/codec"
import { indicatorSettleMs } from "@tocsin/domain/features/data-source"
import { indicatorOverlapMs, planPoll, retryAt } from "../../src/data-source/PollPlan.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { indicatorHistoryMs } from "../../src/data-source/PollPlan.ts"

const minute = 60_000
const day = 24 * 60 * minute
const at = (time: string): number => Date.parse(`2026-01-30T${time}Z`)

const plan = (readTo: number, now: number, failures = 0, objectives = 1) =>
  planPoll({ readTo, failures }, objectives, now)

describe("the plan of a poll", () => {
  it("spec/data-sources §2: reads a minute 15 s after its end, with the five before it, and comes again a minute later", () => {
    const readTo = at("12:00:00")
    expect(plan(readTo, at("12:01:14.999"))).toEqual({ dueAt: at("12:01:15") })
    expect(plan(readTo, at("12:01:15"))).toEqual({
      range: { from: at("11:55:00"), to: at("12:01:00") },
      dueAt: at("12:02:15"),
    })
  })

  it("spec/data-sources §2: what was read while the clock was an hour ahead is read again", () => {
    const now = at("12:01:15")
    expect(plan(at("13:01:00"), now).range).toEqual({ from: at("10:56:00"), to: at("12:01:00") })
    // As far as minutes are read again anyway, another process may just be ahead.
    expect(plan(at("12:06:00"), now)).toEqual({ dueAt: at("12:02:15") })
  })

  it("spec/data-sources §2: a new indicator begins 31 days back, with parts of up to a week that end with a day", () => {
    const now = at("12:00:20")
    const oldest = minuteOf(now - indicatorHistoryMs) + minute
    const first = plan(0, now)
    expect(first).toEqual({ range: { from: oldest, to: at("00:00:00") - 24 * day }, dueAt: now })
    // One that began a little later is read together with it from then on.
    expect(plan(0, now + 7 * minute).range?.to).toBe(first.range?.to)
    expect(plan(first.range?.to ?? 0, now).range).toEqual({
      from: at("00:00:00") - 24 * day - indicatorOverlapMs,
      to: at("00:00:00") - 18 * day,
    })
  })

  it("spec/data-sources §2: after a failure a part is a quarter as long, down to a minute that is new", () => {
    const readTo = at("00:00:00") - 14 * day
    const now = at("23:00:00")
    const newMinutes = (failures: number) => ((plan(readTo, now, failures).range?.to ?? 0) - readTo) / minute
    expect([0, 1, 2, 3, 4, 5, 6, 100].map(newMinutes)).toEqual([8_640, 2_520, 600, 120, 39, 9, 2, 1])
  })

  it("spec/data-sources §2: a part gives no more counts than are taken at once, however many objectives there are", () => {
    const readTo = at("12:00:00") - 2 * day
    const { range } = plan(readTo, at("12:00:00"), 0, 100)
    expect(range).toEqual({ from: readTo - 5 * minute, to: readTo + 95 * minute })
    expect(plan(at("12:30:00") - 2 * day, at("12:00:00"), 0, 50).range?.to).toBe(at("15:00:00") - 2 * day)
    expect(plan(readTo, at("12:00:00"), 0, 100_000).range?.to).toBe(readTo + minute)
  })

  it("spec/data-sources §2: a server that fails is asked again after 1, 2, 4 and then every 5 minutes", () => {
    expect([1, 2, 3, 4, 5, 1_000].map((failures) => retryAt(failures, 0) / minute)).toEqual([
      1, 2, 4, 5, 5, 5,
    ])
  })

  it("spec/data-sources §2: plans in sequence read every minute from 31 days back, and none that is not over", () => {
    const start = at("12:00:00")
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3 * day }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 600_000 }), fc.integer({ min: 0, max: 6 })), {
          minLength: 1,
          maxLength: 40,
        }),
        fc.integer({ min: 1, max: 100 }),
        (age, steps, objectives) => {
          let now = start
          let readTo = minuteOf(start - age)
          for (const [pause, failures] of steps) {
            now += pause
            const { range, dueAt } = plan(readTo, now, failures, objectives)
            expect(dueAt).toBeGreaterThanOrEqual(now)
            expect(dueAt).toBeLessThanOrEqual(now + minute + indicatorSettleMs)
            if (range === undefined) {
              expect(readTo + minute + indicatorSettleMs).toBeGreaterThan(now)
              continue
            }
            expect(range.from).toBeLessThanOrEqual(
              Math.max(readTo, minuteOf(now - indicatorHistoryMs) + minute),
            )
            expect(range.to).toBeGreaterThan(readTo)
            expect(range.to + indicatorSettleMs).toBeLessThanOrEqual(now)
            expect([range.from % minute, range.to % minute]).toEqual([0, 0])
            readTo = range.to
          }
        },
      ),
    )
  })
})
