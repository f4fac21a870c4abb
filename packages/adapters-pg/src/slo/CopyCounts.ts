import * as SqlClient from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import { type HourOfCounts, type PortFailure, TaggedError } from "@tocsin/domain/adapter"
import { dayMs, dayOf } from "@tocsin/domain/codec"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { forEachInSlices } from "../database/InSlices.ts"
import { portOperation, sqlStateOf } from "../database/PortOperation.ts"
import { isPartitionMissing } from "../database/Retention.ts"
import { migrations } from "../migrations/Migrations.ts"
import { sloHours } from "../migrations/SloHours.ts"
import { lockSlos, makeCountPartitions } from "./CountRecording.ts"
import { minutesColumns, type MinutesRow, rowToHour } from "./ObjectiveRows.ts"
import { putHours, readHoursOf, withCountsOnly, writeDays } from "./SloHours.ts"
import { toRuns } from "./SloSums.ts"

/**
 * Rewrites the counts of SLOs that have rows of objectives, from databases of earlier versions, as rows of the SLO, while servers work:
 * a week of one SLO at a time, the latest first, under the lock of recordings. It can stop anywhere and goes on from there. Any number
 * of processes may run it; one of them takes a step at a time.
 *
 * Rows of objectives are read and written until all days of the SLO are copied; what is recorded meanwhile deletes the copies of its
 * days. They are deleted afterwards. Returns false while another process does it, or a server of a version before may run: it would
 * record where nobody reads.
 *
 * An SLO that fails is logged, and left to the next run; only without a connection to the database, all of it fails.
 */
export const copyCounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let after = { organization: "", project: "", name: "" }
  for (;;) {
    const { organization, project, name } = after
    const listed = readAcrossOrganizations(
      sql,
      sql<ProjectKey & { readonly organization: OrganizationId }>`
        SELECT organization, project, name FROM slos
        WHERE count_rows <> 'slo' AND (organization, project, name) > (${organization}, ${project}, ${name})
        ORDER BY organization, project, name LIMIT ${slosAtOnce}`,
    )
    const some = yield* operation("list", listed)
    for (const each of some) {
      const isFree = yield* Effect.catchIf(
        copySlo(sql, each.organization, { project: each.project, name: each.name }),
        (error) => !isConnectionLost(error),
        (error) =>
          Effect.as(
            Effect.annotateLogs(Effect.logError("Rewriting the counts of an SLO failed", error), {
              organization: each.organization,
              slo: `${each.project}/${each.name}`,
            }),
            true,
          ),
      )
      if (!isFree) return false
      after = each
    }
    if (some.length < slosAtOnce) return true
  }
})

const isConnectionLost = ({ cause }: PortFailure): boolean =>
  cause instanceof SqlError &&
  (cause.reason._tag === "ConnectionError" || /^(?:08|57P)/.test(sqlStateOf(cause) ?? ""))

/**
 * Whether a server that does not know the rows of SLOs may run: one has been alive in the last minutes, or could have been without a
 * sign of life, as the rows have existed for no longer.
 */
const mayServeEarlier = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const version = migrations.indexOf(sloHours) + 1
    const alive = yield* sql`
      SELECT FROM queue_processes WHERE alive_until > now_ms() - ${restMs}::bigint
        AND coalesce(schema_version, 0) < ${version} LIMIT 1`
    if (alive.length > 0) return true
    const applied = yield* sql`
      SELECT FROM schema_migrations WHERE version = ${version}
        AND applied_at > now() - ${restMs} * interval '1 millisecond'`
    return applied.length > 0
  })

/** Copies all counts of an SLO; after each step, rests three times as long as it took. Returns false if it has to wait. */
const copySlo = (sql: SqlClient.SqlClient, organization: OrganizationId, slo: ProjectKey) => {
  const step = operation("step", copyStep(sql, organization, slo))
  return Effect.gen(function* () {
    for (;;) {
      const began = yield* Clock.currentTimeMillis
      const next = yield* step
      if (next !== "more") return next === "done"
      yield* Effect.sleep(3 * ((yield* Clock.currentTimeMillis) - began))
    }
  })
}

class CountsCannotBeCopied extends TaggedError("CountsCannotBeCopied")<PortFailure> {}

const operation = portOperation("CopyCounts", (failure) => new CountsCannotBeCopied(failure))

/**
 * Takes the next step of an SLO in a transaction of its own. Returns whether there are more, the SLO is done, or it has to wait, since
 * another process takes a step, or a server of a version before may run.
 */
export const copyStep = (sql: SqlClient.SqlClient, organization: OrganizationId, slo: ProjectKey) => {
  const ofSlo = sql`organization = ${organization} AND project = ${slo.project} AND slo = ${slo.name}`
  const set = (countRows: "copying" | "clearing" | "slo", openHour: number | null) => sql`
    UPDATE slos SET count_rows = ${countRows}, open_hour = ${openHour}::bigint
    WHERE organization = ${organization} AND project = ${slo.project} AND name = ${slo.name}`

  /** The days that have no copy, the latest last, as its copy is deleted whenever counts arrive, and before it the later ones first. */
  const daysToCopy = sql<{ readonly at: number }>`
    SELECT d.at FROM (SELECT DISTINCT at FROM count_days WHERE ${ofSlo}) d
    WHERE NOT EXISTS (SELECT FROM slo_hours WHERE ${ofSlo} AND at >= d.at AND at < d.at + ${dayMs})
      AND EXISTS (SELECT FROM count_hours WHERE ${ofSlo} AND at >= d.at AND at < d.at + ${dayMs})
    ORDER BY d.at = (SELECT max(at) FROM count_days WHERE ${ofSlo}), d.at DESC LIMIT ${daysOfStep + 1}`

  const clear = Effect.gen(function* () {
    const [{ at } = { at: null }] = yield* sql<{ readonly at: number | null }>`
      SELECT min(at) AS at FROM count_days WHERE ${ofSlo}`
    if (at === null) {
      yield* sql`UPDATE slos SET count_rows = 'slo'
        WHERE organization = ${organization} AND project = ${slo.project} AND name = ${slo.name}`
      return "done"
    }
    for (const table of ["count_hours", "count_days"])
      yield* sql`DELETE FROM ${sql(table)} WHERE ${ofSlo} AND at < ${at + daysCleared * dayMs}`
    return "more"
  })

  const step = Effect.gen(function* () {
    const [{ isTurn } = { isTurn: false }] = yield* sql<{ readonly isTurn: boolean }>`
      SELECT pg_try_advisory_xact_lock(hashtextextended('copy counts', 0)) AS "isTurn"`
    if (!isTurn) return "wait"
    const state = (yield* lockSlos(sql, organization, [slo])).get(projectKeyText(slo))
    // In each step, as servers come and go.
    if (yield* mayServeEarlier(sql)) return "wait"
    switch (state?.form.countRows) {
      case undefined:
      case "slo":
        return "done"
      case "clearing":
        return yield* clear
      case "objective":
        yield* set("copying", null)
        return "more"
      case "copying": {
        const days = (yield* daysToCopy).map(({ at }) => at)
        const some = days.slice(0, daysOfStep)
        if (some.length > 0) {
          const copied = yield* readObjectiveHoursOf(sql, organization, slo, some)
          yield* putHours(sql, organization, copied)
          yield* writeDays(sql, organization, slo, state.rules, some, copied, Infinity)
          // The same days would be next.
          if (days.length > daysOfStep && copied.every(({ tracks }) => tracks.size === 0)) {
            yield* Effect.annotateLogs(Effect.logWarning("Days of an SLO have no counts to rewrite"), {
              organization,
              slo: projectKeyText(slo),
            })
            return "done"
          }
        }
        if (days.length > daysOfStep) return "more"
        const [latest] = yield* sql<{ readonly at: number | null }>`
          SELECT max(at) AS at FROM slo_hours WHERE ${ofSlo}`
        const openHour = latest?.at ?? null
        if (openHour !== null) {
          const day = dayOf(openHour)
          const hours = yield* readHoursOf(sql, organization, slo, { from: day, to: day + dayMs })
          yield* writeDays(sql, organization, slo, state.rules, [day], hours, openHour)
        }
        yield* set("clearing", openHour)
        return "more"
      }
    }
  })
  const times = Effect.map(
    sql<{ readonly at: number }>`SELECT DISTINCT at FROM count_days WHERE ${ofSlo}`,
    (rows) => rows.map(({ at }) => at),
  )
  return Effect.catchIf(sql.withTransaction(step), isPartitionMissing, () =>
    Effect.andThen(
      Effect.flatMap(times, (all) => makeCountPartitions(sql, all)),
      sql.withTransaction(step),
    ),
  )
}

/** The hours of an SLO on these days in rows of its objectives. */
const readObjectiveHoursOf = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slo: ProjectKey,
  days: ReadonlyArray<number>,
) =>
  Effect.gen(function* () {
    const runs = toRuns(days.map((from) => ({ from, to: from + dayMs })))
    const rows: Array<MinutesRow & { readonly at: number; readonly objective: string }> = []
    for (const { from, to } of runs) {
      const some = yield* sql<MinutesRow & { readonly at: number; readonly objective: string }>`
        SELECT at, objective, ${minutesColumns(sql)} FROM count_hours
        WHERE organization = ${organization} AND project = ${slo.project} AND slo = ${slo.name}
          AND at >= ${from}::bigint AND at < ${to}::bigint`
      for (const row of some) rows.push(row)
    }
    const hours = new Map<number, Map<string, HourOfCounts>>()
    yield* forEachInSlices(rows, ({ at, objective, ...row }) =>
      Result.map(rowToHour(row), (hour) => {
        const tracks = hours.get(at) ?? new Map<string, HourOfCounts>()
        hours.set(at, tracks.set(objective, hour))
      }),
    )
    return [...hours].map(([at, tracks]) => ({ slo, at, tracks: withCountsOnly(tracks) }))
  })

const slosAtOnce = 100
const daysOfStep = 7
const daysCleared = 28

/** How long no process of a version before must have been alive, in milliseconds: one that stops answering may come back. */
const restMs = 600_000
