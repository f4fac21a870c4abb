import * as Clock from "effect/Clock"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { type Ed25519Jwk, publicKeyToJwk } from "./Ed25519PublicKey.ts"
import { OrganizationKeyNotFound } from "./OrganizationKeys.ts"
import { SigningKeyCache } from "./SigningKeyCache.ts"
import { cachedSigningKeys } from "./SigningKeys.ts"
import { type ListedKey, listedSigningKeys, publishKey } from "./SigningKeySchedule.ts"
import { type KeyOwner, type PublicKey, theServer } from "./SigningKeyStore.ts"

/** The path of the listed keys as a JSON Web Key Set, below the public base URL. */
export const jwksPath = "/.well-known/jwks.json"

/** The path of the directory of the server's keys, below the public base URL. */
export const keyDirectoryPath = "/.well-known/http-message-signatures-directory"

const listedKeysOf = Effect.fnUntraced(function* (owner: KeyOwner) {
  const keys = yield* cachedSigningKeys(owner)
  return listedSigningKeys(owner, keys, yield* Clock.currentTimeMillis)
})

/** The keys of the server that sign, will sign, or signed recently, oldest first. */
export const listedServerKeys = listedKeysOf(theServer)

/**
 * The keys of an organization, or else of the server, that sign, will sign, or signed recently, oldest first.
 *
 * Fails with `OrganizationKeyNotFound` if the organization has none: the server's keys are never listed in its name.
 */
const listedKeys = Effect.fnUntraced(function* (organization: OrganizationId | undefined) {
  if (organization === undefined) return yield* listedServerKeys
  const listed = yield* listedKeysOf(organization)
  return listed.length > 0 ? listed : yield* new OrganizationKeyNotFound({ organization })
})

/** `listedKeys` in their public form, without the times. */
export const publicKeys = (organization: OrganizationId | undefined) =>
  Effect.map(listedKeys(organization), (keys) =>
    keys.map(({ key, state }) => ({ ...publishKey(key), state })),
  )

/** A listed key as a JSON Web Key, with its ID. */
export interface SigningJwk extends Ed25519Jwk {
  readonly kid: string
  readonly use: "sig"
}

/** A public key as a JSON Web Key (RFC 8037, section 2), with its ID as `kid`. */
export const signingJwk = ({ keyId, publicKey }: PublicKey): SigningJwk => ({
  ...publicKeyToJwk(publicKey),
  kid: keyId,
  use: "sig",
})

/** `listedKeys` as JSON Web Keys. */
export const publicJwks = (organization: OrganizationId | undefined) =>
  Effect.map(listedKeys(organization), (keys) => keys.map(({ key }) => signingJwk(key)))

/**
 * The key that signs now, in its public form. Of an organization whose first key does not sign yet, that key.
 *
 * Fails with `OrganizationKeyNotFound` if none signs for the organization or is about to.
 */
export const currentPublicKey = Effect.fnUntraced(function* (organization: OrganizationId | undefined) {
  const listed = yield* listedKeys(organization)
  const current = withState(listed, "active") ?? withState(listed, "next")
  return current === undefined
    ? yield* new OrganizationKeyNotFound({ organization: organization ?? theServer })
    : publishKey(current.key)
})

const withState = (listed: ReadonlyArray<ListedKey>, wanted: ListedKey["state"]): ListedKey | undefined =>
  listed.find(({ state }) => state === wanted)

/**
 * The public key with an ID, of the server or of an organization, however long ago it was retired; fails with
 * `PublicKeyNotFound`.
 */
export const findPublicKey = Effect.fnUntraced(function* (
  keyId: string,
  organization: OrganizationId | undefined,
) {
  const keys = yield* (yield* SigningKeyCache).publicKeysOf(organization ?? theServer)
  const found = keys.find((key) => key.keyId === keyId)
  return found === undefined ? yield* new PublicKeyNotFound({ keyId }) : publishKey(found)
})

/** No key of the server, or of the organization, has this ID. */
export class PublicKeyNotFound extends TaggedError("PublicKeyNotFound")<{
  /** The requested ID. */
  readonly keyId: string
}> {}
