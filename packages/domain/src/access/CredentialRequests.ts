import { described, named } from "../codec/Codec.ts"
import { object, optional } from "../codec/Containers.ts"
import { duration } from "../codec/DurationCodec.ts"
import { literals, string } from "../codec/Leaves.ts"
import { roles } from "./Access.ts"
import { clientIdMaxCharacters } from "./CredentialStore.ts"
import { previousSecretMaxMs } from "./ManageCredentials.ts"

/** The request to create a credential. */
export const newCredential = named(
  object({
    role: described(literals(roles), "viewer reads; editor also changes; admin also manages credentials"),
    clientId: optional(
      described(
        string({
          max: clientIdMaxCharacters,
          format: { pattern: /^[!-9;-~]+$/, message: "must be visible ASCII characters without a colon" },
        }),
        "Default: a random one",
      ),
    ),
  }),
  "CredentialRequest",
)

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
