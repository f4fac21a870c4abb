import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { OrganizationId } from "@tocsin/domain/metadata/ObjectKey"
import {
  bulkResendPollMs,
  bulkResendsRunningMax,
  type BulkResend,
  isNextBatchDelayed,
  type ResendFilter,
  storedResendFilter,
} from "@tocsin/domain/resend/BulkResend"
import {
  BulkResendsAreTooMany,
  BulkResendStore,
  BulkResendStoreIsUnavailable,
  type NewBulkResend,
  type StepLimits,
} from "@tocsin/domain/resend/BulkResendStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { DeliveryHints } from "./DeliveryHints.ts"
import { dropOldRows } from "../database/Retention.ts"
import { isConflict, portOperation } from "../database/PortOperation.ts"
import { inRow, readPage, StoredRowIsInvalid } from "../database/StoredRow.ts"
import { searchText, texts } from "../database/Parameters.ts"
import { senderFaultDelayMs } from "@tocsin/domain/delivery/RetryPolicy"
import { historyRetentionMs } from "@tocsin/domain/delivery/Delivery"

/**
 * Bulk resends in PostgreSQL, by its clock. Any number of processes may take steps.
 *
 * A step is one transaction: it locks the row of a bulk resend, skipping locked ones, moves a batch from
 * `settled_deliveries` to `deliveries`, and writes its progress to the row.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hints = yield* DeliveryHints

  const firstResend = ([row]: ReadonlyArray<ResendRow>) =>
    row === undefined ? Effect.succeedNone : Effect.asSome(Effect.fromResult(rowToResend(row)))

  const step = (limits: StepLimits): Effect.Effect<Step, SqlError | StoredRowIsInvalid> =>
    Effect.gen(function* () {
      const [row] = yield* sql<RunningRow>`
        SELECT ${sql.literal(columns)}, cursor_created_at, cursor_id, batch, now_ms() - batch_at AS batch_age_ms,
          (SELECT count(*)::integer FROM deliveries d
           WHERE d.organization = r.organization AND d.id = ANY (r.batch) AND d.attempts_used = 0 AND d.claim_id IS NULL
          ) AS unattempted
        FROM bulk_resends r WHERE next_step_at <= now_ms()
        ORDER BY next_step_at LIMIT 1 FOR UPDATE OF r SKIP LOCKED`
      if (row === undefined) return { isDue: false }
      const { batch, unattempted, batch_age_ms: ageMs } = row
      if (isNextBatchDelayed({ size: batch.length, unattempted, ageMs: ageMs ?? 0 })) {
        yield* postpone(row, bulkResendPollMs)
        return { isDue: true }
      }
      // A bulk resend that keeps failing must not block the others.
      return yield* sql.withTransaction(takeBatch(sql, row, limits)).pipe(
        Effect.as({ isDue: true, hasMoved: true }),
        Effect.catchIf(
          (error) => error instanceof StoredRowIsInvalid || !isConflict(error),
          (failure) => Effect.as(postpone(row, senderFaultDelayMs), { isDue: true, failure }),
        ),
      )
    })

  const postpone = ({ organization, id }: RunningRow, delayMs: number) =>
    sql`
      UPDATE bulk_resends SET next_step_at = now_ms() + ${delayMs}::bigint
      WHERE organization = ${organization} AND id = ${id}`

  return BulkResendStore.of({
    count: operation("count", (organization, filter, readMax) =>
      Effect.map(
        sql<{ matched: number; may_match_more: boolean }>`
          WITH candidates AS MATERIALIZED (${readSettled(sql, organization, filter, undefined, readMax + 1)})
          SELECT count(*) FILTER (WHERE ${isWanted(sql, filter)})::integer AS matched,
            (SELECT count(*) FROM candidates) > ${readMax} AS may_match_more
          FROM (SELECT * FROM candidates ORDER BY created_at, id LIMIT ${readMax}) read`,
        ([row]) => ({ matched: row?.matched ?? 0, mayMatchMore: row?.may_match_more ?? false }),
      ),
    ),
    add: (organization, resend) =>
      Effect.flatMap(
        operation(
          "add",
          Effect.flatMap(sql.withTransaction(addUnlessMany(sql, organization, resend)), firstResend),
        ),
        (added) => Option.match(added, { onNone: () => new BulkResendsAreTooMany(), onSome: Effect.succeed }),
      ),
    find: operation("find", (organization, id) =>
      Effect.flatMap(
        sql<ResendRow>`
          SELECT ${sql.literal(columns)} FROM bulk_resends
          WHERE organization = ${organization} AND id = ${searchText(id)}`,
        firstResend,
      ),
    ),
    list: operation("list", (organization, { after, limit }) =>
      Effect.flatMap(
        sql<ResendRow>`
          SELECT ${sql.literal(columns)} FROM bulk_resends
          WHERE ${sql.and([
            sql`organization = ${organization}`,
            ...(after === undefined ? [] : [sql`id < ${searchText(after)}`]),
          ])}
          ORDER BY id DESC LIMIT ${limit + 1}`,
        (rows) => readPage(rows, limit, rowToResend),
      ),
    ),
    cancel: operation("cancel", (organization, id) =>
      Effect.flatMap(
        sql<ResendRow>`
          UPDATE bulk_resends SET state = CASE WHEN state = 'running' THEN 'canceled' ELSE state END,
            ended_at = coalesce(ended_at, now_ms()), next_step_at = NULL, batch = '{}'
          WHERE organization = ${organization} AND id = ${searchText(id)}
          RETURNING ${sql.literal(columns)}`,
        firstResend,
      ),
    ),
    step: (limits) =>
      operation("step", sql.withTransaction(step(limits))).pipe(
        Effect.tap(({ hasMoved }) => (hasMoved === true ? hints.publish : Effect.void)),
        Effect.flatMap(({ isDue, failure }) =>
          failure === undefined ? Effect.succeed(isDue) : operation("step", Effect.fail(failure)),
        ),
      ),
  })
})

/** The bulk resends of a database, on the hints that they share with the queue. */
export const layer = Layer.effect(BulkResendStore, make)

export const dropOldResends = (sql: SqlClient.SqlClient) =>
  dropOldRows(sql, "bulk_resends", sql`ended_at <= now_ms() - ${historyRetentionMs}::bigint`)

const operation = portOperation((failure) => new BulkResendStoreIsUnavailable(failure))

/** Adds a bulk resend unless the organization has the maximum running. Must run within a transaction. */
const addUnlessMany = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { id, filter, matched, mayMatchMore }: NewBulkResend,
) =>
  Effect.andThen(
    // One addition after the other, so that each counts the others.
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`bulk resends ${organization}`}, 0))`,
    sql<ResendRow>`
      INSERT INTO bulk_resends (organization, id, filter, created_at, matched, may_match_more, state, next_step_at)
      SELECT ${organization}, ${id}, ${storedResendFilter.write(filter).json}, now_ms(), ${matched}::integer, ${mayMatchMore}::boolean,
        'running', now_ms()
      WHERE (
        SELECT count(*) FROM bulk_resends WHERE organization = ${organization} AND state = 'running'
      ) < ${bulkResendsRunningMax}
      RETURNING ${sql.literal(columns)}`,
  )

/** Reads the next settled deliveries, requeues those that match, and writes the progress, in a transaction. */
const takeBatch = (sql: SqlClient.SqlClient, row: RunningRow, { batchMax, readMax }: StepLimits) =>
  Effect.gen(function* () {
    const { organization, id, createdAt: askedAt } = row
    const filter = yield* Effect.fromResult(readFilter(row))
    const after =
      row.cursor_created_at === null || row.cursor_id === null
        ? undefined
        : { createdAt: row.cursor_created_at, id: row.cursor_id }
    const to = Math.min(filter.to ?? Infinity, askedAt + 1)
    const read = yield* sql<ReadRow>`
      WITH candidates AS MATERIALIZED (${readSettled(sql, organization, { ...filter, to }, after, readMax)})
      (SELECT id, created_at, settled_at, true AS is_wanted, 0 AS read_count FROM candidates
       WHERE ${isWanted(sql, filter)} AND settled_at <= ${askedAt}
       ORDER BY created_at, id LIMIT ${batchMax + 1})
      UNION ALL
      (SELECT id, created_at, settled_at, false, (SELECT count(*)::integer FROM candidates) FROM candidates
       ORDER BY created_at DESC, id DESC LIMIT 1)`
    const wanted = read.filter(({ is_wanted }) => is_wanted)
    const last = read.find(({ is_wanted }) => !is_wanted)
    const batch = wanted.slice(0, batchMax)
    const isCut = wanted.length > batchMax
    const isLast = !isCut && (last?.read_count ?? 0) < readMax
    const readTo = isCut ? batch.at(-1) : last
    const settledAt = batch.map(({ settled_at }) => settled_at)
    yield* sql`
      WITH taken AS (
        -- A delivery that was resent individually meanwhile is not in this table any more.
        DELETE FROM settled_deliveries
        WHERE organization = ${organization} AND id = ANY (${texts(batch.map(({ id }) => id))})
          AND settled_at >= ${Math.min(askedAt, ...settledAt)} AND settled_at <= ${Math.max(0, ...settledAt)}
        RETURNING organization, id, project, name, notification, attempt, created_at
      ), queued AS (
        -- As resendDelivery has it.
        INSERT INTO deliveries (organization, id, project, name, notification, attempt, attempts_used, created_at, due_at)
        SELECT organization, id, project, name, notification, attempt, 0, created_at, now_ms() FROM taken
      ), woken AS (
        INSERT INTO endpoint_wakeups (organization, project, name) SELECT DISTINCT organization, project, name FROM taken
      )
      UPDATE bulk_resends SET resent = resent + (SELECT count(*)::integer FROM taken),
        cursor_created_at = ${readTo?.created_at ?? row.cursor_created_at}, cursor_id = ${readTo?.id ?? row.cursor_id},
        batch = ${texts(isLast ? [] : batch.map(({ id }) => id))}, batch_at = now_ms(),
        state = ${isLast ? "done" : "running"}, ended_at = CASE WHEN ${isLast}::boolean THEN now_ms() END,
        next_step_at = CASE WHEN NOT ${isLast}::boolean
          THEN now_ms() + ${batch.length > 0 ? bulkResendPollMs : 0}::bigint END
      WHERE organization = ${organization} AND id = ${id}`
  })

/**
 * Reads settled deliveries in the order in which they are resent. It applies only conditions that an index serves, and
 * leaves the others to `isWanted`, so that it reads at most `limit` rows however few match.
 */
const readSettled = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { alertMethod, states, from, to }: ResendFilter,
  after: { readonly createdAt: number; readonly id: string } | undefined,
  limit: number,
) => {
  const isIndexed = !states.includes("delivered")
  const since = Math.max(from ?? 0, after?.createdAt ?? 0)
  return sql`
    SELECT id, project, name, state, created_at, settled_at FROM settled_deliveries
    WHERE ${sql.and([
      sql`organization = ${organization}`,
      sql`created_at >= ${since}`,
      // No delivery is settled before it is created: earlier partitions need not be read.
      sql`settled_at >= ${since}`,
      ...(to === undefined ? [] : [sql`created_at < ${to}`]),
      ...(after === undefined ? [] : [sql`(created_at, id) > (${after.createdAt}, ${after.id})`]),
      ...(isIndexed ? [sql`state <> 'delivered'`] : []),
      ...(isIndexed && alertMethod !== undefined
        ? [sql`project = ${searchText(alertMethod.project)}`, sql`name = ${searchText(alertMethod.name)}`]
        : []),
    ])}
    ORDER BY created_at, id LIMIT ${limit}`
}

const isWanted = (sql: SqlClient.SqlClient, { alertMethod, states }: ResendFilter) =>
  sql.and([
    sql`state = ANY (${texts(states)})`,
    ...(alertMethod === undefined
      ? []
      : [sql`project = ${searchText(alertMethod.project)}`, sql`name = ${searchText(alertMethod.name)}`]),
  ])

/** As the fields of `BulkResend`. */
const columns = `organization, id, filter, created_at AS "createdAt", matched, may_match_more AS "mayMatchMore", resent,
  state, ended_at AS "endedAt"`

/** The result of a step; `failure`: of the batch that was due, which is unchanged. */
interface Step {
  readonly isDue: boolean
  readonly hasMoved?: boolean
  readonly failure?: SqlError | StoredRowIsInvalid
}

interface ResendRow extends Omit<BulkResend, "filter" | "endedAt"> {
  readonly filter: string
  readonly endedAt: number | null
}

interface RunningRow extends ResendRow {
  readonly cursor_created_at: number | null
  readonly cursor_id: string | null
  readonly batch: ReadonlyArray<string>
  readonly batch_age_ms: number | null
  readonly unattempted: number
}

interface ReadRow {
  readonly id: string
  readonly created_at: number
  readonly settled_at: number
  readonly is_wanted: boolean
  /** On the last row that was read: how many were read. */
  readonly read_count: number
}

const readFilter = ({
  id,
  filter,
}: Pick<ResendRow, "id" | "filter">): Result.Result<ResendFilter, StoredRowIsInvalid> =>
  inRow(`bulk resend ${id}`, storedResendFilter.read(filter, undefined))

const rowToResend = ({ endedAt, ...row }: ResendRow): Result.Result<BulkResend, StoredRowIsInvalid> =>
  Result.map(readFilter(row), (filter) => ({ ...row, filter, ...(endedAt !== null && { endedAt }) }))
