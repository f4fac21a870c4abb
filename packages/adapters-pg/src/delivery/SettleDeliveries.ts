import type { Attempt } from "@tocsin/domain"
import { type DeliveryState, type EndpointHealth, storedAttempt, storedHealth } from "@tocsin/domain/adapter"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { bigints, booleans, integers, keyArrays, texts } from "../database/Parameters.ts"
import { ownerRow } from "./QueueStatements.ts"

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

export const isSettledClaim = (ended: EndedClaim): ended is SettledClaim =>
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
export const removeClaims = (
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
export const settleAtOnce = (
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
export const writeEnded = (
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
        ) AS given
        ON CONFLICT (organization, project, name) DO UPDATE SET health = excluded.health
        WHERE e.generation = excluded.generation`
    }
  })
