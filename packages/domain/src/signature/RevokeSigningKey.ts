import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import { revokeKeyPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { organizationKeys, ownKey, setEnd } from "./OrganizationKeys.ts"
import { PublicKeyNotFound } from "./PublicKeys.ts"
import { appendKey, signingKeys } from "./SigningKeys.ts"
import { endBefore, listedSigningKeys } from "./SigningKeySchedule.ts"
import { type KeyOwner, type SigningKey, SigningKeyStore, theServer } from "./SigningKeyStore.ts"

/**
 * Deletes a listed key of the server, such as one that leaked, and replaces it; returns the keys that are listed then, oldest first.
 *
 * A new key replaces the revoked one and a pending one. It signs at once if the revoked key signed, otherwise after the overlap. Other
 * processes still sign with the revoked key and list it while they cache it. Fails with `PublicKeyNotFound` if no listed key has the ID.
 */
export const revokeServerKey = (keyId: string) =>
  Effect.andThen(revokeKey(theServer, keyId, replaceKey(theServer)), signingKeys(theServer))

/**
 * Like `revokeServerKey` for a key of an organization; returns what `organizationKeys` does then. If the server's key signs for the
 * organization or is about to, it signs from now on, without a new key.
 *
 * Fails with `PublicKeyNotFound` if no listed key of the organization has the ID, and with `RateLimitIsExceeded` after
 * `revokeKeyPolicy.limit` revocations in 24 hours: public keys are stored forever, and this limits their number.
 */
export const revokeOrganizationKey = (organization: OrganizationId, keyId: string) =>
  Effect.andThen(
    revokeKey(
      organization,
      keyId,
      Effect.fnUntraced(function* (keys, revoked, nowMs) {
        yield* enforceRateLimit(organization, revokeKeyPolicy)
        const own = ownKey(organization, keys, nowMs)
        return yield* own === undefined || own.endsAtMs !== undefined
          ? removeKey(organization, keys, revoked, nowMs)
          : replaceKey(organization)(keys, revoked, nowMs)
      }),
    ),
    organizationKeys(organization),
  )

/** Decides on the change of the stored keys; `undefined` if another process changed them meanwhile. */
type Change<E, R> = (
  keys: ReadonlyArray<SigningKey>,
  revoked: SigningKey,
  nowMs: number,
) => Effect.Effect<object | undefined, E, R>

const revokeKey = <E, R>(owner: KeyOwner, keyId: string, change: Change<E, R>) =>
  Effect.gen(function* () {
    const store = yield* SigningKeyStore
    for (;;) {
      const keys = yield* store.list(owner)
      const nowMs = yield* Clock.currentTimeMillis
      const revoked = listedSigningKeys(owner, keys, nowMs).find(({ key }) => key.keyId === keyId)?.key
      if (revoked === undefined) return yield* new PublicKeyNotFound({ keyId })
      if ((yield* change(keys, revoked, nowMs)) !== undefined) return
    }
  })

const replaceKey =
  (owner: KeyOwner) => (keys: ReadonlyArray<SigningKey>, revoked: SigningKey, nowMs: number) =>
    appendKey(owner, keys, nowMs, revoked)

const removeKey = (
  organization: OrganizationId,
  keys: ReadonlyArray<SigningKey>,
  revoked: SigningKey,
  nowMs: number,
) => {
  const { key, endsAtMs } = endBefore(keys, revoked) ?? { key: revoked, endsAtMs: nowMs }
  return setEnd(organization, keys, key, endsAtMs, nowMs, [revoked.keyId])
}
