/** The ports on PostgreSQL. Migrate the schema before you build `PgStores.layer`, and run `Maintenance.layer` beside it. */
export * as Maintenance from "./Maintenance.ts"
export * as Migrations from "./migrations/Migrations.ts"
export * as PgDatabase from "./database/PgDatabase.ts"
export * as PgStores from "./PgStores.ts"
