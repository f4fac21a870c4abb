import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { organizationKeyText } from "../metadata/ObjectKey.ts"
import type { DueSlo } from "../status/SloStore.ts"

/** Lease of an SLO while a process computes its status, in milliseconds. */
export const statusLeaseMs = 10_000

/** Longest delay before a failed status is computed again, in milliseconds. */
const statusRetryMaxMs = 600_000

/** The SLOs whose status a process failed to compute, or is computing. Times are in Unix milliseconds. */
export interface FailedStatuses {
  /** `alone`: has failed, and is retried by itself. `later`: has failed recently, or is still being computed. */
  readonly turnOf: (due: DueSlo, now: number) => "now" | "alone" | "later"
  /** Records a failure; returns the time until the next attempt in milliseconds, which doubles. */
  readonly add: (due: DueSlo, now: number) => number
  readonly remove: (due: DueSlo) => void
  readonly whileComputing: (
    dues: ReadonlyArray<DueSlo>,
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const makeFailedStatuses = (): FailedStatuses => {
  const failures = new Map<string, Failure>()
  const begunAt = new Map<string, number>()
  /** A failure of the current definition. */
  const failureOf = (due: DueSlo): Failure | undefined => {
    const failure = failures.get(keyOf(due))
    return failure?.version === due.slo.version ? failure : undefined
  }
  return {
    turnOf: (due, now) => {
      if (now - (begunAt.get(keyOf(due)) ?? now) >= longMs) return "later"
      const failure = failureOf(due)
      if (failure === undefined) return "now"
      // More than the wait remains only if the clock was set back.
      const remainingMs = failure.triedAgainAt - now
      return remainingMs <= 0 || remainingMs > failure.waitMs ? "alone" : "later"
    },
    add: (due, now) => {
      const before = failureOf(due)?.waitMs
      const waitMs = before === undefined ? statusLeaseMs : Math.min(2 * before, statusRetryMaxMs)
      // What nobody has asked for since is gone, or is computed by another process.
      for (const [key, { triedAgainAt }] of failures) {
        if (triedAgainAt < now - statusRetryMaxMs) failures.delete(key)
      }
      failures.set(keyOf(due), { version: due.slo.version, waitMs, triedAgainAt: now + waitMs })
      return waitMs
    },
    remove: (due) => failures.delete(keyOf(due)),
    whileComputing: (dues) => (effect) => {
      const keys = dues.map(keyOf)
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        for (const key of keys) begunAt.set(key, now)
        return Effect.ensuring(
          effect,
          Effect.sync(() => keys.forEach((key) => begunAt.delete(key))),
        )
      })
    },
  }
}

interface Failure {
  readonly version: string
  readonly waitMs: number
  readonly triedAgainAt: number
}

/** Shorter than the lease, after which an SLO is due again. */
const longMs = statusLeaseMs / 2

const keyOf = ({ organization, slo }: DueSlo): string =>
  organizationKeyText(organization, slo.definition.metadata)
