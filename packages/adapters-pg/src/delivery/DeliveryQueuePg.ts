import * as SqlClient from "effect/sql/SqlClient"
import type { OrganizationId } from "@tocsin/domain/metadata/ObjectKey"
import { Limits } from "@tocsin/domain/Limits"
import type { Attempt } from "@tocsin/domain/notification/Attempt"
import { resendDelivery } from "@tocsin/domain/delivery/Delivery"
import {
  type ClaimRequest,
  DeliveryQueue,
  DeliveryQueueIsUnavailable,
  type DeliveryQuery,
  type PauseScope,
  type Release,
  type Settlement,
} from "@tocsin/domain/delivery/DeliveryQueue"
import { enabledHealth, type EndpointHealth, unknownHealth } from "@tocsin/domain/delivery/EndpointHealth"
import { makeFirstAttemptShare } from "@tocsin/domain/delivery/FirstAttemptShare"
import type { DeliveredEvent } from "@tocsin/domain/notification/Notification"
import type { PageRequest } from "@tocsin/domain/pagination/Page"
import { SecretBox } from "@tocsin/domain/secret/SecretBox"
import { dayMs } from "@tocsin/domain/codec/MinuteInstant"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { claimDeliveries } from "./ClaimDeliveries.ts"
import { makeClaimedMethods } from "./ClaimedMethods.ts"
import { DeliveryHints } from "./DeliveryHints.ts"
import {
  type DeliveryRow,
  readClaimId,
  rowToDelivery,
  settledColumns,
  unsettledColumns,
} from "./DeliveryRow.ts"
import { healthColumns, writeHealth } from "./Endpoints.ts"
import { readMethodActivities } from "./MethodActivities.ts"
import { alertIdInNotification } from "../migrations/DeliveryTables.ts"
import { ensurePartitions, isPartitionMissing } from "../database/Partitions.ts"
import { portOperation } from "../database/PortOperation.ts"
import { endClaims } from "./SettleDeliveries.ts"
import { searchText } from "../database/StoredText.ts"
import { texts, uuids } from "../database/Parameters.ts"

/**
 * Queues deliveries in PostgreSQL, by its clock. Any number of processes claim from it.
 *
 * A delivery is one row: of `deliveries` until it is settled, of `settled_deliveries` from then on.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hints = yield* DeliveryHints
  const methodsOf = makeClaimedMethods(sql, yield* SecretBox)
  const firstAttemptShare = makeFirstAttemptShare()

  /** Partitions are there before they are needed; where that was missed, they are made now. */
  const end = (ends: ReadonlyArray<Settlement | Release>) => {
    const ended = sql.withTransaction(endClaims(sql, ends))
    return Effect.catchIf(ended, isPartitionMissing, () => Effect.andThen(makePartitions(sql), ended))
  }

  const claim = (request: ClaimRequest) =>
    Effect.gen(function* () {
      const share = firstAttemptShare(request.limit)
      const { claims, locked, nextDueInMs } = yield* claimDeliveries(sql, methodsOf, request, share)
      if (locked.length > 0) {
        yield* end(locked.map((claimId) => ({ claimId, delayMs: Limits.senderFaultDelayMs })))
      }
      return { claims, nextDueInMs }
    })

  const findUnsettled = (organization: OrganizationId, id: string) =>
    sql<DeliveryRow & { readonly now: number }>`
      SELECT ${sql.literal(unsettledColumns)}, now_ms() AS now FROM deliveries
      WHERE organization = ${organization} AND id = ${id}
      FOR UPDATE`

  const resend = (organization: OrganizationId, id: string) =>
    Effect.gen(function* () {
      // Two that resend one settled delivery: the second one waits and finds it queued.
      yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`resend ${organization} ${id}`}, 0))`
      const hastened = yield* makeDueNow(organization, id)
      if (Option.isSome(hastened)) return hastened
      const [settled] = yield* sql<DeliveryRow & { readonly now: number }>`
        DELETE FROM settled_deliveries WHERE organization = ${organization} AND id = ${id}
        RETURNING ${sql.literal(settledColumns)}, now_ms() AS now`
      // A bulk resend may have had it: then it is queued by now.
      if (settled === undefined) return yield* makeDueNow(organization, id)
      const delivery = resendDelivery(rowToDelivery(settled), settled.now)
      yield* sql`
        INSERT INTO deliveries (organization, id, project, name, notification, attempt, attempts_used, created_at, due_at)
        VALUES (${organization}, ${id}, ${settled.project}, ${settled.name}, ${settled.notification},
          ${delivery.attempt}, ${delivery.attemptsUsed}, ${delivery.createdAt}, ${delivery.dueAt})`
      yield* wake(organization, settled)
      return Option.some(delivery)
    })

  /** Makes a delivery that is queued due now; gives it as it is then. */
  const makeDueNow = (organization: OrganizationId, id: string) =>
    Effect.gen(function* () {
      const [queued] = yield* findUnsettled(organization, id)
      if (queued === undefined) return Option.none()
      const delivery = resendDelivery(rowToDelivery(queued), queued.now)
      if (delivery.state === "sending") return Option.some(delivery)
      yield* sql`
        UPDATE deliveries SET due_at = ${delivery.dueAt}, attempts_used = ${delivery.attemptsUsed}
        WHERE organization = ${organization} AND id = ${id}`
      yield* wake(organization, queued)
      return Option.some(delivery)
    })

  const wake = (organization: OrganizationId, { project, name }: DeliveryRow) =>
    sql`INSERT INTO endpoint_wakeups (organization, project, name) VALUES (${organization}, ${project}, ${name})`

  const list = (
    organization: OrganizationId,
    query: DeliveryQuery,
    { after, limit }: PageRequest<string>,
  ) => {
    const { alertMethod = {}, states, events, alertId, from, to } = query
    const common = [
      sql`organization = ${organization}`,
      ...(after === undefined ? [] : [sql`id < ${searchText(after)}`]),
      ...(alertMethod.project === undefined ? [] : [sql`project = ${searchText(alertMethod.project)}`]),
      ...(alertMethod.name === undefined ? [] : [sql`name = ${searchText(alertMethod.name)}`]),
      ...(events === undefined ? [] : [sql.or(events.map((event) => isOfEvent(sql, event)))]),
      ...(alertId === undefined ? [] : isOfAlert(sql, alertId)),
      ...(from === undefined ? [] : [sql`created_at >= ${from}`]),
      ...(to === undefined ? [] : [sql`created_at < ${to}`]),
    ]
    const isPending = states?.includes("pending") !== false
    const isSending = states?.includes("sending") !== false
    const unsettled = [
      ...common,
      ...(isPending && isSending
        ? []
        : [isPending ? sql`claim_id IS NULL` : isSending ? sql`claim_id IS NOT NULL` : sql`false`]),
    ]
    const settled = [
      ...common,
      ...(states === undefined ? [] : [sql`state = ANY(${texts(states)})`]),
      // Nothing is settled before it is there: earlier partitions need not be read.
      ...(from === undefined ? [] : [sql`settled_at >= ${from}`]),
    ]
    return Effect.map(
      sql<DeliveryRow>`
        SELECT * FROM (
          (SELECT ${sql.literal(unsettledColumns)} FROM deliveries
           WHERE ${sql.and(unsettled)} ORDER BY id DESC LIMIT ${limit + 1})
          UNION ALL
          (SELECT ${sql.literal(settledColumns)} FROM settled_deliveries
           WHERE ${sql.and(settled)} ORDER BY id DESC LIMIT ${limit + 1})
        ) both_kinds
        ORDER BY id DESC LIMIT ${limit + 1}`,
      (rows) => ({ items: rows.slice(0, limit).map(rowToDelivery), hasMore: rows.length > limit }),
    )
  }

  return DeliveryQueue.of({
    claim: (request) => operation("claim", claim(request)),
    settle: (settlements) => operation("settle", end(settlements)),
    renew: (claimIds, leaseMs) => operation("renew", renewLeases(sql, claimIds, leaseMs)),
    release: (releases) => Effect.andThen(operation("release", end(releases)), hints.tell),
    hints: hints.subscribe,
    find: (organization, id) =>
      operation(
        "find",
        Effect.map(
          sql<DeliveryRow & { readonly attempts: ReadonlyArray<string> }>`
            SELECT d.*, ARRAY(
              SELECT attempt FROM delivery_attempts a
              WHERE a.organization = ${organization} AND a.id = d.id
              ORDER BY number DESC, at DESC LIMIT ${Limits.attemptsKeptMax}
            ) AS attempts
            FROM (
              SELECT ${sql.literal(unsettledColumns)} FROM deliveries
              WHERE organization = ${organization} AND id = ${searchText(id)}
              UNION ALL
              SELECT ${sql.literal(settledColumns)} FROM settled_deliveries
              WHERE organization = ${organization} AND id = ${searchText(id)}
            ) d`,
          ([row]) =>
            Option.map(Option.fromNullishOr(row), ({ attempts, ...delivery }) => ({
              delivery: rowToDelivery(delivery),
              attempts: attempts.toReversed().map((attempt) => JSON.parse(attempt) as Attempt),
            })),
        ),
      ),
    list: (organization, query, page) => operation("list", list(organization, query, page)),
    resend: (organization, id) =>
      Effect.tap(operation("resend", sql.withTransaction(resend(organization, searchText(id)))), hints.tell),
    health: (organization, { project, name }) =>
      operation(
        "health",
        Effect.map(
          sql<{ health: string }>`
            SELECT health FROM endpoints
            WHERE organization = ${organization} AND project = ${searchText(project)} AND name = ${searchText(name)}`,
          ([row]) => (row === undefined ? unknownHealth : (JSON.parse(row.health) as EndpointHealth)),
        ),
      ),
    activities: (organization, alertMethods) =>
      operation("activities", readMethodActivities(sql, organization, alertMethods)),
    enable: (organization, { project, name }) =>
      operation(
        "enable",
        sql.withTransaction(
          Effect.gen(function* () {
            const key = { project: searchText(project), name: searchText(name) }
            const [row] = yield* sql<{ health: string; now: number }>`
              SELECT health, now_ms() AS now FROM endpoints
              WHERE organization = ${organization} AND project = ${key.project} AND name = ${key.name}
              FOR UPDATE`
            if (row === undefined) return unknownHealth
            const health = JSON.parse(row.health) as EndpointHealth
            if (health.disabled === undefined) return health
            yield* writeHealth(sql, organization, key, enabledHealth, row.now)
            return enabledHealth
          }),
        ),
      ),
    setPaused: (scope, isPaused) =>
      Effect.andThen(operation("setPaused", setPaused(sql, scope, isPaused)), hints.tell),
    pauseState: (scope) =>
      operation(
        "pauseState",
        Effect.map(pauseState(sql, scope), ([row]) => ({
          isPaused: row?.is_paused ?? false,
          sending: row?.sending ?? 0,
        })),
      ),
  })
})

/** The queue of a database, on the hints that it shares with the alerts. */
export const layer: Layer.Layer<DeliveryQueue, never, SqlClient.SqlClient | SecretBox | DeliveryHints> =
  Layer.effect(DeliveryQueue, make)

/** The tables that grow with each delivery, by day. */
export const deliveryTables = [
  { table: "settled_deliveries", partitionMs: dayMs, retentionMs: Limits.historyRetentionMs },
  { table: "delivery_attempts", partitionMs: dayMs, retentionMs: Limits.historyRetentionMs },
] as const

const operation = portOperation((failure) => new DeliveryQueueIsUnavailable(failure))

const makePartitions = (sql: SqlClient.SqlClient) =>
  Effect.flatMap(sql<{ now: number }>`SELECT now_ms() AS now`, ([row]) =>
    Effect.forEach(deliveryTables, (table) => ensurePartitions(sql, table, row?.now ?? 0, row?.now ?? 0), {
      discard: true,
    }),
  )

const renewLeases = (sql: SqlClient.SqlClient, claimIds: ReadonlyArray<string>, leaseMs: number) => {
  const places = claimIds.flatMap((claimId) => readClaimId(claimId) ?? [])
  return sql`
    UPDATE deliveries d SET lease_expires_at = now_ms() + ${leaseMs}::bigint
    FROM unnest(
      ${texts(places.map(({ organization }) => organization))}, ${texts(places.map(({ id }) => id))},
      ${uuids(places.map(({ claim }) => claim))}
    ) AS s (organization, id, claim)
    WHERE d.organization = s.organization AND d.id = s.id AND d.claim_id = s.claim`
}

const setPaused = (sql: SqlClient.SqlClient, scope: PauseScope, isPaused: boolean) => {
  if (scope === "all") {
    return isPaused
      ? sql`INSERT INTO queue_pauses (paused_at) SELECT now_ms() WHERE NOT EXISTS (SELECT FROM queue_pauses)`
      : sql`DELETE FROM queue_pauses`
  }
  const { isDisabled, inFlightMax, ...unknown } = healthColumns(unknownHealth, 0)
  return sql`
    INSERT INTO endpoints AS e
      (organization, project, name, health, is_disabled, in_flight_max, in_flight, is_paused)
    VALUES (${scope.organization}, ${scope.alertMethod.project}, ${scope.alertMethod.name},
      ${unknown.health}, ${isDisabled}, ${inFlightMax}, 0, ${isPaused})
    ON CONFLICT (organization, project, name) DO UPDATE SET is_paused = excluded.is_paused,
      next_check_at = CASE WHEN NOT excluded.is_paused THEN greatest(now_ms(), e.circuit_open_until) END`
}

const pauseState = (sql: SqlClient.SqlClient, scope: PauseScope) =>
  scope === "all"
    ? sql<PauseRow>`
        SELECT EXISTS (SELECT FROM queue_pauses) AS is_paused, count(*)::integer AS sending
        FROM deliveries WHERE lease_expires_at IS NOT NULL`
    : sql<PauseRow>`
        SELECT is_paused, in_flight AS sending FROM endpoints
        WHERE organization = ${scope.organization} AND project = ${searchText(scope.alertMethod.project)}
          AND name = ${searchText(scope.alertMethod.name)}`

/**
 * Whether a delivery is of an event: by the text of its notification, in which a quote within a value is escaped. The
 * planner takes that for common, and so reads in the order of the list until a page is full.
 */
const isOfEvent = (sql: SqlClient.SqlClient, event: DeliveredEvent) =>
  sql`strpos(notification, ${`"event":"${event}"`}) > 0`

/**
 * Whether a delivery is of an alert: by the text of its notification, which holds `"alertId":"` once, before all that
 * others have named. The index has the ID as JSON escapes it, up to the first quote: the rare ID with a quote in it is
 * then compared as a whole.
 */
const isOfAlert = (sql: SqlClient.SqlClient, alertId: string) => {
  const quoted = JSON.stringify(searchText(alertId))
  const [indexed = ""] = quoted.slice(1).split('"')
  return [
    sql`${sql.literal(alertIdInNotification)} = ${indexed}`,
    sql`strpos(notification, ${`"alertId":${quoted}`}) > 0`,
  ]
}

interface PauseRow {
  readonly is_paused: boolean
  readonly sending: number
}
