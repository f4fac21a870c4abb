import type { OrganizationId } from "@tocsin/domain/kernel"
import type { SloMove } from "@tocsin/domain/ports"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Effect from "effect/Effect"
import { texts } from "../database/Parameters.ts"
import { countTableNames } from "./ObjectiveTables.ts"
import { tableColumns } from "../database/TableColumns.ts"

/** Tables with rows of SLOs, by their columns `project` and `slo`. */
export interface SloTables {
  /**
   * Those that others refer to, each after those that it refers to. Their rows are copied, so that what refers to them can
   * follow, and deleted with the SLO: Citus has no foreign keys that update their referrers.
   */
  readonly referred?: ReadonlyArray<string>
  /** The others. */
  readonly other?: ReadonlyArray<string>
}

/** Gives everything that is stored of locked SLOs their new project; their definitions are written afterwards. */
export const moveSlos = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  moves: ReadonlyArray<SloMove>,
  tables: ReadonlyArray<SloTables>,
) =>
  Effect.gen(function* () {
    const moved: Fragment = sql`unnest(
      ${texts(moves.map(({ name }) => name))}, ${texts(moves.map(({ from }) => from))},
      ${texts(moves.map(({ to }) => to))}) AS m (name, from_project, to_project)`
    const ofMoved = (column: "name" | "slo") =>
      sql`t.organization = ${organization} AND t.project = m.from_project AND t.${sql(column)} = m.name`
    yield* sql`
      UPDATE definitions t SET project = m.to_project FROM ${moved} WHERE t.kind = 'SLO' AND ${ofMoved("name")}`
    for (const table of ["slos", ...tables.flatMap(({ referred = [] }) => referred)]) {
      const columns = (yield* tableColumns(sql, table)).map(({ name }) => `"${name}"`)
      const values = columns.map((name) => (name === `"project"` ? "m.to_project" : `t.${name}`))
      yield* sql`
        INSERT INTO ${sql(table)} (${sql.literal(columns.join())})
        SELECT ${sql.literal(values.join())} FROM ${sql(table)} t JOIN ${moved}
          ON ${ofMoved(table === "slos" ? "name" : "slo")}`
    }
    const counts = yield* countTableNames(sql)
    for (const table of [...counts, ...tables.flatMap(({ other = [] }) => other)]) {
      yield* sql`
        UPDATE ${sql(table)} t SET project = m.to_project FROM ${moved} WHERE ${ofMoved("slo")}`
    }
    yield* sql`DELETE FROM slos t USING ${moved} WHERE ${ofMoved("name")}`
  })
