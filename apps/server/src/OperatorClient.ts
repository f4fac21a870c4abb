import { Effect } from "effect"
import { issueOperatorToken } from "@tocsin/adapters-http/access/OperatorTokens"
import { type ApiCall, type ApiRefused, send, type ServerIsUnreachable } from "./ApiClient.ts"
import { type ClientFlags, ConfigIsInvalid, serverUrl } from "./ClientConfig.ts"
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
): Effect.Effect<string, ApiRefused | ServerIsUnreachable | ConfigIsInvalid> =>
  Effect.gen(function* () {
    const masterKey = decodeMasterKey(environment)
    if (!masterKey.ok) return yield* new ConfigIsInvalid({ issues: [masterKey.error] })
    const token = yield* issueOperatorToken(masterKey.value)
    return yield* send(serverUrl(flags, environment), {
      ...call,
      headers: { authorization: `Bearer ${token}`, ...call.headers },
    })
  })
