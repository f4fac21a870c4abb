import type * as SqlClient from "effect/sql/SqlClient"
import { type OrganizationId, organizationKeyText, type ProjectKey } from "@tocsin/domain/metadata/ObjectKey"
import {
  historyRetentionMs,
  type DeliveryProgress,
  isSettled,
  releaseDelivery,
  settleDelivery,
} from "@tocsin/domain/delivery/Delivery"
import type { Release, Settlement } from "@tocsin/domain/delivery/DeliveryQueue"
import { type EndpointHealth, nextHealth, unknownHealth } from "@tocsin/domain/delivery/EndpointHealth"
import { dayMs } from "@tocsin/domain/codec/MinuteInstant"
import { storedAttempt } from "@tocsin/domain/notification/Attempt"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readClaimId } from "./DeliveryRow.ts"
import { healthColumns, readHealth } from "./EndpointStorePg.ts"
import { bigints, booleans, integers, keyArrays, texts, uuids } from "../database/Parameters.ts"
import { logUnreadableRow } from "../database/StoredRow.ts"

/**
 * Ends claims: logs the attempts, and updates the deliveries and their endpoints. Returns the claims that were lost. Must
 * run within a transaction.
 *
 * Locks the deliveries, then their endpoints; the domain decides on what was read; one statement writes it all.
 */
export const endClaims = (sql: SqlClient.SqlClient, ends: ReadonlyArray<Settlement | Release>) =>
  Effect.gen(function* () {
    const claims = ends.flatMap((end) => {
      const claim = readClaimId(end.claimId)
      return claim === undefined ? [] : [{ ...claim, claimId: end.claimId }]
    })
    // One lookup per row, whatever the statistics say of tables that fill and empty all the time.
    const rows = yield* sql<LockedRow>`
      WITH claimed AS MATERIALIZED (
        SELECT d.*, s.claim_id AS claim FROM unnest(
          ${texts(claims.map(({ organization }) => organization))}, ${texts(claims.map(({ id }) => id))},
          ${uuids(claims.map(({ claim }) => claim))}, ${texts(claims.map(({ claimId }) => claimId))}
        ) AS s (organization, id, claim, claim_id)
        CROSS JOIN LATERAL (
          SELECT organization, id, project, name, attempt, attempts_used, due_at, endpoint_generation FROM deliveries d
          WHERE d.organization = s.organization AND d.id = s.id AND d.claim_id = s.claim
          LIMIT 1 FOR UPDATE
        ) d
      ), reached AS MATERIALIZED (
        SELECT e.* FROM (
          SELECT DISTINCT organization, project, name FROM claimed ORDER BY organization, project, name
        ) k
        CROSS JOIN LATERAL (
          SELECT organization, project, name, health, is_paused, generation FROM endpoints e
          WHERE e.organization = k.organization AND e.project = k.project AND e.name = k.name
          LIMIT 1 FOR UPDATE
        ) e
      )
      SELECT c.organization, c.id, c.project, c.name, c.attempt, c.attempts_used AS "attemptsUsed",
        c.due_at AS "dueAt", c.claim, e.health, e.is_paused,
        c.endpoint_generation IS NOT DISTINCT FROM e.generation AS is_same_generation, now_ms() AS now
      FROM claimed c JOIN reached e USING (organization, project, name)`
    const rowByClaim = new Map(rows.map((row) => [row.claim, row]))
    const endpoints = new Map<string, Endpoint>()
    const attempts: Array<LoggedAttempt> = []
    const deliveries: Array<EndedDelivery> = []
    const lost: Array<string> = []
    for (const end of ends) {
      const row = rowByClaim.get(end.claimId)
      if (row === undefined) {
        lost.push(end.claimId)
        continue
      }
      // A claim that is listed twice ends once.
      rowByClaim.delete(end.claimId)
      const { organization, id, project, name, attempt, attemptsUsed, dueAt, now } = row
      const key = organizationKeyText(organization, row)
      const endpoint = endpoints.get(key) ?? {
        organization,
        project,
        name,
        isPaused: row.is_paused,
        health: yield* healthOrUnknown(row),
        ended: 0,
      }
      endpoint.ended++
      endpoints.set(key, endpoint)
      const progress: DeliveryProgress = { state: "sending", attempt, attemptsUsed, dueAt }
      if ("outcome" in end) {
        attempts.push({
          organization,
          id,
          number: end.attempt.number,
          attempt: storedAttempt.write(end.attempt).json,
        })
        if (row.is_same_generation) endpoint.health = nextHealth(endpoint.health, end.outcome, now)
        deliveries.push({ organization, id, ...settleDelivery(progress, end.outcome, now, end.random) })
      } else {
        deliveries.push({ organization, id, ...releaseDelivery(progress, now + end.delayMs) })
      }
    }
    const now = rows[0]?.now
    if (now !== undefined) yield* write(sql, now, attempts, deliveries, [...endpoints.values()])
    return lost
  })

/** Health that cannot be read is measured again from the start: it must not keep the other claims from ending. */
const healthOrUnknown = (row: LockedRow) => {
  const health = readHealth(row, row.health)
  return Result.isSuccess(health)
    ? Effect.succeed(health.success)
    : Effect.as(logUnreadableRow(row.organization, health.failure), unknownHealth)
}

const write = (
  sql: SqlClient.SqlClient,
  now: number,
  attempts: ReadonlyArray<LoggedAttempt>,
  deliveries: ReadonlyArray<EndedDelivery>,
  endpoints: ReadonlyArray<Endpoint>,
) => {
  const columns = endpoints.map(({ health }) => healthColumns(health, now))
  return sql`
    WITH ended AS MATERIALIZED (
      SELECT * FROM unnest(
        ${texts(deliveries.map(({ organization }) => organization))}, ${texts(deliveries.map(({ id }) => id))},
        ${texts(deliveries.map((each) => (isSettled(each) ? each.state : null)))},
        ${integers(deliveries.map(({ attemptsUsed }) => attemptsUsed))}, ${bigints(deliveries.map(({ dueAt }) => dueAt))}
      ) AS given (organization, id, state, attempts_used, due_at)
    ), logged AS (
      INSERT INTO delivery_attempts (organization, id, number, at, attempt)
      SELECT organization, id, number, ${now}::bigint, attempt FROM unnest(
        ${texts(attempts.map(({ organization }) => organization))}, ${texts(attempts.map(({ id }) => id))},
        ${integers(attempts.map(({ number }) => number))}, ${texts(attempts.map(({ attempt }) => attempt))}
      ) AS given (organization, id, number, attempt)
    ), removed AS (
      DELETE FROM deliveries d USING ended e
      WHERE d.organization = e.organization AND d.id = e.id AND e.state IS NOT NULL
      RETURNING d.*, e.state
    ), settled AS (
      INSERT INTO settled_deliveries
        (organization, id, project, name, notification, state, attempt, attempts_used, created_at, due_at, settled_at)
      SELECT organization, id, project, name, notification, state, attempt, attempts_used, created_at, due_at, ${now}::bigint
      FROM removed
    ), requeued AS (
      UPDATE deliveries d SET claim_id = NULL, lease_expires_at = NULL, attempts_used = e.attempts_used, due_at = e.due_at
      FROM ended e
      WHERE d.organization = e.organization AND d.id = e.id AND e.state IS NULL
    )
    UPDATE endpoints e SET in_flight = e.in_flight - g.ended, health = g.health, is_disabled = g.is_disabled,
      circuit_open_until = g.circuit_open_until, in_flight_max = g.in_flight_max, next_check_at = g.next_check_at
    FROM unnest(
      ${texts(endpoints.map(({ organization }) => organization))},
      ${keyArrays(sql, endpoints)},
      ${integers(endpoints.map(({ ended }) => ended))}, ${texts(columns.map(({ health }) => health))},
      ${booleans(columns.map(({ isDisabled }) => isDisabled))},
      ${bigints(columns.map(({ circuitOpenUntil }) => circuitOpenUntil))},
      ${integers(columns.map(({ inFlightMax }) => inFlightMax))},
      ${bigints(columns.map(({ nextCheckAt }, index) => (endpoints[index]?.isPaused === true ? null : nextCheckAt)))}
    ) AS g (organization, project, name, ended, health, is_disabled, circuit_open_until, in_flight_max, next_check_at)
    WHERE e.organization = g.organization AND e.project = g.project AND e.name = g.name`
}

/** The tables that grow with each delivery, with one partition per day. */
export const historyTables = [
  { table: "settled_deliveries", partitionMs: dayMs, retentionMs: historyRetentionMs },
  { table: "delivery_attempts", partitionMs: dayMs, retentionMs: historyRetentionMs },
] as const

interface LockedRow extends ProjectKey {
  readonly organization: OrganizationId
  readonly id: string
  readonly attempt: number
  readonly attemptsUsed: number
  readonly dueAt: number
  readonly health: string
  readonly is_paused: boolean
  /** Whether the alert method still has the URL of the claim. */
  readonly is_same_generation: boolean
  readonly claim: string
  readonly now: number
}

interface Endpoint extends ProjectKey {
  readonly organization: OrganizationId
  readonly isPaused: boolean
  health: EndpointHealth
  ended: number
}

interface LoggedAttempt {
  readonly organization: OrganizationId
  readonly id: string
  readonly number: number
  readonly attempt: string
}

interface EndedDelivery extends DeliveryProgress {
  readonly organization: OrganizationId
  readonly id: string
}
