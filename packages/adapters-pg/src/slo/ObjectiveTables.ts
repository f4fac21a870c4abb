import type * as SqlClient from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { sqlStateOf } from "../database/PortOperation.ts"
import { countTables, countTablesByForm } from "./CountHours.ts"

/** The names of the tables with rows of objectives. */
export interface ObjectiveTables {
  readonly hours: string
  readonly days: string
  /** Whether they were renamed, so that servers of earlier versions neither read nor write them. */
  readonly areRenamed: boolean
}

/**
 * The present names of the tables with rows of objectives. In a transaction that has read or locked an SLO, they stay as they are until
 * its end, as renaming them locks `slos` first.
 */
export const objectiveTables = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly areRenamed: boolean }>`
      SELECT to_regclass(quote_ident(current_schema()) || '.' || ${renamed.hours}::text) IS NOT NULL AS "areRenamed"`,
    ([row]): ObjectiveTables => (row?.areRenamed === true ? renamed : original),
  )

/** Runs what reads tables with rows of objectives by one statement outside a transaction; again if they are renamed in between. */
export const withObjectiveTables = <A, E, R>(
  sql: SqlClient.SqlClient,
  read: (tables: ObjectiveTables) => Effect.Effect<A, E, R>,
) => {
  const once = Effect.flatMap(objectiveTables(sql), read)
  return Effect.catchIf(once, isTableMissing, () => once)
}

const isTableMissing = (error: unknown): error is SqlError =>
  error instanceof SqlError && sqlStateOf(error) === "42P01"

/** The present names of tables by their first ones, which exports use, as within a transaction that has read or locked an SLO. */
export const tableNames = (sql: SqlClient.SqlClient) =>
  Effect.map(
    objectiveTables(sql),
    ({ areRenamed }) =>
      (table: string): string =>
        (areRenamed ? renamedTables.get(table) : undefined) ?? table,
  )

/** The present names of all tables of counts, as within a transaction that has read or locked an SLO. */
export const countTableNames = (sql: SqlClient.SqlClient) =>
  Effect.map(tableNames(sql), (nameOf) => countTables.map(({ table }) => nameOf(table)))

/** The names that tables may have been given, by their first ones. */
export const renamedTables: ReadonlyMap<string, string> = new Map(
  countTablesByForm.objective.map(({ table, renamedTo }) => [table, renamedTo]),
)

const [daysTable, hoursTable] = countTablesByForm.objective

const original: ObjectiveTables = { hours: hoursTable.table, days: daysTable.table, areRenamed: false }

const renamed: ObjectiveTables = { hours: hoursTable.renamedTo, days: daysTable.renamedTo, areRenamed: true }
