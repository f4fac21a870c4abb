import type { PgConnection } from "@tocsin/adapters-pg/admin"
import { PgDatabase, PgStores } from "@tocsin/adapters-pg"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { type Definition, storedStatuses } from "@tocsin/domain/adapter"
import type { Slo } from "@tocsin/domain/definitions"
import { SecretBox } from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { run as runStatement } from "../test/crash/CrashDatabase.ts"
import { benchBox } from "./BenchDatabase.ts"
import { runScript } from "../test/pg/RunScript.ts"
import { amount } from "./Length.ts"

/** The one organization of each database. */
export const organization = "acme"

/** The SLO stores of a database. */
export const sloStores = (connection: PgDatabase.PgConnection) =>
  PgStores.storesLayer.pipe(
    Layer.provide(Layer.succeed(SecretBox, benchBox)),
    Layer.provideMerge(PgDatabase.layer({ connection, statementTimeoutMs: 600_000 })),
  )

/** How many SLOs `putSlos` defines: more than a page. */
export const slosAtFirst = amount(1_000, 600)

/** Defines the first SLOs in 10 projects through the port, and gives each the figures that a status writes into its record. */
const putSlos = Effect.gen(function* () {
  yield* putDefinitions(organization, [...surroundings, ...slos])
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE slos SET statuses = ${storedStatuses.write(new Map(["good", "great"].map((name) => [name, figures]))).json}`
})

/**
 * Copies everything so often into further projects that there are `size` SLOs.
 *
 * The copies of each row are written one after another, so that SLOs which follow one another in the list lie far apart
 * in the table, as they do when it has grown for years.
 */
const copyProjects = (size: number) =>
  runScript(`
      INSERT INTO definitions
        (organization, kind, project, name, definition, labels, version, created_at, updated_at)
      SELECT organization, kind, CASE kind WHEN 'Project' THEN '' ELSE project || '-' || n END,
        CASE kind WHEN 'Project' THEN name || '-' || n ELSE name END,
        regexp_replace(definition, '"(p-.)"', '"\\1-' || n || '"'), labels, version, created_at, updated_at
      FROM definitions CROSS JOIN generate_series(1, ${size / slosAtFirst - 1}) AS n;
      INSERT INTO slos (organization, project, name, service, statuses, version, due_at)
      SELECT organization, project || '-' || n, name, service, statuses, version, due_at
      FROM slos CROSS JOIN generate_series(1, ${size / slosAtFirst - 1}) AS n`)

/** Makes a database with so many SLOs; the larger ones begin as a copy of the first, which nobody may use meanwhile. */
export const makeDatabase = async (
  connection: PgConnection,
  benchmark: string,
  size: number,
): Promise<PgConnection> => {
  if ("url" in connection) throw new Error("an embedded PostgreSQL is reached through a socket")
  const databaseOf = (slos: number) => `${benchmark}_${slos}`
  const database = databaseOf(size)
  const template = size === slosAtFirst ? connection.database : databaseOf(slosAtFirst)
  const made = { ...connection, database }
  await runStatement(
    { ...connection, database: "template1" },
    `CREATE DATABASE ${database} TEMPLATE ${template}`,
  )
  await Effect.runPromise(
    Effect.provide(
      Effect.andThen(size === slosAtFirst ? putSlos : copyProjects(size), settleDown),
      sloStores(made),
    ),
  )
  return made
}

const settleDown = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.andThen(sql.unsafe("VACUUM ANALYZE"), sql.unsafe("CHECKPOINT")),
)

const figures = {
  burnRate: 0.8643,
  errorBudgetRemaining: 187234.56,
  errorBudgetRemainingPercentage: 0.0774,
  reliability: 0.990774,
}

const projects = Array.from({ length: 10 }, (_, index) => `p-${index}`)

const surroundings: ReadonlyArray<Definition> = projects.flatMap((project) => [
  {
    kind: "Project",
    metadata: { name: project, displayName: "A project", labels: { division: ["commerce"] } },
    spec: {},
  },
  {
    kind: "Service",
    metadata: { name: "web", displayName: "Web front end", project, labels: { team: [`${project}-team`] } },
    spec: {},
  },
])

const slos = projects.flatMap((project) =>
  Array.from({ length: slosAtFirst / projects.length }, (_, index): Slo => {
    const name = `availability-${index}`
    return {
      ...anSlo(
        { project, name },
        { description: "The share of requests that are answered without an error within 300 ms." },
      ),
      metadata: {
        name,
        displayName: `Endpoint ${index} answers “in time”`,
        project,
        labels: { env: ["prod"], tier: ["1", "critical"] },
        annotations: { "example.com/runbook": `https://runbooks.example.com/${name}` },
      },
    }
  }),
)
