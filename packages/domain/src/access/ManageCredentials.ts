import * as Clock from "effect/Clock"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { base64UrlToBytes, bytesToBase64Url } from "../signature/Base64.ts"
import { type Digest, Sha256 } from "../signature/Sha256.ts"
import { bytesToHex } from "../codec/Hex.ts"
import { dayMs } from "../codec/MinuteInstant.ts"
import { type Access, parseOrganization, type Role } from "./Access.ts"
import { clientIdMaxCharacters, type Credential, CredentialStore } from "./CredentialStore.ts"

/** Entropy of a client secret, in bits: the least for one that is given rather than generated. */
export const clientSecretBits = 256

/**
 * Whether a secret has the form of at least `clientSecretBits` random bits: base64 or base64url, with or without padding.
 *
 * Secrets that people choose can be guessed, and are not accepted: a hash of them would have to be slow.
 */
export const isClientSecret = (secret: string): boolean => {
  const bytes = base64UrlToBytes(
    secret
      .replace(/={1,2}$/, "")
      .replaceAll("+", "-")
      .replaceAll("/", "_"),
  )
  return bytes !== undefined && bytes.length >= clientSecretBits / 8
}

/** What a client secret must be, after `must be`, and how to make one. */
export const clientSecretRule = `at least ${clientSecretBits / 8} random bytes in base64; generate them with \`openssl rand -base64 ${clientSecretBits / 8}\``

/**
 * The stored hash of a secret: SHA-256, in base64url, of the client ID, a colon and the secret.
 *
 * The client ID is included so that equal secrets of two clients have different hashes. A slow hash is not needed, as
 * secrets have too many bits to be guessed.
 */
export const hashClientSecret = (sha256: Digest, clientId: string, secret: Redacted.Redacted): string =>
  bytesToBase64Url(sha256(new TextEncoder().encode(`${clientId}:${Redacted.value(secret)}`)))

/** Compares two hashes in constant time. */
export const isSameHash = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}

/**
 * Creates a credential and returns it with its secret, which is never shown again. An omitted client ID or secret is
 * generated.
 *
 * Fails with `OrganizationIsInvalid`, `ClientIdIsInvalid`, `ClientSecretIsInvalid` (not `isClientSecret`) and
 * `ClientIdIsTaken`.
 */
export const createCredential = Effect.fn("createCredential")(function* (wanted: {
  readonly organization: OrganizationId
  readonly role: Role
  readonly clientId?: string
  readonly clientSecret?: Redacted.Redacted
}) {
  const store = yield* CredentialStore
  const { sha256 } = yield* Sha256
  const { randomBytes } = yield* SecureRandom
  const organization = yield* Effect.fromResult(parseOrganization(wanted.organization))
  // Only letters and digits, since a client ID that starts with a dash looks like an option on a command line.
  const clientId = wanted.clientId ?? bytesToHex(yield* randomBytes(generatedClientIdBytes))
  if (!isClientId(clientId)) return yield* new ClientIdIsInvalid()
  const clientSecret =
    wanted.clientSecret ?? Redacted.make(bytesToBase64Url(yield* randomBytes(clientSecretBits / 8)))
  if (!isClientSecret(Redacted.value(clientSecret))) return yield* new ClientSecretIsInvalid()
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

/** Whether a string has 1 to 128 visible ASCII characters and no colon. */
export const isClientId = (text: string): boolean =>
  text.length <= clientIdMaxCharacters && /^[!-9;-~]+$/.test(text)

/** A client ID must be 1 to 128 visible ASCII characters without a colon, which ends it in Basic credentials. */
export class ClientIdIsInvalid extends TaggedError("ClientIdIsInvalid") {}

/** A secret that is given, not generated, does not have the form of 256 random bits. */
export class ClientSecretIsInvalid extends TaggedError("ClientSecretIsInvalid") {}

/** The organization has a credential of this client id already. */
export class ClientIdIsTaken extends TaggedError("ClientIdIsTaken")<{
  /** The requested client ID. */
  readonly clientId: string
}> {}

const generatedClientIdBytes = 15

/** Longest time that the secret before a rotation can go on working, in milliseconds. */
export const previousSecretMaxMs = 7 * dayMs

/** Most credentials of an organization that are created by itself; the operator can create more. */
export const credentialsMax = 1_000

/** Creates a credential for an admin of the organization, as `createCredential`. Fails also with `CredentialQuotaIsExceeded`. */
export const createOwnCredential = Effect.fn("createOwnCredential")(function* (wanted: {
  readonly organization: OrganizationId
  readonly role: Role
  readonly clientId?: string
}) {
  const store = yield* CredentialStore
  const { length } = yield* store.list(wanted.organization)
  if (length >= credentialsMax) return yield* new CredentialQuotaIsExceeded({ limit: credentialsMax })
  return yield* createCredential(wanted)
})

/** The organization has as many credentials as it can create. */
export class CredentialQuotaIsExceeded extends TaggedError("CredentialQuotaIsExceeded")<{
  /** The maximum number of credentials, `credentialsMax`. */
  readonly limit: number
}> {}

/**
 * Gives a credential a new secret, which is never shown again. The one before works for `previousForMs` milliseconds longer, 0 to
 * `previousSecretMaxMs`. Tokens and sessions stay valid. Fails with `CredentialNotFound`.
 */
export const rotateSecret = Effect.fn("rotateSecret")(function* (
  organization: OrganizationId,
  clientId: string,
  previousForMs: number,
) {
  const store = yield* CredentialStore
  const { sha256 } = yield* Sha256
  const { randomBytes } = yield* SecureRandom
  const clientSecret = Redacted.make(bytesToBase64Url(yield* randomBytes(clientSecretBits / 8)))
  const until = previousForMs > 0 ? (yield* Clock.currentTimeMillis) + previousForMs : undefined
  const hash = hashClientSecret(sha256, clientId, clientSecret)
  const replaced = yield* store.replaceSecret(organization, clientId, hash, until)
  if (Option.isNone(replaced)) return yield* new CredentialNotFound({ clientId })
  return { credential: replaced.value, clientSecret }
})

/** Fails with `CredentialIsOwn` if a client would lock itself out. */
export const requireOther = (access: Access, clientId: string): Effect.Effect<void, CredentialIsOwn> =>
  access.clientId === clientId ? Effect.fail(new CredentialIsOwn()) : Effect.void

/** A client cannot disable or delete the credential that it is using. */
export class CredentialIsOwn extends TaggedError("CredentialIsOwn") {}

/** Stops a credential and its tokens from working; it stays listed. Fails with `CredentialNotFound`. */
export const disableCredential = (organization: OrganizationId, clientId: string) =>
  Effect.flatMap(CredentialStore, (store) => orNotFound(clientId, store.disable(organization, clientId)))

/** Deletes a credential, which invalidates its tokens. Fails with `CredentialNotFound`. */
export const deleteCredential = (organization: OrganizationId, clientId: string) =>
  Effect.flatMap(CredentialStore, (store) => orNotFound(clientId, store.delete(organization, clientId)))

/** The organization has no credential with this client ID. */
export class CredentialNotFound extends TaggedError("CredentialNotFound")<{
  /** The requested client ID. */
  readonly clientId: string
}> {}

const orNotFound = <E>(clientId: string, change: Effect.Effect<boolean, E>) =>
  Effect.flatMap(change, (exists) => (exists ? Effect.void : new CredentialNotFound({ clientId })))
