import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { OrganizationKeyNotFound } from "./OrganizationKeys.ts"
import { SigningKeyCache } from "./SigningKeyCache.ts"
import { cachedSigningKeys } from "./SigningKeys.ts"
import { type ListedKey, listedSigningKeys, publishKey } from "./SigningKeySchedule.ts"
import { theServer } from "./SigningKeyStore.ts"

/**
 * The keys of the server, or of an organization, that sign, will sign, or signed recently, oldest first.
 *
 * Fails with `OrganizationKeyNotFound` if the organization has none: the server's keys are never listed in its name.
 */
export const listedKeys = Effect.fnUntraced(function* (organization: OrganizationId | undefined) {
  const owner = organization ?? theServer
  const keys = yield* cachedSigningKeys(owner)
  const listed = listedSigningKeys(owner, keys, yield* Clock.currentTimeMillis)
  if (organization !== undefined && listed.length === 0)
    return yield* new OrganizationKeyNotFound({ organization })
  return listed
})

/** `listedKeys` in their public form, without the times. */
export const publicKeys = (organization: OrganizationId | undefined) =>
  Effect.map(listedKeys(organization), (keys) =>
    keys.map(({ key, state }) => ({ ...publishKey(key), state })),
  )

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
export class PublicKeyNotFound extends Data.TaggedError("PublicKeyNotFound")<{ readonly keyId: string }> {}
