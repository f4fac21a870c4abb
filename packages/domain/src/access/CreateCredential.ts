import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { Limits } from "../Limits.ts"
import { Sha256 } from "../signature/Sha256.ts"
import { generateClientSecret, hashClientSecret } from "./ClientSecret.ts"
import type { Credential } from "./Credential.ts"
import { CredentialStore } from "./CredentialStore.ts"
import { parseOrganization } from "./OrganizationHeader.ts"
import type { Role } from "./Role.ts"

/** What a new credential is to be; a client id or a secret that is left out is generated. */
export interface NewCredential {
  readonly organization: OrganizationId
  readonly role: Role
  readonly clientId?: string
  readonly clientSecret?: Redacted.Redacted
}

/**
 * Creates a credential and tells its secret, which is never told again.
 *
 * Fails with `OrganizationIsInvalid`, with `ClientIdIsInvalid` when the client id is not 1 to 128 visible ASCII
 * characters without a colon, with `ClientSecretIsTooShort` under 16 characters, and with `ClientIdIsTaken`.
 *
 * Source: decision 0701.
 */
export const createCredential = Effect.fn("createCredential")(function* (wanted: NewCredential) {
  const store = yield* CredentialStore
  const { sha256 } = yield* Sha256
  const { randomBytes } = yield* SecureRandom
  const organization = yield* Effect.fromResult(parseOrganization(wanted.organization))
  const clientId = wanted.clientId ?? bytesToHex(yield* randomBytes(generatedClientIdBytes))
  if (!isClientId(clientId)) return yield* new ClientIdIsInvalid()
  const clientSecret = wanted.clientSecret ?? (yield* generateClientSecret)
  if (Redacted.value(clientSecret).length < Limits.clientSecretMinCharacters) {
    return yield* new ClientSecretIsTooShort()
  }
  const credential: Credential = {
    organization,
    clientId,
    role: wanted.role,
    secretHash: hashClientSecret(sha256, clientId, clientSecret),
    isDisabled: false,
    createdAt: yield* Clock.currentTimeMillis,
  }
  if (!(yield* store.create(credential))) return yield* new ClientIdIsTaken({ clientId })
  return { credential, clientSecret }
})

/** Whether a text can be a client id. Source: decision 0701. */
export const isClientId = (text: string): boolean =>
  text.length <= Limits.clientIdMaxCharacters && /^[!-9;-~]+$/.test(text)

/** A client id is 1 to 128 visible ASCII characters without a colon, as Basic credentials split at the first one. */
export class ClientIdIsInvalid extends Data.TaggedError("ClientIdIsInvalid") {}

/** A secret that is given, not generated, has fewer than 16 characters. */
export class ClientSecretIsTooShort extends Data.TaggedError("ClientSecretIsTooShort") {}

/** The organization has a credential of this client id already. */
export class ClientIdIsTaken extends Data.TaggedError("ClientIdIsTaken")<{ readonly clientId: string }> {}

const generatedClientIdBytes = 15

/** Letters and digits alone: a client id that begins with a dash is an option to a command line. */
const bytesToHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
