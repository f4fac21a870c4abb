import { stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, object } from "../codec/Containers.ts"
import { literals, number } from "../codec/Leaves.ts"
import * as Effect from "effect/Effect"
import type { AttemptOutcome } from "../notification/Attempt.ts"
import { count as countOne } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"

/** Longest time without a success before a failing alert method is disabled, in milliseconds. */
export const failingMethodMaxMs = 5 * 86_400_000

/** Fewest consecutive failed attempts before a failing alert method is disabled. */
export const failingMethodMinAttempts = 20

/** Most deliveries to one endpoint in flight. */
export const endpointInFlightMax = 5

/** Consecutive failures that open the circuit breaker of an endpoint. */
const breakerFailuresMax = 5

/** First time that a circuit breaker stays open, in milliseconds; each failed probe doubles it. */
export const breakerOpenMinMs = 30_000

/** Longest time that a circuit breaker stays open before its next probe, in milliseconds. */
export const breakerOpenMaxMs = 300_000

/** How far the recorded time of the last success may be behind, in milliseconds. */
const lastSuccessPrecisionMs = 60_000

const time = number({})
const count = number({ min: 0, isInteger: true })

const endpointHealth = object({
  /** Failed attempts since the latest success. */
  failures: count,
  /** When the first of them ended; absent without failures. All times are in Unix milliseconds. */
  failingSince: exactOptional(time),
  /** To within `lastSuccessPrecisionMs`, so that not every success changes the health. */
  lastSuccessAt: exactOptional(time),
  /** When the open circuit allows a probe. */
  circuitOpenUntil: exactOptional(time),
  /** How many consecutive times the circuit has opened. */
  openings: count,
  /** The maximum number of deliveries in flight: 1 to `endpointInFlightMax`. */
  inFlightMax: count,
  /** When and why the alert method was disabled: the receiver responded with 410, or failed for too long. */
  disabled: exactOptional(object({ at: time, because: literals(["gone", "failing"]) })),
})

/**
 * The health of an endpoint, that is, of the receiver behind an alert method.
 *
 * A circuit breaker: closed while `circuitOpenUntil` is absent, open before that time, and half-open from then on, with
 * one probe at a time. After a successful probe, each success raises `inFlightMax` by one (slow start).
 */
export type EndpointHealth = TypeOf<typeof endpointHealth>

/** The stored form of an endpoint's health. */
export const storedHealth = stored(endpointHealth, [])

/** The health of an endpoint before its first attempt. */
export const unknownHealth: EndpointHealth = {
  failures: 0,
  openings: 0,
  inFlightMax: endpointInFlightMax,
}

/** The health of an endpoint that was enabled again: no failures, but a slow start. */
export const enabledHealth: EndpointHealth = { ...unknownHealth, inFlightMax: 1 }

/** Whether the circuit is open. A time further away than the circuit stays open means that the clock was set back since. */
export const isCircuitOpen = ({ circuitOpenUntil, openings }: EndpointHealth, now: number): boolean =>
  circuitOpenUntil !== undefined &&
  now < circuitOpenUntil &&
  circuitOpenUntil - now <= breakerOpenMs(openings)

/** How long a circuit stays open that has opened for the nth consecutive time, in milliseconds. */
const breakerOpenMs = (openings: number): number =>
  Math.min(breakerOpenMinMs * 2 ** (openings - 1), breakerOpenMaxMs)

/**
 * How many more deliveries may be claimed now, given those in flight.
 *
 * A disabled endpoint has unlimited capacity: its deliveries fail without being sent, so that none waits forever.
 */
export const endpointCapacity = (health: EndpointHealth, inFlight: number, now: number): number => {
  if (health.disabled !== undefined) return Number.POSITIVE_INFINITY
  if (isCircuitOpen(health, now)) return 0
  return Math.max(0, health.inFlightMax - inFlight)
}

/**
 * The health after an attempt.
 *
 * Five failures in a row open the circuit for 30 s, and each failed probe for twice as long as before, at most 5 min. A
 * response that arrives while the circuit is open counts, but does not prolong it. A 410 response, or 5 days of failures
 * with at least 20 failed attempts, disables the method. Attempts that were not sent do not count.
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
        failed.failures >= failingMethodMinAttempts &&
        now - (failed.failingSince ?? now) >= failingMethodMaxMs
      return isFailing && health.disabled === undefined
        ? { ...failed, disabled: { at: now, because: "failing" } }
        : failed
    }
  }
}

/** A late success does not enable a disabled method. */
const afterSuccess = (health: EndpointHealth, now: number): EndpointHealth =>
  health.failures === 0 &&
  health.openings === 0 &&
  health.inFlightMax === endpointInFlightMax &&
  health.lastSuccessAt !== undefined &&
  Math.abs(now - health.lastSuccessAt) < lastSuccessPrecisionMs
    ? health
    : {
        failures: 0,
        openings: 0,
        lastSuccessAt: now,
        inFlightMax: Math.min(health.inFlightMax + 1, endpointInFlightMax),
        ...(health.disabled === undefined ? {} : { disabled: health.disabled }),
      }

const afterFailure = (health: EndpointHealth, now: number): EndpointHealth => {
  const failed = {
    ...health,
    failures: health.failures + 1,
    failingSince: health.failingSince ?? now,
  }
  const isOpen = isCircuitOpen(health, now)
  const isProbe = health.circuitOpenUntil !== undefined && !isOpen
  const isRunOfFailures = health.circuitOpenUntil === undefined && failed.failures >= breakerFailuresMax
  if (!isProbe && !isRunOfFailures) return failed
  const openings = health.openings + 1
  return { ...failed, openings, circuitOpenUntil: now + breakerOpenMs(openings), inFlightMax: 1 }
}

/** A change of the health of an endpoint. */
export interface HealthChange {
  /** Before one attempt, or several. */
  readonly before: EndpointHealth
  /** After them; may equal `before`. */
  readonly health: EndpointHealth
}

/** Counts the circuits that opened, and the alert methods that were disabled. */
export const countHealthChanges = (changes: Iterable<HealthChange>): Effect.Effect<void> =>
  Effect.forEach(
    changes,
    ({ before, health }) => {
      const { disabled } = health
      if (disabled !== undefined && before.disabled === undefined)
        return countOne(metrics.alertMethodsDisabled.of(disabled.because))
      return health.openings > before.openings ? countOne(metrics.circuitsOpened.of()) : Effect.void
    },
    { discard: true },
  )
