import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** How far a clock may be set back without a recovery, in milliseconds: due times are then late by at most as much. */
const clockSetBackMinMs = 1_000

/**
 * Returns an effect for each step of a background loop. It runs `recover` with the current time (Unix milliseconds) the
 * first time, as the clock may have been set back while the process was stopped, and whenever the clock was set back since
 * the last step. After a failure, the next step tries again.
 */
export const watchClock = <E, R>(
  recover: (now: number) => Effect.Effect<void, E, R>,
): Effect.Effect<Effect.Effect<void, E, R>> =>
  Effect.sync(() => {
    let recoveredTo = Number.POSITIVE_INFINITY
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const isSetBack = now < recoveredTo - clockSetBackMinMs
      const reached = Effect.sync(() => {
        recoveredTo = now
      })
      return isSetBack ? Effect.andThen(recover(now), reached) : reached
    })
  })
