import type * as SqlClient from "effect/sql/SqlClient"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/metadata/ObjectKey"
import { type HourOfCounts, overallHour, overallParts, partOfTrack } from "@tocsin/domain/counts/HourOfCounts"
import { dayMs } from "@tocsin/domain/codec/MinuteInstant"
import { overallTrack, type SliceRule } from "@tocsin/domain/slo/SliceRules"
import * as Effect from "effect/Effect"
import { countTables, type HourWritten, type MinutesRow, rowToHour, writeHours } from "./CountRows.ts"

/**
 * Applies new slice rules to an SLO: recomputes the sums that depend on the rules, one week at a time, since one
 * statement over a year may exceed the statement timeout.
 */
export const recomputeSums = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  slo: ProjectKey,
  rules: { readonly before: ReadonlyArray<SliceRule>; readonly after: ReadonlyArray<SliceRule> },
) =>
  Effect.gen(function* () {
    const ofSlo = sql`organization = ${organization} AND project = ${slo.project} AND slo = ${slo.name}`
    const isChanged = <A>(read: (rules: ReadonlyArray<SliceRule>) => A): boolean =>
      JSON.stringify(read(rules.before)) !== JSON.stringify(read(rules.after))
    const isOverallChanged = isChanged(overallParts)
    if (isOverallChanged && overallParts(rules.before) !== undefined) {
      for (const { table } of countTables) {
        yield* sql`DELETE FROM ${sql(table)} WHERE ${ofSlo} AND objective = ${overallTrack}`
      }
    }
    const days = yield* sql<{ readonly at: number }>`
      SELECT DISTINCT at FROM count_days WHERE ${ofSlo} AND objective <> ${overallTrack} ORDER BY at`
    for (let first = 0; first < days.length; first += daysAtOnce) {
      const some = days.slice(first, first + daysAtOnce).map(({ at }) => at)
      const rows = yield* sql<MinutesRow & { readonly at: number; readonly objective: string }>`
        SELECT at, objective, minute_good, minute_total FROM count_hours
        WHERE ${ofSlo} AND at >= ${some.at(0) ?? 0} AND at < ${(some.at(-1) ?? 0) + dayMs}
          AND objective <> ${overallTrack}`
      const hours = new Map<number, Map<string, HourOfCounts>>()
      for (const row of rows) {
        const ofHour = hours.get(row.at) ?? new Map<string, HourOfCounts>()
        hours.set(row.at, ofHour.set(row.objective, rowToHour(row)))
      }
      const written = [...hours].flatMap(([at, ofHour]): ReadonlyArray<HourWritten> => {
        const place = { slo, at, rules: rules.after }
        const objectives = [...ofHour].filter(([objective]) =>
          isChanged((all) => partOfTrack(all, objective)),
        )
        const parts = isOverallChanged ? overallParts(rules.after) : undefined
        return [
          ...objectives.map(([objective, hour]) => ({ ...place, objective, hour })),
          ...(parts === undefined
            ? []
            : [{ ...place, objective: overallTrack, hour: overallHour(parts, ofHour) }]),
        ]
      })
      yield* writeHours(sql, organization, written)
    }
  })

const daysAtOnce = 7
