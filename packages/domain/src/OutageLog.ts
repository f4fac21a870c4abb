import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/**
 * Gives a function that watches each step of one loop in the background, and logs when they fail: as an error once when
 * that begins and then every minute for as long as it lasts, as a warning once when it is over. The step itself
 * succeeds or fails as it would alone.
 *
 * `what` is the message, said of the steps; it begins every line but the last. It is over once steps have worked for
 * 10 s, so that a store which comes and goes is not told of each time.
 */
export const logOutages = (
  what: string,
): Effect.Effect<<A, E, R>(step: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>> =>
  Effect.sync(() => {
    let outage: Outage | undefined

    const failed = (cause: Cause.Cause<unknown>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const { beganAt, loggedAt } =
          outage === undefined || isOver(outage, now) ? { beganAt: now, loggedAt: undefined } : outage
        const isDue = loggedAt === undefined || now - loggedAt >= logEveryMs
        outage = { beganAt, loggedAt: isDue ? now : loggedAt, failedAt: now, workedAt: undefined }
        if (!isDue) return Effect.void
        return Effect.logError(
          loggedAt === undefined ? what : `${what}, for ${lengthText(now - beganAt)} now`,
          cause,
        )
      })

    const worked = Effect.suspend(() => {
      if (outage === undefined) return Effect.void
      const before = outage
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const { beganAt, workedAt = now } = before
        outage = { ...before, workedAt }
        if (!isOver(outage, now)) return Effect.void
        outage = undefined
        return Effect.logWarning(`It is over, after ${lengthText(workedAt - beganAt)}: ${what}`)
      })
    })

    return (step) =>
      Effect.onExit(step, (exit): Effect.Effect<void> => {
        if (Exit.isSuccess(exit)) return worked
        return Cause.hasInterruptsOnly(exit.cause) ? Effect.void : failed(exit.cause)
      })
  })

/** Where nobody asks after steps have worked, it has ended unheard. */
const isOver = ({ failedAt, workedAt }: Outage, now: number): boolean =>
  workedAt !== undefined && now - failedAt >= overAfterMs

interface Outage {
  /** Of this and the rest, in Unix milliseconds. */
  readonly beganAt: number
  readonly loggedAt: number
  /** Of the latest step that failed. */
  readonly failedAt: number
  /** Of the first step that has worked since. */
  readonly workedAt: number | undefined
}

const logEveryMs = 60_000
const overAfterMs = 10_000

const lengthText = (ms: number): string => Duration.format(Duration.seconds(Math.round(ms / 1_000)))
