import * as Result from "effect/Result"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { issueOperatorToken } from "@tocsin/adapters-http/crypto/OperatorTokens"
import { type ApiCall, type ApiRejected, send, type ServerIsUnreachable } from "./ApiClient.ts"
import { type ClientFlags, ConfigIsInvalid, privateServerUrl } from "./ClientConfig.ts"
import { type SecretFileIsUnusable, masterKeyFile, readSecretFile } from "../store/SecretFile.ts"
import {
  dataDirectoryOf,
  decodeMasterKey,
  type Environment,
  masterKeyIsMissing,
} from "../config/ServerConfig.ts"

/** Calls a running server as its operator, with a token made from the master key of the environment or data directory. */
export const callAsOperator = (
  flags: ClientFlags,
  environment: Environment,
  call: ApiCall,
): Effect.Effect<
  string,
  ApiRejected | ServerIsUnreachable | ConfigIsInvalid | SecretFileIsUnusable | MasterKeyIsAnother
> =>
  Effect.gen(function* () {
    const given = decodeMasterKey(environment)
    if (Result.isFailure(given)) return yield* new ConfigIsInvalid({ issues: [given.failure] })
    const serverUrl = privateServerUrl(flags, environment)
    if (Result.isFailure(serverUrl)) return yield* new ConfigIsInvalid({ issues: [serverUrl.failure] })
    const masterKey = given.success ?? (yield* readSecretFile(masterKeyFile(dataDirectoryOf(environment))))
    if (masterKey === undefined) return yield* new ConfigIsInvalid({ issues: [masterKeyIsMissing] })
    const token = yield* issueOperatorToken(masterKey)
    const url = serverUrl.success
    return yield* send(url, {
      ...call,
      headers: { authorization: `Bearer ${token}`, ...call.headers },
    }).pipe(
      Effect.catchIf(
        (error) => error._tag === "ApiRejected" && error.status === 401,
        () =>
          new MasterKeyIsAnother({
            message: `the server at ${url} rejected the master key; use the TOCSIN_MASTER_KEY or TOCSIN_DATA_DIR of the server, and check that both clocks are correct`,
          }),
      ),
    )
  })

/** The server uses another master key. */
export class MasterKeyIsAnother extends Data.TaggedError("MasterKeyIsAnother")<{
  readonly message: string
}> {}
