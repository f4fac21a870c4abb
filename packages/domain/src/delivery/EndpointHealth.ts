import { Limits } from "../Limits.ts"
import type { AttemptOutcome } from "../notification/Attempt.ts"

/**
 * How an endpoint (an alert method's receiver) has answered of late; plain JSON.
 *
 * The breaker is closed while `circuitOpenUntil` is absent, open before that time, and half-open from then on: one probe at
 * a time. After a probe that succeeds, `inFlightMax` grows by one with each success (slow start).
 *
 * Source: decision 0308.
 */
export interface EndpointHealth {
  /** Failed attempts since the latest success. */
  readonly failures: number
  /** When the first of them ended; absent without failures. All times are in Unix milliseconds. */
  readonly failingSince?: number
  readonly lastSuccessAt?: number
  /** When an open breaker lets a probe through. */
  readonly circuitOpenUntil?: number
  /** How often the breaker has opened in a row. */
  readonly openings: number
  /** How many deliveries may be under way at once: 1 to `Limits.endpointInFlightMax`. */
  readonly inFlightMax: number
  /** Since when and why the alert method is disabled: it answered 410, or failed for too long. */
  readonly disabled?: { readonly at: number; readonly because: "gone" | "failing" }
}

/** The health of an endpoint that nothing is known of. */
export const unknownHealth: EndpointHealth = {
  failures: 0,
  openings: 0,
  inFlightMax: Limits.endpointInFlightMax,
}

/** The health of an endpoint that was enabled again: nothing is held against it, but it starts slowly. */
export const enabledHealth: EndpointHealth = { ...unknownHealth, inFlightMax: 1 }

/**
 * How many more deliveries may begin now, given those under way.
 *
 * A disabled endpoint has room for all: its deliveries fail without being sent, so that none waits forever.
 *
 * Source: decision 0308.
 */
export const endpointCapacity = (health: EndpointHealth, inFlight: number, now: number): number => {
  if (health.disabled !== undefined) return Number.POSITIVE_INFINITY
  if (health.circuitOpenUntil !== undefined && now < health.circuitOpenUntil) return 0
  return Math.max(0, health.inFlightMax - inFlight)
}

/**
 * The health after an attempt.
 *
 * Five failures in a row open the breaker for 30 s, and each failed probe for twice as long, at most 5 min. An answer
 * that comes while the breaker is open counts, but does not open it further. 5 days of failing with at least 20
 * failed attempts, or 410, disable the method. What was not sent says nothing.
 *
 * Source: decision 0308.
 */
export const nextHealth = (health: EndpointHealth, outcome: AttemptOutcome, now: number): EndpointHealth => {
  switch (outcome.kind) {
    case "undeliverable":
    case "reset":
      return health
    case "delivered":
      return afterSuccess(health, now)
    case "gone":
      return { ...afterFailure(health, now), disabled: { at: now, because: "gone" } }
    case "failed": {
      const failed = afterFailure(health, now)
      const isFailing =
        failed.failures >= Limits.failingMethodMinAttempts &&
        now - (failed.failingSince ?? now) >= Limits.failingMethodMaxMs
      return isFailing && health.disabled === undefined
        ? { ...failed, disabled: { at: now, because: "failing" } }
        : failed
    }
  }
}

/** A method that is disabled stays so, even when a late answer is a success: only a person enables it. */
const afterSuccess = (health: EndpointHealth, now: number): EndpointHealth => ({
  failures: 0,
  openings: 0,
  lastSuccessAt: now,
  inFlightMax: Math.min(health.inFlightMax + 1, Limits.endpointInFlightMax),
  ...(health.disabled === undefined ? {} : { disabled: health.disabled }),
})

const afterFailure = (health: EndpointHealth, now: number): EndpointHealth => {
  const failed = {
    ...health,
    failures: health.failures + 1,
    failingSince: health.failingSince ?? now,
  }
  const isOpen = health.circuitOpenUntil !== undefined && now < health.circuitOpenUntil
  const isProbe = health.circuitOpenUntil !== undefined && !isOpen
  const isRunOfFailures =
    health.circuitOpenUntil === undefined && failed.failures >= Limits.breakerFailuresMax
  if (!isProbe && !isRunOfFailures) return failed
  const openMs = Math.min(Limits.breakerOpenMinMs * 2 ** health.openings, Limits.breakerOpenMaxMs)
  return { ...failed, openings: health.openings + 1, circuitOpenUntil: now + openMs, inFlightMax: 1 }
}
