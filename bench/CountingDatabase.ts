import {
  type Definition,
  packSloHour,
  packSums,
  packTotals,
  sumHour,
  totalOfPeriods,
} from "@tocsin/domain/adapter"
import { dayMs, dayOf, durationOf, hourMs } from "@tocsin/domain/codec"
import type { ProjectKey } from "@tocsin/domain/kernel"
import { SecretBox } from "@tocsin/domain/ports"
import { PgDatabase, PgStores } from "@tocsin/adapters-pg"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import type { AlertPolicy, Condition } from "@tocsin/domain/alerting"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { benchBox } from "./BenchDatabase.ts"
import { cpuWithChildren, parentOf } from "./ProcessCpu.ts"
import { runScript } from "../test/pg/RunScript.ts"

/** The one organization of each database. */
export const organization = "acme"

/** Everything that counts and statuses need of a database. */
export const countStores = (connection: PgDatabase.PgConnection) =>
  PgStores.storesLayer.pipe(
    Layer.provide(Layer.succeed(SecretBox, benchBox)),
    Layer.provideMerge(PgDatabase.layer({ connection, statementTimeoutMs: 600_000 })),
  )

/** The SLO of an objective; each has one. */
export const keyOf = (index: number): ProjectKey => ({ project: `p-${index % 10}`, name: `slo-${index}` })

/** The name of every objective. */
export const objective = "good"

/** Defines so many objectives, each in an SLO over 28 days with two alert policies. */
export const putObjectives = (size: number) =>
  Effect.gen(function* () {
    const projects = Array.from({ length: 10 }, (_, index) => `p-${index}`)
    yield* putDefinitions(organization, projects.flatMap(surroundings))
    const slos = Array.from({ length: size }, (_, index) =>
      anSlo(keyOf(index), {
        objectives: [{ name: objective, target: 0.99 }],
        alertPolicies: ["fast-burn", "budget-gone"],
      }),
    )
    for (let first = 0; first < size; first += 1_000) {
      yield* putDefinitions(organization, slos.slice(first, first + 1_000))
    }
  })

const surroundings = (project: string): ReadonlyArray<Definition> => [
  { kind: "Project", metadata: { name: project }, spec: {} },
  { kind: "Service", metadata: { project, name: "web" }, spec: {} },
  policy(project, "fast-burn", {
    measurement: "averageBurnRate",
    op: "gte",
    value: 14.4,
    alertingWindow: durationOf("1h"),
  }),
  policy(project, "budget-gone", { measurement: "burnedBudget", op: "gte", value: 0.9 }),
]

const policy = (project: string, name: string, condition: Condition): AlertPolicy => ({
  kind: "AlertPolicy",
  metadata: { project, name },
  spec: { severity: "High", coolDown: durationOf("5m"), conditions: [condition], alertMethods: [] },
})

/**
 * Gives each objective a count in each minute of the 31 days before the hour that holds `now` (Unix milliseconds), 999
 * of 1,000 good.
 *
 * Written past the store, which would take an hour, past the WAL, as the partitions are unlogged, and before there are
 * keys.
 */
export const fillCounts = (now: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const to = Math.floor(now / hourMs) * hourMs
    const from = to - 31 * dayMs
    const spanMs = 28 * dayMs
    for (let start = Math.floor(from / spanMs) * spanMs; start <= to; start += spanMs) {
      const [first, end] = [Math.max(from, start), Math.min(to, start + spanMs)]
      // Hour by hour, as they are written when they come in.
      yield* fillPartition(
        "slo_hours",
        start,
        `SELECT organization, project, name, at, '${literal(packSloHour(new Map([[objective, hourOfCounts]])))}'
         FROM generate_series(${first}::bigint, ${end - 1}::bigint, ${hourMs}::bigint) AS at, slos`,
      )
      const days = Array.from({ length: Math.ceil((end - dayOf(first)) / dayMs) }, (_, index) => {
        const at = dayOf(first) + index * dayMs
        // The latest hour is open, and in no day yet.
        const hours = Array.from({ length: 24 }, (_, hour) =>
          at + hour * hourMs >= from && at + hour * hourMs < to - hourMs ? sumsOfHour : undefined,
        )
        const sums = new Map([[objective, hours]])
        return hours.some((each) => each !== undefined)
          ? [
              `(${at}::bigint, '${literal(packTotals(totalOfPeriods(sums)))}'::bytea, '${literal(packSums(24, sums))}'::bytea)`,
            ]
          : []
      }).flat()
      yield* fillPartition(
        "slo_days",
        start,
        days.length === 0
          ? "SELECT '', '', '', 0, ''::bytea, ''::bytea WHERE false"
          : `SELECT organization, project, name, days.* FROM (VALUES ${days.join()}) AS days, slos`,
      )
    }
    yield* sql.unsafe(
      `UPDATE slos SET latest_at = '${JSON.stringify({ version: 1, document: { [objective]: to - 60_000 } })}', due_at = NULL, revision = revision + 1,
        open_hour = ${to - hourMs}`,
    )
    yield* sql.unsafe("VACUUM ANALYZE")
    yield* sql.unsafe("CHECKPOINT")
  })

const fillPartition = (table: string, start: number, select: string) =>
  runScript(`
    CREATE UNLOGGED TABLE ${table}_${start} (LIKE ${table});
    INSERT INTO ${table}_${start} ${select};
    ALTER TABLE ${table} ATTACH PARTITION ${table}_${start}
      FOR VALUES FROM (${start}) TO (${start + 28 * dayMs})`)

const hourOfCounts = {
  good: Array.from({ length: 60 }, () => 999),
  total: Array.from({ length: 60 }, () => 1_000),
}

const sumsOfHour = sumHour(hourOfCounts, undefined, { from: 0, to: hourMs })

const literal = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString("hex")}`

/** What the tables of counts and their indexes take, in bytes. */
export const countBytes = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly bytes: number }>`
      SELECT sum(pg_total_relation_size(inhrelid))::bigint AS bytes FROM pg_inherits
      WHERE inhparent IN ('slo_hours'::regclass, 'slo_days'::regclass)`,
    (rows) => rows[0]?.bytes ?? 0,
  ),
)

/** CPU time that the database's processes have used so far, in microseconds. */
export const databaseCpu = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`, ([row]) =>
    cpuWithChildren(parentOf(row?.pid ?? Number.NaN)),
  ),
)
