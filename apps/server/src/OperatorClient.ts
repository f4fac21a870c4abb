import { Data, Effect } from "effect"
import { issueOperatorToken } from "@tocsin/adapters-http/access/OperatorTokens"
import { type ApiCall, type ApiRefused, send, type ServerIsUnreachable } from "./ApiClient.ts"
import { type ClientFlags, ConfigIsInvalid, privateServerUrl } from "./ClientConfig.ts"
import { decodeMasterKey, type Environment } from "./ServerConfig.ts"

/**
 * Calls a running server as its operator: whoever has the server's master key.
 *
 * Source: decision 0702.
 */
export const callAsOperator = (
  flags: ClientFlags,
  environment: Environment,
  call: ApiCall,
): Effect.Effect<string, ApiRefused | ServerIsUnreachable | ConfigIsInvalid | MasterKeyIsAnother> =>
  Effect.gen(function* () {
    const masterKey = decodeMasterKey(environment)
    if (!masterKey.ok) return yield* new ConfigIsInvalid({ issues: [masterKey.error] })
    const serverUrl = privateServerUrl(flags, environment)
    if (!serverUrl.ok) return yield* new ConfigIsInvalid({ issues: [serverUrl.error] })
    const token = yield* issueOperatorToken(masterKey.value)
    const url = serverUrl.value
    return yield* send(url, {
      ...call,
      headers: { authorization: `Bearer ${token}`, ...call.headers },
    }).pipe(
      Effect.catchIf(
        (error) => error._tag === "ApiRefused" && error.status === 401,
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
