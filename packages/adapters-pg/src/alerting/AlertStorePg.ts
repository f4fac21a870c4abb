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
  makeGathering,
  storedAlert,
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
  revisionToText,
  StatusHasChanged,
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
import { isRetryable, storeOperation } from "../database/PortOperation.ts"
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
      SELECT id, subject, position, alert FROM alerts
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
      const subjects = new Set(reads.map(({ subject }) => searchText(alertSubjectToKey(subject))))
      const [first, ...others] = [...subjects].toSorted().map((subject) => ({ organization, subject }))
      if (first === undefined) return []
      yield* sql`
        INSERT INTO alert_subjects ${sql.insert([first, ...others])}
        ON CONFLICT (organization, subject) DO UPDATE SET subject = excluded.subject`
      return yield* readRowsOf(organization, reads, true)
    })

  /** Carries out changes of requests together. Each has its own result: the receipt of an earlier request, if it repeats one. */
  const changeAll = (
    organization: OrganizationId,
    requests: ReadonlyArray<RequestedChange>,
    enqueuing: Enqueuing,
  ) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      // Keeps the SLOs from being deleted or moved, which locks them before their alerts too.
      const stored = yield* sql<ProjectKey>`
        SELECT s.project, s.name FROM ${slosTable(sql, requests)} JOIN slos s
          ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
        ORDER BY s.project, s.name FOR KEY SHARE OF s`
      const storedSlos = new Set(stored.map(projectKeyText))
      const lookups = requests.flatMap(({ lookups }) => lookups)
      const group = new AlertGroup(yield* lock(organization, lookups))
      const earlierByKey = yield* readReceipts(organization, requests, now)
      const receipts: Array<NewReceipt> = []
      const exits: Array<Exit.Exit<AlertReceipt | undefined, IdempotencyKeyIsReused | StoredRowIsInvalid>> =
        []
      for (const request of requests) {
        const { slo, idempotency, decide } = request
        const earlier = earlierByKey.get(idempotency?.key)
        if (earlier !== undefined) {
          exits.push(earlierReceipt(earlier, idempotency?.fingerprint))
          continue
        }
        const decided = group.decide(request, ([found = nothingFound]) => {
          const change = decide(found, storedSlos.has(projectKeyText(slo)))
          if (change !== undefined && idempotency !== undefined)
            receipts.push({ ...idempotency, receipt: change.receipt })
          return change && [change]
        })
        exits.push(Result.isFailure(decided) ? Exit.fail(decided.failure) : Exit.succeed(undefined))
      }
      yield* writeReceipts(organization, receipts, now)
      yield* writeGroup(organization, group, exits, now, enqueuing)
      return exits
    })

  /** Carries out the changes of evaluations together. The result of each: the basis of the SLO's new revision. */
  const evaluateAll = (
    organization: OrganizationId,
    evaluations: ReadonlyArray<EvaluatedChange>,
    enqueuing: Enqueuing,
  ) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      // Locks the SLOs first, as their removal does.
      const locked = yield* sql<SloBasisRow>`
        SELECT s.project, s.name, ${sloBasis(sql)} AS basis FROM ${slosTable(sql, evaluations)} JOIN slos s
          ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
        ORDER BY s.project, s.name FOR NO KEY UPDATE OF s`
      const before = basisBySlo(locked)
      const isCurrent = ({ slo, basis }: EvaluatedChange) => before.get(projectKeyText(slo)) === basis
      const lookups = evaluations.filter(isCurrent).flatMap(({ lookups }) => lookups)
      const group = new AlertGroup(yield* lock(organization, lookups))
      const written: Array<{ readonly slo: ProjectKey; readonly evaluation: string | undefined }> = []
      const exits = evaluations.map(
        (evaluation): Exit.Exit<ProjectKey, StatusHasChanged | StoredRowIsInvalid> => {
          const { slo, decide } = evaluation
          if (!isCurrent(evaluation)) return Exit.fail(new StatusHasChanged())
          const decided = group.decide(evaluation, (found) => {
            const changed = decide(found)
            if (changed !== undefined) written.push({ slo, evaluation: changed.evaluation })
            return changed?.changes
          })
          return Result.isFailure(decided) ? Exit.fail(decided.failure) : Exit.succeed(slo)
        },
      )
      const after = basisBySlo(
        written.length === 0
          ? []
          : yield* sql<SloBasisRow>`
              UPDATE slos s SET evaluation = k.evaluation, revision = s.revision + 1
              FROM unnest(
                ${keyArrays(
                  sql,
                  written.map(({ slo }) => slo),
                )}, ${texts(written.map(({ evaluation }) => evaluation ?? null))}
              ) AS k (project, name, evaluation)
              WHERE s.organization = ${organization} AND s.project = k.project AND s.name = k.name
              RETURNING s.project, s.name, ${sloBasis(sql)} AS basis`,
      )
      const results = exits.map(Exit.map((slo) => after.get(projectKeyText(slo))))
      yield* writeGroup(organization, group, results, now, enqueuing)
      return results
    })

  /** Writes the alerts and deliveries that a group has decided on; if there are none, rolls back with the results. */
  const writeGroup = <A>(
    organization: OrganizationId,
    group: AlertGroup,
    results: A,
    now: number,
    enqueuing: Enqueuing,
  ) =>
    Effect.gen(function* () {
      if (group.isOverlapping) return yield* new AlertsOverlap()
      if (group.changes.length === 0) return yield* Effect.fail(new NothingIsChanged(results))
      if (group.unused.length > 0) {
        yield* sql`
          DELETE FROM alert_subjects
          WHERE organization = ${organization} AND subject = ANY (${texts(group.unused)})`
      }
      yield* write(organization, group.changes, group.rows, now, enqueuing)
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
        .map((alert) => ({ organization, ...alertColumns(alert, now), position: positionOf(alert, found) }))
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

  /** The receipts of earlier requests with the same keys, by key. */
  const readReceipts = (
    organization: OrganizationId,
    requests: ReadonlyArray<RequestedChange>,
    now: number,
  ) =>
    Effect.gen(function* () {
      const keys = requests.flatMap(({ idempotency }) => idempotency?.key ?? [])
      const rows =
        keys.length === 0
          ? []
          : yield* sql<ReceiptRow>`
              SELECT key, fingerprint, receipt FROM alert_receipts
              WHERE organization = ${organization} AND key = ANY (${texts(keys)}) AND expires_at > ${now}`
      return new Map<string | undefined, ReceiptRow>(rows.map((row) => [row.key, row]))
    })

  const writeReceipts = (organization: OrganizationId, receipts: ReadonlyArray<NewReceipt>, now: number) =>
    Effect.gen(function* () {
      const [first, ...others] = receipts
        .toSorted((a, b) => (a.key < b.key ? -1 : 1))
        .map(({ key, fingerprint, receipt }) => ({
          organization,
          key,
          fingerprint,
          receipt: storedReceipt.write(receipt).json,
          expires_at: now + idempotencyKeyLifetimeMs,
        }))
      if (first === undefined) return
      const written = yield* sql`
        INSERT INTO alert_receipts AS r ${sql.insert([first, ...others])}
        ON CONFLICT (organization, key) DO UPDATE SET
          fingerprint = excluded.fingerprint, receipt = excluded.receipt, expires_at = excluded.expires_at
          WHERE r.expires_at <= ${now}
        RETURNING key`
      if (written.length < receipts.length) return yield* new AlertOrKeyIsNew()
    })

  /** Runs changes in a transaction, again when another has added an alert or a key in the meantime: then it is found. */
  const inTransaction = <A, E, R>(
    organization: OrganizationId,
    changes: (enqueuing: Enqueuing) => Effect.Effect<A, E | AlertOrKeyIsNew | NothingIsChanged<A>, R>,
  ) =>
    hints.enqueue(organization, (enqueuing) =>
      withHistory(
        sql,
        sql.withTransaction(changes(enqueuing)).pipe(
          Effect.catchIf(
            (error): error is NothingIsChanged<A> => error instanceof NothingIsChanged,
            ({ results }) => Effect.succeed(results),
          ),
          Effect.retry({ while: (error) => error instanceof AlertOrKeyIsNew }),
          Effect.catchIf((error) => error instanceof AlertOrKeyIsNew, Effect.die),
        ),
      ),
    )

  const changeTogether = turns.together<
    RequestedChange,
    AlertReceipt | undefined,
    Failure | IdempotencyKeyIsReused
  >({
    transaction: (organization, requests) =>
      inTransaction(organization, (enqueuing) => changeAll(organization, requests, enqueuing)),
    isShared: isOfDatabase,
    sizeMax: changesTogetherMax,
    isCompatible: (request, others) => !others.some((other) => isOfSameAlert(request, other)),
  })

  const evaluateTogether = makeGathering<EvaluatedChange, string | undefined, Failure | StatusHasChanged>({
    run: (organization, evaluations) =>
      inTransaction(organization, (enqueuing) => evaluateAll(organization, evaluations, enqueuing)),
    isShared: isOfDatabase,
    sizeMax: changesTogetherMax,
    sizeOf: ({ lookups }) => lookups.length,
    isCompatible: (evaluation, others) => !others.some(({ slo }) => isSameKey(slo, evaluation.slo)),
  })

  return AlertStore.of({
    change: (organization, lookup, idempotency, decide) =>
      operation(
        "change",
        Effect.suspend(() => {
          const decision = makeDecision(decide)
          return Effect.flatMap(
            changeTogether(organization, {
              slo: lookup.subject.slo,
              lookups: [lookup],
              subject: alertSubjectToKey(lookup.subject),
              idempotency,
              decide: decision.decide,
            }),
            (earlier) =>
              earlier ? Effect.succeed(earlier) : Effect.map(decision.latest, ({ receipt }) => receipt),
          )
        }).pipe(dieOfOverlap),
      ),
    changeEvaluated: (organization, slo, revision, lookups, decide) =>
      operation(
        "changeEvaluated",
        Effect.suspend(() => {
          const { basis, counts } = textToRevision(revision)
          const decision = makeDecision(decide)
          return Effect.flatMap(
            evaluateTogether(organization, { slo, basis, lookups, decide: decision.decide }),
            (after = "") =>
              Effect.map(decision.latest, (changed) => ({
                changed,
                revision: revisionToText({ basis: after, counts }),
              })),
          )
        }).pipe(dieOfOverlap),
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
    list: operation("list", (organization, query, { after, limit }) => {
      const isBehind =
        after === undefined
          ? []
          : [sql`(triggered_at, id) < (${after.triggeredAt}::bigint, ${searchText(after.id)})`]
      return Effect.flatMap(
        sql<AlertRow>`
          SELECT id, alert FROM alerts
          WHERE ${sql.and([sql`organization = ${organization}`, ...isBehind, ...filters(sql, query)])}
          ORDER BY triggered_at DESC, id DESC LIMIT ${limit + 1}`,
        (rows) => readPage(rows, limit, rowToAlert),
      )
    }),
  })
})

/** The alerts of a database, on the hints that they share with the queue. */
export const layer = Layer.effect(AlertStore, make)

const operation = storeOperation("AlertStore")

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
      (organization, rows) => sql`
        DELETE FROM alert_subjects
        WHERE organization = ${organization} AND subject = ANY (${texts(rows.map(({ subject = "" }) => subject))})`,
    )
  })

/** The clock of the database, which retention goes by, may differ as much from that of the process that writes. */
const clockSkewMs = 60_000

export interface AlertRow {
  readonly id: string
  readonly alert: string
}

export const rowToAlert = ({ id, alert }: AlertRow): Result.Result<Alert, StoredRowIsInvalid> =>
  inRow(`alert ${id}`, storedAlert.read(alert, undefined))

interface LookupRow extends AlertRow {
  readonly subject: string
  readonly position: number
}

interface SloBasisRow extends ProjectKey {
  readonly basis: string
}

const basisBySlo = (rows: ReadonlyArray<SloBasisRow>): ReadonlyMap<string, string> =>
  new Map(rows.map((row) => [projectKeyText(row), row.basis]))

/** The SLOs of changes, each once, as the table `k` in FROM. */
const slosTable = (
  sql: SqlClient.SqlClient,
  changes: ReadonlyArray<{ readonly slo: ProjectKey }>,
): Fragment => {
  const slos = new Map(changes.map(({ slo }) => [projectKeyText(slo), slo]))
  return sql`unnest(${keyArrays(sql, [...slos.values()])}) AS k (project, name)`
}

interface ReceiptRow {
  readonly key: string
  readonly fingerprint: string
  readonly receipt: string
}

interface NewReceipt extends Idempotency {
  readonly receipt: AlertReceipt
}

/** The receipt of an earlier request with the same key, if it was the same request. */
const earlierReceipt = (
  { key, fingerprint, receipt }: ReceiptRow,
  expected: string | undefined,
): Exit.Exit<AlertReceipt, IdempotencyKeyIsReused | StoredRowIsInvalid> => {
  if (fingerprint !== expected) return Exit.fail(new IdempotencyKeyIsReused({ key }))
  const read = inRow(`receipt of key ${key}`, storedReceipt.read(receipt, undefined))
  return Result.isFailure(read) ? Exit.fail(read.failure) : Exit.succeed(read.success)
}

/** A change that a request asks for. */
interface RequestedChange {
  readonly slo: ProjectKey
  /** The only one. */
  readonly lookups: readonly [AlertLookup]
  /** The subject of the lookup, as `alertSubjectToKey`. */
  readonly subject: string
  readonly idempotency: Idempotency | undefined
  /** Undefined: rejected. */
  readonly decide: (found: AlertLookupResult, isSloStored: boolean) => AlertChange | undefined
}

/** What an evaluation of an SLO changes. */
interface EvaluatedChange {
  readonly slo: ProjectKey
  /** That of the SLO's revision which was evaluated. */
  readonly basis: string
  readonly lookups: ReadonlyArray<AlertLookup>
  /** Undefined: rejected. */
  readonly decide: (found: ReadonlyArray<AlertLookupResult>) => EvaluatedChanges | undefined
}

/** Whether the second of two requests depends on the outcome of the first. */
const isOfSameAlert = (a: RequestedChange, b: RequestedChange): boolean =>
  a.subject === b.subject ||
  (a.lookups[0].id !== undefined && a.lookups[0].id === b.lookups[0].id) ||
  (a.idempotency !== undefined && a.idempotency.key === b.idempotency?.key)

const isSameKey = (a: ProjectKey, b: ProjectKey): boolean => a.project === b.project && a.name === b.name

/** Maximum number of alerts that one transaction changes for several requests, or for several evaluations. */
const changesTogetherMax = 100

/** Lets a group decide on a change of which only the caller knows the type. `latest` is the outcome. */
const makeDecision = <Args extends ReadonlyArray<unknown>, A, E>(
  decide: (...args: Args) => Result.Result<A, E>,
) => {
  let latest: Result.Result<A, E> | undefined
  return {
    decide: (...args: Args): A | undefined => {
      latest = decide(...args)
      return Result.getOrUndefined(latest)
    },
    latest: Effect.suspend(() =>
      latest === undefined ? Effect.die(new Error("nothing was decided")) : Effect.fromResult(latest),
    ),
  }
}

/** Changes of an organization's alerts that one transaction decides on, one after the other, from alerts that are locked. */
class AlertGroup {
  readonly rows: ReadonlyArray<LookupRow>
  readonly changes: Array<AlertChange> = []
  /** Subjects that were locked for changes that were rejected, and that have no alert. */
  readonly unused: Array<string> = []
  /** Whether a change depends on the outcome of another, which names an alert of the other's subject by its ID. */
  isOverlapping = false
  readonly #touched = new Set<string>()

  constructor(rows: ReadonlyArray<LookupRow>) {
    this.rows = rows
  }

  /** Decides on changes, from what is found at lookups; fails if a row cannot be read. */
  decide(
    { lookups }: { readonly lookups: ReadonlyArray<AlertLookup> },
    decide: (found: ReadonlyArray<AlertLookupResult>) => ReadonlyArray<AlertChange> | undefined,
  ): Result.Result<void, StoredRowIsInvalid> {
    return Result.map(rowsToResults(this.rows, lookups), (found) => {
      const changes = decide(found)
      if (changes === undefined) {
        for (const [index, { subject }] of lookups.entries()) {
          if (found[index]?.latest === undefined) this.unused.push(searchText(alertSubjectToKey(subject)))
        }
        return
      }
      this.changes.push(...changes)
      const alerts = [
        ...found.flatMap(({ latest, withId }) => [latest, withId]),
        ...changes.flatMap(({ closed, put }) => [closed, put]),
      ].filter((alert) => alert !== undefined)
      const touched = new Set([
        ...lookups.map(({ subject }) => `subject ${alertSubjectToKey(subject)}`),
        ...alerts.flatMap(({ id, subject }) => [`id ${id}`, `subject ${alertSubjectToKey(subject)}`]),
      ])
      for (const key of touched) {
        if (this.#touched.has(key)) this.isOverlapping = true
        this.#touched.add(key)
      }
    })
  }
}

/** An alert with an ID, or a request with a key, that another change has added since this one looked. */
class AlertOrKeyIsNew extends TaggedError("AlertOrKeyIsNew") {}

/** Changes that were to be carried out together depend on one another. */
class AlertsOverlap extends TaggedError("AlertsOverlap") {}

type Failure = AlertsOverlap | SqlError | StoredRowIsInvalid

/** A change alone overlaps with none. */
const dieOfOverlap = <A, E, R>(effect: Effect.Effect<A, E | AlertsOverlap, R>) =>
  Effect.catchIf(effect, (error) => error instanceof AlertsOverlap, Effect.die)

/** A transaction would write nothing. */
class NothingIsChanged<A> {
  readonly results: A

  constructor(results: A) {
    this.results = results
  }
}

/** Whether a transaction failed for a reason that has nothing to do with its changes. */
const isOfDatabase = (error: unknown): boolean => error instanceof SqlError && isRetryable(error)

const nothingFound: AlertLookupResult = { latest: undefined, withId: undefined }

const rowsToResults = (
  rows: ReadonlyArray<LookupRow>,
  reads: ReadonlyArray<AlertLookup>,
): Result.Result<ReadonlyArray<AlertLookupResult>, StoredRowIsInvalid> => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const latestBySubject = new Map(
    rows.toSorted((a, b) => a.position - b.position).map((row) => [row.subject, row]),
  )
  return Result.all(
    reads.map(({ subject, id }) =>
      Result.all({
        latest: alertOf(latestBySubject.get(alertSubjectToKey(subject))),
        withId: alertOf(id === undefined ? undefined : byId.get(id)),
      }),
    ),
  )
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

/** Replaces alerts that are locked. */
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
