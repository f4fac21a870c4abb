import { Command } from "commander"
import { Console, Effect } from "effect"
import { publicKeyPath } from "@tocsin/domain/signature/PublishedKey"
import { send } from "../ApiClient.ts"
import { type ClientFlags, serverUrl } from "../ClientConfig.ts"
import { callAsOperator } from "../OperatorClient.ts"
import { type CommandContext, jsonFlag, urlFlag } from "./CommandContext.ts"

/** `tocsin keys`: the key that notifications are signed with. Source: contract section 4.5; decision 0401. */
export const keysCommand = (context: CommandContext): Command =>
  new Command("keys")
    .summary("show or rotate the key that notifications are signed with")
    .description("Show or rotate the key that notifications are signed with.")
    .addCommand(
      new Command("show")
        .summary("print the public key that signs now")
        .description("Print the public key that notifications are signed with now.")
        .addOption(jsonFlag())
        .addOption(urlFlag())
        .action((flags: KeysFlags) => context.run(show(flags, context))),
    )
    .addCommand(
      new Command("rotate")
        .summary("publish a new key, which signs later")
        .description(
          "Publish a new key, which signs once every receiver can have seen it. Needs TOCSIN_MASTER_KEY.",
        )
        .addOption(jsonFlag())
        .addOption(urlFlag())
        .action((flags: KeysFlags) => context.run(rotate(flags, context))),
    )

interface KeysFlags extends ClientFlags {
  readonly json?: boolean
}

interface PublicKey {
  readonly keyId: string
  readonly algorithm: string
  readonly publicKeyPem: string
}

const show = (flags: KeysFlags, { environment }: CommandContext) =>
  Effect.gen(function* () {
    const answer = yield* send(serverUrl(flags, environment), { method: "GET", path: publicKeyPath })
    if (flags.json === true) return yield* Console.log(answer)
    const { keyId, algorithm, publicKeyPem } = JSON.parse(answer) as PublicKey
    yield* Console.log(`keyId: ${keyId}\nalgorithm: ${algorithm}\n${publicKeyPem.trimEnd()}`)
  })

const rotate = (flags: KeysFlags, { environment }: CommandContext) =>
  Effect.gen(function* () {
    const answer = yield* callAsOperator(flags, environment, {
      method: "POST",
      path: "/api/operator/keys/rotate",
    })
    if (flags.json === true) return yield* Console.log(answer)
    const { keyId, activeFromMs } = JSON.parse(answer) as PublicKey & { readonly activeFromMs: number }
    const from = new Date(activeFromMs).toISOString()
    yield* Console.log(
      `Key ${keyId} is published and signs from ${from} on; until then the current key does.`,
    )
  })
