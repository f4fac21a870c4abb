import { makeSecretBox, type MasterKeys } from "@tocsin/adapters-http/server"
import {
  checkSealingKeys,
  type DatabaseFacts,
  databaseLayer,
  pendingMigrations,
  type PgConnection,
  postgresSupport,
  postgresVersions,
  postgresVersionText,
  readDatabaseFacts,
} from "@tocsin/adapters-pg/admin"
import { SecretBox } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { databaseCannotBeUsed } from "../server/Server.ts"
import { databaseFailureText } from "../store/DatabaseUrl.ts"
import { type CheckResult, failed, ok, skipped, warning } from "./Check.ts"

/** Checks a database that `DATABASE_URL` names. Changes nothing. */
export const checkDatabase = (
  connection: PgConnection,
  masterKeys: MasterKeys,
  migrates: boolean,
): Effect.Effect<ReadonlyArray<CheckResult>> =>
  Effect.matchEffect(readDatabaseFacts(connection), {
    onFailure: ({ cause }) =>
      Effect.succeed(
        databaseIsSkipped("the database cannot be used", [failed("database", databaseFailureText(cause))]),
      ),
    onSuccess: (facts) =>
      Effect.map(checkSchema(connection, masterKeys, facts, migrates), (ofSchema) => [
        facts.isReadOnly
          ? failed("database", "reachable, but read-only; set DATABASE_URL to the primary server")
          : ok("database", `reachable as ${facts.role}`),
        versionCheck(facts.versionNumber),
        permissionsCheck(facts),
        clockCheck(facts.clockAheadMs),
        ...ofSchema,
      ]),
  })

const laterChecks = ["version", "permissions", "clock", "schema", "stored secrets"]

/** What is reported of a database that cannot be checked. */
export const databaseIsSkipped = (
  reason: string,
  found: ReadonlyArray<CheckResult>,
): ReadonlyArray<CheckResult> => [...found, ...laterChecks.map((check) => skipped(check, reason))]

export const versionCheck = (versionNumber: number): CheckResult => {
  const { oldest, newest } = postgresVersions
  const version = `PostgreSQL ${postgresVersionText(versionNumber)}`
  switch (postgresSupport(versionNumber)) {
    case "too old":
      return failed("version", `${version} is not supported; upgrade PostgreSQL to ${oldest} or later`)
    case "untested":
      return warning("version", `${version} is not tested; use PostgreSQL ${oldest} to ${newest}`)
    case "supported":
      return ok("version", version)
  }
}

/** What migrations need: the encoding, a schema to create tables in, and to own the tables that exist. */
export const permissionsCheck = (
  facts: Pick<DatabaseFacts, "encoding" | "role" | "schema" | "mayCreate" | "tablesOfOthers">,
): CheckResult => {
  const { encoding, role, schema, mayCreate, tablesOfOthers } = facts
  const problems: Array<string> = []
  if (encoding !== "UTF8")
    problems.push(`the encoding of the database is ${encoding}; create it with ENCODING 'UTF8'`)
  if (schema === null) problems.push("no schema of the search_path exists; run CREATE SCHEMA public")
  else if (!mayCreate)
    problems.push(
      `the role ${role} cannot create tables; run GRANT CREATE ON SCHEMA ${quoted(schema)} TO ${quoted(role)}`,
    )
  const [first, ...others] = tablesOfOthers
  if (first !== undefined) {
    const more = others.length === 0 ? "" : ` and ${others.length} more`
    problems.push(
      `the role ${role} does not own ${first}${more}; run ALTER TABLE … OWNER TO ${quoted(role)} for each table`,
    )
  }
  return problems.length > 0
    ? failed("permissions", problems.join("; "))
    : ok("permissions", `${role} can create and change tables in ${schema}`)
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const clockWarningMs = 1_000
const clockFailureMs = 30_000

/** Servers and their database compare times: leases, rate limits and the times of counts. */
export const clockCheck = (aheadMs: number): CheckResult => {
  const distance = Math.abs(aheadMs)
  if (distance <= clockWarningMs) return ok("clock", `within ${clockWarningMs} ms of the database`)
  const direction = aheadMs > 0 ? "behind" : "ahead of"
  const message = `this machine is ${(distance / 1_000).toFixed(1)} s ${direction} the database; synchronize both with NTP`
  return (distance > clockFailureMs ? failed : warning)("clock", message)
}

const checkSchema = (
  connection: PgConnection,
  masterKeys: MasterKeys,
  { versionNumber }: DatabaseFacts,
  migrates: boolean,
): Effect.Effect<ReadonlyArray<CheckResult>> => {
  if (postgresSupport(versionNumber) === "too old")
    return Effect.succeed(
      ["schema", "stored secrets"].map((check) => skipped(check, "PostgreSQL is too old")),
    )
  return Effect.matchEffect(pendingMigrations(connection), {
    onFailure: (error) =>
      Effect.succeed([
        failed("schema", databaseCannotBeUsed(error).message),
        skipped("stored secrets", "the schema cannot be used"),
      ]),
    onSuccess: ({ version, pending }) =>
      Effect.map(
        version === 0
          ? Effect.succeed(ok("stored secrets", "none yet"))
          : checkStoredSecrets(connection, masterKeys),
        (ofSecrets) => [schemaCheck(version, pending.length, migrates), ofSecrets],
      ),
  })
}

export const schemaCheck = (version: number, pending: number, migrates: boolean): CheckResult => {
  if (pending === 0) return ok("schema", `up to date (version ${version})`)
  const migrations = pending === 1 ? "1 migration is pending" : `${pending} migrations are pending`
  if (!migrates && version === 0) {
    return failed(
      "schema",
      "empty; restore or import a backup if you have one; otherwise run `tocsin database migrate`",
    )
  }
  if (!migrates) return failed("schema", `${migrations}; run \`tocsin database migrate\``)
  return version === 0
    ? ok("schema", "empty; `tocsin serve` creates the tables")
    : warning("schema", `${migrations}; back up the database, then start the server, which applies them`)
}

const checkStoredSecrets = (connection: PgConnection, masterKeys: MasterKeys): Effect.Effect<CheckResult> =>
  Effect.match(checkSealingKeys, {
    onFailure: (error) =>
      failed("stored secrets", "cause" in error ? databaseFailureText(error.cause) : error.message),
    onSuccess: () => ok("stored secrets", "the master key decrypts them"),
  }).pipe(
    Effect.provide(databaseLayer({ connection, connectionsMax: 1, applicationName: "tocsin doctor" })),
    Effect.provideService(SecretBox, makeSecretBox(masterKeys)),
  )
