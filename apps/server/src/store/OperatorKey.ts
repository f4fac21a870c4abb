import { issueOperatorToken } from "@tocsin/adapters-http/server"
import type { OperatorAccess } from "@tocsin/cli/client/OperatorClient"
import { ConfigIsInvalid, type Environment } from "@tocsin/cli/config/Environment"
import * as Effect from "effect/Effect"
import { dataDirectoryOf, decodeMasterKey, masterKeyIsMissing } from "../config/ServerConfig.ts"
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
