import * as SqlClient from "effect/sql/SqlClient"
import type { OrganizationId } from "@tocsin/domain/metadata/ObjectKey"
import { resendDelivery } from "@tocsin/domain/delivery/Delivery"
import {
  type ClaimRequest,
  DeliveryQueue,
  DeliveryQueueIsUnavailable,
  type Release,
  type Settlement,
} from "@tocsin/domain/delivery/DeliveryQueue"
import { makeFirstAttemptShare } from "@tocsin/domain/delivery/FirstAttemptShare"
import { SecretBox } from "@tocsin/domain/secret/SecretBox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { claimDeliveries, makeClaimedMethods } from "./ClaimDeliveries.ts"
import { DeliveryHints } from "./DeliveryHints.ts"
import {
  type DeliveryRow,
  readClaimId,
  rowToDelivery,
  settledColumns,
  unsettledColumns,
} from "./DeliveryRow.ts"
import { endClaims, historyTables } from "./SettleDeliveries.ts"
import { searchText, texts, uuids } from "../database/Parameters.ts"
import { ensurePartitions, isPartitionMissing } from "../database/Retention.ts"
import { portOperation } from "../database/PortOperation.ts"
import { senderFaultDelayMs } from "@tocsin/domain/delivery/RetryPolicy"

/**
 * The delivery queue in PostgreSQL. Any number of processes claim from it; its clock is the database's.
 *
 * A delivery is one row: in `deliveries` until it is settled, in `settled_deliveries` from then on.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hints = yield* DeliveryHints
  const methodsOf = makeClaimedMethods(sql, yield* SecretBox)
  const firstAttemptShare = makeFirstAttemptShare()

  /** Maintenance creates partitions ahead of time; if it did not, they are created here. */
  const end = (ends: ReadonlyArray<Settlement | Release>) => {
    const ended = sql.withTransaction(endClaims(sql, ends))
    return Effect.catchIf(ended, isPartitionMissing, () => Effect.andThen(makePartitions(sql), ended))
  }

  const claim = (request: ClaimRequest) =>
    Effect.gen(function* () {
      const share = firstAttemptShare(request.limit)
      const { claims, unreadable, nextDueInMs } = yield* claimDeliveries(sql, methodsOf, request, share)
      if (unreadable.length > 0) {
        yield* end(unreadable.map((claimId) => ({ claimId, delayMs: senderFaultDelayMs })))
      }
      return { claims, nextDueInMs }
    })

  const resend = (organization: OrganizationId, id: string) =>
    Effect.gen(function* () {
      // Of two resends of a settled delivery, the second waits here and finds it queued.
      yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`resend ${organization} ${id}`}, 0))`
      const queued = yield* makeDueNow(organization, id)
      if (Option.isSome(queued)) return queued
      const [settled] = yield* sql<DeliveryRow & { readonly now: number }>`
        DELETE FROM settled_deliveries WHERE organization = ${organization} AND id = ${id}
        RETURNING ${sql.literal(settledColumns)}, now_ms() AS now`
      // A bulk resend does not take the lock, and may have queued it meanwhile.
      if (settled === undefined) return yield* makeDueNow(organization, id)
      const delivery = resendDelivery(yield* Effect.fromResult(rowToDelivery(settled)), settled.now)
      yield* sql`
        INSERT INTO deliveries (organization, id, project, name, notification, attempt, attempts_used, created_at, due_at)
        VALUES (${organization}, ${id}, ${settled.project}, ${settled.name}, ${settled.notification},
          ${delivery.attempt}, ${delivery.attemptsUsed}, ${delivery.createdAt}, ${delivery.dueAt})`
      yield* wakeEndpoint(organization, settled)
      return Option.some(delivery)
    })

  const makeDueNow = (organization: OrganizationId, id: string) =>
    Effect.gen(function* () {
      const [queued] = yield* sql<DeliveryRow & { readonly now: number }>`
        SELECT ${sql.literal(unsettledColumns)}, now_ms() AS now FROM deliveries
        WHERE organization = ${organization} AND id = ${id}
        FOR UPDATE`
      if (queued === undefined) return Option.none()
      const delivery = resendDelivery(yield* Effect.fromResult(rowToDelivery(queued)), queued.now)
      if (delivery.state === "sending") return Option.some(delivery)
      yield* sql`
        UPDATE deliveries SET due_at = ${delivery.dueAt}, attempts_used = ${delivery.attemptsUsed}
        WHERE organization = ${organization} AND id = ${id}`
      yield* wakeEndpoint(organization, queued)
      return Option.some(delivery)
    })

  const wakeEndpoint = (organization: OrganizationId, { project, name }: DeliveryRow) =>
    sql`INSERT INTO endpoint_wakeups (organization, project, name) VALUES (${organization}, ${project}, ${name})`

  return DeliveryQueue.of({
    claim: operation("claim", claim),
    settle: operation("settle", end),
    renew: (claimIds, leaseMs) => operation("renew", renewLeases(sql, claimIds, leaseMs)),
    release: (releases) => Effect.andThen(operation("release", end(releases)), hints.publish),
    resend: (organization, id) =>
      Effect.tap(
        operation("resend", sql.withTransaction(resend(organization, searchText(id)))),
        hints.publish,
      ),
    hints: hints.subscribe,
    setPaused: (isPaused) =>
      Effect.andThen(
        operation(
          "setPaused",
          isPaused
            ? sql`INSERT INTO queue_pauses (paused_at) SELECT now_ms() WHERE NOT EXISTS (SELECT FROM queue_pauses)`
            : sql`DELETE FROM queue_pauses`,
        ),
        hints.publish,
      ),
    pauseState: operation(
      "pauseState",
      Effect.map(
        sql<{ readonly is_paused: boolean; readonly in_flight: number }>`
          SELECT EXISTS (SELECT FROM queue_pauses) AS is_paused, count(*)::integer AS in_flight
          FROM deliveries WHERE lease_expires_at IS NOT NULL`,
        ([row]) => ({ isPaused: row?.is_paused ?? false, inFlight: row?.in_flight ?? 0 }),
      ),
    ),
  })
})

/** The delivery queue of a database. */
export const layer = Layer.effect(DeliveryQueue, make)

const operation = portOperation((failure) => new DeliveryQueueIsUnavailable(failure))

const makePartitions = (sql: SqlClient.SqlClient) =>
  Effect.flatMap(sql<{ now: number }>`SELECT now_ms() AS now`, ([row]) =>
    Effect.forEach(historyTables, (table) => ensurePartitions(sql, table, row?.now ?? 0, row?.now ?? 0), {
      discard: true,
    }),
  )

const renewLeases = (sql: SqlClient.SqlClient, claimIds: ReadonlyArray<string>, leaseMs: number) => {
  const claims = claimIds.flatMap((claimId) => readClaimId(claimId) ?? [])
  return sql`
    UPDATE deliveries d SET lease_expires_at = now_ms() + ${leaseMs}::bigint
    FROM unnest(
      ${texts(claims.map(({ organization }) => organization))}, ${texts(claims.map(({ id }) => id))},
      ${uuids(claims.map(({ claim }) => claim))}
    ) AS c (organization, id, claim)
    WHERE d.organization = c.organization AND d.id = c.id AND d.claim_id = c.claim`
}
