import { issueOperatorToken } from "@tocsin/adapters-http/server"
import type { OperatorAccess } from "@tocsin/cli/client/OperatorClient"
import { type ConfigIssue, ConfigIsInvalid, type Environment } from "@tocsin/cli/config/Environment"
import * as Effect from "effect/Effect"
import { dataDirectoryOf, decodeMasterKey } from "../config/ServerConfig.ts"
import { masterKeyFile, readSecretFile } from "./SecretFile.ts"

/** The access of the operator by the master key of the environment or data directory. */
export const operatorAccess = (environment: Environment): OperatorAccess => {
  const masterKey = Effect.gen(function* () {
    const given = yield* Effect.fromResult(decodeMasterKey(environment))
    return given ?? (yield* readSecretFile(masterKeyFile(dataDirectoryOf(environment))))
  })
  return {
    hasMasterKey: Effect.map(masterKey, (key) => key !== undefined),
    token: Effect.flatMap(masterKey, (key) =>
      key === undefined ? new ConfigIsInvalid({ issues: [masterKeyIsMissing] }) : issueOperatorToken(key),
    ),
  }
}

/** A new key would not fit. */
const masterKeyIsMissing: ConfigIssue = {
  variable: "TOCSIN_MASTER_KEY",
  message:
    "is required for commands of the operator; set it to the master key of the server, or TOCSIN_DATA_DIR to the server's data directory",
}
