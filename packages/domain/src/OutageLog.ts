import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Readiness, unreadyAfterMs } from "./Readiness.ts"

/**
 * Returns a function that wraps each step of a background loop, reports its outcome to `Readiness`, and logs outages:
 * `message` as an error when steps begin to fail and every minute while they fail, and `Recovered` as a warning when
 * steps have succeeded for 10 s. Succeeds or fails as the step does.
 *
 * The server is not ready when steps have failed for `limitMs`, until one succeeds.
 *
 * Lines after the first have the field `outageSeconds`; `Recovered` has `outage`, which is `message`.
 */
export const logOutages = (
  message: string,
  limitMs: number = unreadyAfterMs,
): Effect.Effect<<A, E, R>(step: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>> =>
  Effect.map(Readiness, (readiness) => {
    const report = readiness.register(message, limitMs)
    let outage: Outage | undefined

    const failed = (cause: Cause.Cause<unknown>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        report.failed(now)
        const { beganAt, loggedAt } =
          outage === undefined || isOver(outage, now) ? { beganAt: now, loggedAt: undefined } : outage
        const isToLog = loggedAt === undefined || Math.abs(now - loggedAt) >= logEveryMs
        outage = { beganAt, loggedAt: isToLog ? now : loggedAt, failedAt: now, workedAt: undefined }
        if (!isToLog) return Effect.void
        const logged = Effect.logError(message, cause)
        return loggedAt === undefined
          ? logged
          : Effect.annotateLogs(logged, { outageSeconds: secondsOf(now - beganAt) })
      })

    const worked = Effect.suspend(() => {
      report.succeeded()
      if (outage === undefined) return Effect.void
      const before = outage
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const { beganAt, workedAt = now } = before
        outage = { ...before, workedAt }
        if (!isOver(outage, now)) return Effect.void
        outage = undefined
        return Effect.annotateLogs(Effect.logWarning("Recovered"), {
          outage: message,
          outageSeconds: secondsOf(workedAt - beganAt),
        })
      })
    })

    return (step) =>
      Effect.onExit(step, (exit): Effect.Effect<void> => {
        if (Exit.isSuccess(exit)) return worked
        return Cause.hasInterruptsOnly(exit.cause) ? Effect.void : failed(exit.cause)
      })
  })

/** Also when no step has run since steps began to succeed, so that the end was not logged. */
const isOver = ({ failedAt, workedAt }: Outage, now: number): boolean =>
  workedAt !== undefined && Math.abs(now - failedAt) >= overAfterMs

interface Outage {
  /** This and the other times are in Unix milliseconds. */
  readonly beganAt: number
  readonly loggedAt: number
  /** When the latest step failed. */
  readonly failedAt: number
  /** When the first step has succeeded since. */
  readonly workedAt: number | undefined
}

const logEveryMs = 60_000
const overAfterMs = 10_000

const secondsOf = (ms: number): number => Math.round(ms / 1_000)
