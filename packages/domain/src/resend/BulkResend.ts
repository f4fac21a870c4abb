import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { Delivery, DeliveryState } from "../delivery/Delivery.ts"

/** Bulk resends of one organization that run at once. */
export const bulkResendsRunningMax = 5

/** Most deliveries that one step of a bulk resend makes due. */
export const bulkResendBatchMax = 500

/** Most settled deliveries that a count, or one step of a bulk resend, reads. */
export const bulkResendReadMax = 10_000

/** Time between two looks for bulk resends to go on with, in milliseconds. */
export const bulkResendPollMs = 1_000

/** The longest that a bulk resend waits for its latest batch to be tried, in milliseconds. */
export const bulkResendWaitMaxMs = 10_000

/** The states of deliveries that a bulk resend can take: those that are settled. */
export const resendableStates = [
  "exhausted",
  "failed",
  "delivered",
] as const satisfies ReadonlyArray<DeliveryState>

/** One state of deliveries that a bulk resend can take. */
export type ResendableState = (typeof resendableStates)[number]

/** Which deliveries of an organization to resend. */
export interface ResendFilter {
  /** Absent: those of every alert method. */
  readonly alertMethod?: ProjectKey
  /** At least one. */
  readonly states: ReadonlyArray<ResendableState>
  /** Created at from ≤ t < to, in Unix milliseconds. */
  readonly from?: number
  readonly to?: number
}

/** How many deliveries a filter lets through. */
export interface ResendCount {
  readonly matched: number
  /** Whether counting ended before all were read: then at least `matched` are let through. */
  readonly mayMatchMore: boolean
}

/** The states of a bulk resend; the last two are its ends. */
export const bulkResendStates = ["running", "done", "canceled"] as const

/**
 * The resending of all deliveries that a filter lets through and that were settled when it was asked for, batch by
 * batch.
 */
export interface BulkResend extends ResendCount {
  /** A UUID of version 7. */
  readonly id: string
  readonly organization: OrganizationId
  readonly filter: ResendFilter
  /** By the clock that deliveries are settled by. All times are in Unix milliseconds. */
  readonly createdAt: number
  /** How many deliveries it has made due so far. */
  readonly resent: number
  readonly state: (typeof bulkResendStates)[number]
  readonly endedAt?: number
}

/** Whether a filter lets a delivery through. */
export const isToResend = ({ alertMethod, states, from, to }: ResendFilter, delivery: Delivery): boolean =>
  states.some((state) => state === delivery.state) &&
  (alertMethod === undefined ||
    (alertMethod.project === delivery.alertMethod.project &&
      alertMethod.name === delivery.alertMethod.name)) &&
  (from === undefined || from <= delivery.createdAt) &&
  (to === undefined || delivery.createdAt < to)

/** The progress of the latest batch of a bulk resend. */
export interface BatchProgress {
  readonly size: number
  /** How many of it have not been tried since. */
  readonly untried: number
  /** How long ago it became due, in milliseconds. */
  readonly ageMs: number
}

/**
 * Whether the next batch waits for the latest one: while more than half of that is untried, and it is younger than
 * `bulkResendWaitMaxMs`.
 *
 * So what a bulk resend has due at once stays small as long as receivers keep up with it; 3 untried of 6 hold nothing
 * back, 4 do, none of 0 nothing.
 */
export const isNextBatchHeld = ({ size, untried, ageMs }: BatchProgress): boolean =>
  untried * 2 > size && ageMs < bulkResendWaitMaxMs
