import * as SqlClient from "effect/sql/SqlClient"
import { type PortFailure, TaggedError } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import { distributeTables, distributionProblem } from "./database/CitusTables.ts"
import { layer, type PgConnection } from "./database/PgDatabase.ts"
import { portOperation } from "./database/PortOperation.ts"
import { migrate, type SchemaCannotBeUsed } from "./migrations/Migrations.ts"

/** The tables cannot be distributed; `message` says why, and what to do. */
export class DatabaseIsNoCoordinator extends TaggedError("DatabaseIsNoCoordinator")<{
  readonly message: string
}> {}

/** Distributing a table failed. Those before it are distributed; call `distribute` again for the others. */
export class DistributionFailed extends TaggedError("DistributionFailed")<PortFailure> {}

/**
 * Brings the schema up to date and distributes its tables over the nodes of a Citus cluster, with the data in them. Returns
 * the names of the tables that were not distributed before. From then on, migrations distribute new tables.
 *
 * Stop all servers before. After an interruption, call it again: tables that are distributed stay as they are.
 */
export const distribute = (
  connection: PgConnection,
): Effect.Effect<ReadonlyArray<string>, DatabaseIsNoCoordinator | DistributionFailed | SchemaCannotBeUsed> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const problem = yield* operation("distribute", distributionProblem(sql))
    if (problem !== undefined) return yield* new DatabaseIsNoCoordinator({ message: problem })
    yield* migrate(connection)
    return yield* operation("distribute", distributeTables(sql))
  }).pipe(
    Effect.provide(
      layer({ connection, connectionsMax: 1, statementTimeoutMs: 0, applicationName: "tocsin distribute" }),
    ),
  )

const operation = portOperation("Distribution", (failure) => new DistributionFailed(failure))
