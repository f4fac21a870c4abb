import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { organizationKeys, publicKey, type SigningKey } from "@tocsin/api"
import { publicKeyPath } from "@tocsin/domain/limits"
import { send } from "../client/ApiClient.ts"
import { type ClientFlags, serverUrl } from "../client/ClientConfig.ts"
import { withContext } from "../client/ContextFile.ts"
import { callAsOperator } from "../client/OperatorClient.ts"
import {
  ApiCommand,
  type CommandContext,
  printJson,
  printResponse,
  resourceClient,
} from "./CommandContext.ts"

interface RotateFlags extends ClientFlags {
  readonly server?: true
}

export const keysCommand = (context: CommandContext): ApiCommand =>
  new ApiCommand("keys")
    .summary("manage signing keys and the master key")
    .description(
      "Show, create, rotate or delete the key that signs an organization's notifications, rotate the key of the server, or re-encrypt stored secrets with a new master key.",
    )
    .addCommand(
      new ApiCommand("show")
        .summary("print the public key")
        .description(
          "Print the public key of the server's current signing key, or of an organization's. Needs no credentials.",
        )
        .option("--organization <id>", "organization with a signing key of its own")
        .outputFlag()
        .urlFlag()
        .action((flags: ClientFlags) => context.run(show(flags, context))),
    )
    .addCommand(
      new ApiCommand("list")
        .summary("list signing keys")
        .description(
          "List the signing keys of the organization and of the server, and whose key signs for the organization.",
        )
        .organizationFlag()
        .outputFlag()
        .urlFlag()
        .action((flags: ClientFlags) => context.run(list(flags, context))),
    )
    .addCommand(
      new ApiCommand("create")
        .summary("create a signing key of the organization")
        .description(
          "Give the organization a signing key of its own. It starts to sign after 10 minutes; from then on, receivers must accept the organization's keys. Requires the role editor.",
        )
        .organizationFlag()
        .outputFlag()
        .urlFlag()
        .action((flags: ClientFlags) => context.run(change("createSigningKey", flags, context))),
    )
    .addCommand(
      new ApiCommand("rotate")
        .summary("rotate the signing key of the organization, or of the server")
        .description(
          "Publish a new signing key. It starts to sign after 10 minutes, when receivers have had time to fetch it. Requires the role editor; with --server, needs the master key.",
        )
        .option("--server", "rotate the server's key")
        .organizationFlag()
        .outputFlag()
        .urlFlag()
        .action((flags: RotateFlags) =>
          context.run(
            flags.server === true
              ? rotateServerKey(flags, context)
              : change("rotateSigningKey", flags, context),
          ),
        ),
    )
    .addCommand(
      new ApiCommand("delete")
        .summary("return to the server's signing key")
        .description(
          "Delete the organization's signing key. The server's key signs again after 10 minutes; from then on, receivers must accept the server's keys. Requires the role editor.",
        )
        .organizationFlag()
        .outputFlag()
        .urlFlag()
        .action((flags: ClientFlags) => context.run(remove(flags, context))),
    )
    .addCommand(
      new ApiCommand("reseal")
        .summary("re-encrypt stored secrets with the current master key")
        .description(
          "Re-encrypt every stored secret: decrypt it with the server's TOCSIN_PREVIOUS_MASTER_KEY, and encrypt it with its TOCSIN_MASTER_KEY. Needs the current master key.",
        )
        .outputFlag()
        .urlFlag()
        .action((flags: ClientFlags) => context.run(reseal(flags, context))),
    )

const show = (flags: ClientFlags, { environment }: CommandContext) =>
  Effect.gen(function* () {
    const query =
      flags.organization === undefined ? "" : `?organization=${encodeURIComponent(flags.organization)}`
    const url = serverUrl(flags, yield* withContext(flags, environment))
    const response = yield* send(url, { method: "GET", path: publicKeyPath + query })
    yield* printResponse(
      flags,
      response,
      publicKey,
      ({ keyId, algorithm, publicKeyPem }) =>
        `keyId: ${keyId}\nalgorithm: ${algorithm}\n${publicKeyPem.trimEnd()}`,
    )
  })

const list = (flags: ClientFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const api = yield* resourceClient(organizationKeys, flags, context)
    yield* printJson(flags, yield* api.listSigningKeys({}), ({ signedBy, keys, serverKeys }) =>
      [
        `Signed by the ${signedBy}'s key`,
        ...keys.map((key) => `organization  ${keyLine(key)}`),
        ...serverKeys.map((key) => `server        ${keyLine(key)}`),
      ].join("\n"),
    )
  })

const keyLine = ({ keyId, state, activeFrom, activeUntil }: SigningKey): string =>
  `${keyId}  ${state.padEnd("retired".length)}  from ${activeFrom}${activeUntil === undefined ? "" : ` until ${activeUntil}`}`

const change = (
  operation: "createSigningKey" | "rotateSigningKey",
  flags: ClientFlags,
  context: CommandContext,
) =>
  Effect.gen(function* () {
    const api = yield* resourceClient(organizationKeys, flags, context)
    yield* printJson(flags, yield* api[operation]({}), ({ keyId, state, activeFrom }) =>
      state === "next"
        ? publishedText(keyId, activeFrom)
        : `The organization has the key ${keyId}, which has signed since ${activeFrom}.`,
    )
  })

const remove = (flags: ClientFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const api = yield* resourceClient(organizationKeys, flags, context)
    yield* printJson(
      flags,
      yield* api.deleteSigningKey({}),
      ({ keyId, activeUntil }) =>
        `The server's key signs notifications from ${activeUntil}; key ${keyId} signs until then.`,
    )
  })

const publishedText = (keyId: string, activeFrom: string): string =>
  `Published key ${keyId}. It signs notifications from ${activeFrom}; the current key signs until then.`

/** The time is within the range of `Date`. */
const Rotated = Schema.Struct({
  keyId: Schema.String,
  activeFromMs: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 })),
})

const Resealed = Schema.Struct({ resealed: Schema.Finite })

const callKeys = (verb: "rotate" | "reseal", flags: ClientFlags, context: CommandContext) =>
  callAsOperator(flags, context, { method: "POST", path: `/api/operator/keys/${verb}` })

const rotateServerKey = (flags: ClientFlags, context: CommandContext) =>
  Effect.flatMap(callKeys("rotate", flags, context), (response) =>
    printResponse(flags, response, Rotated, ({ keyId, activeFromMs }) =>
      publishedText(keyId, new Date(activeFromMs).toISOString()),
    ),
  )

const reseal = (flags: ClientFlags, context: CommandContext) =>
  Effect.flatMap(callKeys("reseal", flags, context), (response) =>
    printResponse(flags, response, Resealed, ({ resealed }) =>
      resealed === 0
        ? "All stored secrets are already encrypted with the current master key."
        : `Re-encrypted ${resealed} stored secrets. All secrets are now encrypted with the current master key.`,
    ),
  )
