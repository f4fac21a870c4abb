import { MemoryStores } from "@tocsin/adapters-memory"
import { watchClock } from "../../src/ClockWatch.ts"
import { findSlo, refreshStatuses } from "@tocsin/domain"
import { minuteOf } from "@tocsin/domain/codec"
import { pollIndicators } from "@tocsin/domain/features/data-source"
import { CountStore, MetricSource, SloStore } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { anSlo, putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { makeJumpingClock } from "../../../../test/e2e/jumping-clock.ts"

const organization = "acme"
const key = { project: "shop", name: "checkout" }
const start = Date.UTC(2026, 0, 30, 12, 0, 30)
const hour = 3_600_000

describe("a clock that is set back", () => {
  it.effect("is recovered from at the first step, after a step back, and again after a failure", () =>
    Effect.gen(function* () {
      const recovered: Array<number> = []
      let isAway = false
      const step = yield* watchClock((now) =>
        isAway ? Effect.fail("away") : Effect.sync(() => void recovered.push(now)),
      )
      const stepAt = (now: number) => Effect.andThen(TestClock.setTime(now), Effect.ignore(step))
      for (const now of [5_000_000, 5_001_000, 9_000_000, 8_999_500, 4_000_000, 4_001_000]) yield* stepAt(now)
      expect(recovered).toEqual([5_000_000, 4_000_000])
      isAway = true
      yield* stepAt(1_000_000)
      isAway = false
      yield* stepAt(1_001_000)
      yield* stepAt(1_002_000)
      expect(recovered.slice(2)).toEqual([1_001_000])
    }),
  )

  it.effect.each([-hour, -90_000, hour])(
    "spec/slos §9: statuses are current within a minute after a jump of %s ms",
    (jump) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const base = yield* Clock.Clock
        const { clock, jump: set } = yield* makeJumpingClock
        const pass = (duration: Duration.Input) =>
          Effect.provideService(TestClock.adjust(duration), Clock.Clock, base)
        yield* Effect.gen(function* () {
          const counts = yield* CountStore
          const record = (good: number) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              counts.record(organization, [
                { slo: key, counts: [{ objective: "good", at: minuteOf(now), good, total: 10 }] },
              ]),
            )
          const reliability = Effect.map(
            findSlo(organization, key),
            ({ record }) => record.statuses.get("good")?.reliability,
          )
          const slo = anSlo(key)
          yield* putDefinitions(organization, [slo])
          yield* record(10)
          let writtenAt = Number.NaN
          const slos = yield* SloStore
          const watched = SloStore.of({
            ...slos,
            writeStatuses: (...parameters) =>
              Effect.andThen(
                Effect.sync(() => (writtenAt = clock.currentTimeMillisUnsafe())),
                slos.writeStatuses(...parameters),
              ),
          })
          yield* Effect.forkChild(Effect.provideService(refreshStatuses, SloStore, watched))
          yield* pass("2 seconds")
          expect(yield* reliability).toBe(1)
          // Its window moves over the counts, so that it is due again every minute.
          yield* pass("2 minutes")
          set(jump)
          const jumpedTo = clock.currentTimeMillisUnsafe()
          writtenAt = Number.NaN
          yield* pass("62 seconds")
          expect(writtenAt).toBeGreaterThanOrEqual(jumpedTo)
        }).pipe(Effect.provideService(Clock.Clock, clock))
      }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect("spec/data-sources §2: indicators are read on within five minutes, from before the jump", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const base = yield* Clock.Clock
      const { clock, jump: set } = yield* makeJumpingClock
      const pass = (duration: Duration.Input) =>
        Effect.provideService(TestClock.adjust(duration), Clock.Clock, base)
      const asked: Array<{ readonly from: number; readonly to: number }> = []
      const source = MetricSource.of({
        readGaps: () => Effect.succeed([]),
        readNames: () => Effect.succeed({ names: [], isComplete: true }),
        readSeries: ({ from, to }) =>
          Effect.sync(() => {
            asked.push({ from, to })
            return []
          }),
      })
      yield* Effect.gen(function* () {
        const indicator = {
          prometheus: { url: sourceUrlOf("http://a.example.com"), good: "good", total: "total" },
        }
        yield* putDefinitions(organization, [anSlo(key, { indicator })])
        yield* Effect.forkChild(pollIndicators)
        yield* pass("2 minutes")
        set(hour)
        yield* pass("3 minutes")
        expect(asked.at(-1)?.to).toBeGreaterThan(start + hour)
        set(-hour)
        asked.length = 0
        yield* pass("6 minutes")
        // An hour that was read while the clock was ahead is read again, and what has come since is read, too.
        expect(Math.min(...asked.map(({ from }) => from))).toBeLessThanOrEqual(start)
        const now = start + 11 * 60_000
        expect(asked.at(-1)?.to).toBeGreaterThan(now - 3 * 60_000)
        expect(asked.at(-1)?.to).toBeLessThanOrEqual(now)
      }).pipe(Effect.provideService(Clock.Clock, clock), Effect.provideService(MetricSource, source))
    }).pipe(Effect.provide(MemoryStores.layer)),
  )
})
