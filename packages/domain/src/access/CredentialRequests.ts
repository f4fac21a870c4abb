import * as Redacted from "effect/Redacted"
import { described, mapped, named } from "../codec/Codec.ts"
import { exactOptional, object, optional } from "../codec/Containers.ts"
import { duration } from "../codec/DurationCodec.ts"
import { literals, string } from "../codec/Leaves.ts"
import { roles } from "./Access.ts"
import { clientIdMaxCharacters } from "./CredentialStore.ts"
import { clientSecretRule, isClientSecret, previousSecretMaxMs } from "./ManageCredentials.ts"
import { signInBodyMaxBytes } from "./Session.ts"

const role = described(literals(roles), "viewer reads; editor also changes; admin also manages credentials")

const clientId = described(
  string({
    max: clientIdMaxCharacters,
    format: { pattern: /^[!-9;-~]+$/, message: "must be visible ASCII characters without a colon" },
  }),
  "Default: a random one",
)

/** The request to create a credential. */
export const newCredential = named(object({ role, clientId: optional(clientId) }), "CredentialRequest")

const clientSecret = mapped(string({ max: signInBodyMaxBytes }), {
  decode: (secret, path, issues) =>
    isClientSecret(secret)
      ? Redacted.make(secret)
      : issues.add(path, "invalid_format", `must be ${clientSecretRule}`),
  encode: Redacted.value,
})

/** The request of the operator to create a credential of any organization, whose secret can be given. */
export const newOperatorCredential = object({
  role,
  clientId: exactOptional(clientId),
  clientSecret: exactOptional(described(clientSecret, "Default: a random one")),
})

/** The request to rotate the secret of a credential. */
export const rotation = named(
  object({
    previousFor: optional(
      described(
        duration(
          (ms) => ms >= 0 && ms <= previousSecretMaxMs,
          `must be from 0s to ${previousSecretMaxMs / 3_600_000}h`,
        ),
        "How long the previous secret stays valid. Default: 0s",
      ),
    ),
  }),
  "CredentialRotation",
)
