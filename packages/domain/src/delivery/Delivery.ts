import type { ProjectKey } from "../metadata/ObjectKey.ts"
import type { AttemptOutcome } from "../notification/Attempt.ts"
import type { Notification } from "../notification/Notification.ts"
import { retryDelayMs } from "./RetryPolicy.ts"

/**
 * The states of a delivery.
 *
 * - `pending`: waits for its time, before the first attempt or between two.
 * - `sending`: claimed by a process; falls back to due when its lease runs out.
 * - `delivered`: the receiver answered 2xx.
 * - `exhausted`: every attempt failed.
 * - `failed`: no attempt could help: the body is too large, the alert method is disabled or gone, or answered 410.
 *
 * The last three are settled; each of them can be resent.
 *
 * Source: decisions 0109, 0303 and 0305.
 */
export const deliveryStates = ["pending", "sending", "delivered", "exhausted", "failed"] as const

/** One state of a delivery. */
export type DeliveryState = (typeof deliveryStates)[number]

/** The way of one notification to one alert method. Its ID is the notification's. */
export interface Delivery {
  readonly notification: Notification
  readonly alertMethod: ProjectKey
  readonly state: DeliveryState
  /** The number of the latest attempt; 0 before the first. It only grows. */
  readonly attempt: number
  /** How many attempts of the retry schedule have been used; a resend starts the schedule again. */
  readonly attemptsUsed: number
  /** All times are in Unix milliseconds. */
  readonly createdAt: number
  /** When the next attempt is due; of meaning while `pending`. */
  readonly dueAt: number
  /** When it reached a settled state. */
  readonly settledAt?: number
}

/** What an attempt changes of a delivery. */
export type DeliveryProgress = Pick<Delivery, "state" | "attempt" | "attemptsUsed" | "dueAt" | "settledAt">

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

/** Whether nothing more happens to a delivery unless it is resent. */
export const isSettled = (delivery: DeliveryProgress): boolean =>
  delivery.state !== "pending" && delivery.state !== "sending"

/**
 * Begins an attempt, counted before anything is sent.
 *
 * A delivery taken over from a process that died spends nothing more: that its lease ran out is no fault of the
 * receiver.
 *
 * Source: decisions 0305 and 0307.
 */
export const claimDelivery = (delivery: Delivery): Delivery => ({
  ...delivery,
  state: "sending",
  attempt: delivery.attempt + 1,
  attemptsUsed: delivery.state === "sending" ? delivery.attemptsUsed : delivery.attemptsUsed + 1,
})

/**
 * Ends an attempt with its outcome. `random` (0 ≤ random < 1) is the jitter of the next wait.
 *
 * Source: decisions 0303 and 0305.
 */
export const settleDelivery = <D extends DeliveryProgress>(
  delivery: D,
  outcome: AttemptOutcome,
  now: number,
  random: number,
): D => {
  switch (outcome.kind) {
    case "delivered":
      return { ...delivery, state: "delivered", settledAt: now }
    case "gone":
    case "undeliverable":
      return { ...delivery, state: "failed", settledAt: now }
    case "reset":
      return releaseDelivery(delivery, now)
    case "failed": {
      const delayMs = retryDelayMs(delivery.attemptsUsed, random, outcome.retryAfterSeconds)
      return delayMs === undefined
        ? { ...delivery, state: "exhausted", settledAt: now }
        : { ...delivery, state: "pending", dueAt: now + delayMs }
    }
  }
}

/**
 * Gives an attempt back that our own side could not make or broke off; its number is not used again.
 *
 * Source: decisions 0302, 0305 and 0307.
 */
export const releaseDelivery = <D extends DeliveryProgress>(delivery: D, dueAt: number): D => ({
  ...delivery,
  state: "pending",
  attemptsUsed: Math.max(0, delivery.attemptsUsed - 1),
  dueAt,
})

/**
 * Makes a delivery due now with its whole retry schedule before it, under the same ID.
 *
 * One that is being sent is left as it is.
 *
 * Source: decision 0305.
 */
export const resendDelivery = (delivery: Delivery, now: number): Delivery => {
  if (delivery.state === "sending") return delivery
  const { settledAt: _, ...rest } = delivery
  return { ...rest, state: "pending", attemptsUsed: 0, dueAt: now }
}
