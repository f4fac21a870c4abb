import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/**
 * The current clock, except that `shift` sets its time by as many milliseconds, as somebody does who sets a computer's
 * clock: what waits for a time to pass does not notice.
 */
export const shiftedClock = Effect.map(Clock.Clock, (clock) => {
  let offset = 0
  const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + offset
  const shifted = Object.create(clock, {
    currentTimeMillisUnsafe: { value: currentTimeMillisUnsafe },
    currentTimeMillis: { value: Effect.sync(currentTimeMillisUnsafe) },
  }) as Clock.Clock
  return {
    clock: shifted,
    shift: (milliseconds: number) =>
      Effect.sync(() => {
        offset += milliseconds
      }),
  }
})
