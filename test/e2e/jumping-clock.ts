import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** A clock whose time of day can be set, as that of a machine can; waits and durations go on regardless. */
export interface JumpingClock {
  readonly clock: Clock.Clock
  /** Sets the time of day forward by so many milliseconds, or back by a negative number. */
  readonly jump: (milliseconds: number) => void
}

/** Makes one that otherwise goes as the current clock does. */
export const makeJumpingClock: Effect.Effect<JumpingClock> = Effect.map(Clock.Clock, (base) => {
  let offsetMs = 0
  const millis = () => base.currentTimeMillisUnsafe() + offsetMs
  const nanos = () => base.currentTimeNanosUnsafe() + BigInt(offsetMs) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: base.monotonicTimeNanos,
    sleep: (duration) => base.sleep(duration),
  }
  return {
    clock,
    jump: (milliseconds) => {
      offsetMs += milliseconds
    },
  }
})
