import { minuteOf } from "@tocsin/domain/codec"
import { indicatorSettleMs } from "@tocsin/domain/features/data-source"
import type { MetricFailure } from "@tocsin/domain/ports"
import { indicatorOverlapMs, planPoll, retryAt } from "../../src/data-source/PollPlan.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { indicatorHistoryMs } from "../../src/data-source/PollPlan.ts"

const minute = 60_000
const day = 24 * 60 * minute
const at = (time: string): number => Date.parse(`2026-01-30T${time}Z`)

const plan = (readTo: number, now: number, failures = 0, objectives = 1) =>
  planPoll({ readTo, failures }, objectives, now)

/** Of an indicator that has read the last day, and nothing before. */
const olderPlan = (readTo: number, now: number, failures = 0, objectives = 1) => {
  const to = minuteOf(now - indicatorSettleMs)
  const problem = failures > 0 && { problem: { reason: "timeout", detail: "slow", at: now - day } as const }
  const recent = { from: to - 26 * 60 * minute, to, measuredTo: 0, history: { failures, ...problem } }
  return planPoll({ readTo, failures: 0, recent }, objectives, now)
}

describe("the plan of a poll", () => {
  it("spec/data-sources §2: reads a minute 15 s after its end, with the five before it, and comes again a minute later", () => {
    const readTo = at("12:00:00")
    expect(plan(readTo, at("12:01:14.999"))).toMatchObject({ dueAt: at("12:01:15"), progress: { readTo } })
    expect(plan(readTo, at("12:01:15"))).toMatchObject({
      range: { from: at("11:55:00"), to: at("12:01:00") },
      dueAt: at("12:02:15"),
    })
  })

  it("spec/data-sources §2: what was read while the clock was an hour ahead is read again", () => {
    const now = at("12:01:15")
    expect(plan(at("13:01:00"), now).range).toEqual({ from: at("10:56:00"), to: at("12:01:00") })
    // As far as minutes are read again anyway, another process may just be ahead.
    expect(plan(at("12:06:00"), now).range).toBe(undefined)
  })

  it("spec/data-sources §2: of a new indicator, the last six hours are read first, and then what is older from 31 days back", () => {
    const now = at("12:10:20")
    const end = at("12:10:00")
    const first = plan(0, now)
    const range = { from: at("06:00:00"), to: end }
    const recent = { ...range, measuredTo: 0, history: { failures: 0 } }
    expect(first).toMatchObject({ range, newRange: range, kind: "recent", dueAt: now })
    expect(first.progress).toEqual({ readTo: 0, recent })
    const older = planPoll({ ...first.progress, failures: 0 }, 1, now)
    expect(older).toMatchObject({ kind: "history", dueAt: now, progress: { recent } })
    expect(older.range).toEqual({
      from: minuteOf(now - indicatorHistoryMs) + minute,
      to: at("00:00:00") - 24 * day,
    })
    expect(older.progress.readTo).toBe(older.range?.to)
    // New minutes go first.
    const next = planPoll({ ...older.progress, failures: 0 }, 1, now + minute)
    expect(next).toMatchObject({ kind: "new", dueAt: now + minute })
    expect(next.range).toEqual({ from: end - indicatorOverlapMs, to: end + minute })
    expect(next.progress).toEqual({ ...older.progress, recent: { ...recent, to: end + minute } })
  })

  it("spec/data-sources §2: the older minutes of an indicator are read in parts of up to a week that end with a day", () => {
    const now = at("12:00:20")
    const first = olderPlan(0, now)
    // One that began a little later is read together with it from then on.
    expect(olderPlan(0, now + 7 * minute).range?.to).toBe(first.range?.to)
    expect(olderPlan(first.range?.to ?? 0, now).range).toEqual({
      from: at("00:00:00") - 24 * day - indicatorOverlapMs,
      to: at("00:00:00") - 18 * day,
    })
  })

  it("spec/data-sources §2: older minutes are read until gaps that began in them are over, and then all are read", () => {
    const now = at("12:00:20")
    const to = at("12:00:00")
    const recent = { from: to - 40 * 60 * minute, to, measuredTo: 0, history: { failures: 0 } }
    const { range, newRange, progress } = planPoll(
      { readTo: recent.from - 60 * minute, failures: 0, recent },
      1,
      now,
    )
    expect(range?.to).toBe(recent.from + 25 * 60 * minute)
    expect(newRange?.to).toBe(recent.from)
    expect(progress).toEqual({ readTo: to })
    // Nothing older is wanted any more.
    const none = planPoll({ readTo: 0, failures: 0, recent: { ...recent, from: to - 40 * day } }, 1, now)
    expect(none.range).toBe(undefined)
    expect(none.progress).toEqual({ readTo: to })
  })

  it("spec/data-sources §2: if the recent minutes were read in smaller parts, they are read backwards to six hours", () => {
    const now = at("12:00:20")
    const first = plan(0, now, 2)
    expect(first.range).toEqual({ from: at("11:38:00"), to: at("12:00:00") })
    const next = planPoll({ ...first.progress, failures: 0 }, 1, now)
    expect(next.range).toEqual({ from: at("06:00:00"), to: at("11:38:00") })
    expect(next).toMatchObject({
      kind: "history",
      dueAt: now,
      progress: { readTo: 0, recent: { from: at("06:00:00"), to: at("12:00:00") } },
    })
  })

  it("spec/data-sources §2: when new minutes are behind by more than a day themselves, recent ones are read first again", () => {
    const now = at("12:00:20")
    const end = at("12:00:00")
    const history = { failures: 3, problem: { reason: "timeout", detail: "slow", at: now - day } } as const
    const recentOf = (to: number) => ({ from: end - 3 * day, to, measuredTo: 7, history })
    const late = planPoll({ readTo: end - 9 * day, failures: 0, recent: recentOf(end - day) }, 1, now)
    expect(late).toMatchObject({
      kind: "new",
      range: { to: end },
      progress: { recent: { from: end - 3 * day } },
    })
    const later = planPoll(
      { readTo: end - 9 * day, failures: 0, recent: recentOf(end - day - minute) },
      1,
      now,
    )
    const range = { from: end - 6 * 60 * minute, to: end }
    expect(later).toMatchObject({ kind: "recent", range })
    expect(later.progress).toEqual({
      readTo: end - 9 * day,
      recent: { ...range, measuredTo: 7, history: { failures: 0 } },
    })
  })

  it("spec/data-sources §2: recent minutes that end before all that is read are of no use", () => {
    const recent = { from: at("10:00:00"), to: at("11:59:00"), measuredTo: 0, history: { failures: 0 } }
    const state = { readTo: at("12:00:00"), failures: 0 }
    expect(planPoll({ ...state, recent }, 1, at("12:01:20"))).toEqual(planPoll(state, 1, at("12:01:20")))
  })

  it("spec/data-sources §2: while older minutes cannot be read, new ones go on", () => {
    const now = at("12:00:20")
    const to = at("12:00:00")
    const problem = { reason: "timeout", detail: "slow", at: now - 30_000 } as const
    const recent = { from: at("06:00:00"), to, measuredTo: 0, history: { failures: 1, problem } }
    const state = { readTo: 0, failures: 0, recent }
    expect(planPoll(state, 1, now)).toMatchObject({ dueAt: now + 30_000, progress: { recent } })
    expect(planPoll(state, 1, now).range).toBe(undefined)
    expect(planPoll(state, 1, at("12:01:15"))).toMatchObject({
      range: { to: at("12:01:00") },
      kind: "new",
      progress: { recent: { history: recent.history } },
    })
    expect(planPoll(state, 1, now + 30_000)).toMatchObject({
      kind: "history",
      range: { to: expect.any(Number) },
    })
    // The clock was a day ahead.
    const ahead = { ...recent, history: { failures: 9, problem: { ...problem, at: now + day } } }
    expect(planPoll({ ...state, recent: ahead }, 1, now)).toMatchObject({ kind: "history" })
  })

  it("spec/data-sources §2: once the data source is repaired or changed, earlier failures of older minutes do not count", () => {
    const now = at("12:00:20")
    const problem = { reason: "timeout", detail: "slow", at: now - 30_000 } as const
    const history = { failures: 4, problem }
    const recent = { from: at("06:00:00"), to: at("12:00:00"), measuredTo: 0, history }
    const state = { readTo: now - 20 * day, failures: 0, recent }
    expect(planPoll(state, 1, now, { changedAt: problem.at - 1 }).range).toBe(undefined)
    const whole = planPoll({ ...state, recent: { ...recent, history: { failures: 0 } } }, 1, now)
    expect(whole).toMatchObject({ kind: "history", failures: 0 })
    expect(planPoll(state, 1, now, { changedAt: problem.at })).toEqual(whole)
    // A new minute that could not be read before.
    const later = at("12:01:20")
    const failing = { ...state, failures: 2, problem }
    expect(planPoll({ ...state, recent }, 1, later).progress.recent?.history).toEqual(history)
    expect(planPoll(failing, 1, later)).toMatchObject({
      kind: "new",
      failures: 2,
      dueAt: later,
      progress: { recent: { history: { failures: 0 } } },
    })
    expect(planPoll(failing, 1, later, { changedAt: now })).toMatchObject({ kind: "new", failures: 0 })
  })

  it("spec/data-sources §2: failures of older minutes are forgotten only after an outage of the same kind", () => {
    const now = at("12:00:20")
    const later = at("12:01:20")
    const historyAfter = (ofNew: MetricFailure, ofOlder: MetricFailure) => {
      const problemOf = (reason: MetricFailure) => ({ reason, detail: "failed", at: now - 30_000 })
      const history = { failures: 4, problem: problemOf(ofOlder) }
      const recent = { from: at("06:00:00"), to: at("12:00:00"), measuredTo: 0, history }
      const failing = { readTo: now - 20 * day, failures: 2, problem: problemOf(ofNew), recent }
      return planPoll(failing, 1, later).progress.recent?.history.failures
    }
    expect(historyAfter("connect_refused", "connect_refused")).toBe(0)
    expect(historyAfter("connect_refused", "http_status")).toBe(0)
    expect(historyAfter("timeout", "timeout")).toBe(0)
    expect(historyAfter("query_failed", "query_failed")).toBe(0)
    // The older minutes are too many, whether or not the server was unavailable.
    expect(historyAfter("connect_refused", "timeout")).toBe(4)
    expect(historyAfter("connect_refused", "response_too_large")).toBe(4)
    expect(historyAfter("timeout", "connect_refused")).toBe(4)
    expect(historyAfter("query_failed", "timeout")).toBe(4)
  })

  it("spec/data-sources §2: after a failure a part is a quarter as long, down to a minute that is new", () => {
    const readTo = at("00:00:00") - 14 * day
    const now = at("23:00:00")
    const newMinutes = (failures: number) =>
      ((olderPlan(readTo, now, failures).range?.to ?? 0) - readTo) / minute
    expect([0, 1, 2, 3, 4, 5, 6, 100].map(newMinutes)).toEqual([8_640, 2_520, 600, 120, 39, 9, 2, 1])
    const firstMinutes = (failures: number) => {
      const { from = 0, to = 0 } = plan(0, now, failures).range ?? {}
      return (to - from) / minute
    }
    expect([0, 1, 3, 100].map(firstMinutes)).toEqual([419, 104, 6, 1])
  })

  it("spec/data-sources §2: a part gives no more counts than are taken at once, however many objectives there are", () => {
    const readTo = at("12:00:00") - 2 * day
    const now = at("12:00:15")
    const { range } = olderPlan(readTo, now, 0, 100)
    expect(range).toEqual({ from: readTo - 5 * minute, to: readTo + 95 * minute })
    expect(olderPlan(at("12:30:00") - 2 * day, now, 0, 50).range?.to).toBe(at("15:00:00") - 2 * day)
    expect(olderPlan(readTo, now, 0, 100_000).range?.to).toBe(readTo + minute)
    expect(plan(0, now, 0, 100).range).toEqual({ from: at("10:20:00"), to: at("12:00:00") })
    expect(plan(0, now, 0, 100_000).range).toEqual({ from: at("11:59:00"), to: at("12:00:00") })
  })

  it("spec/data-sources §2: a server that fails is asked again after 1, 2, 4 and then every 5 minutes", () => {
    expect([1, 2, 3, 4, 5, 1_000].map((failures) => retryAt(failures, 0) / minute)).toEqual([
      1, 2, 4, 5, 5, 5,
    ])
  })

  it("spec/data-sources §2: plans in sequence read every minute from 31 days back, and none that is not over", () => {
    const start = at("12:00:00")
    const step = fc.record({
      pause: fc.integer({ min: 0, max: 600_000 }),
      fails: fc.boolean(),
    })
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 32 * day }),
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 100 }),
        (age, steps, objectives) => {
          let now = start
          const begunAt = minuteOf(start - age)
          let state: Parameters<typeof planPoll>[0] = { readTo: begunAt, failures: 0 }
          const read = new Set<number>()
          const isRead = (minuteAt: number) => minuteAt < begunAt || read.has(minuteAt)
          let readTo = begunAt
          const next = (fails: boolean) => {
            const { recent } = state
            const { range, kind, newRange, progress, dueAt, nextMinuteAt } = planPoll(state, objectives, now)
            const oldest = minuteOf(now - indicatorHistoryMs) + minute
            expect(dueAt).toBeGreaterThanOrEqual(now)
            expect(dueAt).toBeLessThanOrEqual(nextMinuteAt)
            expect(nextMinuteAt).toBeLessThanOrEqual(now + minute + indicatorSettleMs)
            if (range === undefined) {
              state = { ...state, ...progress }
              if (progress.recent === undefined) state = { readTo: progress.readTo, failures: state.failures }
            } else if (fails) {
              const { history } = recent ?? {}
              const failed = { failures: (history?.failures ?? 0) + 1, problem: { ...failure, at: now } }
              state =
                kind === "history" && recent !== undefined
                  ? { ...state, recent: { ...recent, history: failed } }
                  : { ...state, failures: state.failures + 1 }
            } else {
              expect([range.from % minute, range.to % minute]).toEqual([0, 0])
              expect(range.from).toBeGreaterThanOrEqual(Math.min(oldest, state.readTo))
              expect(range.to + indicatorSettleMs).toBeLessThanOrEqual(now)
              if (kind === "history" || progress.recent === undefined || recent !== undefined) {
                expect(newRange?.from).toBeGreaterThanOrEqual(range.from)
              }
              for (let minuteAt = range.from; minuteAt < range.to; minuteAt += minute) read.add(minuteAt)
              state = { ...progress, failures: kind === "history" ? state.failures : 0 }
            }
            // What is said to be read is.
            for (readTo = Math.max(readTo, oldest); readTo < state.readTo; readTo += minute) {
              if (!isRead(readTo)) expect(readTo).toBe("read")
            }
            if (state.recent !== recent) {
              const { from, to } = state.recent ?? { from: 0, to: 0 }
              for (let minuteAt = from; minuteAt < to; minuteAt += minute) {
                if (!isRead(minuteAt)) expect(minuteAt).toBe("read")
              }
            }
            return dueAt
          }
          for (const { pause, fails } of steps) {
            now += pause
            next(fails)
          }
          // Once nothing fails any more, everything is read after few parts.
          for (let parts = 0; parts < 2_000; parts++) {
            const dueAt = next(false)
            if (dueAt > now && state.recent === undefined) break
            now = dueAt
          }
          expect(state.recent).toBe(undefined)
          expect(state.readTo).toBe(minuteOf(now - indicatorSettleMs))
        },
      ),
      { numRuns: 20 },
    )
  })
})

const failure = { reason: "timeout", detail: "slow" } as const
