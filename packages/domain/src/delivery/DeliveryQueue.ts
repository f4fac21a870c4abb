import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { AlertMethod } from "../alert-method/AlertMethod.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import type { Attempt, AttemptOutcome } from "../notification/Attempt.ts"
import type { Notification } from "../notification/Notification.ts"
import type { Delivery, SettledState } from "./Delivery.ts"
import type { QueueBacklog } from "./DeliverySchedule.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** A delivery that only this process may send, for as long as it renews its lease. */
export interface ClaimedDelivery {
  /** Unique for each claim. */
  readonly claimId: string
  /** After `claimDelivery`. */
  readonly delivery: Delivery
  /** The current alert method; absent if it was deleted. */
  readonly alertMethod: StoredDefinition<AlertMethod> | undefined
  /** Whether the alert method was disabled or deleted, so that nothing is sent. */
  readonly isDisabled: boolean
}

/** How many deliveries a process claims. */
export interface ClaimRequest {
  /** At least 1. */
  readonly limit: number
  /** The lease of everything that the process has claimed: from now, until it claims or renews again. */
  readonly leaseMs: number
}

/** What a process has claimed. */
export interface Claim {
  /** In the order in which they are to be sent. */
  readonly claims: ReadonlyArray<ClaimedDelivery>
  /** In how many milliseconds another delivery may be due, by the queue's clock; absent if none is waiting. */
  readonly nextDueInMs: number | undefined
}

/** The outcome of one attempt. `random` (0 ≤ random < 1) is the jitter of the next delay. */
export interface Settlement {
  /** The claim that the attempt was made for. */
  readonly claimId: string
  /** What is logged. */
  readonly attempt: Attempt
  /** What happens to the delivery. */
  readonly outcome: AttemptOutcome
  /** The jitter of the next delay, from 0 to less than 1. */
  readonly random: number
}

/** The release of a claim whose attempt the sender could not make, or interrupted. */
export interface Release {
  /** The claim that is given up. */
  readonly claimId: string
  /** When the delivery is due again, from now. */
  readonly delayMs: number
}

/** A test of an alert method: one attempt, which has ended. */
export interface TestDelivery {
  /** Its ID is that of the delivery. */
  readonly notification: Notification
  /** The tested alert method. */
  readonly alertMethod: ProjectKey
  /** The only attempt, with number 1. */
  readonly attempt: Attempt
  /** The state of the delivery in the log. */
  readonly state: SettledState
}

/** Whether deliveries are paused, and how many are in flight, of all processes: 0 after a pause has drained them. */
export interface PauseState {
  /** Whether nothing more is sent. */
  readonly isPaused: boolean
  /** At least 0. */
  readonly inFlight: number
}

/**
 * Port: the queue of deliveries of all organizations.
 *
 * A delivery is its own queue entry. `AlertStore` adds deliveries together with the alert that caused them; from then on
 * `DeliveryLog` lists them. All scheduling uses the queue's own clock.
 */
export class DeliveryQueue extends Context.Service<
  DeliveryQueue,
  {
    /**
     * Claims at most `limit` due deliveries, as `DeliverySchedule` chooses them.
     *
     * A delivery is due when it is pending and its due time has passed, or when a process that claimed it has let its
     * lease expire. Deliveries that wait for others of their organization to end do not count in `nextDueInMs`.
     */
    readonly claim: (request: ClaimRequest) => Effect.Effect<Claim, StoreIsUnavailable>
    /**
     * Writes attempts, next states (`settleDelivery`) and endpoint health (`nextHealth`), in one atomic step for each
     * organization. Returns the claims whose lease was lost, for which nothing is written. After a failure, the same
     * settlements can be given again.
     */
    readonly settle: (
      settlements: ReadonlyArray<Settlement>,
    ) => Effect.Effect<ReadonlyArray<string>, StoreIsUnavailable>
    /** Extends the lease of everything that the process has claimed to `leaseMs` from now. */
    readonly renew: (leaseMs: number) => Effect.Effect<void, StoreIsUnavailable>
    /** Releases claims (`releaseDelivery`); lost leases are ignored. */
    readonly release: (releases: ReadonlyArray<Release>) => Effect.Effect<void, StoreIsUnavailable>
    /** Makes a delivery due now (`resendDelivery`) and returns it; `None` if it does not exist. */
    readonly resend: (
      organization: OrganizationId,
      id: string,
    ) => Effect.Effect<Option.Option<Delivery>, StoreIsUnavailable>
    /** Adds a settled delivery with its only attempt to the log. Nothing sends it, and no endpoint's health changes. */
    readonly logTest: (tested: TestDelivery) => Effect.Effect<void, StoreIsUnavailable>
    /** Hints that something may have become due. Hints can be lost or spurious, so a consumer polls as well. */
    readonly hints: Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope>
    /**
     * Pauses or resumes all deliveries. While paused, no process claims anything; deliveries in flight are finished,
     * and new ones are added. `EndpointStore` pauses single alert methods.
     */
    readonly setPaused: (isPaused: boolean) => Effect.Effect<void, StoreIsUnavailable>
    readonly isPaused: Effect.Effect<boolean, StoreIsUnavailable>
    readonly pauseState: Effect.Effect<PauseState, StoreIsUnavailable>
    /** What waits in this process, as it knows it: it asks nobody, and never fails. */
    readonly backlog: Effect.Effect<QueueBacklog>
  }
>()("@tocsin/domain/internal/delivery/DeliveryQueue") {}
