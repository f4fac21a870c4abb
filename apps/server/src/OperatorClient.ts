import { Effect } from "effect"
import { issueOperatorToken } from "@tocsin/adapters-http/access/OperatorTokens"
import { type ApiCall, type ApiRefused, send, type ServerIsUnreachable } from "./ApiClient.ts"
import { type ClientFlags, ConfigIsInvalid, serverUrl } from "./ClientConfig.ts"
import { type KeptSecretIsUnusable, masterKeyFile, readKeptSecret } from "./KeptSecret.ts"
import { dataDirectoryOf, decodeMasterKey, type Environment, masterKeyIsMissing } from "./ServerConfig.ts"

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
): Effect.Effect<string, ApiRefused | ServerIsUnreachable | ConfigIsInvalid | KeptSecretIsUnusable> =>
  Effect.gen(function* () {
    const given = decodeMasterKey(environment)
    if (!given.ok) return yield* new ConfigIsInvalid({ issues: [given.error] })
    const masterKey = given.value ?? (yield* readKeptSecret(masterKeyFile(dataDirectoryOf(environment))))
    if (masterKey === undefined) return yield* new ConfigIsInvalid({ issues: [masterKeyIsMissing] })
    const token = yield* issueOperatorToken(masterKey)
    return yield* send(serverUrl(flags, environment), {
      ...call,
      headers: { authorization: `Bearer ${token}`, ...call.headers },
    })
  })
