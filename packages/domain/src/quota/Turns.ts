import type { OrganizationId } from "../metadata/ObjectKey.ts"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { workFor } from "./ProcessorShares.ts"
import { atMost, type RequestsInProgress } from "./CostlyRequests.ts"

/** Most requests of one sort that a process handles at the same time, and that are handled or wait for their turn. */
export interface TurnLimits {
  /** Of one organization, handled at the same time. */
  readonly perOrganization: number
  /** Of all organizations, handled at the same time. */
  readonly total: number
  /** Of one organization, handled or waiting. */
  readonly waitingPerOrganization: number
  /** Of all organizations, handled or waiting. */
  readonly waiting: number
}

/** The requests of one sort that are handled or wait for their turn. */
export interface Turns {
  /** How many there may be. */
  readonly limits: TurnLimits
  /** Those that are handled or wait. */
  readonly inProgress: RequestsInProgress
  /** The turns of all organizations. */
  readonly all: Semaphore.Semaphore
  /** The turns of each organization that has requests. */
  readonly byOrganization: Map<OrganizationId, Semaphore.Semaphore>
}

/** Turns of one sort of requests, which all servers of a process should share. */
export const makeTurns = (limits: TurnLimits): Turns => ({
  limits,
  inProgress: { byOrganization: new Map(), total: 0 },
  all: Semaphore.makeUnsafe(limits.total),
  byOrganization: new Map(),
})

/**
 * Handles a request once it is the turn of its organization: dashboards and pages send several at once. Fails with
 * `ConcurrencyLimitIsExceeded`, before it does anything, while too many wait.
 */
export const inTurn =
  ({ limits, inProgress, all, byOrganization }: Turns, organization: OrganizationId) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) => {
    const own = Effect.suspend(() => {
      const turns = byOrganization.get(organization) ?? Semaphore.makeUnsafe(limits.perOrganization)
      byOrganization.set(organization, turns)
      // It begins with a pause: many small requests that wait would otherwise follow one another without one.
      return turns.withPermits(1)(all.withPermits(1)(workFor(organization)(work)))
    })
    const forget = Effect.sync(() => {
      // This one is still counted.
      if ((inProgress.byOrganization.get(organization) ?? 0) <= 1) byOrganization.delete(organization)
    })
    return own.pipe(
      Effect.ensuring(forget),
      atMost(organization, inProgress, {
        perOrganization: limits.waitingPerOrganization,
        total: limits.waiting,
      }),
    )
  }
