import { operator, organizationKeys, publicKeys, type SigningKey, type SigningKeys } from "@tocsin/api"
import * as Effect from "effect/Effect"
import { printJson, resourceClient } from "./CommandContext.ts"
import { commands, printed, work } from "./Commands.ts"
import { confirmChange } from "./Confirmation.ts"
import { given as flag, organization, output, text, url } from "./Flags.ts"

const flags = { ...organization, ...output, ...url }

export const keysCommand = commands(
  "manage signing keys and the master key",
  "Show, create, rotate, revoke or delete the key that signs an organization's notifications, rotate the key of the server, or re-encrypt stored secrets with a new master key.",
  {
    show: printed(publicKeys, "currentPublicKey", {
      summary: "print the public key",
      description:
        "Print the public key of the server's current signing key, or of an organization's. Needs no credentials.",
      flags: {
        organization: text("<id>", "organization with its own signing key"),
        ...output,
        ...url,
      },
      text: ({ keyId, algorithm, publicKeyPem }) =>
        `keyId: ${keyId}\nalgorithm: ${algorithm}\n${publicKeyPem.trimEnd()}`,
    }),
    list: printed(organizationKeys, "listSigningKeys", {
      summary: "list signing keys",
      description:
        "List the signing keys of the organization and of the server, and whose key signs for the organization.",
      flags,
      text: keysText,
    }),
    create: printed(organizationKeys, "createSigningKey", {
      summary: "create a signing key of the organization",
      description:
        "Create a signing key for the organization. It starts to sign after 10 minutes; from then on, receivers must accept the organization's keys. Requires the editor role.",
      flags,
      text: changedText,
    }),
    rotate: work(
      {
        summary: "rotate the signing key of the organization, or of the server",
        description:
          "Publish a new signing key. It starts to sign after 10 minutes, when receivers have had time to fetch it. Requires the editor role; with --server, needs the master key.",
        flags: { server: flag("rotate the server's key"), ...flags },
      },
      (given, context) =>
        Effect.gen(function* () {
          if (given.server !== true) {
            const api = yield* resourceClient(organizationKeys, given, context)
            return yield* printJson(given, yield* api.rotateSigningKey({}), changedText)
          }
          const api = yield* resourceClient(operator, given, context)
          yield* printJson(given, yield* api.rotateKeys({}), ({ keyId, activeFromMs }) =>
            publishedText(keyId, new Date(activeFromMs).toISOString()),
          )
        }),
    ),
    revoke: work(
      {
        summary: "revoke a compromised signing key",
        description:
          "Revoke a signing key of the organization, for example one that leaked. Servers stop signing with it and publishing it within 30 seconds, and receivers reject it within 5 minutes and 30 seconds of the revocation. If it was the active key, a new key signs immediately. On a terminal, the command prompts first. Requires the admin role; with --server, needs the master key.",
        arguments: { keyId: "ID of the key, as `tocsin keys list` prints it" },
        flags: {
          server: flag("revoke a key of the server"),
          yes: flag("revoke without a prompt; prompts are skipped when stdin is not a terminal", "y"),
          ...flags,
        },
        examples:
          "  # Revoke a key of the organization\n  $ tocsin keys revoke TNahkvh3-oJP46EBgLF-7ybgTTSYTB-bFIKl_LDFr3o --yes",
      },
      (given, context) =>
        Effect.gen(function* () {
          const { keyId } = given
          yield* confirmChange(
            given.yes,
            `Receivers reject what is signed with the key ${keyId}. This cannot be undone.`,
            "Revoke the key?",
          )
          if (given.server !== true) {
            const api = yield* resourceClient(organizationKeys, given, context)
            return yield* printJson(given, yield* api.revokeSigningKey({ keyId }), (listed) =>
              [`Revoked key ${keyId}.`, keysText(listed)].join("\n"),
            )
          }
          const api = yield* resourceClient(operator, given, context)
          yield* printJson(given, yield* api.revokeKey({ keyId }), ({ keys }) =>
            [
              `Revoked key ${keyId}.`,
              ...keys.map(({ activeFromMs, ...key }) =>
                serverKeyLine({ ...key, activeFrom: new Date(activeFromMs).toISOString() }),
              ),
            ].join("\n"),
          )
        }),
    ),
    delete: printed(organizationKeys, "deleteSigningKey", {
      summary: "return to the server's signing key",
      description:
        "Delete the organization's signing key. The server's key signs again after 10 minutes; from then on, receivers must accept the server's keys. Requires the editor role.",
      flags,
      text: ({ keyId, activeUntil }) =>
        `The server's key signs notifications from ${activeUntil}; key ${keyId} signs until then.`,
    }),
    reseal: printed(operator, "resealSecrets", {
      summary: "re-encrypt stored secrets with the current master key",
      description:
        "Re-encrypt every stored secret: decrypt it with the server's TOCSIN_PREVIOUS_MASTER_KEY, and encrypt it with its TOCSIN_MASTER_KEY. Needs the current master key.",
      flags: { ...output, ...url },
      text: ({ resealed }) =>
        resealed === 0
          ? "All stored secrets are already encrypted with the current master key."
          : `Re-encrypted ${resealed} stored secrets. All secrets are now encrypted with the current master key.`,
    }),
  },
)

function keysText({ signedBy, keys, serverKeys }: SigningKeys): string {
  return [
    `Signed by the ${signedBy}'s key`,
    ...keys.map((key) => `organization  ${keyLine(key)}`),
    ...serverKeys.map(serverKeyLine),
  ].join("\n")
}

type KeySchedule = Omit<SigningKey, "algorithm" | "publicKeyPem">

const serverKeyLine = (key: KeySchedule): string => `server        ${keyLine(key)}`

const keyLine = ({ keyId, state, activeFrom, activeUntil }: KeySchedule): string =>
  `${keyId}  ${state.padEnd("retired".length)}  from ${activeFrom}${activeUntil === undefined ? "" : ` until ${activeUntil}`}`

function changedText({ keyId, state, activeFrom }: SigningKey): string {
  return state === "next"
    ? publishedText(keyId, activeFrom)
    : `The organization has the key ${keyId}, which has signed since ${activeFrom}.`
}

const publishedText = (keyId: string, activeFrom: string): string =>
  `Published key ${keyId}. It signs notifications from ${activeFrom}; the current key signs until then.`
