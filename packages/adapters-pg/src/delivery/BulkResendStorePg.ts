import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import {
  type BulkResend,
  bulkResendPollMs,
  bulkResendsRunningMax,
  historyRetentionMs,
  isNextBatchDelayed,
  type ResendFilter,
  senderFaultDelayMs,
  storedResendFilter,
} from "@tocsin/domain/adapter"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import {
  BulkResendsAreTooMany,
  BulkResendStore,
  type NewBulkResend,
  type StepLimits,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { DeliveryHints } from "./DeliveryHints.ts"
import { isQueued, latestAttempt } from "./DeliveryRow.ts"
import { wakeEndpoints } from "./EnqueueDeliveries.ts"
import { dropOldRows } from "../database/Retention.ts"
import { isConflict, storeOperation } from "../database/PortOperation.ts"
import { inRow, readPage, StoredRowIsInvalid } from "../database/StoredRow.ts"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { organizationRow } from "../database/ForEachOrganization.ts"
import { bigints, searchText, texts } from "../database/Parameters.ts"

/**
 * Bulk resends in PostgreSQL, by its clock. Any number of processes may take steps.
 *
 * A step reads which bulk resends are due without locks. It then is one transaction on the organization of the first one
 * that no other process has locked: it locks the row, adds a batch to the queue, and writes its progress to the row.
 */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hints = yield* DeliveryHints

  /** No step is further ahead than `senderFaultDelayMs`, unless the clock was set back since. */
  const isDue = sql`(next_step_at <= now_ms() OR next_step_at > now_ms() + ${senderFaultDelayMs}::bigint)`

  const firstResend = ([row]: ReadonlyArray<ResendRow>) =>
    row === undefined ? Effect.succeedNone : Effect.asSome(Effect.fromResult(rowToResend(row)))

  const step = (limits: StepLimits) =>
    Effect.gen(function* () {
      const due = yield* readAcrossOrganizations(
        sql,
        sql<Pick<ResendRow, "organization" | "id">>`
          SELECT organization, id FROM bulk_resends WHERE ${isDue} ORDER BY next_step_at LIMIT ${dueReadMax}`,
      )
      for (const { organization, id } of due) {
        const taken = yield* sql.withTransaction(stepOf(organization, id, limits))
        if (taken !== undefined) return taken
      }
      return { isDue: false }
    })

  /** Takes a step of a bulk resend; undefined when another process is taking one, or has taken it. */
  const stepOf = (
    organization: OrganizationId,
    id: string,
    limits: StepLimits,
  ): Effect.Effect<Step | undefined, SqlError | StoredRowIsInvalid> =>
    Effect.gen(function* () {
      const [row] = yield* sql<RunningRow>`
        SELECT ${sql.literal(columns)}, cursor_created_at, cursor_id, batch, batch_at, now_ms() AS now
        FROM bulk_resends r
        WHERE organization = ${organization} AND id = ${id} AND ${isDue}
        FOR UPDATE SKIP LOCKED`
      if (row === undefined) return undefined
      const { batch, batch_at: batchAt, now } = row
      const [progress] = yield* sql<{ readonly unattempted: number }>`
        SELECT count(*)::integer AS unattempted FROM delivery_queue
        WHERE organization = ${organization} AND id = ANY (${texts(batch)}) AND attempts_used = 0 AND sending IS NULL`
      const unattempted = progress?.unattempted ?? 0
      if (isNextBatchDelayed({ size: batch.length, unattempted, ageMs: now - (batchAt ?? now) })) {
        yield* postpone(row, bulkResendPollMs)
        return { isDue: true }
      }
      // A bulk resend that keeps failing must not block the others.
      return yield* sql.withTransaction(takeBatch(sql, row, limits)).pipe(
        Effect.as({ isDue: true, hasMoved: organization }),
        Effect.catchIf(
          (error) => error instanceof StoredRowIsInvalid || !isConflict(error),
          (failure) => Effect.as(postpone(row, senderFaultDelayMs), { isDue: true, failure }),
        ),
      )
    })

  const postpone = ({ organization, id, now }: RunningRow, delayMs: number) =>
    sql`
      UPDATE bulk_resends SET next_step_at = ${now + delayMs}::bigint
      WHERE organization = ${organization} AND id = ${id}`

  return BulkResendStore.of({
    count: operation("count", (organization, filter, readMax) =>
      Effect.map(
        sql<{ matched: number; may_match_more: boolean }>`
          WITH candidates AS MATERIALIZED (${readCandidates(sql, organization, filter, undefined, readMax + 1)})
          SELECT (
            SELECT count(*)::integer FROM (SELECT * FROM candidates ORDER BY created_at, id LIMIT ${readMax}) k
            ${onlyWanted(sql, organization, filter)}
          ) AS matched, (SELECT count(*) FROM candidates) > ${readMax} AS may_match_more`,
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
      Effect.gen(function* () {
        const [clock] = yield* sql<{ readonly now: number }>`SELECT now_ms() AS now`
        const rows = yield* sql<ResendRow>`
          UPDATE bulk_resends SET state = CASE WHEN state = 'running' THEN 'canceled' ELSE state END,
            ended_at = coalesce(ended_at, ${clock?.now ?? 0}::bigint), next_step_at = NULL, batch = '{}'
          WHERE organization = ${organization} AND id = ${searchText(id)}
          RETURNING ${sql.literal(columns)}`
        return yield* firstResend(rows)
      }),
    ),
    step: (limits) =>
      operation("step", step(limits)).pipe(
        Effect.tap(({ hasMoved }) => (hasMoved === undefined ? Effect.void : hints.publish(hasMoved))),
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

const operation = storeOperation("BulkResendStore")

/** Adds a bulk resend unless the organization has the maximum running. Must run within a transaction. */
const addUnlessMany = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { id, filter, matched, mayMatchMore }: NewBulkResend,
) =>
  Effect.andThen(
    // Locks the organization: one addition after the other, so that each counts the others.
    sql`
      INSERT INTO organizations AS o (organization, revision) VALUES (${organization}, 0)
      ON CONFLICT (organization) DO UPDATE SET revision = o.revision`,
    sql<ResendRow>`
      INSERT INTO bulk_resends AS r
        (organization, id, filter, created_at, matched, may_match_more, state, next_step_at)
      SELECT o.organization, ${id}, ${storedResendFilter.write(filter).json}, now_ms(), ${matched}::integer,
        ${mayMatchMore}::boolean, 'running', now_ms()
      FROM ${organizationRow(sql, organization)}
      WHERE (
        SELECT count(*) FROM bulk_resends WHERE organization = ${organization} AND state = 'running'
      ) < ${bulkResendsRunningMax}
      RETURNING ${sql.literal(columns)}`,
  )

/** Reads the next settled deliveries, queues those that match, and writes the progress, in a transaction. */
const takeBatch = (sql: SqlClient.SqlClient, row: RunningRow, { batchMax, readMax }: StepLimits) =>
  Effect.gen(function* () {
    const { organization, id, createdAt, now } = row
    const filter = yield* Effect.fromResult(readFilter(row))
    const after =
      row.cursor_created_at === null || row.cursor_id === null
        ? undefined
        : { createdAt: row.cursor_created_at, id: row.cursor_id }
    const asked = { at: createdAt, now }
    const read = yield* sql<ReadRow>`
      WITH candidates AS MATERIALIZED (${readCandidates(sql, organization, filter, after, readMax, asked)})
      (SELECT k.id, k.created_at, true AS is_wanted, 0 AS read_count FROM candidates k
       ${onlyWanted(sql, organization, filter, asked)}
       ORDER BY k.created_at, k.id LIMIT ${batchMax + 1})
      UNION ALL
      (SELECT id, created_at, false, (SELECT count(*)::integer FROM candidates) FROM candidates
       ORDER BY created_at DESC, id DESC LIMIT 1)`
    const wanted = read.filter(({ is_wanted }) => is_wanted)
    const last = read.find(({ is_wanted }) => !is_wanted)
    const batch = wanted.slice(0, batchMax)
    const isCut = wanted.length > batchMax
    const isLast = !isCut && (last?.read_count ?? 0) < readMax
    const readTo = isCut ? batch.at(-1) : last
    const queued = yield* requeue(sql, organization, batch, now, onlyWanted(sql, organization, filter, asked))
    yield* sql`
      UPDATE bulk_resends SET resent = resent + ${queued.length}::integer,
        cursor_created_at = ${readTo?.created_at ?? row.cursor_created_at}, cursor_id = ${readTo?.id ?? row.cursor_id},
        batch = ${texts(isLast ? [] : batch.map(({ id }) => id))}, batch_at = ${now}::bigint,
        state = ${isLast ? "done" : "running"}, ended_at = ${isLast ? now : null}::bigint,
        next_step_at = ${isLast ? null : now + (batch.length > 0 ? bulkResendPollMs : 0)}::bigint
      WHERE organization = ${organization} AND id = ${id}`
  })

/**
 * Makes settled deliveries due now (`resendDelivery`), as far as they are still `wanted`, and returns their alert methods.
 *
 * Deliveries are locked by whoever queues them again, so that what is read of them is what they have come to.
 */
const requeue = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  batch: ReadonlyArray<ReadRow>,
  now: number,
  wanted: Fragment,
) =>
  Effect.gen(function* () {
    if (batch.length === 0) return []
    const ids = texts(batch.map(({ id }) => id))
    const times = batch.map((each) => each.created_at)
    yield* sql`
      SELECT FROM deliveries
      WHERE organization = ${organization} AND id = ANY (${ids})
        AND created_at >= ${Math.min(...times)} AND created_at <= ${Math.max(...times)}
      ORDER BY id FOR UPDATE`
    const queued = yield* sql<ProjectKey>`
      INSERT INTO delivery_queue AS q
        (organization, id, created_at, project, name, notification, is_retry, due_at, scheduled_at, attempt, attempts_used)
      SELECT o.organization, k.id, k.created_at, d.project, d.name, d.notification, true, ${now}::bigint, ${now}::bigint,
        a.number, 0
      FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(${ids}, ${bigints(times)}) AS k (id, created_at)
      ${wanted}
      ON CONFLICT (id, organization) DO NOTHING
      RETURNING project, name`
    if (queued.length > 0) yield* wakeEndpoints(sql, organization, queued, now)
    return queued
  })

/**
 * Reads the keys of deliveries that may be settled as the filter says, in the order in which they are resent. It applies only
 * conditions that an index serves, and leaves the others to `onlyWanted`, so that it reads at most `limit` however few
 * match.
 */
const readCandidates = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { states, from, to }: ResendFilter,
  after: { readonly createdAt: number; readonly id: string } | undefined,
  limit: number,
  asked?: Asked,
) => {
  const conditions = sql.and([
    sql`organization = ${organization}`,
    ...(asked === undefined ? [] : [wasBy(sql, sql`created_at`, asked)]),
    sql`created_at >= ${Math.max(from ?? 0, after?.createdAt ?? 0)}`,
    ...(to === undefined ? [] : [sql`created_at < ${to}`]),
    ...(after === undefined ? [] : [sql`(created_at, id) > (${after.createdAt}, ${after.id})`]),
  ])
  return states.includes("delivered")
    ? sql`SELECT created_at, id FROM deliveries WHERE ${conditions} ORDER BY created_at, id LIMIT ${limit}`
    : sql`
        SELECT DISTINCT created_at, id FROM delivery_attempts
        WHERE ${conditions} AND state IN ('exhausted', 'failed') ORDER BY created_at, id LIMIT ${limit}`
}

/**
 * Joins the candidates `k` with their deliveries `d` and latest attempts `a`, and leaves those that match a filter and were
 * settled by the time that it was asked for, if given.
 */
const onlyWanted = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { alertMethod, states }: ResendFilter,
  asked?: Asked,
) => sql`
  CROSS JOIN LATERAL (
    SELECT project, name, notification, event FROM deliveries
    WHERE organization = ${organization} AND id = k.id AND created_at = k.created_at LIMIT 1
  ) d
  CROSS JOIN LATERAL ${latestAttempt(sql, organization, "k")} a
  WHERE ${sql.and([
    sql`d.event <> 'test'`,
    sql`a.state = ANY (${texts(states)})`,
    ...(asked === undefined ? [] : [wasBy(sql, sql`a.settled_at`, asked)]),
    ...(alertMethod === undefined
      ? []
      : [sql`d.project = ${searchText(alertMethod.project)}`, sql`d.name = ${searchText(alertMethod.name)}`]),
    sql`NOT ${isQueued(sql, organization, "k")}`,
  ])}`

interface Asked {
  /** When the bulk resend was created, and the time now, in Unix milliseconds. */
  readonly at: number
  readonly now: number
}

/** `wasBy` of the domain, of a column. */
const wasBy = (sql: SqlClient.SqlClient, time: Fragment, { at, now }: Asked): Fragment =>
  sql`(${time} <= ${at} OR ${time} > ${now})`

/** Most due bulk resends that a step tries to lock. */
const dueReadMax = 20

/** As the fields of `BulkResend`. */
const columns = `organization, id, filter, created_at AS "createdAt", matched, may_match_more AS "mayMatchMore", resent,
  state, ended_at AS "endedAt"`

/** The result of a step; `failure`: of the batch that was due, which is unchanged. */
interface Step {
  readonly isDue: boolean
  /** The organization whose deliveries have become due. */
  readonly hasMoved?: OrganizationId
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
  readonly batch_at: number | null
  readonly now: number
}

interface ReadRow {
  readonly id: string
  readonly created_at: number
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
