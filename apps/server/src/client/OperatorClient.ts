import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { issueOperatorToken } from "@tocsin/adapters-http/server"
import { type ApiCall, type ApiRejected, send, type ServerIsUnreachable } from "./ApiClient.ts"
import { type ClientFlags, privateServerUrl } from "./ClientConfig.ts"
import { type ContextIsUnusable, withContext } from "./ContextFile.ts"
import { type SecretFileIsUnusable, masterKeyFile, readSecretFile } from "../store/SecretFile.ts"
import {
  ConfigIsInvalid,
  dataDirectoryOf,
  decodeMasterKey,
  type Environment,
  type MasterKey,
  masterKeyIsMissing,
} from "../config/ServerConfig.ts"

/** Authenticates with a token made from the master key of the environment or data directory. */
export const callAsOperator = (
  flags: ClientFlags,
  environment: Environment,
  call: ApiCall,
): Effect.Effect<
  string,
  | ApiRejected
  | ServerIsUnreachable
  | ConfigIsInvalid
  | ContextIsUnusable
  | SecretFileIsUnusable
  | MasterKeyMismatch
> =>
  Effect.gen(function* () {
    const url = yield* Effect.fromResult(privateServerUrl(flags, yield* withContext(flags, environment)))
    const masterKey = yield* findMasterKey(environment)
    if (masterKey === undefined) return yield* new ConfigIsInvalid({ issues: [masterKeyIsMissing] })
    const token = yield* issueOperatorToken(masterKey)
    return yield* send(url, { ...call, headers: { authorization: `Bearer ${token}`, ...call.headers } }).pipe(
      Effect.catchIf(
        (error) => error._tag === "ApiRejected" && error.status === 401,
        () =>
          new MasterKeyMismatch({
            message: `the server at ${url} rejected the master key; use the TOCSIN_MASTER_KEY or TOCSIN_DATA_DIR of the server, and check that both clocks are correct`,
          }),
      ),
    )
  })

/** The master key of the environment or data directory, if there is one. */
export const findMasterKey = (
  environment: Environment,
): Effect.Effect<MasterKey | undefined, ConfigIsInvalid | SecretFileIsUnusable> =>
  Effect.gen(function* () {
    const given = yield* Effect.fromResult(decodeMasterKey(environment))
    return given ?? (yield* readSecretFile(masterKeyFile(dataDirectoryOf(environment))))
  })

export class MasterKeyMismatch extends Data.TaggedError("MasterKeyMismatch")<{
  readonly message: string
}> {}
