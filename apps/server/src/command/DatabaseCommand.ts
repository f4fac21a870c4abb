import {
  distribute,
  exportData,
  importData,
  migrate,
  pendingMigrations,
  type SchemaCannotBeUsed,
} from "@tocsin/adapters-pg/admin"
import { makeSecretBox } from "@tocsin/adapters-http/server"
import { Readiness } from "@tocsin/domain/adapter"
import { SecretBox } from "@tocsin/domain/ports"
import { Command } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import type { ConfigIsInvalid } from "@tocsin/cli/config/Environment"
import { decodeDatabaseUrl, decodeStoreConfig } from "../config/ServerConfig.ts"
import { findDatabase } from "../postgres/Cluster.ts"
import { openStore } from "../store/Store.ts"
import { openExport, readExportLines, runningMac } from "./ExportFile.ts"
import { databaseCannotBeUsed } from "../server/Server.ts"
import { connectionOfUrl, type DatabaseFileIsUnusable } from "../store/DatabaseUrl.ts"
import { CommandFailed, type CommandContext } from "@tocsin/cli/command/CommandContext"

export const databaseCommand = (context: CommandContext): Command =>
  new Command("database")
    .summary("prepare the database, and move its data")
    .description("Prepare the database, and move its data. Connects to the database directly.")
    .addCommand(
      new Command("distribute")
        .summary("distribute the tables over a Citus cluster")
        .description(
          "Distribute the tables of the database, empty or not, over the worker nodes of a Citus cluster, by organization. " +
            "DATABASE_URL must be the URL of the coordinator. Stop all servers first. After an interruption, run it again.",
        )
        .action(() => context.run(distributeDatabase(context))),
    )
    .addCommand(
      new Command("migrate")
        .summary("bring the schema up to date")
        .description(
          "Apply the migrations that the database at DATABASE_URL does not have yet, as `tocsin serve` does when it starts.",
        )
        .option("--dry-run", "list the migrations with their statements, without applying them")
        .action((flags: { readonly dryRun?: true }) =>
          context.run(flags.dryRun ? listMigrations(context) : migrateDatabase(context)),
        ),
    )
    .addCommand(
      new Command("export")
        .summary("write all data to a file")
        .description(
          "Write all data of the database, as one snapshot, to a file that `tocsin database import` reads. A name that ends " +
            "with .gz compresses it. Reads the variables of `tocsin serve`. Stop the server first if it uses the embedded " +
            "PostgreSQL; with DATABASE_URL, servers may run. Secrets stay encrypted with the master key.",
        )
        .argument("<file>", "new file; - for standard output")
        .action((file: string) => context.run(exportDatabase(file, context))),
    )
    .addCommand(
      new Command("import")
        .summary("read all data from a file")
        .description(
          "Read a file of `tocsin database export` into an empty database. Reads the variables of `tocsin serve`; the master " +
            "key must be the exported database's. Stop all servers first. After an interruption, run it again with the " +
            "same file: it continues.",
        )
        .argument("<file>", "file, also compressed by gzip; - for standard input")
        .action((file: string) => context.run(importDatabase(file, context))),
    )

const distributeDatabase = ({ environment }: CommandContext) =>
  Effect.gen(function* () {
    const connection = yield* connectionOfUrl(yield* Effect.fromResult(decodeDatabaseUrl(environment)))
    const tables = yield* distribute(connection).pipe(
      Effect.mapError((error) =>
        error._tag === "DatabaseIsNoCoordinator"
          ? new CommandFailed({ message: `cannot distribute the tables: ${error.message}` })
          : databaseCannotBeUsed(error),
      ),
    )
    yield* Console.log(
      tables.length === 0
        ? "All tables are already distributed."
        : `Distributed ${tables.length} tables: ${tables.join(", ")}.`,
    )
  })

const migrateDatabase = ({ environment }: CommandContext) =>
  Effect.gen(function* () {
    const connection = yield* connectionOfUrl(yield* Effect.fromResult(decodeDatabaseUrl(environment)))
    const { version: before } = yield* pendingMigrations(connection)
    const version = yield* migrate(connection)
    yield* Console.log(
      before === version
        ? `The schema is up to date (version ${version}).`
        : `Migrated the schema from version ${before} to ${version}.`,
    )
  }).pipe(Effect.mapError(cannotMigrate))

const listMigrations = ({ environment }: CommandContext) =>
  Effect.gen(function* () {
    const connection = yield* connectionOfUrl(yield* Effect.fromResult(decodeDatabaseUrl(environment)))
    const { version, pending } = yield* pendingMigrations(connection)
    if (pending.length === 0) return yield* Console.log(`The schema is up to date (version ${version}).`)
    const texts = pending.map((statements, index) =>
      [`-- Version ${version + index + 1}`, ...statements.map((statement) => `${statement.trim()};`)].join(
        "\n",
      ),
    )
    yield* Console.log(texts.join("\n\n"))
  }).pipe(Effect.mapError(cannotMigrate))

const cannotMigrate = (error: SchemaCannotBeUsed | ConfigIsInvalid | DatabaseFileIsUnusable) =>
  error._tag === "ConfigIsInvalid" || error._tag === "DatabaseFileIsUnusable"
    ? error
    : databaseCannotBeUsed(error)

const exportDatabase = (file: string, { environment }: CommandContext) =>
  Effect.gen(function* () {
    const config = yield* Effect.fromResult(decodeStoreConfig(environment))
    if (config.store.kind === "embedded" && (yield* findDatabase(config.store.dataDirectory)) === undefined) {
      return yield* new CommandFailed({
        message: `${config.store.dataDirectory} has no database; set TOCSIN_DATA_DIR or DATABASE_URL`,
      })
    }
    const { connection, masterKeys } = yield* openStore(config)
    if (connection === undefined) return yield* dataIsInMemory
    const output = yield* openExport(file)
    const counts = yield* exportData(connection, randomUUID(), runningMac(masterKeys), output.write).pipe(
      Effect.mapError(cannotTransfer),
    )
    yield* output.complete
    yield* printCounts("Exported", counts)
  }).pipe(Effect.scoped, Effect.provide(Readiness.layer))

const importDatabase = (file: string, { environment }: CommandContext) =>
  Effect.gen(function* () {
    const config = yield* Effect.fromResult(decodeStoreConfig(environment))
    const { connection, masterKeys } = yield* openStore(config)
    if (connection === undefined) return yield* dataIsInMemory
    const counts = yield* importData(connection, readExportLines(file), runningMac(masterKeys)).pipe(
      Effect.provideService(SecretBox, makeSecretBox(masterKeys)),
      Effect.mapError(cannotTransfer),
    )
    yield* printCounts("Imported", counts)
  }).pipe(Effect.scoped, Effect.provide(Readiness.layer))

const dataIsInMemory = new CommandFailed({
  message: "TOCSIN_STORE is memory, which has no database; set it to embedded or postgres",
})

/** Standard output may be the export. */
const printCounts = (verb: "Exported" | "Imported", counts: ReadonlyMap<string, number>) => {
  const lines = [...counts].map(([table, rows]) => `  ${table}: ${rows}`)
  const sum = [...counts.values()].reduce((total, rows) => total + rows, 0)
  return Console.error([`${verb} ${sum} rows.`, ...lines].join("\n"))
}

type TransferError =
  Effect.Error<ReturnType<typeof exportData<CommandFailed>>> | Effect.Error<ReturnType<typeof importData>>

const cannotTransfer = (error: TransferError) =>
  error._tag === "CommandFailed" ||
  error._tag === "DatabaseCannotBeExported" ||
  error._tag === "ExportCannotBeImported"
    ? error
    : databaseCannotBeUsed(error)
