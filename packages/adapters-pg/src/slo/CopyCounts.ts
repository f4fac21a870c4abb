import * as SqlClient from "effect/sql/SqlClient"
import { type HourOfCounts, type PortFailure, TaggedError } from "@tocsin/domain/adapter"
import { dayMs, dayOf, type MinuteRange } from "@tocsin/domain/codec"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { forEachInSlices } from "../database/InSlices.ts"
import { portOperation } from "../database/PortOperation.ts"
import { isPartitionMissing } from "../database/Retention.ts"
import { logUnreadableRow, StoredRowIsInvalid } from "../database/StoredRow.ts"
import { migrations } from "../migrations/Migrations.ts"
import { sloHours } from "../migrations/SloHours.ts"
import { lockSlos, makeCountPartitions } from "./CountRecording.ts"
import { minutesColumns, type MinutesRow, rowToHour } from "./ObjectiveRows.ts"
import { putHours, readHoursOf, rowsAtOnce, withCountsOnly, writeDays } from "./SloHours.ts"

/**
 * Rewrites the counts of SLOs that have rows of objectives, from databases of earlier versions, as rows of the SLO, while servers work:
 * a week of one SLO at a time, the latest first, under the lock of recordings. It can stop anywhere and goes on from there, and any number
 * of processes may.
 *
 * Rows of objectives are read and written until all days of the SLO are copied; what is recorded meanwhile deletes the copies of its
 * days. They are deleted afterwards. Returns false, and does nothing, while a server of a version before may run: it would record where
 * nobody reads.
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
      // Each time, as servers come and go.
      if (yield* operation("mayServeEarlier", mayServeEarlier(sql))) return false
      yield* copySlo(sql, each.organization, { project: each.project, name: each.name })
      after = each
    }
    if (some.length < slosAtOnce) return true
  }
})

/** Whether a process that does not know the rows of SLOs has been alive in the last minutes. */
const mayServeEarlier = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql`
      SELECT FROM queue_processes WHERE alive_until > now_ms() - ${restMs}::bigint
        AND coalesce(schema_version, 0) < ${migrations.indexOf(sloHours) + 1} LIMIT 1`,
    (rows) => rows.length > 0,
  )

/** Copies all counts of an SLO; after each step, rests three times as long as it took. */
const copySlo = (sql: SqlClient.SqlClient, organization: OrganizationId, slo: ProjectKey) => {
  const step = operation(
    "step",
    Effect.catchIf(
      copyStep(sql, organization, slo),
      (error) => error instanceof StoredRowIsInvalid,
      // The counts stay as they are; the next run tries again.
      (error) => Effect.as(logUnreadableRow(organization, error), false),
    ),
  )
  return Effect.gen(function* () {
    for (;;) {
      const began = yield* Clock.currentTimeMillis
      if (!(yield* step)) return
      yield* Effect.sleep(3 * ((yield* Clock.currentTimeMillis) - began))
    }
  })
}

class CountsCannotBeCopied extends TaggedError("CountsCannotBeCopied")<PortFailure> {}

const operation = portOperation("CopyCounts", (failure) => new CountsCannotBeCopied(failure))

/** Takes the next step of an SLO in a transaction of its own; returns whether there are more. */
export const copyStep = (sql: SqlClient.SqlClient, organization: OrganizationId, slo: ProjectKey) => {
  const ofSlo = sql`organization = ${organization} AND project = ${slo.project} AND slo = ${slo.name}`
  const set = (countRows: "copying" | "clearing" | "slo", openHour: number | null) => sql`
    UPDATE slos SET count_rows = ${countRows}, open_hour = ${openHour}::bigint
    WHERE organization = ${organization} AND project = ${slo.project} AND name = ${slo.name}`

  /** The days that have no copy, the latest first. */
  const daysToCopy = sql<{ readonly at: number }>`
    SELECT DISTINCT d.at FROM (SELECT at FROM count_days WHERE ${ofSlo}) d
    WHERE NOT EXISTS (SELECT FROM slo_hours WHERE ${ofSlo} AND at >= d.at AND at < d.at + ${dayMs})
    ORDER BY d.at DESC LIMIT ${daysOfStep + 1}`

  const clear = Effect.gen(function* () {
    const [{ at } = { at: null }] = yield* sql<{ readonly at: number | null }>`
      SELECT min(at) AS at FROM count_days WHERE ${ofSlo}`
    if (at === null) {
      yield* sql`UPDATE slos SET count_rows = 'slo'
        WHERE organization = ${organization} AND project = ${slo.project} AND name = ${slo.name}`
      return false
    }
    for (const table of ["count_hours", "count_days"])
      yield* sql`DELETE FROM ${sql(table)} WHERE ${ofSlo} AND at < ${at + daysCleared * dayMs}`
    return true
  })

  const step = Effect.gen(function* () {
    const state = (yield* lockSlos(sql, organization, [slo])).get(projectKeyText(slo))
    switch (state?.form.countRows) {
      case undefined:
      case "slo":
        return false
      case "clearing":
        return yield* clear
      case "objective":
        yield* set("copying", null)
        return true
      case "copying": {
        const days = (yield* daysToCopy).map(({ at }) => at)
        const some = days.slice(0, daysOfStep)
        if (some.length > 0) {
          const hours = yield* readObjectiveHoursOf(sql, organization, slo, {
            from: some.at(-1) ?? 0,
            to: (some[0] ?? 0) + dayMs,
          })
          const copied = hours.filter(({ at }) => some.includes(dayOf(at)))
          yield* putHours(sql, organization, copied)
          yield* writeDays(sql, organization, slo, state.rules, some, copied, Infinity)
        }
        if (days.length > daysOfStep) return true
        const [latest] = yield* sql<{ readonly at: number | null }>`
          SELECT max(at) AS at FROM slo_hours WHERE ${ofSlo}`
        const openHour = latest?.at ?? null
        if (openHour !== null) {
          const day = dayOf(openHour)
          const hours = yield* readHoursOf(sql, organization, slo, { from: day, to: day + dayMs })
          yield* writeDays(sql, organization, slo, state.rules, [day], hours, openHour)
        }
        yield* set("clearing", openHour)
        return true
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

/** The hours of an SLO in rows of its objectives. */
const readObjectiveHoursOf = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slo: ProjectKey,
  { from, to }: MinuteRange,
) =>
  Effect.gen(function* () {
    const rows = yield* sql<MinutesRow & { readonly at: number; readonly objective: string }>`
      SELECT at, objective, ${minutesColumns(sql)} FROM count_hours
      WHERE organization = ${organization} AND project = ${slo.project} AND slo = ${slo.name}
        AND at >= ${from}::bigint AND at < ${to}::bigint`
    const hours = new Map<number, Map<string, HourOfCounts>>()
    yield* forEachInSlices(rows, rowsAtOnce, ({ at, objective, ...row }) =>
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
