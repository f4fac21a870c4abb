import * as Result from "effect/Result"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { issueOperatorToken } from "@tocsin/adapters-http/crypto/OperatorTokens"
import { type ApiCall, type ApiRejected, send, type ServerIsUnreachable } from "./ApiClient.ts"
import { type ClientFlags, ConfigIsInvalid, privateServerUrl } from "./ClientConfig.ts"
import { type KeptSecretIsUnusable, masterKeyFile, readKeptSecret } from "../store/KeptSecret.ts"
import {
  dataDirectoryOf,
  decodeMasterKey,
  type Environment,
  masterKeyIsMissing,
} from "../config/ServerConfig.ts"

/**
 * Calls a running server as its operator: whoever has the server's master key. Where it is not given, it is the one
 * that the data directory keeps.
 *
 * Source: decisions 0702 and 0008.
 */
export const callAsOperator = (
  flags: ClientFlags,
  environment: Environment,
  call: ApiCall,
): Effect.Effect<
  string,
  ApiRejected | ServerIsUnreachable | ConfigIsInvalid | KeptSecretIsUnusable | MasterKeyIsAnother
> =>
  Effect.gen(function* () {
    const given = decodeMasterKey(environment)
    if (Result.isFailure(given)) return yield* new ConfigIsInvalid({ issues: [given.failure] })
    const serverUrl = privateServerUrl(flags, environment)
    if (Result.isFailure(serverUrl)) return yield* new ConfigIsInvalid({ issues: [serverUrl.failure] })
    const masterKey = given.success ?? (yield* readKeptSecret(masterKeyFile(dataDirectoryOf(environment))))
    if (masterKey === undefined) return yield* new ConfigIsInvalid({ issues: [masterKeyIsMissing] })
    const token = yield* issueOperatorToken(masterKey)
    const url = serverUrl.success
    return yield* send(url, {
      ...call,
      headers: { authorization: `Bearer ${token}`, ...call.headers },
    }).pipe(
      Effect.catchIf(
        (error) => error._tag === "ApiRejected" && error.status === 401,
        () => new MasterKeyIsAnother({ url }),
      ),
    )
  })

/** The server does not take a token made from this master key: it was started with another one. */
export class MasterKeyIsAnother extends Data.TaggedError("MasterKeyIsAnother")<{
  readonly url: string
}> {
  override get message(): string {
    return `the server at ${this.url} does not take a token made from this TOCSIN_MASTER_KEY; is it the key that the server was started with, and do the clocks agree?`
  }
}
