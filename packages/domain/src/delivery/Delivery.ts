import type { ProjectKey } from "../metadata/ObjectKey.ts"
import type { AttemptOutcome } from "../notification/Attempt.ts"
import type { Notification } from "../notification/Notification.ts"
import { retryDelayMs } from "./RetryPolicy.ts"

/** Most attempts of one delivery that the delivery log stores: the latest. */
export const attemptsKeptMax = 50

/** Retention of deliveries and resolved alerts in a database, in milliseconds: from when they were created or resolved. */
export const historyRetentionMs = 31 * 86_400_000

/**
 * The states of a delivery.
 *
 * - `pending`: waiting for its due time, before the first attempt or between two.
 * - `sending`: claimed by a process; due again when that process no longer renews its lease.
 * - `delivered`: the receiver responded with 2xx.
 * - `exhausted`: all attempts failed.
 * - `failed`: another attempt would not help: the body is too large, or the alert method was deleted, is disabled, or
 *   responded with 410.
 *
 * The last three are settled, and can be resent.
 */
export const deliveryStates = ["pending", "sending", "delivered", "exhausted", "failed"] as const

/** `delivered`, `exhausted` and `failed` are settled; see `deliveryStates`. */
export type DeliveryState = (typeof deliveryStates)[number]

/** The states of a delivery that nothing sends any more. */
export type SettledState = Exclude<DeliveryState, "pending" | "sending">

/** One notification to one alert method. Its ID is that of the notification. */
export interface Delivery {
  /** What is sent, the same on every attempt. */
  readonly notification: Notification
  /** The alert method at the time of creation; it may be deleted since. */
  readonly alertMethod: ProjectKey
  /** Initially `pending`; see `deliveryStates`. */
  readonly state: DeliveryState
  /** The number of the latest attempt; 0 before the first. It never decreases. */
  readonly attempt: number
  /** How many attempts of the retry schedule have been used; a resend starts the schedule again. */
  readonly attemptsUsed: number
  /** All times are in Unix milliseconds. */
  readonly createdAt: number
  /** When the next attempt is due, while `pending`; when it was settled, from then on. */
  readonly dueAt: number
  /** When it reached a settled state. */
  readonly settledAt?: number
  /** When an attempt was successful for the first time, whatever became of a resend. */
  readonly deliveredAt?: number
}

/** The properties of a delivery that attempts change, without its notification. */
export type DeliveryProgress = Pick<
  Delivery,
  "state" | "attempt" | "attemptsUsed" | "dueAt" | "settledAt" | "deliveredAt"
>

/** A delivery that is due at once. */
export const newDelivery = (notification: Notification, alertMethod: ProjectKey, now: number): Delivery => ({
  notification,
  alertMethod,
  state: "pending",
  attempt: 0,
  attemptsUsed: 0,
  createdAt: now,
  dueAt: now,
})

/** Whether no attempt follows, unless the delivery is resent. */
export const isSettled = (delivery: DeliveryProgress): boolean =>
  delivery.state !== "pending" && delivery.state !== "sending"

/**
 * Begins an attempt, counted before anything is sent.
 *
 * A delivery that a process left behind uses no further attempt: the receiver is not to blame for a process that died.
 */
export const claimDelivery = (delivery: Delivery): Delivery => ({
  ...delivery,
  state: "sending",
  attempt: delivery.attempt + 1,
  attemptsUsed: delivery.state === "sending" ? delivery.attemptsUsed : delivery.attemptsUsed + 1,
})

/** Ends an attempt. `random` (0 ≤ random < 1) is the jitter of the next delay. */
export const settleDelivery = <D extends DeliveryProgress>(
  delivery: D,
  outcome: AttemptOutcome,
  now: number,
  random: number,
): D => {
  switch (outcome.kind) {
    case "delivered":
      return { ...settled(delivery, "delivered", now), deliveredAt: delivery.deliveredAt ?? now }
    case "gone":
    case "undeliverable":
      return settled(delivery, "failed", now)
    case "reset":
      return releaseDelivery(delivery, now)
    case "failed": {
      const delayMs = retryDelayMs(delivery.attemptsUsed, random, outcome.retryAfterSeconds)
      return delayMs === undefined
        ? settled(delivery, "exhausted", now)
        : { ...delivery, state: "pending", dueAt: now + delayMs }
    }
  }
}

const settled = <D extends DeliveryProgress>(delivery: D, state: DeliveryState, now: number): D => ({
  ...delivery,
  state,
  dueAt: now,
  settledAt: now,
})

/** Takes back an attempt that the sender could not make, or interrupted; its number is not reused. */
export const releaseDelivery = <D extends DeliveryProgress>(delivery: D, dueAt: number): D => ({
  ...delivery,
  state: "pending",
  attemptsUsed: Math.max(0, delivery.attemptsUsed - 1),
  dueAt,
})

/** Makes a delivery due now, with a new retry schedule and the same ID; unchanged while it is being sent. */
export const resendDelivery = (delivery: Delivery, now: number): Delivery => {
  if (delivery.state === "sending") return delivery
  const { settledAt: _, ...rest } = delivery
  return { ...rest, state: "pending", attemptsUsed: 0, dueAt: now }
}
