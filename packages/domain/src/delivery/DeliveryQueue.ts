import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { AlertMethod } from "../alert-method/AlertMethod.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { Attempt, AttemptOutcome } from "../notification/Attempt.ts"
import type { Delivery, DeliveryState } from "./Delivery.ts"
import type { EndpointHealth } from "./EndpointHealth.ts"
import type { DeliveredEvent } from "../notification/Notification.ts"

/** A delivery that this process alone sends, until its lease runs out. */
export interface ClaimedDelivery {
  /** Fresh with every claim; what is done with the delivery later must carry it. */
  readonly claimId: string
  /** After `claimDelivery`: `sending`, its attempt counted. */
  readonly delivery: Delivery
  /** The alert method as it is stored now; absent when it was deleted. */
  readonly alertMethod: StoredDefinition<AlertMethod> | undefined
  readonly isDisabled: boolean
}

/** Who asks for deliveries, and for how many. */
export interface ClaimRequest {
  /** At least 1. */
  readonly limit: number
  readonly leaseMs: number
  /** How many deliveries of each organization the process has under way; absent: none. */
  readonly inFlight?: ReadonlyMap<OrganizationId, number>
}

/** What a claim gives. */
export interface Claim {
  readonly claims: ReadonlyArray<ClaimedDelivery>
  /** In how many milliseconds something else may be due, by the queue's clock; absent: nothing is waiting. */
  readonly nextDueInMs: number | undefined
}

/** The end of one attempt. `random` (0 ≤ random < 1) is the jitter of a next wait. */
export interface Settlement {
  readonly claimId: string
  readonly attempt: Attempt
  readonly outcome: AttemptOutcome
  readonly random: number
}

/** A claim given back: the attempt was not made, or our own side broke it off. */
export interface Release {
  readonly claimId: string
  readonly delayMs: number
}

/** A delivery with the latest `Limits.attemptsKeptMax` of its attempts, the oldest first. */
export interface DeliveryLog {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<Attempt>
}

/** What can be paused: everything, or the deliveries of one alert method. */
export type PauseScope = "all" | { readonly organization: OrganizationId; readonly alertMethod: ProjectKey }

/** Whether a scope is paused itself, and how many of its deliveries are being sent: 0 once a pause has drained it. */
export interface PauseState {
  readonly isPaused: boolean
  readonly sending: number
}

/** What is known of an alert method. */
export interface MethodActivity {
  /** As `health` has it. */
  readonly endpoint: EndpointHealth
  readonly pause: PauseState
  /** The newest by its ID, also one that is not settled; absent: there was none, or it is forgotten. */
  readonly latestDelivery?: Delivery
}

/** Which deliveries to list. */
export interface DeliveryQuery {
  readonly alertMethod?: Partial<ProjectKey>
  readonly states?: ReadonlyArray<DeliveryState>
  readonly events?: ReadonlyArray<DeliveredEvent>
  /** Those of one alert: an ID names one alert of the organization, also where an outside evaluator gave it. */
  readonly alertId?: string
  /** Created at from ≤ t < to, in Unix milliseconds. */
  readonly from?: number
  readonly to?: number
}

/**
 * Keeps deliveries, hands them out to be sent, and keeps the log of their attempts.
 *
 * The delivery is the entry of the queue: there is no second truth. Entries come in with the alert that caused them
 * (`AlertStore`). All scheduling goes by the queue's own clock. Settled deliveries may be dropped, the oldest first.
 *
 * Source: decisions 0305, 0307, 0308 and 0600.
 */
export class DeliveryQueue extends Context.Service<
  DeliveryQueue,
  {
    /**
     * Claims at most `limit` due deliveries of all organizations, in one atomic step.
     *
     * Due are pending ones whose time has come, and those being sent whose lease ran out. No endpoint gets more than
     * `endpointCapacity`; endpoints take turns within an organization, and organizations with each other. An organization
     * gets no more than `Limits.organizationInFlightMax` less what the process has of it under way, whatever other
     * organizations have due; what is held back for that does not count in `nextDueInMs`.
     *
     * While both are due, first attempts get what `makeFirstAttemptShare` keeps for them, and later ones the rest.
     */
    readonly claim: (request: ClaimRequest) => Effect.Effect<Claim, DeliveryQueueIsUnavailable>
    /**
     * Writes the attempts, the next states (`settleDelivery`) and the endpoints' health (`nextHealth`), in one atomic
     * step; tells the claims whose lease was lost, of which nothing is written.
     */
    readonly settle: (
      settlements: ReadonlyArray<Settlement>,
    ) => Effect.Effect<ReadonlyArray<string>, DeliveryQueueIsUnavailable>
    /** Extends leases to `leaseMs` from now; a claim that was lost stays lost. */
    readonly renew: (
      claimIds: ReadonlyArray<string>,
      leaseMs: number,
    ) => Effect.Effect<void, DeliveryQueueIsUnavailable>
    /** Gives claims back (`releaseDelivery`); those that were lost are left alone. */
    readonly release: (releases: ReadonlyArray<Release>) => Effect.Effect<void, DeliveryQueueIsUnavailable>
    /**
     * Hints that something may have become due. A hint can be missed or come for nothing: polling is the truth.
     *
     * Source: decision 0307.
     */
    readonly hints: Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope>
    readonly find: (
      organization: OrganizationId,
      id: string,
    ) => Effect.Effect<Option.Option<DeliveryLog>, DeliveryQueueIsUnavailable>
    /** The newest first, by ID; the page's key is the ID. */
    readonly list: (
      organization: OrganizationId,
      query: DeliveryQuery,
      page: PageRequest<string>,
    ) => Effect.Effect<Page<Delivery>, DeliveryQueueIsUnavailable>
    /** Makes a delivery due again (`resendDelivery`); gives it as it is then. */
    readonly resend: (
      organization: OrganizationId,
      id: string,
    ) => Effect.Effect<Option.Option<Delivery>, DeliveryQueueIsUnavailable>
    /**
     * How the receiver of an alert method has answered; `unknownHealth` when nothing is known.
     *
     * A method that is deleted, or given another URL, starts anew: how an attempt ends that was claimed before says
     * nothing about it.
     */
    readonly health: (
      organization: OrganizationId,
      alertMethod: ProjectKey,
    ) => Effect.Effect<EndpointHealth, DeliveryQueueIsUnavailable>
    /**
     * What is known of alert methods, in their order, in one round trip.
     *
     * Of the deliveries that are not settled only the newest `Limits.unsettledActivityMax` need be looked at: of a method
     * that has none among them it may be the newest settled one that is told.
     */
    readonly activities: (
      organization: OrganizationId,
      alertMethods: ReadonlyArray<ProjectKey>,
    ) => Effect.Effect<ReadonlyArray<MethodActivity>, DeliveryQueueIsUnavailable>
    /** Enables a disabled alert method (`enabledHealth`); one that is not disabled is left as it is. */
    readonly enable: (
      organization: OrganizationId,
      alertMethod: ProjectKey,
    ) => Effect.Effect<EndpointHealth, DeliveryQueueIsUnavailable>
    /**
     * Pauses or resumes: nothing of a paused scope is claimed, by no process, and what is under way is finished.
     *
     * Deliveries come in all the same. A method that is deleted is not paused any more.
     *
     * Source: delivery design, "The queue" 12.
     */
    readonly setPaused: (
      scope: PauseScope,
      isPaused: boolean,
    ) => Effect.Effect<void, DeliveryQueueIsUnavailable>
    readonly pauseState: (scope: PauseScope) => Effect.Effect<PauseState, DeliveryQueueIsUnavailable>
  }
>()("@tocsin/domain/delivery/DeliveryQueue") {}

/** The queue could not be reached or did not answer. */
export class DeliveryQueueIsUnavailable extends Data.TaggedError("DeliveryQueueIsUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
