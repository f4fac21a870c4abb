import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import type { Environment } from "@tocsin/cli/config/Environment"
import { decodeServerConfig, decodeStoreConfig, type ServerConfig } from "../config/ServerConfig.ts"
import { connectionOfUrl } from "../store/DatabaseUrl.ts"
import { type CheckResult, failed, ok, skipped } from "./Check.ts"
import { checkDatabase, databaseIsSkipped } from "./DatabaseChecks.ts"
import { checkDataDirectory, checkTlsFiles } from "./FileChecks.ts"
import { checkEgress, checkPorts } from "./NetworkChecks.ts"

/**
 * Checks everything that `tocsin serve` needs in an environment. Changes nothing. A check that needs what another found
 * missing is skipped; all others run.
 *
 * `connectTo` is the URL or host of a receiver, to which it connects; without it, nothing but the database is connected to.
 */
export const diagnose = (
  environment: Environment,
  connectTo?: string,
): Effect.Effect<ReadonlyArray<CheckResult>> =>
  Effect.gen(function* () {
    const config = decodeServerConfig(environment)
    const store = Result.map(config, ({ store, previousMasterKey, migrates }) => ({
      store,
      previousMasterKey,
      migrates,
    })).pipe(
      // What is wrong elsewhere does not keep the store from being checked.
      Result.orElse(() =>
        Result.map(decodeStoreConfig(environment), (each) => ({ ...each, migrates: true })),
      ),
    )
    return [
      ...(Result.isSuccess(config)
        ? [ok("configuration", "all variables are valid")]
        : config.failure.issues.map(({ variable, message }) =>
            failed("configuration", `${variable} ${message}`),
          )),
      ...(Result.isSuccess(store)
        ? yield* checkStore(store.success)
        : databaseIsSkipped(notConfigured, [skipped("database", notConfigured)])),
      ...(Result.isSuccess(config)
        ? yield* checkNetwork(config.success, connectTo)
        : ["port", ...(connectTo === undefined ? [] : ["egress"])].map((check) =>
            skipped(check, notConfigured),
          )),
    ]
  })

const notConfigured = "the configuration is invalid"

type Store = Pick<ServerConfig, "store" | "previousMasterKey" | "migrates">

const checkStore = ({ store, previousMasterKey, migrates }: Store) =>
  Effect.gen(function* () {
    if (store.kind === "memory") return [ok("database", "none; data is lost when the server stops")]
    if (store.kind === "embedded") return yield* checkDataDirectory(store)
    const files = new URL(Redacted.value(store.url)).searchParams
    const file = (parameter: string) => {
      const name = files.get(parameter)
      return name === null ? undefined : ([parameter, name] as const)
    }
    const ca = file("sslrootcert")
    const ofFiles = checkTlsFiles(
      { ca: ca === undefined ? [] : [ca], certificate: file("sslcert"), key: file("sslkey") },
      yield* Clock.currentTimeMillis,
    )
    const masterKeys = {
      current: store.masterKey,
      previous: previousMasterKey === undefined ? [] : [previousMasterKey],
    }
    const ofDatabase = yield* Effect.matchEffect(connectionOfUrl(store.url), {
      onFailure: ({ message }) =>
        Effect.succeed(databaseIsSkipped("a file is missing", [failed("database", message)])),
      onSuccess: (connection) => checkDatabase(connection, masterKeys, migrates),
    })
    return [ok("master key", "TOCSIN_MASTER_KEY is set"), ...ofFiles, ...ofDatabase]
  })

const checkNetwork = (config: ServerConfig, connectTo: string | undefined) =>
  Effect.gen(function* () {
    const { egressCaFile, egressAllowCidrs, tls } = config
    const ofFiles = checkTlsFiles(
      {
        ca: egressCaFile === undefined ? [] : [["TOCSIN_EGRESS_CA_FILE", egressCaFile]],
        certificate: tls && ["TOCSIN_TLS_CERT_FILE", tls.certFile],
        key: tls && ["TOCSIN_TLS_KEY_FILE", tls.keyFile],
      },
      yield* Clock.currentTimeMillis,
    )
    const ofPorts = yield* checkPorts(config)
    if (connectTo === undefined) return [...ofFiles, ...ofPorts]
    const unreadable = ofFiles.some(
      ({ check, status }) => check === "TOCSIN_EGRESS_CA_FILE" && status === "failed",
    )
    const caPem = egressCaFile === undefined || unreadable ? undefined : readFileSync(egressCaFile, "utf8")
    return [
      ...ofFiles,
      ...ofPorts,
      ...(yield* checkEgress(connectTo, { allowCidrs: egressAllowCidrs, caPem })),
    ]
  })
