import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { alertSubjectToKey, type Alert, canceledAsDeleted, storedAlert } from "@tocsin/domain/alerting/Alert"
import {
  idempotencyKeyLifetimeMs,
  type AlertChange,
  type AlertQuery,
  type AlertLookup,
  type AlertReceipt,
  AlertStore,
  AlertStoreIsUnavailable,
  type AlertLookupResult,
  type EvaluatedChanges,
  type Idempotency,
  IdempotencyKeyIsReused,
  storedReceipt,
  StatusHasChanged,
} from "@tocsin/domain/alerting/AlertStore"
import type { OrganizationId, ProjectKey, DefinitionKey } from "@tocsin/domain/metadata/ObjectKey"
import { historyRetentionMs } from "@tocsin/domain/delivery/Delivery"
import { revisionToText, textToRevision } from "@tocsin/domain/status/SloStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DeliveryHints } from "../delivery/DeliveryHints.ts"
import { withHistory } from "../delivery/DeliveryHistory.ts"
import { enqueueDeliveries } from "../delivery/EnqueueDeliveries.ts"
import { dropOldRows } from "../database/Retention.ts"
import { portOperation } from "../database/PortOperation.ts"
import { inRow, readPage, readRows, type StoredRowIsInvalid } from "../database/StoredRow.ts"
import { sloBasis } from "../slo/SloRows.ts"
import { searchText, texts, bigints, keyArrays } from "../database/Parameters.ts"

/**
 * Alerts in PostgreSQL. An alert, its deliveries and the receipt for its `Idempotency-Key` are one transaction.
 *
 * A change first takes advisory locks on the subject, the ID and the key, so that conflicting changes run one after the
 * other, across processes. It also locks the alerts that it finds, since an ID may name an alert of another subject.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hints = yield* DeliveryHints

  const read = (organization: OrganizationId, reads: ReadonlyArray<AlertLookup>, isForUpdate: boolean) =>
    Effect.flatMap(
      sql<AlertRow & { readonly subject: string; readonly position: number }>`
        SELECT id, subject, position, alert FROM alerts
        WHERE organization = ${organization} AND id = ANY (${texts(reads.flatMap(({ id }) => id ?? []).map(searchText))} || ARRAY(
          SELECT (
            SELECT id FROM alerts WHERE organization = ${organization} AND subject = k.subject
            ORDER BY position DESC LIMIT 1)
          FROM unnest(${texts(reads.map(({ subject }) => searchText(alertSubjectToKey(subject))))}) AS k (subject)))
        ORDER BY id
        ${sql.literal(isForUpdate ? "FOR UPDATE" : "")}`,
      (rows) => {
        const byId = new Map(rows.map((row) => [row.id, row]))
        const latestBySubject = new Map(
          rows.toSorted((a, b) => a.position - b.position).map((row) => [row.subject, row]),
        )
        return readRows(reads, ({ subject, id }) =>
          Result.all({
            latest: alertOf(latestBySubject.get(alertSubjectToKey(subject))),
            withId: alertOf(id === undefined ? undefined : byId.get(id)),
          }),
        )
      },
    )

  const readOne = (organization: OrganizationId, reads: AlertLookup, isForUpdate: boolean) =>
    Effect.map(
      read(organization, [reads], isForUpdate),
      ([found]): AlertLookupResult => found ?? { latest: undefined, withId: undefined },
    )

  /** Makes conflicting changes wait for each other until the end of the transaction. */
  const lock = (
    organization: OrganizationId,
    reads: ReadonlyArray<AlertLookup>,
    idempotency: Idempotency | undefined,
  ) => {
    const locks = [
      ...reads.map(({ subject }) => `alert subject ${organization} ${alertSubjectToKey(subject)}`),
      ...reads.flatMap(({ id }) => (id === undefined ? [] : [`alert id ${organization} ${id}`])),
      ...(idempotency === undefined ? [] : [`alert key ${organization} ${idempotency.key}`]),
    ]
    return sql`
      SELECT pg_advisory_xact_lock(lock) FROM (
        SELECT DISTINCT hashtextextended(text, 0) AS lock FROM unnest(${texts(locks.map(searchText))}) AS text
        ORDER BY lock
      ) locks`
  }

  const change = <E>(
    organization: OrganizationId,
    reads: AlertLookup,
    idempotency: Idempotency | undefined,
    decide: (found: AlertLookupResult) => Result.Result<AlertChange, E>,
  ) =>
    Effect.gen(function* () {
      yield* lock(organization, [reads], idempotency)
      if (idempotency !== undefined) {
        const [earlier] = yield* sql<{ fingerprint: string; receipt: string }>`
          SELECT fingerprint, receipt FROM alert_receipts
          WHERE organization = ${organization} AND key = ${idempotency.key} AND expires_at > now_ms()`
        if (earlier?.fingerprint === idempotency.fingerprint) {
          const read = storedReceipt.read(earlier.receipt, undefined)
          const receipt = yield* Effect.fromResult(inRow(`receipt of key ${idempotency.key}`, read))
          return { receipt, isNotifying: false }
        }
        if (earlier !== undefined) return yield* new IdempotencyKeyIsReused({ key: idempotency.key })
      }
      const decided = yield* Effect.fromResult(decide(yield* readOne(organization, reads, true)))
      if (decided.put !== undefined || isNotifying(decided) || idempotency !== undefined) {
        yield* write(organization, [decided], idempotency && { ...idempotency, receipt: decided.receipt })
      }
      return { receipt: decided.receipt, isNotifying: isNotifying(decided) }
    })

  /** Locks the SLO first, as its removal does. */
  const changeEvaluated = <C extends EvaluatedChanges, E>(
    organization: OrganizationId,
    { project, name }: ProjectKey,
    before: string,
    reads: ReadonlyArray<AlertLookup>,
    decide: (found: ReadonlyArray<AlertLookupResult>) => Result.Result<C, E>,
  ) =>
    Effect.gen(function* () {
      const isSlo = sql`s.organization = ${organization} AND s.project = ${project} AND s.name = ${name}`
      const { basis, counts } = textToRevision(before)
      const locked = yield* sql`
        SELECT 1 FROM slos s WHERE ${isSlo} AND ${sloBasis(sql)} = ${basis} FOR NO KEY UPDATE`
      if (locked.length === 0) return yield* new StatusHasChanged()
      yield* lock(organization, reads, undefined)
      const decided = yield* Effect.fromResult(decide(yield* read(organization, reads, true)))
      yield* write(organization, decided.changes, undefined)
      const [after] = yield* sql<{ readonly basis: string }>`
        UPDATE slos s SET evaluation = ${decided.evaluation ?? null}, revision = s.revision + 1
        WHERE ${isSlo} RETURNING ${sloBasis(sql)} AS basis`
      return { changed: decided, revision: revisionToText({ basis: after?.basis ?? "", counts }) }
    })

  const write = (
    organization: OrganizationId,
    changes: ReadonlyArray<AlertChange>,
    remembered: (Idempotency & { readonly receipt: AlertReceipt }) | undefined,
  ) => {
    // In this order, so that the alert that is put is the latest of its subject.
    const alerts = changes.flatMap(({ closed, put }) => [closed, put]).filter((alert) => alert !== undefined)
    const receipts = remembered === undefined ? [] : [remembered]
    return Effect.gen(function* () {
      yield* sql`
        WITH put AS (
          ${putAlerts(sql, organization, alerts)}
        )
        INSERT INTO alert_receipts (organization, key, fingerprint, receipt, expires_at)
        SELECT ${organization}, key, fingerprint, receipt, now_ms() + ${idempotencyKeyLifetimeMs}::bigint
        FROM unnest(
          ${texts(receipts.map(({ key }) => key))}, ${texts(receipts.map(({ fingerprint }) => fingerprint))},
          ${texts(receipts.map(({ receipt }) => storedReceipt.write(receipt).json))}
        ) AS given (key, fingerprint, receipt)
        ON CONFLICT (organization, key) DO UPDATE SET
          fingerprint = excluded.fingerprint, receipt = excluded.receipt, expires_at = excluded.expires_at`
      const events = changes.filter(isNotifying).flatMap(({ event }) => event ?? [])
      if (events.length === 0) return
      const [row] = yield* sql<{ readonly now: number }>`SELECT now_ms() AS now`
      for (const event of events) yield* enqueueDeliveries(sql, organization, event, row?.now ?? 0)
    })
  }

  const readAlerts = (
    organization: OrganizationId,
    query: AlertQuery,
    isBehind: ReadonlyArray<Fragment>,
    limit: number,
    order: string,
  ) =>
    Effect.flatMap(
      sql<AlertRow>`
        SELECT id, alert FROM alerts
        WHERE ${sql.and([sql`organization = ${organization}`, ...isBehind, ...filters(sql, query)])}
        ORDER BY ${sql.literal(order)} LIMIT ${limit + 1}`,
      (rows) => readPage(rows, limit, rowToAlert),
    )

  return AlertStore.of({
    change: (organization, reads, idempotency, decide) =>
      operation(
        "change",
        withHistory(sql, sql.withTransaction(change(organization, reads, idempotency, decide))),
      ).pipe(
        Effect.tap(({ isNotifying }) => (isNotifying ? hints.publish(organization) : Effect.void)),
        Effect.map(({ receipt }) => receipt),
      ),
    changeEvaluated: (organization, slo, revision, reads, decide) =>
      operation(
        "changeEvaluated",
        withHistory(sql, sql.withTransaction(changeEvaluated(organization, slo, revision, reads, decide))),
      ).pipe(
        Effect.tap(({ changed }) =>
          changed.changes.some(isNotifying) ? hints.publish(organization) : Effect.void,
        ),
      ),
    find: (organization, reads) => operation("find", readOne(organization, reads, false)),
    list: (organization, query, { after, limit }) => {
      const isBehind = after === undefined ? [] : [sql`id > ${searchText(after)}`]
      return operation("list", readAlerts(organization, query, isBehind, limit, "id"))
    },
    listNewest: (organization, query, { after, limit }) => {
      const isBehind =
        after === undefined
          ? []
          : [sql`(triggered_at, id) < (${after.triggeredAt}::bigint, ${searchText(after.id)})`]
      const order = "triggered_at DESC, id DESC"
      return operation("listNewest", readAlerts(organization, query, isBehind, limit, order))
    },
  })
})

/** The alerts of a database, on the hints that they share with the queue. */
export const layer = Layer.effect(AlertStore, make)

const operation = portOperation((failure) => new AlertStoreIsUnavailable(failure))

const isNotifying = ({ event }: AlertChange): boolean => event !== undefined && event.deliveries.length > 0

const alertOf = (row: AlertRow | undefined) =>
  row === undefined ? Result.succeed(undefined) : rowToAlert(row)

const filters = (sql: SqlClient.SqlClient, query: AlertQuery): ReadonlyArray<Fragment> => {
  const isOneOf = (column: string, wanted: ReadonlyArray<string> | undefined): ReadonlyArray<Fragment> => {
    if (wanted === undefined) return []
    const [first, ...others] = wanted.map(searchText)
    // An index that is ordered by ID serves one value, but not several.
    return first !== undefined && others.length === 0
      ? [sql`${sql(column)} = ${first}`]
      : [sql`${sql(column)} = ANY(${texts(wanted.map(searchText))})`]
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

export const dropOldAlerts = (sql: SqlClient.SqlClient) =>
  Effect.andThen(
    dropOldRows(sql, "alert_receipts", sql`expires_at <= now_ms()`),
    dropOldRows(sql, "alerts", sql`resolved_at <= now_ms() - ${historyRetentionMs}::bigint`),
  )

interface AlertRow {
  readonly id: string
  readonly alert: string
}

const rowToAlert = ({ id, alert }: AlertRow): Result.Result<Alert, StoredRowIsInvalid> =>
  inRow(`alert ${id}`, storedAlert.read(alert, undefined))

/**
 * Adds alerts, or replaces those with the same IDs. The last alert of a subject becomes its latest, unless it is an
 * existing one that is resolved or canceled here: another may have opened since.
 */
const putAlerts = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  alerts: ReadonlyArray<Alert>,
): Fragment => sql`
  INSERT INTO alerts
    (organization, id, subject, project, slo, objective, alert_policy, status, triggered_at, alert, resolved_at)
  SELECT ${organization}, id, subject, project, slo, objective, alert_policy, status, triggered_at, alert,
    CASE WHEN status <> 'triggered' THEN now_ms() END
  FROM unnest(
    ${texts(alerts.map(({ id }) => id))},
    ${texts(alerts.map(({ subject }) => alertSubjectToKey(subject)))},
    ${texts(alerts.map(({ subject }) => subject.slo.project))},
    ${texts(alerts.map(({ subject }) => subject.slo.name))},
    ${texts(alerts.map(({ subject }) => subject.objective ?? null))},
    ${texts(alerts.map(({ subject }) => subject.alertPolicy?.name ?? null))},
    ${texts(alerts.map(({ status }) => status))},
    ${bigints(alerts.map(({ triggeredAt }) => triggeredAt))},
    ${texts(alerts.map((alert) => storedAlert.write(alert).json))}
  ) AS given (id, subject, project, slo, objective, alert_policy, status, triggered_at, alert)
  ON CONFLICT (organization, id) DO UPDATE SET
    subject = excluded.subject, project = excluded.project, slo = excluded.slo, objective = excluded.objective,
    alert_policy = excluded.alert_policy, status = excluded.status, triggered_at = excluded.triggered_at,
    alert = excluded.alert, resolved_at = excluded.resolved_at,
    position = CASE WHEN excluded.status = 'triggered' THEN excluded.position ELSE alerts.position END`

/** Cancels the open alerts of the SLOs among the definitions that a change removes, at `now` (Unix milliseconds). */
export const cancelAlerts = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  removed: ReadonlyArray<DefinitionKey>,
  now: number,
) =>
  Effect.gen(function* () {
    const slos = removed.filter(({ kind }) => kind === "SLO")
    if (slos.length === 0) return
    const rows = yield* sql<AlertRow>`
      SELECT a.id, a.alert FROM unnest(${keyArrays(sql, slos)}) AS k (project, name)
      JOIN alerts a ON a.organization = ${organization} AND a.slo = k.name AND a.project = k.project
      WHERE a.status = 'triggered'
      ORDER BY a.id
      FOR NO KEY UPDATE OF a`
    const canceled = (yield* readRows(rows, rowToAlert)).map((alert) => canceledAsDeleted(alert, now))
    if (canceled.length > 0) yield* sql`${putAlerts(sql, organization, canceled)}`
  })
