import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { type AlertSubject, alertSubjectToKey } from "@tocsin/domain/alerting/Alert"
import {
  type AlertChange,
  type AlertQuery,
  type AlertReceipt,
  AlertStore,
  AlertStoreIsUnavailable,
  type AlertsFound,
  type EvaluatedChange,
  type Idempotency,
  IdempotencyKeyIsReused,
  StatusHasChanged,
} from "@tocsin/domain/alerting/AlertStore"
import type { OrganizationId } from "@tocsin/domain/definition/Definition"
import { Limits } from "@tocsin/domain/Limits"
import { newDelivery } from "@tocsin/domain/notification/Delivery"
import { type Result, resultToEffect } from "@tocsin/domain/Result"
import { revisionToText, textToRevision } from "@tocsin/domain/slo/SloRevision"
import { Effect, Layer } from "effect"
import { putAlerts, rowToAlert } from "./AlertRows.ts"
import { DeliveryHints } from "./DeliveryHints.ts"
import { dropOldRows } from "./DropOldRows.ts"
import { portOperation } from "./PortOperation.ts"
import { sloBasis } from "./SloRows.ts"
import { searchText } from "./StoredText.ts"

/**
 * Keeps alerts in PostgreSQL. An alert, its deliveries and the receipt for its `Idempotency-Key` are one transaction.
 *
 * A change first takes locks on the subject, the ID and the key, so that two changes that could meet follow one another
 * across processes; the alerts that it finds are locked too, since an ID may name an alert of another subject.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hints = yield* DeliveryHints

  const read = (organization: OrganizationId, { subject, id }: Reads, isForUpdate: boolean) =>
    Effect.map(
      sql<{ id: string; subject: string; position: number; alert: string }>`
        SELECT id, subject, position, alert FROM alerts
        WHERE organization = ${organization} AND id = ANY (ARRAY[${searchText(id ?? "")}::text, (
          SELECT id FROM alerts
          WHERE organization = ${organization} AND subject = ${searchText(alertSubjectToKey(subject))}
          ORDER BY position DESC LIMIT 1)])
        ORDER BY id
        ${sql.literal(isForUpdate ? "FOR UPDATE" : "")}`,
      (rows): AlertsFound => {
        const ofSubject = rows.filter((row) => row.subject === alertSubjectToKey(subject))
        const latest = ofSubject.toSorted((a, b) => b.position - a.position)[0]
        const withId = rows.find((row) => row.id === id)
        return { latest: latest && rowToAlert(latest), withId: withId && rowToAlert(withId) }
      },
    )

  /** Makes changes that could meet follow one another, until the transaction ends. */
  const lock = (organization: OrganizationId, reads: Reads, idempotency: Idempotency | undefined) => {
    const locks = [
      `alert subject ${organization} ${alertSubjectToKey(reads.subject)}`,
      ...(reads.id === undefined ? [] : [`alert id ${organization} ${reads.id}`]),
      ...(idempotency === undefined ? [] : [`alert key ${organization} ${idempotency.key}`]),
    ]
    return sql`
      SELECT pg_advisory_xact_lock(lock) FROM (
        SELECT DISTINCT hashtextextended(text, 0) AS lock FROM unnest(${locks.map(searchText)}::text[]) AS text
        ORDER BY lock
      ) locks`
  }

  const change = <E>(
    organization: OrganizationId,
    reads: Reads,
    idempotency: Idempotency | undefined,
    decide: (found: AlertsFound) => Result<AlertChange, E>,
  ) =>
    Effect.gen(function* () {
      yield* lock(organization, reads, idempotency)
      if (idempotency !== undefined) {
        const [earlier] = yield* sql<{ fingerprint: string; receipt: string }>`
          SELECT fingerprint, receipt FROM alert_receipts
          WHERE organization = ${organization} AND key = ${idempotency.key} AND expires_at > now_ms()`
        if (earlier?.fingerprint === idempotency.fingerprint) {
          return { receipt: JSON.parse(earlier.receipt) as AlertReceipt, isRinging: false }
        }
        if (earlier !== undefined) return yield* new IdempotencyKeyIsReused({ key: idempotency.key })
      }
      const decided = yield* resultToEffect(decide(yield* read(organization, reads, true)))
      if (decided.put !== undefined || decided.rings.length > 0 || idempotency !== undefined) {
        yield* write(organization, decided, idempotency)
      }
      return { receipt: decided.receipt, isRinging: decided.rings.length > 0 }
    })

  /** The SLO is locked before all else, as it is when it is removed. */
  const changeEvaluated = <C extends EvaluatedChange, E>(
    organization: OrganizationId,
    reads: Reads,
    before: string,
    decide: (found: AlertsFound) => Result<C, E>,
  ) =>
    Effect.gen(function* () {
      const { project, name } = reads.subject.slo
      const isSlo = sql`s.organization = ${organization} AND s.project = ${project} AND s.name = ${name}`
      const { basis, counts } = textToRevision(before)
      const locked = yield* sql`
        SELECT 1 FROM slos s WHERE ${isSlo} AND ${sloBasis(sql)} = ${basis} FOR NO KEY UPDATE`
      if (locked.length === 0) return yield* new StatusHasChanged()
      yield* lock(organization, reads, undefined)
      const decided = yield* resultToEffect(decide(yield* read(organization, reads, true)))
      yield* write(organization, decided, undefined)
      const [after] = yield* sql<{ readonly basis: string }>`
        UPDATE slos s SET evaluation = ${decided.evaluation ?? null}, revision = s.revision + 1
        WHERE ${isSlo} RETURNING ${sloBasis(sql)} AS basis`
      return { change: decided, revision: revisionToText({ basis: after?.basis ?? "", counts }) }
    })

  const write = (
    organization: OrganizationId,
    { ended, put, rings, receipt }: AlertChange,
    idempotency: Idempotency | undefined,
  ) => {
    // In this order, so that the alert that is put is the latest of its subject.
    const alerts = [ended, put].filter((alert) => alert !== undefined)
    const receipts = idempotency === undefined ? [] : [idempotency]
    const deliveries = rings.map(({ notification, alertMethod }) => newDelivery(notification, alertMethod, 0))
    return sql`
      WITH put AS (
        ${putAlerts(sql, organization, alerts)}
      ), rung AS (
        INSERT INTO deliveries (organization, id, project, name, notification, attempt, spent, created_at, due_at)
        SELECT ${organization}, id, project, name, notification, attempt, spent, now_ms(), now_ms()
        FROM unnest(
          ${deliveries.map(({ notification }) => notification.id)}::text[],
          ${deliveries.map(({ alertMethod }) => alertMethod.project)}::text[],
          ${deliveries.map(({ alertMethod }) => alertMethod.name)}::text[],
          ${deliveries.map(({ notification }) => JSON.stringify(notification))}::text[],
          ${deliveries.map(({ attempt }) => attempt)}::integer[], ${deliveries.map(({ spent }) => spent)}::integer[]
        ) AS given (id, project, name, notification, attempt, spent)
        RETURNING organization, project, name
      ), woken AS (
        INSERT INTO endpoint_wakes (organization, project, name) SELECT DISTINCT organization, project, name FROM rung
      )
      INSERT INTO alert_receipts (organization, key, fingerprint, receipt, expires_at)
      SELECT ${organization}, key, fingerprint, ${JSON.stringify(receipt)},
        now_ms() + ${Limits.idempotencyKeyLifetimeMs}::bigint
      FROM unnest(
        ${receipts.map(({ key }) => key)}::text[], ${receipts.map(({ fingerprint }) => fingerprint)}::text[]
      ) AS given (key, fingerprint)
      ON CONFLICT (organization, key) DO UPDATE SET
        fingerprint = excluded.fingerprint, receipt = excluded.receipt, expires_at = excluded.expires_at`
  }

  const readPage = (
    organization: OrganizationId,
    query: AlertQuery,
    isBehind: ReadonlyArray<Fragment>,
    limit: number,
    order: string,
  ) =>
    Effect.map(
      sql<{ alert: string }>`
        SELECT alert FROM alerts
        WHERE ${sql.and([sql`organization = ${organization}`, ...isBehind, ...filters(sql, query)])}
        ORDER BY ${sql.literal(order)} LIMIT ${limit + 1}`,
      (rows) => ({ items: rows.slice(0, limit).map(rowToAlert), hasMore: rows.length > limit }),
    )

  return AlertStore.of({
    change: (organization, reads, idempotency, decide) =>
      operation("change", sql.withTransaction(change(organization, reads, idempotency, decide))).pipe(
        Effect.tap(({ isRinging }) => (isRinging ? hints.tell : Effect.void)),
        Effect.map(({ receipt }) => receipt),
      ),
    changeEvaluated: (organization, reads, revision, decide) =>
      operation(
        "changeEvaluated",
        sql.withTransaction(changeEvaluated(organization, reads, revision, decide)),
      ).pipe(Effect.tap((done) => (done.change.rings.length > 0 ? hints.tell : Effect.void))),
    find: (organization, reads) => operation("find", read(organization, reads, false)),
    list: (organization, query, { after, limit }) => {
      const isBehind = after === undefined ? [] : [sql`id > ${searchText(after)}`]
      return operation("list", readPage(organization, query, isBehind, limit, "id"))
    },
    listNewest: (organization, query, { after, limit }) => {
      const isBehind =
        after === undefined
          ? []
          : [sql`(triggered_at, id) < (${after.triggeredAt}::bigint, ${searchText(after.id)})`]
      const order = "triggered_at DESC, id DESC"
      return operation("listNewest", readPage(organization, query, isBehind, limit, order))
    },
  })
})

/** The alerts of a database, on the hints that they share with the queue. */
export const layer: Layer.Layer<AlertStore, never, SqlClient.SqlClient | DeliveryHints> = Layer.effect(
  AlertStore,
  make,
)

const operation = portOperation((failure) => new AlertStoreIsUnavailable(failure))

const filters = (sql: SqlClient.SqlClient, query: AlertQuery): ReadonlyArray<Fragment> => {
  const isOneOf = (column: string, wanted: ReadonlyArray<string> | undefined): ReadonlyArray<Fragment> => {
    if (wanted === undefined) return []
    const [first, ...others] = wanted.map(searchText)
    // An index in the order of the IDs serves one value, not several.
    return first !== undefined && others.length === 0
      ? [sql`${sql(column)} = ${first}`]
      : [sql`${sql(column)} = ANY(${wanted.map(searchText)}::text[])`]
  }
  return [
    ...isOneOf("project", query.project === undefined ? undefined : [query.project]),
    ...isOneOf("id", query.ids),
    ...isOneOf("slo", query.slos),
    ...isOneOf("objective", query.objectives),
    ...isOneOf("alert_policy", query.alertPolicies),
    ...isOneOf("status", query.statuses),
    ...(query.from === undefined ? [] : [sql`triggered_at >= ${query.from}`]),
    ...(query.to === undefined ? [] : [sql`triggered_at < ${query.to}`]),
  ]
}

interface Reads {
  readonly subject: AlertSubject
  readonly id: string | undefined
}

/** Drops receipts that have expired, and alerts that were resolved longer ago than history is kept. */
export const dropOldAlerts = (sql: SqlClient.SqlClient) =>
  Effect.zipRight(
    dropOldRows(sql, "alert_receipts", sql`expires_at <= now_ms()`),
    dropOldRows(sql, "alerts", sql`resolved_at <= now_ms() - ${Limits.historyRetentionMs}::bigint`),
  )
