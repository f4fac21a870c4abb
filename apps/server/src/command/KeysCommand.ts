import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { PublicKey } from "@tocsin/adapters-http/internal/signing-keys/PublicKeyApi"
import { publicKeyPath } from "@tocsin/domain/internal/signature/SigningKeys"
import { send } from "../client/ApiClient.ts"
import { type ClientFlags, serverUrl } from "../client/ClientConfig.ts"
import { callAsOperator } from "../client/OperatorClient.ts"
import { ApiCommand, type CommandContext, printResponse } from "./CommandContext.ts"

export const keysCommand = (context: CommandContext): ApiCommand =>
  new ApiCommand("keys")
    .summary("manage the signing key and the master key")
    .description(
      "Show or rotate the key that signs notifications, or re-encrypt stored secrets with a new master key.",
    )
    .addCommand(
      new ApiCommand("show")
        .summary("print the public key")
        .description("Print the public key of the current signing key.")
        .jsonFlag()
        .urlFlag()
        .action((flags: ClientFlags) => context.run(show(flags, context))),
    )
    .addCommand(
      new ApiCommand("rotate")
        .summary("rotate the signing key")
        .description(
          "Publish a new signing key. It starts to sign later, when receivers have had time to fetch it. Needs the master key.",
        )
        .jsonFlag()
        .urlFlag()
        .action((flags: ClientFlags) => context.run(rotate(flags, context))),
    )
    .addCommand(
      new ApiCommand("reseal")
        .summary("re-encrypt stored secrets with the current master key")
        .description(
          "Re-encrypt every stored secret: decrypt it with the server's TOCSIN_PREVIOUS_MASTER_KEY, and encrypt it with its TOCSIN_MASTER_KEY. Needs the current master key.",
        )
        .jsonFlag()
        .urlFlag()
        .action((flags: ClientFlags) => context.run(reseal(flags, context))),
    )

/** The time is within the range of `Date`. */
const Rotated = Schema.Struct({
  keyId: Schema.String,
  activeFromMs: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 })),
})

const Resealed = Schema.Struct({ resealed: Schema.Finite })

const show = (flags: ClientFlags, { environment }: CommandContext) =>
  Effect.flatMap(send(serverUrl(flags, environment), { method: "GET", path: publicKeyPath }), (response) =>
    printResponse(
      flags,
      response,
      PublicKey,
      ({ keyId, algorithm, publicKeyPem }) =>
        `keyId: ${keyId}\nalgorithm: ${algorithm}\n${publicKeyPem.trimEnd()}`,
    ),
  )

const change = (verb: "rotate" | "reseal", flags: ClientFlags, { environment }: CommandContext) =>
  callAsOperator(flags, environment, { method: "POST", path: `/api/operator/keys/${verb}` })

const rotate = (flags: ClientFlags, context: CommandContext) =>
  Effect.flatMap(change("rotate", flags, context), (response) =>
    printResponse(flags, response, Rotated, ({ keyId, activeFromMs }) => {
      const from = new Date(activeFromMs).toISOString()
      return `Published key ${keyId}. It signs notifications from ${from}; the current key signs until then.`
    }),
  )

const reseal = (flags: ClientFlags, context: CommandContext) =>
  Effect.flatMap(change("reseal", flags, context), (response) =>
    printResponse(flags, response, Resealed, ({ resealed }) =>
      resealed === 0
        ? "All stored secrets are already encrypted with the current master key."
        : `Re-encrypted ${resealed} stored secrets. All secrets are now encrypted with the current master key.`,
    ),
  )
