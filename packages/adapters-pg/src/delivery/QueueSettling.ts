import {
  countHealthChanges,
  type DeliveryProgress,
  type DeliverySchedule,
  type DeliveryState,
  type EndpointHealth,
  groupBy,
  nextHealth,
  releaseDelivery,
  senderFaultDelayMs,
  settleDelivery,
  storedAttempt,
  storedHealth,
  unknownHealth,
} from "@tocsin/domain/adapter"
import { endpointPrefix } from "@tocsin/domain/features/status-page"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import type { Release, Settlement } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { isPartitionMissing } from "../database/Retention.ts"
import { organizationsAtOnce } from "./OrganizationWork.ts"
import type { InFlight, Waiting } from "./OwnedQueue.ts"
import type { QueueOwnership } from "./QueueOwnership.ts"
import type { Attempt } from "@tocsin/domain"
import type { Fragment } from "effect/sql/Statement"
import { bigints, booleans, integers, keyArrays, texts } from "../database/Parameters.ts"
import { ownerRow } from "./QueueStatements.ts"

/** A claim of this process, until it ends. */
interface HeldClaim extends InFlight {
  readonly organization: OrganizationId
  readonly epoch: number
  /** The generation of the endpoint when it was claimed. */
  readonly generation: number
  readonly createdAt: number
  readonly notification: string
  readonly attempt: number
  readonly attemptsUsed: number
  readonly dueAt: number
}

/** The claims that a process has handed out and not settled, by their IDs. */
export type HeldClaims = Map<string, HeldClaim>

type End = Settlement | Release

export type QueueSettling = ReturnType<typeof makeQueueSettling>

/** Ends claims: writes what came of them, one transaction for each organization, and then brings the schedule up to that. */
export const makeQueueSettling = (
  sql: SqlClient.SqlClient,
  isDistributed: Effect.Effect<boolean, SqlError>,
  ownership: QueueOwnership,
  schedule: DeliverySchedule<Waiting>,
  claims: HeldClaims,
) => {
  /** Claims that were settled while others of the same call failed. */
  const settledBefore = new Set<string>()

  /** Ends claims, organization by organization; returns those that were lost. */
  const end = (ends: ReadonlyArray<End>) =>
    Effect.gen(function* () {
      const lost: Array<string> = []
      const byOrganization = new Map<OrganizationId, Array<End>>()
      for (const each of ends) {
        const organization = claims.get(each.claimId)?.organization
        if (organization === undefined) {
          if (!settledBefore.delete(each.claimId)) lost.push(each.claimId)
          continue
        }
        const others = byOrganization.get(organization)
        if (others === undefined) byOrganization.set(organization, [each])
        else others.push(each)
      }
      const exits = yield* Effect.forEach(
        byOrganization,
        ([organization, ofOrganization]) =>
          Effect.exit(Effect.map(endOf(organization, ofOrganization), (ended) => void lost.push(...ended))),
        { concurrency: organizationsAtOnce },
      )
      const failed = exits.find(Exit.isFailure)
      if (failed === undefined) return lost
      for (const { claimId } of ends) if (!claims.has(claimId)) settledBefore.add(claimId)
      return yield* Effect.failCause(failed.cause)
    })

  /** Ends claims of one organization; returns those that were lost. */
  const endOf = (organization: OrganizationId, ends: ReadonlyArray<End>) =>
    Effect.gen(function* () {
      const at = ownership.now()
      const ended = new Map<string, Ended>()
      for (const each of ends) {
        const claim = claims.get(each.claimId)
        if (claim !== undefined && !ended.has(each.claimId)) {
          ended.set(each.claimId, { claim, end: endedClaim(claim, each, at), given: each })
        }
      }
      const changed = healthChanges(organization, ended.values(), at)
      const lost = yield* write(organization, at, ended, changed)
      apply(organization, at, ended, new Set(lost), changed)
      yield* countHealthChanges(changed)
      return lost
    })

  /** The endpoints whose health changes with these outcomes. */
  const healthChanges = (
    organization: OrganizationId,
    ended: Iterable<Ended>,
    at: number,
  ): ReadonlyArray<HealthChange> => {
    const queue = ownership.find(organization)
    const changes = new Map<string, HealthChange>()
    for (const { claim, given } of ended) {
      if (!("outcome" in given)) continue
      const { alertMethod, generation } = claim
      const current = queue?.generationOf(alertMethod)
      if (current !== undefined && current !== generation) continue
      const text = projectKeyText(alertMethod)
      const earlier = changes.get(text)
      const before = earlier?.health ?? schedule.find(organization, alertMethod)?.health ?? unknownHealth
      const health = nextHealth(before, given.outcome, at)
      if (health === before) continue
      changes.set(text, { alertMethod, generation, health, before: earlier?.before ?? before })
    }
    return [...changes.values()]
  }

  /** Writes the ends of claims; returns the claims that were lost. */
  const write = (
    organization: OrganizationId,
    at: number,
    ended: ReadonlyMap<string, Ended>,
    changed: ReadonlyArray<ChangedHealth>,
  ) => {
    const writing = (isLogged: boolean) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const held: Array<EndedClaim> = []
          const lost: Array<string> = []
          for (const [epoch, ofEpoch] of groupBy(ended, ([, { claim }]) => claim.epoch)) {
            const ids = ofEpoch.map(([, { claim }]) => claim.id)
            const removed = yield* removeClaims(sql, organization, epoch, ids)
            for (const [claimId, { claim, end }] of ofEpoch) {
              if (removed.has(claim.id)) held.push(end)
              else lost.push(claimId)
            }
          }
          if (isLogged) yield* writeEnded(sql, organization, at, held, changed)
          return lost
        }),
      )
    /** Most ends settle their delivery and change no health. */
    const settling = () => {
      const settled = [...ended.values()].map(({ end }) => end).filter(isSettledClaim)
      const [epoch, ...otherEpochs] = new Set([...ended.values()].map(({ claim }) => claim.epoch))
      if (epoch === undefined || otherEpochs.length + changed.length > 0 || settled.length < ended.size)
        return writing(true)
      return Effect.map(settleAtOnce(sql, organization, epoch, settled), (removed) =>
        [...ended].flatMap(([claimId, { claim }]) => (removed.has(claim.id) ? [] : [claimId])),
      )
    }
    return Effect.catchIf(
      Effect.flatMap(isDistributed, (distributed) => (distributed ? writing(true) : settling())),
      isPartitionMissing,
      // The retention of these deliveries has ended, and their partition was dropped.
      () => writing(false),
    )
  }

  /** Brings the schedule up to what was written. */
  const apply = (
    organization: OrganizationId,
    at: number,
    ended: ReadonlyMap<string, Ended>,
    lost: ReadonlySet<string>,
    changed: ReadonlyArray<ChangedHealth>,
  ): void => {
    for (const claimId of ended.keys()) claims.delete(claimId)
    const queue = ownership.find(organization)
    if (queue === undefined) return
    // They may have ended by an earlier call whose answer was lost, and wait for another attempt.
    if (lost.size > 0) queue.isStale = true
    for (const { alertMethod, health } of changed) queue.changeStatus(alertMethod, { health }, at)
    for (const [claimId, { claim, end }] of ended) {
      // Of an earlier epoch: it has been counted out with everything that the process owned then.
      if (queue.epoch !== claim.epoch) continue
      const isOver = end.settledAt !== undefined || lost.has(claimId)
      queue.end(claim, at, isOver ? undefined : waiting(claim, end.isRetry, end.dueAt, end.dueAt, at))
    }
  }

  /** Has claims that cannot be settled wait for another attempt: their rows are still claimed by this epoch. */
  const abandon = (ends: ReadonlyArray<End>): void => {
    const at = ownership.now()
    for (const { claimId } of ends) {
      const claim = claims.get(claimId)
      if (claim === undefined) continue
      claims.delete(claimId)
      const queue = ownership.find(claim.organization)
      if (queue?.epoch !== claim.epoch) continue
      queue.end(claim, at, waiting(claim, claim.isRetry, at + senderFaultDelayMs, claim.dueAt, at))
    }
  }

  return {
    /** Settles or releases claims of any organizations; returns those that were lost. */
    end,
    /** Has claims wait for another attempt that cannot be settled. */
    abandon,
    /** Releases claims of one organization that are not handed out after all. */
    release: (organization: OrganizationId, releases: ReadonlyArray<Release>) =>
      releases.length === 0
        ? Effect.void
        : Effect.onError(endOf(organization, releases), () => Effect.sync(() => abandon(releases))),
  }
}

interface Ended {
  readonly claim: HeldClaim
  readonly end: EndedClaim
  readonly given: End
}

interface HealthChange extends ChangedHealth {
  readonly before: EndpointHealth
}

const waiting = (
  { id, createdAt, notification }: HeldClaim,
  isRetry: boolean,
  dueAt: number,
  storedDueAt: number,
  scheduledAt: number,
): Waiting => ({ id, createdAt, notification, isRetry, dueAt, storedDueAt, scheduledAt })

const endedClaim = (claim: HeldClaim, end: End, now: number): EndedClaim => {
  const progress: DeliveryProgress = {
    state: "sending",
    attempt: claim.attempt,
    attemptsUsed: claim.attemptsUsed,
    dueAt: claim.dueAt,
  }
  const isSettlement = "outcome" in end
  const { attemptsUsed, state, settledAt, dueAt } = isSettlement
    ? settleDelivery(progress, end.outcome, now, end.random)
    : releaseDelivery(progress, now + end.delayMs)
  return {
    id: claim.id,
    createdAt: claim.createdAt,
    alertMethod: claim.alertMethod,
    notification: claim.notification,
    attemptNumber: claim.attempt,
    attemptsUsed,
    ...(isSettlement && { attempt: end.attempt }),
    state,
    ...(settledAt !== undefined && { settledAt }),
    isRetry: claim.isRetry || isSettlement,
    dueAt,
  }
}

/** The end of a claim: what it leaves of the delivery. */
export interface EndedClaim {
  readonly id: string
  readonly createdAt: number
  readonly alertMethod: ProjectKey
  readonly notification: string
  readonly attemptNumber: number
  readonly attemptsUsed: number
  /** Absent when no attempt was made. */
  readonly attempt?: Attempt
  readonly state: DeliveryState
  readonly settledAt?: number
  readonly isRetry: boolean
  readonly dueAt: number
}

/** The end of a claim that leaves nothing to do: its attempt has settled the delivery. */
export type SettledClaim = EndedClaim & { readonly attempt: Attempt; readonly settledAt: number }

const isSettledClaim = (ended: EndedClaim): ended is SettledClaim =>
  ended.attempt !== undefined && ended.settledAt !== undefined

export interface ChangedHealth {
  readonly alertMethod: ProjectKey
  readonly generation: number
  readonly health: EndpointHealth
}

/**
 * Removes claims of an epoch from the queue, and returns the IDs of those that the epoch still held. Must run within a
 * transaction, together with `writeEnded`.
 */
const removeClaims = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  epoch: number,
  ids: ReadonlyArray<string>,
) =>
  Effect.map(
    sql<{ readonly id: string }>`
      DELETE FROM delivery_queue
      WHERE organization = ${organization} AND id = ANY (${texts(ids)}) AND sending = ${epoch}
      RETURNING id`,
    (rows) => new Set(rows.map(({ id }) => id)),
  )

/**
 * Removes claims of an epoch from the queue and logs their attempts, which have settled them, in one statement. Returns the
 * IDs of those that the epoch still held. Citus would not run it on one node.
 */
const settleAtOnce = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  epoch: number,
  settled: ReadonlyArray<SettledClaim>,
) =>
  Effect.map(
    sql<{ readonly id: string }>`
      WITH removed AS (
        DELETE FROM delivery_queue
        WHERE organization = ${organization} AND id = ANY (${texts(settled.map(({ id }) => id))}) AND sending = ${epoch}
        RETURNING id
      )
      INSERT INTO delivery_attempts
        (organization, id, created_at, number, attempt, attempts_used, state, settled_at)
      SELECT ${organization}, given.* FROM ${givenAttempts(sql, settled)} JOIN removed ON removed.id = given.id
      RETURNING id`,
    (rows) => new Set(rows.map(({ id }) => id)),
  )

/** Attempts that ended claims, as `given` in FROM. */
const givenAttempts = (
  sql: SqlClient.SqlClient,
  attempts: ReadonlyArray<EndedClaim & { readonly attempt: Attempt }>,
): Fragment => sql`unnest(
  ${texts(attempts.map(({ id }) => id))}, ${bigints(attempts.map(({ createdAt }) => createdAt))},
  ${integers(attempts.map(({ attempt }) => attempt.number))},
  ${texts(attempts.map(({ attempt }) => storedAttempt.write(attempt).json))},
  ${integers(attempts.map(({ attemptsUsed }) => attemptsUsed))},
  ${texts(attempts.map(({ state, settledAt }) => (settledAt === undefined ? null : state)))},
  ${bigints(attempts.map(({ settledAt }) => settledAt ?? null))}
) AS given (id, created_at, number, attempt, attempts_used, state, settled_at)`

/**
 * Logs attempts, queues what another attempt follows for, and writes the health that changed. The organization must have
 * had an owner, as it has when something was claimed.
 */
const writeEnded = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  now: number,
  ended: ReadonlyArray<EndedClaim>,
  changed: ReadonlyArray<ChangedHealth>,
) =>
  Effect.gen(function* () {
    const owner = ownerRow(sql, organization)
    const attempts = ended.flatMap(({ attempt, ...claim }) =>
      attempt === undefined ? [] : [{ ...claim, attempt }],
    )
    if (attempts.length > 0) {
      yield* sql`
        INSERT INTO delivery_attempts
          (organization, id, created_at, number, attempt, attempts_used, state, settled_at)
        SELECT o.organization, given.* FROM ${owner} CROSS JOIN ${givenAttempts(sql, attempts)}`
    }
    const queued = ended.filter(({ settledAt }) => settledAt === undefined)
    if (queued.length > 0) {
      yield* sql`
        INSERT INTO delivery_queue
          (organization, id, created_at, project, name, notification, is_retry, due_at, scheduled_at, attempt, attempts_used)
        SELECT o.organization, id, created_at, project, name, notification, is_retry, due_at, ${now}::bigint, attempt,
          attempts_used
        FROM ${owner} CROSS JOIN unnest(
          ${texts(queued.map(({ id }) => id))}, ${bigints(queued.map(({ createdAt }) => createdAt))},
          ${keyArrays(
            sql,
            queued.map(({ alertMethod }) => alertMethod),
          )},
          ${texts(queued.map(({ notification }) => notification))},
          ${booleans(queued.map(({ isRetry }) => isRetry))}, ${bigints(queued.map(({ dueAt }) => dueAt))},
          ${integers(queued.map(({ attemptNumber }) => attemptNumber))},
          ${integers(queued.map(({ attemptsUsed }) => attemptsUsed))}
        ) AS given (id, created_at, project, name, notification, is_retry, due_at, attempt, attempts_used)`
    }
    if (changed.length > 0) {
      yield* sql`
        INSERT INTO endpoints AS e (organization, project, name, generation, health)
        SELECT o.organization, given.* FROM ${owner} CROSS JOIN unnest(
          ${keyArrays(
            sql,
            changed.map(({ alertMethod }) => alertMethod),
          )},
          ${integers(changed.map(({ generation }) => generation))},
          ${texts(changed.map(({ health }) => storedHealth.write(health).json))}
        ) AS given (project, name, generation, health)
        WHERE ${isEndpointKept(sql, organization)}
        ON CONFLICT (organization, project, name) DO UPDATE SET health = excluded.health
        WHERE e.generation = excluded.generation`
    }
  })

/** Whether an endpoint, a row of a table `given`, is of an alert method, or of a subscription that was not deleted meanwhile. */
const isEndpointKept = (sql: SqlClient.SqlClient, organization: OrganizationId) => sql`
  (NOT starts_with(given.name, ${endpointPrefix}) OR EXISTS (
    SELECT FROM status_page_subscriptions s
    WHERE s.organization = ${organization} AND s.id = substr(given.name, ${endpointPrefix.length + 1})
  ))`
