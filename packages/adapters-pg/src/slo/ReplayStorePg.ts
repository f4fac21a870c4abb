import { addChangedMinutes, type ChangedMinute } from "@tocsin/domain"
import { emptyHour, groupBy, overallTrack, storedProblem, withCounts } from "@tocsin/domain/adapter"
import { dayMs, hourMs, hourOf, type MinuteRange } from "@tocsin/domain/codec"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import {
  type ClaimedReplay,
  type Count,
  latestMinute,
  replacedHour,
  replacedHours,
  replacedParts,
  replacedRange,
  type Replay,
  ReplayIsRunning,
  ReplayStore,
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
import { bigints, searchText, texts } from "../database/Parameters.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { setBackTimes } from "../database/SetBackTimes.ts"
import { logUnreadableRow, readPage } from "../database/StoredRow.ts"
import { hourKeyText, hoursWithOverall } from "./CountHours.ts"
import { readHours, writeHours } from "./CountRows.ts"
import { type ArraysRow, arraysToHour, fromMinutes } from "./ObjectiveRows.ts"
import { writeChangedMinutes } from "./PastChangeRows.ts"
import { lockSlos, makeCountPartitions, markChanged } from "./CountRecording.ts"
import { type IndicatorRow, indicatorColumns, rowToIndicatorState } from "./IndicatorStorePg.ts"
import { deleteReplayHours, replayColumns, type ReplayRow, rowToReplay } from "./ReplayRows.ts"

/** Replays in PostgreSQL: the hours that were read are kept apart from the counts until the replay is complete. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const box = yield* SecretBox

  const isOf = (organization: OrganizationId, { project, name }: ProjectKey) => sql`
    r.organization = ${organization} AND r.project = ${searchText(project)} AND r.slo = ${searchText(name)}`

  const toReplay = (slo: ProjectKey, rows: ReadonlyArray<ReplayRow>) =>
    rows[0] === undefined ? Effect.succeedNone : Effect.asSome(Effect.fromResult(rowToReplay(slo, rows[0])))

  const find = (organization: OrganizationId, slo: ProjectKey) =>
    Effect.flatMap(
      sql<ReplayRow>`SELECT ${replayColumns(sql)} FROM indicator_replays r WHERE ${isOf(organization, slo)}`,
      (rows) => toReplay(slo, rows),
    )

  const start = (organization: OrganizationId, slo: ProjectKey, { from, to }: MinuteRange, now: number) =>
    Effect.gen(function* () {
      const rows = yield* sql<ReplayRow>`
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
        RETURNING ${replayColumns(sql)}`
      if (rows.length > 0) {
        yield* deleteReplayHours(sql, organization, [slo])
        return yield* toReplay(slo, rows)
      }
      const current = yield* find(organization, slo)
      return Option.isSome(current) ? yield* new ReplayIsRunning(slo) : Option.none()
    })

  /** The condition on the running replay of a claim, unless it was advanced, canceled or replaced since. */
  const isClaimed = ({ organization, slo, replay, run }: ClaimedReplay) => sql`
    ${isOf(organization, slo.definition.metadata)} AND r.run = ${run} AND r.state = 'running'
      AND r.read_to = ${replay.readTo}`

  const readReplayHours = (
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

  const writeReplayHours = (organization: OrganizationId, slo: ProjectKey, counts: ReadonlyArray<Count>) =>
    Effect.gen(function* () {
      const byHour = groupBy(counts, ({ objective, at }) => `${hourOf(at)} ${objective}`)
      const starts = counts.map(({ at }) => hourOf(at))
      const range = { from: Math.min(...starts), to: Math.max(...starts) + hourMs }
      const before = yield* readReplayHours(organization, slo, range)
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

  const replaceMinutes = (claimed: ClaimedReplay, objectives: ReadonlyArray<string>, now: number) =>
    Effect.gen(function* () {
      const { organization, replay } = claimed
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
      for (const part of replacedParts(replacedRange(replay))) {
        const read = yield* readReplayHours(organization, slo, part)
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
      yield* deleteReplayHours(sql, organization, [slo])
      yield* writeChangedMinutes(sql, organization, [{ slo, past: changed, pastOfComposites: changed }], now)
      yield* markChanged(sql, organization, [{ slo, latestAt }], now)
      return true
    })

  const claim = (organization: OrganizationId, now: number, leaseMs: number) => sql<ClaimedRow>`
    WITH taken AS MATERIALIZED (
      SELECT project, slo FROM indicator_replays
      WHERE organization = ${organization} AND due_at <= ${now}
      ORDER BY due_at LIMIT 1
      FOR NO KEY UPDATE SKIP LOCKED
    ), r AS (
      UPDATE indicator_replays i SET due_at = ${now}::bigint + ${leaseMs}::bigint FROM taken t
      WHERE i.organization = ${organization} AND i.project = t.project AND i.slo = t.slo
      RETURNING i.*
    )
    SELECT d.*, ${replayColumns(sql)}, ${indicatorColumns(sql)}
    FROM r JOIN indicator_polls p ON p.organization = ${organization} AND p.project = r.project AND p.slo = r.slo
    JOIN definitions d ON d.organization = ${organization} AND d.kind = 'SLO' AND d.project = r.project AND d.name = r.slo`

  return ReplayStore.of({
    start: (organization, slo, range, now) =>
      operation("start", sql.withTransaction(start(organization, slo, range, now))),
    find: operation("find", find),
    list: operation("list", (organization, { after, limit }) =>
      Effect.flatMap(
        sql<ReplayRow & { readonly project: string; readonly slo: string }>`
          SELECT r.project, r.slo, ${replayColumns(sql)} FROM indicator_replays r
          WHERE r.organization = ${organization}
            AND (r.project, r.slo) > (${searchText(after?.project ?? "")}, ${searchText(after?.name ?? "")})
          ORDER BY r.project, r.slo LIMIT ${limit + 1}`,
        (rows) =>
          readPage(rows, limit, (row) => {
            const slo = { project: row.project, name: row.slo }
            return Result.map(rowToReplay(slo, row), (replay) => ({ slo, replay }))
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
    claim: operation("claim", ({ now, leaseMs, inFlight, replaysMax }) =>
      Effect.gen(function* () {
        const busy = JSON.stringify([...inFlight])
        const due = yield* readAcrossOrganizations(
          sql,
          sql<{ readonly organization: OrganizationId }>`
            SELECT organization FROM (
              SELECT DISTINCT ON (organization) organization, due_at FROM indicator_replays
              WHERE due_at <= ${now} AND NOT ${busy}::jsonb ? organization
              ORDER BY organization, due_at
            ) due ORDER BY due_at LIMIT ${replaysMax}`,
        )
        const rows = yield* forEachOrganization(due.slice(0, replaysMax), (organization) =>
          Effect.map(claim(organization, now, leaseMs), (claimed) =>
            claimed.map((row) => ({ ...row, organization })),
          ),
        )
        const claimed: Array<ClaimedReplay> = []
        for (const row of rows) {
          const { organization, run } = row
          const read = Result.all({
            slo: rowToDefinitionOf("SLO", box, organization, row),
            indicator: rowToIndicatorState(row, row),
            replay: rowToReplay(row, row),
          })
          if (Result.isFailure(read)) yield* logUnreadableRow(organization, read.failure)
          else claimed.push({ organization, run, ...read.success })
        }
        return claimed
      }),
    ),
    makeDue: operation("makeDue", (now, waitMs) =>
      setBackTimes(sql, "indicator_replays", "due_at", { latest: now + waitMs, to: now }),
    ),
    settle: (claimed, { counts, dueAt, ...settled }) =>
      operation(
        "settle",
        sql.withTransaction(
          Effect.gen(function* () {
            const advanced = yield* sql`
              UPDATE indicator_replays r SET
                state = ${settled.state}, reason = ${settled.reason ?? null}, read_to = ${settled.readTo},
                first_at = ${settled.firstAt ?? null}, failures = ${settled.failures},
                problem = ${settled.problem === undefined ? null : storedProblem.write(settled.problem).json},
                read_at = ${settled.readAt}, ended_at = ${settled.endedAt ?? null},
                due_at = ${settled.state === "running" ? dueAt : null}
              WHERE ${isClaimed(claimed)} RETURNING true`
            if (advanced.length === 0) return false
            const { project, name } = claimed.slo.definition.metadata
            if (counts.length > 0) yield* writeReplayHours(claimed.organization, { project, name }, counts)
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
            times: daysOf(claimed.replay),
          }),
          sql.withTransaction(replaceMinutes(claimed, objectives, now)),
        ),
      ),
  })
})

/** The replays of a database. */
export const layer = Layer.effect(ReplayStore, make)

const operation = storeOperation("ReplayStore")

interface ClaimedRow extends DefinitionRow, IndicatorRow, ReplayRow {}

/** A time in each day that a replay replaces, in Unix milliseconds. */
const daysOf = (replay: Replay): ReadonlyArray<number> => {
  const { from, to } = replacedRange(replay)
  const days = Array.from({ length: Math.ceil((to - from) / dayMs) }, (_, index) => from + index * dayMs)
  return [...days, to - 1]
}
