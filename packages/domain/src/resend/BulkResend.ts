import { stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { literals, number } from "../codec/Leaves.ts"
import { objectName, projectKey } from "../metadata/Metadata.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Delivery, DeliveryState } from "../delivery/Delivery.ts"

/** Most bulk resends of one organization that run concurrently. */
export const bulkResendsRunningMax = 5

/** Most deliveries that one step of a bulk resend makes due. */
export const bulkResendBatchMax = 500

/** Most settled deliveries that a dry run, or one step of a bulk resend, reads. */
export const bulkResendReadMax = 10_000

/** Interval between polls for due bulk resends, in milliseconds. */
export const bulkResendPollMs = 1_000

/** Longest time that a bulk resend waits until its latest batch was attempted, in milliseconds. */
export const bulkResendWaitMaxMs = 10_000

/** The settled states of deliveries. */
export const resendableStates = [
  "exhausted",
  "failed",
  "delivered",
] as const satisfies ReadonlyArray<DeliveryState>

const resendFilter = object({
  /** Absent: those of every alert method. */
  alertMethod: exactOptional(projectKey(objectName)),
  /** At least one. */
  states: list(literals(resendableStates)),
  /** Created at from ≤ t < to, in Unix milliseconds. */
  from: exactOptional(number({})),
  to: exactOptional(number({})),
})

/** Which deliveries of an organization to resend. */
export type ResendFilter = TypeOf<typeof resendFilter>

/** The stored form of a filter. */
export const storedResendFilter = stored(resendFilter, [])

/**
 * Whether a time was reached when a bulk resend was created, at `askedAt`. A time that is in the future `now` was reached
 * before the clock was set back, and counts as well. In Unix milliseconds.
 */
export const wasBy = (time: number, askedAt: number, now: number): boolean => time <= askedAt || time > now

/** How many deliveries match a filter. */
export interface ResendCount {
  /** The deliveries that match, as far as they were read. */
  readonly matched: number
  /** Whether not all deliveries were read: then at least `matched` match. */
  readonly mayMatchMore: boolean
}

/** `done`: every matching delivery was processed; `canceled`: by a user, before that. */
export const bulkResendStates = ["running", "done", "canceled"] as const

/** Resends all deliveries that match a filter and were settled when it was created, batch by batch. */
export interface BulkResend extends ResendCount {
  /** A UUID of version 7. */
  readonly id: string
  /** The organization whose deliveries it resends. */
  readonly organization: OrganizationId
  /** Does not change after creation. */
  readonly filter: ResendFilter
  /** By the clock that settles deliveries. All times are in Unix milliseconds. */
  readonly createdAt: number
  /** How many deliveries it has made due so far. */
  readonly resent: number
  /** `running` until every match was made due (`done`), or a user cancels it (`canceled`). */
  readonly state: (typeof bulkResendStates)[number]
  /** When it was done or canceled; absent while it runs. */
  readonly endedAt?: number
}

/** Whether a filter selects a delivery by its current state. Test notifications never match. */
export const matchesFilter = ({ alertMethod, states, from, to }: ResendFilter, delivery: Delivery): boolean =>
  delivery.notification.event !== "test" &&
  states.some((state) => state === delivery.state) &&
  (alertMethod === undefined ||
    (alertMethod.project === delivery.alertMethod.project &&
      alertMethod.name === delivery.alertMethod.name)) &&
  (from === undefined || from <= delivery.createdAt) &&
  (to === undefined || delivery.createdAt < to)

/** The progress of the latest batch of a bulk resend. */
export interface BatchProgress {
  readonly size: number
  /** How many of its deliveries have not been attempted since. */
  readonly unattempted: number
  /** How long ago it became due, in milliseconds; negative when the clock was set back since. */
  readonly ageMs: number
}

/**
 * Whether the next batch has to wait: while more than half of the latest one is not attempted yet, and that batch is
 * younger than `bulkResendWaitMaxMs`. It waits for 4 unattempted deliveries of 6, but not for 3.
 */
export const isNextBatchDelayed = ({ size, unattempted, ageMs }: BatchProgress): boolean =>
  unattempted * 2 > size && ageMs >= 0 && ageMs < bulkResendWaitMaxMs
