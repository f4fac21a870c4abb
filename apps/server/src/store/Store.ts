import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { MasterKeys } from "@tocsin/adapters-http/server"
import type { PgConnection } from "@tocsin/adapters-pg/admin"
import { connectionOfUrl, type DatabaseFileIsUnusable } from "./DatabaseUrl.ts"
import {
  masterKeyFile,
  readOrCreateSecretFile,
  readSecretFile,
  type SecretFileIsUnusable,
} from "./SecretFile.ts"
import { type EmbeddedPostgresDidNotStart, findDatabase } from "../postgres/Cluster.ts"
import type { DataDirectoryIsInUse } from "../postgres/DataDirectoryLock.ts"
import { runEmbeddedPostgres } from "../postgres/EmbeddedPostgres.ts"
import type { EmbeddedPostgresIsMissing } from "../postgres/PostgresBinaries.ts"
import type { ServerConfig, StoreConfig } from "../config/ServerConfig.ts"
import type { MasterKey } from "../config/Settings.ts"
import type { StoreModuleIsUnusable } from "./StoreModule.ts"

export interface OpenStore {
  readonly masterKeys: MasterKeys
  /** `undefined`: data is stored in memory. */
  readonly connection: PgConnection | undefined
}

/** A data directory has a database, but its master key is neither in the directory nor configured. */
export class MasterKeyIsMissing extends Data.TaggedError("MasterKeyIsMissing")<{
  readonly message: string
}> {}

export type StoreCannotBeOpened =
  | DatabaseFileIsUnusable
  | DataDirectoryIsInUse
  | EmbeddedPostgresDidNotStart
  | EmbeddedPostgresIsMissing
  | SecretFileIsUnusable
  | MasterKeyIsMissing
  | StoreModuleIsUnusable

/** Prepares the connection to a store. The embedded database stops when the scope closes. */
export const openStore = ({
  store,
  previousMasterKey,
}: Pick<ServerConfig, "store" | "previousMasterKey">): Effect.Effect<
  OpenStore,
  StoreCannotBeOpened,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const previous = previousMasterKey === undefined ? [] : [previousMasterKey]
    const current = yield* masterKeyOf(store)
    return {
      masterKeys: { current, previous },
      connection: store.kind === "memory" ? undefined : yield* connectionOf(store),
    }
  })

const connectionOf = (store: Exclude<StoreConfig, { readonly kind: "memory" }>) =>
  store.kind === "postgres"
    ? connectionOfUrl(store.url)
    : runEmbeddedPostgres({ dataDirectory: store.dataDirectory })

/**
 * The master key of a store. A new key is stored before the database is created, so that the key of existing data is
 * never missing.
 */
export const masterKeyOf = (
  store: StoreConfig,
): Effect.Effect<MasterKey, SecretFileIsUnusable | MasterKeyIsMissing | EmbeddedPostgresDidNotStart> =>
  Effect.gen(function* () {
    if (store.kind !== "embedded") return store.masterKey
    if (store.masterKey !== undefined) return store.masterKey
    const file = masterKeyFile(store.dataDirectory)
    const stored = yield* readSecretFile(file)
    if (stored !== undefined) return stored
    if ((yield* findDatabase(store.dataDirectory)) === undefined) return yield* readOrCreateSecretFile(file)
    return yield* new MasterKeyIsMissing({
      message: `${store.dataDirectory} has a database, but ${file} does not exist; set TOCSIN_MASTER_KEY to the master key of the database; if it is lost, see /help/guides/runbooks#the-master-key-is-lost`,
    })
  })
