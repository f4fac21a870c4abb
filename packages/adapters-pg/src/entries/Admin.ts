/** Running a database: its settings and facts, migrations, distribution, export and import. */
export { type DatabaseFacts, readDatabaseFacts } from "../DatabaseFacts.ts"
export { distribute, DistributionFailed } from "../Distribution.ts"
export { checkSealingKeys, MasterKeyIsWrong } from "../access/SealedSecrets.ts"
export {
  connectionsMaxDefault,
  connectionsMin,
  type DatabaseTls,
  layer as databaseLayer,
  type PgConnection,
} from "../database/PgDatabase.ts"
export {
  innermostMessage,
  isCertificateRejected,
  isTlsRefused,
  sqlStateOf,
} from "../database/PortOperation.ts"
export { postgresSupport, postgresVersions, postgresVersionText } from "../database/PostgresVersion.ts"
export {
  migrate,
  pendingMigrations,
  type SchemaCannotBeUsed,
  SchemaIsOlder,
} from "../migrations/Migrations.ts"
export { exportData, ExportFailed } from "../transfer/ExportData.ts"
export type { RunningMac } from "../transfer/ExportFormat.ts"
export { importData, ImportFailed, ImportIsIncomplete } from "../transfer/ImportData.ts"
