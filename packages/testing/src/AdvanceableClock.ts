import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** The clock of the process, ahead of it by what it was advanced. Who sleeps wakes when this clock has passed the time. */
export class AdvanceableClock implements Clock.Clock {
  private readonly real: Clock.Clock
  private readonly sleepers = new Set<Sleeper>()
  private aheadMs = 0

  constructor(real: Clock.Clock) {
    this.real = real
  }

  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  currentTimeMillisUnsafe(): number {
    return this.real.currentTimeMillisUnsafe() + this.aheadMs
  }

  currentTimeNanosUnsafe(): bigint {
    return this.real.currentTimeNanosUnsafe() + BigInt(this.aheadMs) * nanosPerMilli
  }

  monotonicTimeNanosUnsafe(): bigint {
    return this.real.monotonicTimeNanosUnsafe() + BigInt(this.aheadMs) * nanosPerMilli
  }

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const ms = Duration.toMillis(duration)
    if (ms <= 0) return Effect.yieldNow
    if (ms === Infinity) return Effect.never
    return Effect.callback((resume) => {
      const sleeper: Sleeper = {
        wakeAtMs: this.elapsedMs() + ms,
        wake: () => resume(Effect.void),
        timer: undefined,
      }
      this.sleepers.add(sleeper)
      this.arm(sleeper)
      return Effect.sync(() => {
        clearTimeout(sleeper.timer)
        this.sleepers.delete(sleeper)
      })
    })
  }

  /** Moves the clock ahead by whole milliseconds, and wakes who has slept long enough. */
  advance(ms: number): void {
    this.aheadMs += ms
    for (const sleeper of this.sleepers) this.arm(sleeper)
  }

  private elapsedMs(): number {
    return Number(this.monotonicTimeNanosUnsafe() / nanosPerMilli)
  }

  private arm(sleeper: Sleeper): void {
    clearTimeout(sleeper.timer)
    const remainingMs = sleeper.wakeAtMs - this.elapsedMs()
    const isLast = remainingMs <= timerMaxMs
    sleeper.timer = setTimeout(
      () => {
        if (!isLast) return this.arm(sleeper)
        this.sleepers.delete(sleeper)
        sleeper.wake()
      },
      Math.max(0, isLast ? remainingMs : timerMaxMs),
    )
  }
}

interface Sleeper {
  readonly wakeAtMs: number
  readonly wake: () => void
  timer: ReturnType<typeof setTimeout> | undefined
}

const nanosPerMilli = 1_000_000n

/** A longer timer would fire at once. */
const timerMaxMs = 2 ** 31 - 1
