import { addChangedMinutes, type ChangedMinute } from "@tocsin/domain"
import { emptyHour, groupBy, overallTrack, storedProblem, withCounts } from "@tocsin/domain/adapter"
import { dayMs, hourMs, hourOf, type MinuteRange } from "@tocsin/domain/codec"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import {
  type ClaimedBackfill,
  type Count,
  latestMinute,
  replacedHour,
  replacedHours,
  replacedParts,
  replacedRange,
  type Backfill,
  type BackfillClaim,
  BackfillIsRunning,
  BackfillStore,
  resumableReasons,
  SecretBox,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { type DefinitionRow, rowToDefinitionOf } from "../database/DefinitionRow.ts"
import { forEachOrganization, organizationRow } from "../database/ForEachOrganization.ts"
import { bigints, keyArrays, searchText, texts } from "../database/Parameters.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { setBackTimes } from "../database/SetBackTimes.ts"
import { logUnreadableRow, readPage } from "../database/StoredRow.ts"
import { hourKeyText, hoursWithOverall } from "./CountHours.ts"
import { readHours, writeHours } from "./CountRows.ts"
import { WriteTurns } from "../database/WriteTurns.ts"
import { type ArraysRow, arraysToHour, fromMinutes } from "./ObjectiveRows.ts"
import { writeChangedMinutes } from "./PastChangeRows.ts"
import { lockSlos, makeCountPartitions, markChanged } from "./CountRecording.ts"
import { type IndicatorRow, indicatorColumns, rowToIndicatorState } from "./IndicatorStorePg.ts"
import { deleteBackfillHours, backfillColumns, type BackfillRow, rowToBackfill } from "./BackfillRows.ts"

/** Backfills in PostgreSQL: the hours that were read are kept apart from the counts until the backfill is complete. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const turns = yield* WriteTurns
  const box = yield* SecretBox

  /** Backfills of many organizations would otherwise hold all connections. */
  const inTurn = <A, E, R>({ organization }: ClaimedBackfill, transaction: Effect.Effect<A, E, R>) =>
    turns.run(organization, sql.withTransaction(transaction))

  const isOf = (organization: OrganizationId, { project, name }: ProjectKey) => sql`
    r.organization = ${organization} AND r.project = ${searchText(project)} AND r.slo = ${searchText(name)}`

  const toBackfill = (slo: ProjectKey, rows: ReadonlyArray<BackfillRow>) =>
    rows[0] === undefined ? Effect.succeedNone : Effect.asSome(Effect.fromResult(rowToBackfill(slo, rows[0])))

  const find = (organization: OrganizationId, slo: ProjectKey) =>
    Effect.flatMap(
      sql<BackfillRow>`SELECT ${backfillColumns(sql)} FROM indicator_replays r WHERE ${isOf(organization, slo)}`,
      (rows) => toBackfill(slo, rows),
    )

  const start = (organization: OrganizationId, slo: ProjectKey, { from, to }: MinuteRange, now: number) =>
    Effect.gen(function* () {
      const rows = yield* sql<BackfillRow>`
        INSERT INTO indicator_replays AS r
          (organization, project, slo, run, from_at, to_at, state, read_to, failures, started_at, read_at, due_at)
        SELECT organization, project, slo, 1, ${from}::bigint, ${to}::bigint, 'running', ${from}::bigint, 0,
          ${now}::bigint, ${now}::bigint, ${now}::bigint
        FROM indicator_polls WHERE organization = ${organization}
          AND project = ${searchText(slo.project)} AND slo = ${searchText(slo.name)}
        ON CONFLICT (organization, project, slo) DO UPDATE SET
          run = r.run + 1, from_at = excluded.from_at, to_at = excluded.to_at, state = 'running', reason = NULL,
          read_to = excluded.read_to, first_at = NULL, failures = 0, problem = NULL,
          started_at = excluded.started_at, read_at = excluded.read_at, ended_at = NULL, due_at = excluded.due_at
          WHERE r.state <> 'running'
        RETURNING ${backfillColumns(sql)}`
      if (rows.length > 0) {
        yield* deleteBackfillHours(sql, organization, [slo])
        return yield* toBackfill(slo, rows)
      }
      const current = yield* find(organization, slo)
      return Option.isSome(current) ? yield* new BackfillIsRunning(slo) : Option.none()
    })

  /** The condition on the running backfill of a claim, unless it was advanced, canceled or replaced since. */
  const isClaimed = ({ organization, slo, backfill, run }: ClaimedBackfill) => sql`
    ${isOf(organization, slo.definition.metadata)} AND r.run = ${run} AND r.state = 'running'
      AND r.read_to = ${backfill.readTo}`

  const readBackfillHours = (
    organization: OrganizationId,
    { project, name }: ProjectKey,
    { from, to }: MinuteRange,
  ) =>
    Effect.map(
      sql<ArraysRow & { readonly objective: string; readonly at: number }>`
        SELECT objective, at, minute_good, minute_total FROM indicator_replay_hours
        WHERE organization = ${organization} AND project = ${project} AND slo = ${name}
          AND at >= ${hourOf(from)} AND at < ${to}`,
      (rows) => new Map(rows.map((row) => [`${row.at} ${row.objective}`, arraysToHour(row)])),
    )

  const writeBackfillHours = (organization: OrganizationId, slo: ProjectKey, counts: ReadonlyArray<Count>) =>
    Effect.gen(function* () {
      const byHour = groupBy(counts, ({ objective, at }) => `${hourOf(at)} ${objective}`)
      const starts = counts.map(({ at }) => hourOf(at))
      const range = { from: Math.min(...starts), to: Math.max(...starts) + hourMs }
      const before = yield* readBackfillHours(organization, slo, range)
      const hours = [...byHour].flatMap(([text, ofHour]) => {
        const [first] = ofHour
        const hour = withCounts(before.get(text) ?? emptyHour, ofHour)
        return first === undefined ? [] : [{ objective: first.objective, at: hourOf(first.at), hour }]
      })
      yield* sql`
        INSERT INTO indicator_replay_hours
          (organization, project, slo, at, objective, minute_good, minute_total)
        SELECT o.organization, ${slo.project}, ${slo.name}, at, objective,
          minute_good::float8[], minute_total::float8[]
        FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
          ${bigints(hours.map(({ at }) => at))}, ${texts(hours.map(({ objective }) => objective))},
          ${texts(hours.map(({ hour }) => fromMinutes(hour.good)))},
          ${texts(hours.map(({ hour }) => fromMinutes(hour.total)))}
        ) AS given (at, objective, minute_good, minute_total)
        ON CONFLICT (organization, project, slo, at, objective) DO UPDATE SET
          minute_good = excluded.minute_good, minute_total = excluded.minute_total`
    })

  const replaceMinutes = (claimed: ClaimedBackfill, objectives: ReadonlyArray<string>, now: number) =>
    Effect.gen(function* () {
      const { organization, backfill } = claimed
      const { project, name } = claimed.slo.definition.metadata
      const slo = { project, name }
      // The lock of recordings, which come before or after all of this.
      const state = (yield* lockSlos(sql, organization, [slo])).get(projectKeyText(slo))
      const completed = yield* sql`
        UPDATE indicator_replays r SET state = 'complete', ended_at = ${now}, due_at = NULL
        WHERE ${isClaimed(claimed)} RETURNING true`
      if (state === undefined || completed.length === 0) return false
      const latestAt = new Map(Object.entries(state.latestAt))
      const changed: Array<ChangedMinute> = []
      const key = projectKeyText(slo)
      let { form } = state
      for (const part of replacedParts(replacedRange(backfill))) {
        const read = yield* readBackfillHours(organization, slo, part)
        const starts = replacedHours(part)
        const before = yield* readHours(
          sql,
          organization,
          starts.flatMap((at) => [...objectives, overallTrack].map((objective) => ({ slo, objective, at }))),
          new Map([[key, form]]),
        )
        const hours = new Map(
          starts.map((at) => [
            at,
            new Map(
              objectives.map((objective) => [
                objective,
                replacedHour(
                  at,
                  part,
                  before.hours.get(hourKeyText({ slo, objective, at })),
                  read.get(`${at} ${objective}`),
                ),
              ]),
            ),
          ]),
        )
        const written = hoursWithOverall(slo, state.rules, hours)
        for (const { objective, at, hour } of written) {
          const was = before.hours.get(hourKeyText({ slo, objective, at }))
          addChangedMinutes(changed, objective, at, was, hour, Infinity)
        }
        const opened = yield* writeHours(sql, organization, written, new Map([[key, form]]), before)
        form = { ...form, openHour: opened.get(key) ?? form.openHour }
        for (const [at, ofHour] of hours) {
          for (const [objective, hour] of ofHour) {
            const latest = latestMinute(at, hour)
            if (latest !== undefined) latestAt.set(objective, Math.max(latest, latestAt.get(objective) ?? 0))
          }
        }
      }
      yield* deleteBackfillHours(sql, organization, [slo])
      yield* writeChangedMinutes(sql, organization, [{ slo, past: changed, pastOfComposites: changed }], now)
      yield* markChanged(sql, organization, [{ slo, latestAt }], now)
      return true
    })

  const claim = (
    organization: OrganizationId,
    { now, leaseMs, backfillsPerOrganizationMax }: BackfillClaim,
  ) => sql<ClaimedRow>`
    WITH first AS MATERIALIZED (
      SELECT p.server FROM indicator_replays r
      JOIN indicator_polls p ON p.organization = ${organization} AND p.project = r.project AND p.slo = r.slo
      WHERE r.organization = ${organization} AND r.due_at <= ${now}
      ORDER BY r.due_at, r.read_at LIMIT 1
    ), taken AS MATERIALIZED (
      SELECT r.project, r.slo, r.due_at FROM indicator_replays r
      JOIN indicator_polls p ON p.organization = ${organization} AND p.project = r.project AND p.slo = r.slo
        AND p.server = (SELECT server FROM first)
      WHERE r.organization = ${organization} AND r.due_at <= ${now}
      ORDER BY r.due_at, r.read_at LIMIT ${backfillsPerOrganizationMax}
      FOR NO KEY UPDATE OF r SKIP LOCKED
    ), r AS (
      UPDATE indicator_replays i SET due_at = ${now}::bigint + ${leaseMs}::bigint FROM taken t
      WHERE i.organization = ${organization} AND i.project = t.project AND i.slo = t.slo
      RETURNING i.*, t.due_at AS was_due_at
    )
    SELECT d.*, ${backfillColumns(sql)}, ${indicatorColumns(sql)}
    FROM r JOIN indicator_polls p ON p.organization = ${organization} AND p.project = r.project AND p.slo = r.slo
    JOIN definitions d ON d.organization = ${organization} AND d.kind = 'SLO' AND d.project = r.project AND d.name = r.slo
    ORDER BY r.was_due_at, r.read_at`

  const release = (
    organization: OrganizationId,
    claimed: ReadonlyArray<ClaimedBackfill>,
    dueAt: number,
  ) => sql`
    WITH leased AS MATERIALIZED (
      SELECT r.project, r.slo
      FROM unnest(${keyArrays(
        sql,
        claimed.map(({ slo }) => slo.definition.metadata),
      )}, ${bigints(claimed.map(({ leasedTo }) => leasedTo))}) AS k (project, slo, leased_to)
      JOIN indicator_replays r ON r.organization = ${organization} AND r.project = k.project AND r.slo = k.slo
      WHERE r.due_at = k.leased_to
      FOR NO KEY UPDATE OF r SKIP LOCKED
    )
    UPDATE indicator_replays r SET due_at = ${dueAt}::bigint FROM leased l
    WHERE r.organization = ${organization} AND r.project = l.project AND r.slo = l.slo`

  return BackfillStore.of({
    start: (organization, slo, range, now) =>
      operation("start", sql.withTransaction(start(organization, slo, range, now))),
    find: operation("find", find),
    list: operation("list", (organization, { after, limit }) =>
      Effect.flatMap(
        sql<BackfillRow & { readonly project: string; readonly slo: string }>`
          SELECT r.project, r.slo, ${backfillColumns(sql)} FROM indicator_replays r
          WHERE r.organization = ${organization}
            AND (r.project, r.slo) > (${searchText(after?.project ?? "")}, ${searchText(after?.name ?? "")})
          ORDER BY r.project, r.slo LIMIT ${limit + 1}`,
        (rows) =>
          readPage(rows, limit, (row) => {
            const slo = { project: row.project, name: row.slo }
            return Result.map(rowToBackfill(slo, row), (backfill) => ({ slo, backfill }))
          }),
      ),
    ),
    cancel: operation("cancel", (organization, slo, now) =>
      Effect.andThen(
        sql`
          UPDATE indicator_replays r SET
            state = 'canceled', reason = 'requested', ended_at = ${now}::bigint, due_at = NULL
          WHERE ${isOf(organization, slo)} AND state = 'running'`,
        find(organization, slo),
      ),
    ),
    resume: operation("resume", (organization, slo, now) =>
      Effect.andThen(
        sql`
          UPDATE indicator_replays r SET state = 'running', reason = NULL, failures = 0, problem = NULL,
            read_at = ${now}::bigint, ended_at = NULL, due_at = ${now}::bigint
          WHERE ${isOf(organization, slo)} AND reason = ANY(${texts([...resumableReasons])})`,
        find(organization, slo),
      ),
    ),
    claim: operation("claim", (request) =>
      Effect.gen(function* () {
        const { now, leaseMs, inFlight, organizationsMax } = request
        const busy = JSON.stringify([...inFlight])
        const due = yield* readAcrossOrganizations(
          sql,
          sql<{ readonly organization: OrganizationId }>`
            SELECT organization FROM (
              SELECT DISTINCT ON (organization) organization, due_at FROM indicator_replays
              WHERE due_at <= ${now} AND NOT ${busy}::jsonb ? organization
              ORDER BY organization, due_at
            ) due ORDER BY due_at LIMIT ${organizationsMax}`,
        )
        const rows = yield* forEachOrganization(due.slice(0, organizationsMax), (organization) =>
          Effect.map(claim(organization, request), (claimed) =>
            claimed.map((row) => ({ ...row, organization })),
          ).pipe(
            // What was claimed of others is begun.
            Effect.catch((failure) =>
              Effect.annotateLogs(
                Effect.as(Effect.logError("Claiming backfills of an organization failed", failure), []),
                { organization },
              ),
            ),
          ),
        )
        const claimed: Array<ClaimedBackfill> = []
        for (const row of rows) {
          const { organization, run } = row
          const read = Result.all({
            slo: rowToDefinitionOf("SLO", box, organization, row),
            indicator: rowToIndicatorState(row, row),
            backfill: rowToBackfill(row, row),
          })
          if (Result.isFailure(read)) yield* logUnreadableRow(organization, read.failure)
          else claimed.push({ organization, run, leasedTo: now + leaseMs, ...read.success })
        }
        return claimed
      }),
    ),
    release: operation("release", (organization, claimed, dueAt) =>
      Effect.asVoid(release(organization, claimed, dueAt)),
    ),
    makeDue: operation("makeDue", (now, waitMs) =>
      setBackTimes(sql, "indicator_replays", "due_at", { latest: now + waitMs, to: now }),
    ),
    settle: (claimed, { counts, dueAt, ...settled }) =>
      operation(
        "settle",
        inTurn(
          claimed,
          Effect.gen(function* () {
            // A failure must not end the lease of another claim; what was read is the same, whoever has read it.
            const isCurrent =
              settled.readTo > claimed.backfill.readTo ? sql`true` : sql`r.due_at = ${claimed.leasedTo}`
            const advanced = yield* sql`
              UPDATE indicator_replays r SET
                state = ${settled.state}, reason = ${settled.reason ?? null}, read_to = ${settled.readTo},
                first_at = ${settled.firstAt ?? null}, failures = ${settled.failures},
                problem = ${settled.problem === undefined ? null : storedProblem.write(settled.problem).json},
                read_at = ${settled.readAt}, ended_at = ${settled.endedAt ?? null},
                due_at = ${settled.state === "running" ? dueAt : null}
              WHERE ${isClaimed(claimed)} AND ${isCurrent} RETURNING true`
            if (advanced.length === 0) return false
            const { project, name } = claimed.slo.definition.metadata
            if (counts.length > 0) yield* writeBackfillHours(claimed.organization, { project, name }, counts)
            return true
          }),
        ),
      ),
    complete: (claimed, objectives, now) =>
      operation(
        "complete",
        Effect.andThen(
          makeCountPartitions(sql, claimed.organization, {
            slos: [claimed.slo.definition.metadata],
            times: daysOf(claimed.backfill),
          }),
          inTurn(claimed, replaceMinutes(claimed, objectives, now)),
        ),
      ),
  })
})

/** The backfills of a database. */
export const layer = Layer.effect(BackfillStore, make)

const operation = storeOperation("BackfillStore")

interface ClaimedRow extends DefinitionRow, IndicatorRow, BackfillRow {}

/** A time in each day that a backfill replaces, in Unix milliseconds. */
const daysOf = (backfill: Backfill): ReadonlyArray<number> => {
  const { from, to } = replacedRange(backfill)
  const days = Array.from({ length: Math.ceil((to - from) / dayMs) }, (_, index) => from + index * dayMs)
  return [...days, to - 1]
}
