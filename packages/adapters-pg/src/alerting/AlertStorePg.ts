import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import {
  type AlertStatus,
  alertSubjectToKey,
  canceledAsDeleted,
  historyRetentionMs,
  storedAlert,
  storedEvidence,
  storedReceipt,
  TaggedError,
} from "@tocsin/domain/adapter"
import type { Alert } from "@tocsin/domain/alerting"
import {
  type DefinitionKey,
  type OrganizationId,
  type ProjectKey,
  projectKeyText,
} from "@tocsin/domain/kernel"
import {
  type AlertChange,
  type AlertLookup,
  type AlertLookupResult,
  type AlertQuery,
  type AlertReceipt,
  AlertStore,
  type EvaluatedChanges,
  type Idempotency,
  IdempotencyKeyIsReused,
  idempotencyKeyLifetimeMs,
  type OpenAlerts,
  type PolicyAlerts,
  revisionToText,
  StatusHasChanged,
  StoreIsUnavailable,
  textToRevision,
} from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { makeIsDistributed } from "../database/CitusTables.ts"
import { DeliveryHints, type Enqueuing } from "../delivery/DeliveryHints.ts"
import { withHistory } from "../delivery/DeliveryHistory.ts"
import { enqueueDeliveries, readStoredNotifications } from "../delivery/EnqueueDeliveries.ts"
import { dropOldRows } from "../database/Retention.ts"
import { deadlineOfGroup, storeOperation, withoutDeadline } from "../database/PortOperation.ts"
import { WriteTurns } from "../database/WriteTurns.ts"
import { setBackTimes } from "../database/SetBackTimes.ts"
import { inRow, readPage, readRows, type StoredRowIsInvalid } from "../database/StoredRow.ts"
import { sloBasis } from "../slo/SloRows.ts"
import { searchText, texts, bigints, doubles, keyArrays } from "../database/Parameters.ts"

/**
 * Alerts in PostgreSQL. An alert, its deliveries and the receipt for its `Idempotency-Key` are one transaction.
 *
 * A change first locks the row of its subject, so that changes of one subject run one after the other, across processes. It
 * also locks the alerts that it finds, since an ID may name an alert of another subject. An ID or a key that it does not find
 * cannot be locked: if another change has used it meanwhile, the change starts over.
 *
 * Changes that requests of an organization ask for at the same time share a transaction, each with its own result. Changes of
 * one subject, alert or key never do. If it waits for a lock, each goes on alone, so that only those wait that need the lock.
 */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const turns = yield* WriteTurns
  const hints = yield* DeliveryHints
  const isDistributed = makeIsDistributed(sql)

  const readRowsOf = (
    organization: OrganizationId,
    reads: ReadonlyArray<AlertLookup>,
    isForUpdate: boolean,
  ) =>
    sql<LookupRow>`
      SELECT id, subject, position, alert, evidence FROM alerts
      WHERE organization = ${organization} AND id = ANY (${texts(reads.flatMap(({ id }) => id ?? []).map(searchText))} || ARRAY(
        SELECT (
          SELECT id FROM alerts WHERE organization = ${organization} AND subject = k.subject
          ORDER BY position DESC LIMIT 1)
        FROM unnest(${texts(reads.map(({ subject }) => searchText(alertSubjectToKey(subject))))}) AS k (subject)))
      ORDER BY id
      ${sql.literal(isForUpdate ? "FOR UPDATE" : "")}`

  /** Locks the subjects, in one order, and the alerts that are found. */
  const lock = (organization: OrganizationId, reads: ReadonlyArray<AlertLookup>) =>
    Effect.gen(function* () {
      const [first, ...others] = lockedSubjects(reads).map((subject) => ({ organization, subject }))
      if (first === undefined) return []
      yield* sql`
        INSERT INTO alert_subjects ${sql.insert([first, ...others])}
        ON CONFLICT (organization, subject) DO UPDATE SET subject = excluded.subject`
      return yield* readRowsOf(organization, reads, true)
    })

  /**
   * Locks the SLOs of lookups, so that they are neither deleted nor moved, and then as `lock`. In this order, as the removal of
   * an SLO locks. Returns the SLOs that exist, and the alerts.
   */
  const lockWithSlos = (
    organization: OrganizationId,
    lookups: ReadonlyArray<AlertLookup>,
    givesUpLocks: boolean,
  ) =>
    Effect.gen(function* () {
      const slos = new Map(lookups.map(({ subject: { slo } }) => [projectKeyText(slo), slo]))
      // Without a statement of its own: before the first lock. Less than the time after which PostgreSQL looks for a deadlock.
      const setLockTimeout = givesUpLocks
        ? sql`WHERE (SELECT set_config('lock_timeout', '500ms', true)) IS NOT NULL`
        : sql``
      const locking = sql`
        SELECT s.project, s.name FROM unnest(${keyArrays(sql, [...slos.values()])}) AS k (project, name)
        JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
        ${setLockTimeout} ORDER BY s.project, s.name FOR KEY SHARE OF s`
      if (yield* isDistributed) {
        const stored = yield* sql<ProjectKey>`${locking}`
        return { stored, rows: yield* lock(organization, lookups) }
      }
      const stored = yield* sql<ProjectKey>`
        WITH stored AS MATERIALIZED (${locking}), locked AS (
          INSERT INTO alert_subjects (organization, subject)
          SELECT ${organization}, subject
          FROM (SELECT count(*) FROM stored) s CROSS JOIN unnest(${texts(lockedSubjects(lookups))}) AS k (subject)
          ON CONFLICT (organization, subject) DO UPDATE SET subject = excluded.subject
        )
        SELECT project, name FROM stored`
      // Only a statement that begins after the subjects are locked sees what others have written about them.
      return { stored, rows: yield* readRowsOf(organization, lookups, true) }
    })

  /**
   * Carries out the changes of requests in one transaction: decides on all from alerts that are locked, and then writes them. Leaves
   * those that depend on one before them, or for which the transaction would be too large.
   */
  const changeAll = (
    organization: OrganizationId,
    requests: ReadonlyArray<RequestedChange>,
    givesUpLocks: boolean,
    enqueuing: Enqueuing,
  ) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const lookups = requests.map(({ lookup }) => lookup)
      const { stored, rows } = yield* lockWithSlos(organization, lookups, givesUpLocks)
      const storedSlos = new Set(stored.map(projectKeyText))
      const rowsOf = rowFinder(rows)
      const earlier = yield* readReceipts(organization, requests, now)
      const exits: Array<RequestExit> = []
      const accepted: Array<AcceptedChange> = []
      const unused = new Set<string>()
      const touched = new Set<string>()
      let size = 0
      for (const [index, request] of requests.entries()) {
        // Reading alerts takes long enough for others to wait for the event loop.
        if (index % decisionsAtOnce === decisionsAtOnce - 1) yield* Effect.yieldNow
        const { lookup, idempotency, decide } = request
        const { latest, withId } = rowsOf(lookup)
        if (latest === undefined) unused.add(alertSubjectToKey(lookup.subject))
        const known = earlier.get(idempotency?.key)
        if (known !== undefined) {
          exits.push(
            known.fingerprint === idempotency?.fingerprint
              ? Exit.succeed(yield* Effect.fromResult(rowToReceipt(known)))
              : Exit.fail(new IdempotencyKeyIsReused({ key: known.key })),
          )
          continue
        }
        const found = [latest, withId].filter((row) => row !== undefined)
        const isLeft = (touches: ReadonlyArray<string>): boolean => {
          if (size === 0) return false
          if (size + request.size <= sizeTogetherMax && !touches.some((each) => touched.has(each)))
            return false
          exits.push(Exit.fail(new ChangeIsLeft()))
          return true
        }
        const touches = [
          subjectText(lookup.subject),
          ...found.flatMap((row) => [`id ${row.id}`, `subject ${row.subject}`]),
        ]
        request.size = sizeOfChange(found)
        if (isLeft(touches)) continue
        const change = decide(
          yield* Effect.fromResult(rowsToResult({ latest, withId })),
          storedSlos.has(projectKeyText(lookup.subject.slo)),
        )
        if (change !== undefined) {
          const written = [change.closed, change.put].filter((alert) => alert !== undefined)
          touches.push(...written.flatMap(({ id, subject }) => [`id ${id}`, subjectText(subject)]))
          request.size = sizeOfChange(found, change)
          if (isLeft(touches)) continue
          for (const each of touches) touched.add(each)
          accepted.push({ idempotency, change })
        }
        size += request.size
        exits.push(Exit.succeed(change?.receipt))
      }
      if (accepted.length === 0) return yield* Effect.fail(new NothingIsChanged(exits))
      const unusedKeys = [...unused].filter((subject) => !touched.has(`subject ${subject}`)).map(searchText)
      if (unusedKeys.length > 0)
        yield* sql`
          DELETE FROM alert_subjects WHERE organization = ${organization} AND subject = ANY (${texts(unusedKeys)})`
      yield* write(
        organization,
        accepted.map(({ change }) => change),
        rows,
        now,
        enqueuing,
      )
      yield* writeReceipts(organization, accepted, now)
      return exits
    })

  /** Locks the SLO first, as its removal does. */
  const changeEvaluated = <C extends EvaluatedChanges, E>(
    organization: OrganizationId,
    { project, name }: ProjectKey,
    before: string,
    reads: ReadonlyArray<AlertLookup>,
    decide: (found: ReadonlyArray<AlertLookupResult>) => Result.Result<C, E>,
    enqueuing: Enqueuing,
  ) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const isSlo = sql`s.organization = ${organization} AND s.project = ${project} AND s.name = ${name}`
      const { basis, counts } = textToRevision(before)
      const locked = yield* sql`
        SELECT 1 FROM slos s WHERE ${isSlo} AND ${sloBasis(sql)} = ${basis} FOR NO KEY UPDATE`
      if (locked.length === 0) return yield* new StatusHasChanged()
      const rows = yield* lock(organization, reads)
      const decided = yield* Effect.flatMap(Effect.fromResult(rowsToResults(rows, reads)), (found) =>
        Effect.fromResult(decide(found)),
      )
      yield* write(organization, decided.changes, rows, now, enqueuing)
      const [after] = yield* sql<{ readonly basis: string }>`
        UPDATE slos s SET evaluation = ${decided.evaluation ?? null}, revision = s.revision + 1
        WHERE ${isSlo} RETURNING ${sloBasis(sql)} AS basis`
      return { changed: decided, revision: revisionToText({ basis: after?.basis ?? "", counts }) }
    })

  /** Writes the alerts of changes and their deliveries; `found`: the alerts that are locked. */
  const write = (
    organization: OrganizationId,
    changes: ReadonlyArray<AlertChange>,
    found: ReadonlyArray<LookupRow>,
    now: number,
    enqueuing: Enqueuing,
  ) =>
    Effect.gen(function* () {
      const alerts = changes
        .flatMap(({ closed, put }) => [closed, put])
        .filter((alert) => alert !== undefined)
      const ids = new Set(found.map(({ id }) => id))
      yield* updateAlerts(
        sql,
        organization,
        alerts
          .filter(({ id }) => ids.has(id))
          .map((alert) => ({ alert, position: positionOf(alert, found) })),
        now,
      )
      const [first, ...others] = alerts
        .filter(({ id }) => !ids.has(id))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map((alert) => ({
          organization,
          ...alertColumns(alert, now),
          position: positionOf(alert, found),
          evidence: alert.evidence === undefined ? null : storedEvidence.write(alert.evidence).json,
        }))
      if (first !== undefined) {
        const inserted = yield* sql`
          INSERT INTO alerts ${sql.insert([first, ...others])} ON CONFLICT (organization, id) DO NOTHING RETURNING id`
        if (inserted.length <= others.length) return yield* new AlertOrKeyIsNew()
      }
      yield* enqueueDeliveries(
        sql,
        isDistributed,
        organization,
        changes.flatMap(({ event }) => event ?? []),
        enqueuing,
      )
    })

  /** The receipts of earlier requests with the keys of these. */
  const readReceipts = (
    organization: OrganizationId,
    requests: ReadonlyArray<RequestedChange>,
    now: number,
  ) => {
    const keys = requests.flatMap(({ idempotency }) => idempotency?.key ?? [])
    if (keys.length === 0) return Effect.succeed(new Map<string | undefined, ReceiptRow>())
    return Effect.map(
      sql<ReceiptRow>`
        SELECT key, fingerprint, receipt FROM alert_receipts
        WHERE organization = ${organization} AND key = ANY (${texts(keys)}) AND expires_at > ${now}`,
      (rows) => new Map<string | undefined, ReceiptRow>(rows.map((row) => [row.key, row])),
    )
  }

  const writeReceipts = (
    organization: OrganizationId,
    accepted: ReadonlyArray<AcceptedChange>,
    now: number,
  ) =>
    Effect.gen(function* () {
      const [first, ...others] = accepted
        .flatMap(({ idempotency, change: { receipt } }) =>
          idempotency === undefined ? [] : [{ ...idempotency, receipt: storedReceipt.write(receipt).json }],
        )
        .toSorted((a, b) => (a.key < b.key ? -1 : 1))
        .map((row) => ({ organization, ...row, expires_at: now + idempotencyKeyLifetimeMs }))
      if (first === undefined) return
      const written = yield* sql`
        INSERT INTO alert_receipts AS r ${sql.insert([first, ...others])}
        ON CONFLICT (organization, key) DO UPDATE SET
          fingerprint = excluded.fingerprint, receipt = excluded.receipt, expires_at = excluded.expires_at
          WHERE r.expires_at <= ${now}
        RETURNING key`
      if (written.length <= others.length) return yield* new AlertOrKeyIsNew()
    })

  /** Runs a change in a transaction, again when another has added an alert or a key meanwhile: then it is found. */
  const inTransaction = <A, E, R>(
    organization: OrganizationId,
    change: (enqueuing: Enqueuing) => Effect.Effect<A, E | AlertOrKeyIsNew | SqlError, R>,
  ) =>
    hints.enqueue(organization, (enqueuing) =>
      withHistory(
        sql,
        sql.withTransaction(change(enqueuing)).pipe(
          Effect.retry({ while: (error) => error instanceof AlertOrKeyIsNew }),
          Effect.catchIf((error) => error instanceof AlertOrKeyIsNew, Effect.die),
        ),
      ),
    )

  /** The changes of requests in a transaction, which may give up when it waits for a lock. */
  const transactionOf = (
    organization: OrganizationId,
    requests: ReadonlyArray<RequestedChange>,
    givesUpLocks: boolean,
  ) =>
    Effect.catchIf(
      inTransaction(organization, (enqueuing) => changeAll(organization, requests, givesUpLocks, enqueuing)),
      (error) => error instanceof NothingIsChanged,
      ({ exits }) => Effect.succeed(exits),
    )

  const changeTogether = turns.together({
    transaction: (organization, requests: ReadonlyArray<RequestedChange>) =>
      Effect.catchIf(
        transactionOf(organization, requests, true),
        (error) => error instanceof SqlError && error.reason._tag === "LockTimeoutError",
        () => Effect.succeed(requests.map((): RequestExit => Exit.fail(new LockIsHeld()))),
      ),
    operation: (turn) => withoutDeadline(operation("change", turn)),
    running: deadlineOfGroup(store, "change"),
    isShared: (error) => error instanceof StoreIsUnavailable && error.isRetryable,
    sizeMax: sizeTogetherMax,
    sizeOf: ({ size }) => size,
    subjectsOf: ({ subjects }) => subjects,
  })

  /** Carries out a change in a transaction of its own, for which no other one of the organization waits. */
  const changeAlone = (organization: OrganizationId, request: RequestedChange) =>
    Effect.flatMap(
      operation("change", turns.run(organization, transactionOf(organization, [request], false))),
      ([exit = Exit.die(new Error("a change has no result"))]) => exit,
    )

  return AlertStore.of({
    change: <E>(
      organization: OrganizationId,
      lookup: AlertLookup,
      idempotency: Idempotency | undefined,
      decide: (found: AlertLookupResult, isSloStored: boolean) => Result.Result<AlertChange, E>,
    ) =>
      Effect.suspend(() => {
        let rejection: Result.Failure<AlertChange, E> | undefined
        const request: RequestedChange = {
          lookup,
          idempotency,
          subjects: subjectsOf(lookup, idempotency),
          size: sizeOfChange([]),
          decide: (found, isSloStored) => {
            const decided = decide(found, isSloStored)
            if (Result.isSuccess(decided)) return decided.success
            rejection = decided
            return undefined
          },
        }
        return changeTogether(organization, request).pipe(
          Effect.retry({ while: (error) => error instanceof ChangeIsLeft }),
          Effect.catchIf(
            (error) => error instanceof LockIsHeld,
            () => changeAlone(organization, request),
          ),
          // One that is carried out alone is neither left, nor gives up a lock.
          Effect.catchIf((error) => error instanceof ChangeIsLeft || error instanceof LockIsHeld, Effect.die),
          Effect.flatMap((receipt): Effect.Effect<AlertReceipt, E> =>
            receipt !== undefined
              ? Effect.succeed(receipt)
              : rejection === undefined
                ? Effect.die(new Error("a change was neither accepted nor rejected"))
                : Effect.fail(rejection.failure),
          ),
        )
      }),
    changeEvaluated: (organization, slo, revision, reads, decide) =>
      operation(
        "changeEvaluated",
        inTransaction(organization, (enqueuing) =>
          changeEvaluated(organization, slo, revision, reads, decide, enqueuing),
        ),
      ),
    find: operation("find", (organization, reads) =>
      Effect.flatMap(readRowsOf(organization, [reads], false), (rows) =>
        Effect.map(Effect.fromResult(rowsToResults(rows, [reads])), ([found = nothingFound]) => found),
      ),
    ),
    storedNotifications: operation("storedNotifications", (organization) =>
      readStoredNotifications(sql, organization),
    ),
    countOpen: operation(
      "countOpen",
      Effect.map(
        readAcrossOrganizations(
          sql,
          sql<{ readonly count: number }>`
            SELECT count(*)::integer AS count FROM alerts WHERE resolved_at IS NULL`,
        ),
        (rows) => rows.reduce((sum, { count }) => sum + count, 0),
      ),
    ),
    openBySlo: operation("openBySlo", (organization) =>
      Effect.map(
        sql<{
          readonly project: string
          readonly slo: string
          readonly open: number
          readonly acknowledged: number
        }>`
          SELECT project, slo, count(*)::integer AS open,
            -- In JSON, no string has unescaped quotes: this is the property.
            count(*) FILTER (WHERE strpos(alert, '"acknowledgement":{') > 0)::integer AS acknowledged
          FROM alerts WHERE organization = ${organization} AND resolved_at IS NULL
          GROUP BY project, slo`,
        (rows) =>
          rows.map(({ project, slo, ...counts }): OpenAlerts => ({ slo: { project, name: slo }, ...counts })),
      ),
    ),
    countByPolicy: operation("countByPolicy", (organization, alertPolicies, from) =>
      Effect.map(
        sql<ProjectKey & Required<PolicyAlerts>>`
          SELECT k.project, k.name, count(*) FILTER (WHERE a.triggered_at >= ${from}::bigint)::integer AS alerts,
            count(*) FILTER (WHERE a.resolved_at IS NULL)::integer AS open, max(a.triggered_at) AS "latestAt"
          FROM unnest(${keyArrays(sql, alertPolicies)}) AS k (project, name)
          -- Two ranges of indexes by time, so that older alerts are not read.
          JOIN (
            SELECT project, alert_policy, triggered_at, resolved_at FROM alerts
            WHERE organization = ${organization} AND triggered_at >= ${from}::bigint
            UNION ALL
            SELECT project, alert_policy, triggered_at, resolved_at FROM alerts
            WHERE organization = ${organization} AND triggered_at < ${from}::bigint AND resolved_at IS NULL
          ) a ON a.alert_policy = k.name AND a.project = k.project
          GROUP BY k.project, k.name`,
        (rows) => {
          const byKey = new Map(
            rows.map(({ project, name, ...counts }) => [projectKeyText({ project, name }), counts]),
          )
          return alertPolicies.map((key): PolicyAlerts => byKey.get(projectKeyText(key)) ?? neverAlerted)
        },
      ),
    ),
    list: operation("list", (organization, query, { after, limit }) => {
      const isBehind =
        after === undefined
          ? []
          : [sql`(triggered_at, id) < (${after.triggeredAt}::bigint, ${searchText(after.id)})`]
      return Effect.flatMap(
        sql<AlertRow>`
          SELECT id, alert${query.ids === undefined ? sql`` : sql`, evidence`} FROM alerts
          WHERE ${sql.and([sql`organization = ${organization}`, ...isBehind, ...filters(sql, query)])}
          ORDER BY triggered_at DESC, id DESC LIMIT ${limit + 1}`,
        (rows) => readPage(rows, limit, rowToAlert),
      )
    }),
  })
})

/** The alerts of a database, on the hints that they share with the queue. */
export const layer = Layer.effect(AlertStore, make)

const store = "AlertStore"

const operation = storeOperation(store)

/** Maximum number of requests whose changes share a transaction. */
const changesTogetherMax = 50

/**
 * Maximum size of the changes of several requests that share a transaction, in characters of alerts; 500 deliveries are as much. So
 * nothing that is made of them holds the event loop for long.
 */
const sizeTogetherMax = 256 * 1_024

const sizeOfDelivery = Math.floor(sizeTogetherMax / 500)

/** The size of a change, by the alerts that are found for it, and by what it writes once that is known. */
const sizeOfChange = (
  found: ReadonlyArray<AlertRow>,
  { closed, put, event }: Partial<AlertChange> = {},
): number =>
  Math.max(
    Math.floor(sizeTogetherMax / changesTogetherMax),
    found.reduce((sum, { alert, evidence }) => sum + alert.length + (evidence?.length ?? 0), 0) +
      [closed, put].reduce(
        (sum, alert) => sum + (alert === undefined ? 0 : alert.conditions.join("").length),
        0,
      ) +
      (event === undefined ? 0 : event.deliveries.length * sizeOfDelivery),
  )

/** How many requests are decided on before others can use the event loop. */
const decisionsAtOnce = 8

/** The change of an alert that a request asks for. */
interface RequestedChange {
  readonly lookup: AlertLookup
  readonly idempotency: Idempotency | undefined
  readonly subjects: ReadonlyArray<string>
  /** As far as it is known: more once its alerts are found (`sizeOfChange`). */
  size: number
  /** Returns `undefined` to reject the request. */
  readonly decide: (found: AlertLookupResult, isSloStored: boolean) => AlertChange | undefined
}

/** The receipt of a request; `undefined`: it is rejected. */
type RequestExit = Exit.Exit<
  AlertReceipt | undefined,
  ChangeIsLeft | LockIsHeld | IdempotencyKeyIsReused | StoreIsUnavailable
>

interface AcceptedChange {
  readonly idempotency: Idempotency | undefined
  readonly change: AlertChange
}

/** What a request is about: one about the same has to see its outcome. */
const subjectsOf = (lookup: AlertLookup, idempotency: Idempotency | undefined): ReadonlyArray<string> => [
  subjectText(lookup.subject),
  ...(lookup.id === undefined ? [] : [`id ${lookup.id}`]),
  ...(idempotency === undefined ? [] : [`key ${idempotency.key}`]),
]

const subjectText = (subject: AlertLookup["subject"]): string => `subject ${alertSubjectToKey(subject)}`

const alertOf = (row: AlertRow | undefined) =>
  row === undefined ? Result.succeed(undefined) : rowToAlert(row)

const filters = (sql: SqlClient.SqlClient, query: AlertQuery): ReadonlyArray<Fragment> => {
  const isOneOf = (column: string, wanted: ReadonlyArray<string> | undefined): ReadonlyArray<Fragment> => {
    if (wanted === undefined) return []
    const [first, ...others] = wanted.map(searchText)
    // An index that is ordered by time serves one value, but not several.
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
    ...isOneOf("service", query.services),
    ...(query.objectiveValues === undefined
      ? []
      : [sql`objective_value = ANY(${doubles(query.objectiveValues)})`]),
    ...hasStatus(sql, query.statuses),
    ...isOneOf("severity", query.severities),
    ...(query.activeFrom === undefined ? [] : [sql`active_to >= ${query.activeFrom}`]),
    ...(query.from === undefined ? [] : [sql`triggered_at >= ${query.from}`]),
    ...(query.to === undefined ? [] : [sql`triggered_at < ${query.to}`]),
  ]
}

/** As the indexes of open and of canceled alerts require it; several statuses are listed by time. */
const hasStatus = (
  sql: SqlClient.SqlClient,
  statuses: ReadonlyArray<AlertStatus> | undefined,
): ReadonlyArray<Fragment> => {
  if (statuses === undefined) return []
  const [first, ...others] = statuses
  if (first === undefined || others.length > 0) return [sql`status = ANY(${texts(statuses)})`]
  return first === "triggered"
    ? [sql`status = 'triggered'`, sql`resolved_at IS NULL`]
    : [sql`status = ${sql.literal(first === "canceled" ? "'canceled'" : "'resolved'")}`]
}

/**
 * Deletes what has expired at `now` (Unix milliseconds). What was written while the clock was ahead expires at most its whole
 * lifetime from now on.
 */
export const dropOldAlerts = (sql: SqlClient.SqlClient, now: number) =>
  Effect.gen(function* () {
    const receiptsExpireAt = now + idempotencyKeyLifetimeMs
    yield* setBackTimes(sql, "alert_receipts", "expires_at", {
      latest: receiptsExpireAt + clockSkewMs,
      to: receiptsExpireAt,
    })
    yield* setBackTimes(sql, "alerts", "resolved_at", { latest: now + clockSkewMs, to: now })
    yield* dropOldRows(sql, "alert_receipts", sql`expires_at <= ${now}`)
    // Those that the next report of their SLO lists are kept until it is made. A subject that has other alerts gets its row
    // again with its next change.
    yield* dropOldRows(
      sql,
      "alerts",
      sql`resolved_at <= ${now - historyRetentionMs} AND NOT EXISTS (
        SELECT FROM report_schedules r WHERE r.organization = old.organization
          AND r.project = old.project AND r.slo = old.slo AND r.period_from <= old.triggered_at)`,
      (organization, rows) => {
        const isOfRows = sql`
          organization = ${organization} AND subject = ANY (${texts(rows.map(({ subject = "" }) => subject))})`
        // In the order in which changes lock them.
        return sql.withTransaction(
          Effect.andThen(
            sql`SELECT 1 FROM alert_subjects WHERE ${isOfRows} ORDER BY subject FOR UPDATE`,
            sql`DELETE FROM alert_subjects WHERE ${isOfRows}`,
          ),
        )
      },
    )
  })

/** The clock of the database, which retention goes by, may differ as much from that of the process that writes. */
const clockSkewMs = 60_000

export interface AlertRow {
  readonly id: string
  readonly alert: string
  /** Never updated, so it need not be read where the row is; of alerts of an earlier version, there is none. */
  readonly evidence?: string | null
}

export const rowToAlert = ({ id, alert, evidence }: AlertRow): Result.Result<Alert, StoredRowIsInvalid> =>
  Result.gen(function* () {
    const read: Alert = yield* inRow(`alert ${id}`, storedAlert.read(alert, undefined))
    if (evidence === undefined || evidence === null) return read
    return { ...read, evidence: yield* inRow(`alert ${id}`, storedEvidence.read(evidence, undefined)) }
  })

interface LookupRow extends AlertRow {
  readonly subject: string
  readonly position: number
}

interface ReceiptRow extends Idempotency {
  readonly receipt: string
}

const rowToReceipt = ({ key, receipt }: ReceiptRow): Result.Result<AlertReceipt, StoredRowIsInvalid> =>
  inRow(`receipt of key ${key}`, storedReceipt.read(receipt, undefined))

/** A change is left for a later transaction: it depends on another change of this one, or the transaction is large enough. */
class ChangeIsLeft extends TaggedError("ChangeIsLeft") {}

/** A transaction that several changes share waited for a lock for too long. */
class LockIsHeld extends TaggedError("LockIsHeld") {}

/** A transaction has nothing to write, and is rolled back with what came of its requests. */
class NothingIsChanged {
  readonly exits: ReadonlyArray<RequestExit>

  constructor(exits: ReadonlyArray<RequestExit>) {
    this.exits = exits
  }
}

/** An alert with an ID, or a request with a key, that another change has added since this one looked. */
class AlertOrKeyIsNew extends TaggedError("AlertOrKeyIsNew") {}

/** The subjects of lookups, each once, in the order in which they are locked. */
const lockedSubjects = (lookups: ReadonlyArray<AlertLookup>): ReadonlyArray<string> =>
  [...new Set(lookups.map(({ subject }) => searchText(alertSubjectToKey(subject))))].toSorted()

const nothingFound: AlertLookupResult = { latest: undefined, withId: undefined }

/** The rows of a lookup. */
interface FoundRows {
  readonly latest: LookupRow | undefined
  readonly withId: LookupRow | undefined
}

const rowFinder = (rows: ReadonlyArray<LookupRow>): ((lookup: AlertLookup) => FoundRows) => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const latestBySubject = new Map(
    rows.toSorted((a, b) => a.position - b.position).map((row) => [row.subject, row]),
  )
  return ({ subject, id }) => ({
    latest: latestBySubject.get(alertSubjectToKey(subject)),
    withId: id === undefined ? undefined : byId.get(id),
  })
}

const rowsToResult = ({ latest, withId }: FoundRows): Result.Result<AlertLookupResult, StoredRowIsInvalid> =>
  Result.all({ latest: alertOf(latest), withId: alertOf(withId) })

const rowsToResults = (
  rows: ReadonlyArray<LookupRow>,
  reads: ReadonlyArray<AlertLookup>,
): Result.Result<ReadonlyArray<AlertLookupResult>, StoredRowIsInvalid> => {
  const rowsOf = rowFinder(rows)
  return Result.all(reads.map((lookup) => rowsToResult(rowsOf(lookup))))
}

/**
 * The position of an alert that is written: behind all others of its subject, unless it is an existing one that is resolved
 * or canceled here: another may have opened since. The latest keeps its own.
 */
const positionOf = ({ id, status, subject }: Alert, found: ReadonlyArray<LookupRow>): number => {
  const key = alertSubjectToKey(subject)
  const latest = Math.max(
    0,
    ...found.flatMap((row) => (row.subject === key && row.id !== id ? [row.position] : [])),
  )
  const existing = found.find((row) => row.id === id)
  if (existing === undefined) return latest + 1
  return status !== "triggered" || existing.position > latest ? existing.position : latest + 1
}

const alertColumns = (alert: Alert, now: number) => ({
  id: alert.id,
  subject: alertSubjectToKey(alert.subject),
  project: alert.subject.slo.project,
  slo: alert.subject.slo.name,
  objective: alert.subject.objective ?? null,
  alert_policy: alert.subject.alertPolicy?.name ?? null,
  service: alert.service ?? null,
  objective_value: alert.objectiveValue ?? null,
  severity: alert.severity ?? null,
  status: alert.status,
  triggered_at: alert.triggeredAt,
  active_to: alert.resolvedAt ?? Number.MAX_SAFE_INTEGER,
  resolved_at: alert.status === "triggered" ? null : now,
  alert: storedAlert.write(alert).json,
})

const neverAlerted: PolicyAlerts = { alerts: 0, open: 0 }

/** Replaces alerts that are locked, except for their evidence. */
const updateAlerts = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  alerts: ReadonlyArray<{ readonly alert: Alert; readonly position: number }>,
  now: number,
) => {
  if (alerts.length === 0) return Effect.void
  const rows = alerts.map(({ alert, position }) => ({ ...alertColumns(alert, now), position }))
  return sql`
    UPDATE alerts a SET subject = given.subject, project = given.project, slo = given.slo, objective = given.objective,
      alert_policy = given.alert_policy, service = given.service, objective_value = given.objective_value, severity = given.severity,
      status = given.status, triggered_at = given.triggered_at, active_to = given.active_to,
      resolved_at = given.resolved_at, position = given.position, alert = given.alert
    FROM unnest(
      ${texts(rows.map(({ id }) => id))}, ${texts(rows.map(({ subject }) => subject))},
      ${texts(rows.map(({ project }) => project))}, ${texts(rows.map(({ slo }) => slo))},
      ${texts(rows.map(({ objective }) => objective))}, ${texts(rows.map(({ alert_policy }) => alert_policy))},
      ${texts(rows.map(({ service }) => service))}, ${doubles(rows.map(({ objective_value }) => objective_value))},
      ${texts(rows.map(({ severity }) => severity))},
      ${texts(rows.map(({ status }) => status))}, ${bigints(rows.map(({ triggered_at }) => triggered_at))},
      ${bigints(rows.map(({ active_to }) => active_to))},
      ${bigints(rows.map(({ resolved_at }) => resolved_at))}, ${bigints(rows.map(({ position }) => position))},
      ${texts(rows.map(({ alert }) => alert))}
    ) AS given (id, subject, project, slo, objective, alert_policy, service, objective_value, severity, status, triggered_at,
      active_to, resolved_at, position, alert)
    WHERE a.organization = ${organization} AND a.id = given.id`
}

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
    const rows = yield* sql<AlertRow & { readonly position: number }>`
      SELECT a.id, a.position, a.alert FROM unnest(${keyArrays(sql, slos)}) AS k (project, name)
      JOIN alerts a ON a.organization = ${organization} AND a.slo = k.name AND a.project = k.project
      WHERE a.status = 'triggered'
      ORDER BY a.id
      FOR NO KEY UPDATE OF a`
    const canceled = yield* readRows(rows, (row) =>
      Result.map(rowToAlert(row), (alert) => ({
        alert: canceledAsDeleted(alert, now),
        position: row.position,
      })),
    )
    yield* updateAlerts(sql, organization, canceled, now)
  })
