import { Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { publicKeyPath } from "@tocsin/domain/signature/PublishedKey"
import { send } from "../ApiClient.ts"
import { serverUrl } from "../ClientConfig.ts"
import { callAsOperator } from "../OperatorClient.ts"
import type { Environment } from "../ServerConfig.ts"
import { jsonOption, urlOption } from "./ClientOptions.ts"

/** `tocsin keys`: the key that notifications are signed with. Source: contract section 4.5; decision 0401. */
export const keysCommand = (environment: Environment) => {
  const show = Command.make("show", { url: urlOption, json: jsonOption }, ({ url, json }) =>
    Effect.gen(function* () {
      const answer = yield* send(serverUrl(url, environment), { method: "GET", path: publicKeyPath })
      if (json) return yield* Console.log(answer)
      const { keyId, algorithm, publicKeyPem } = JSON.parse(answer) as PublicKey
      yield* Console.log(`keyId: ${keyId}\nalgorithm: ${algorithm}\n${publicKeyPem.trimEnd()}`)
    }),
  ).pipe(Command.withDescription("Print the public key that notifications are signed with now."))

  const rotate = Command.make("rotate", { url: urlOption, json: jsonOption }, ({ url, json }) =>
    Effect.gen(function* () {
      const answer = yield* callAsOperator(url, environment, {
        method: "POST",
        path: "/api/operator/keys/rotate",
      })
      if (json) return yield* Console.log(answer)
      const { keyId, activeFromMs } = JSON.parse(answer) as PublicKey & { readonly activeFromMs: number }
      yield* Console.log(
        `Key ${keyId} is published and signs from ${new Date(activeFromMs).toISOString()} on; until then the current key does.`,
      )
    }),
  ).pipe(Command.withDescription("Publish a new key, which signs once every receiver can have seen it."))

  return Command.make("keys").pipe(
    Command.withDescription("Show or rotate the key that notifications are signed with."),
    Command.withSubcommands([show, rotate]),
  )
}

interface PublicKey {
  readonly keyId: string
  readonly algorithm: string
  readonly publicKeyPem: string
}
