import { Command } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { publicKeyPath } from "@tocsin/domain/signature/PublishedKey"
import { readAnswer, send } from "../client/ApiClient.ts"
import { type ClientFlags, serverUrl } from "../client/ClientConfig.ts"
import { callAsOperator } from "../client/OperatorClient.ts"
import { type CommandContext, jsonFlag, urlFlag } from "./CommandContext.ts"

/**
 * `tocsin keys`: the key that notifications are signed with, and the one that secrets are sealed under.
 *
 * Source: contract section 4.5; decisions 0401 and 0009.
 */
export const keysCommand = (context: CommandContext): Command =>
  new Command("keys")
    .summary("show or rotate the signing key, or move secrets to a new master key")
    .description(
      "Show or rotate the key that notifications are signed with, or move secrets to a new master key.",
    )
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
    .addCommand(
      new Command("reseal")
        .summary("move stored secrets to a new master key")
        .description(
          "Move every stored secret to the server's TOCSIN_MASTER_KEY from its TOCSIN_PREVIOUS_MASTER_KEY. Needs TOCSIN_MASTER_KEY here too.",
        )
        .addOption(jsonFlag())
        .addOption(urlFlag())
        .action((flags: KeysFlags) => context.run(reseal(flags, context))),
    )

interface KeysFlags extends ClientFlags {
  readonly json?: boolean
}

const PublicKey = Schema.Struct({
  keyId: Schema.String,
  algorithm: Schema.String,
  publicKeyPem: Schema.String,
})

/** The time is one that a date can tell. */
const Rotated = Schema.Struct({
  keyId: Schema.String,
  activeFromMs: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 })),
})

const Resealed = Schema.Struct({ resealed: Schema.Finite })

const show = (flags: KeysFlags, { environment }: CommandContext) =>
  Effect.gen(function* () {
    const answer = yield* send(serverUrl(flags, environment), { method: "GET", path: publicKeyPath })
    if (flags.json === true) return yield* Console.log(answer)
    const { keyId, algorithm, publicKeyPem } = yield* readAnswer(PublicKey, answer)
    yield* Console.log(`keyId: ${keyId}\nalgorithm: ${algorithm}\n${publicKeyPem.trimEnd()}`)
  })

const rotate = (flags: KeysFlags, { environment }: CommandContext) =>
  Effect.gen(function* () {
    const answer = yield* callAsOperator(flags, environment, {
      method: "POST",
      path: "/api/operator/keys/rotate",
    })
    if (flags.json === true) return yield* Console.log(answer)
    const { keyId, activeFromMs } = yield* readAnswer(Rotated, answer)
    const from = new Date(activeFromMs).toISOString()
    yield* Console.log(
      `Key ${keyId} is published and signs from ${from} on; until then the current key does.`,
    )
  })

const reseal = (flags: KeysFlags, { environment }: CommandContext) =>
  Effect.gen(function* () {
    const answer = yield* callAsOperator(flags, environment, {
      method: "POST",
      path: "/api/operator/keys/reseal",
    })
    if (flags.json === true) return yield* Console.log(answer)
    const { resealed } = yield* readAnswer(Resealed, answer)
    yield* Console.log(
      resealed === 0
        ? "Every stored secret is under the current master key already."
        : `Moved ${resealed} stored secrets to the current master key; none is under another one any more.`,
    )
  })
