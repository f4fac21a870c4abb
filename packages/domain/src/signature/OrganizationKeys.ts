import * as Clock from "effect/Clock"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { SigningKeyCache } from "./SigningKeyCache.ts"
import { ensureSigningKey, pendingOrNewKey, signingKeys } from "./SigningKeys.ts"
import {
  activeSigningKey,
  isPending,
  nextActiveFromMs,
  rotationPossibleAtMs,
  scheduledKey,
} from "./SigningKeySchedule.ts"
import { type SigningKey, SigningKeyStore, theServer } from "./SigningKeyStore.ts"

/**
 * Gives an organization a signing key of its own, which signs for it once the key has been published for the overlap.
 *
 * If the organization has one, returns its newest key, and cancels the return to the server's key. Fails with
 * `RotationIsTooSoon` while too many retired keys are listed.
 */
export const createOrganizationKey = (organization: OrganizationId) =>
  withKeys(
    organization,
    Effect.fnUntraced(function* (keys, nowMs) {
      const own = ownKey(organization, keys, nowMs)
      if (own === undefined) return yield* addKey(organization, keys, nowMs)
      return yield* setEnd(organization, keys, own, undefined, nowMs)
    }),
  )

/**
 * Publishes and returns a new key of an organization that has its own; returns the next key instead if there is one.
 *
 * Fails with `OrganizationKeyNotFound` if the server's key signs for the organization, with `OrganizationKeyEnds` if it is
 * about to, and with `RotationIsTooSoon` while too many retired keys are listed.
 */
export const rotateOrganizationKey = (organization: OrganizationId) =>
  withKeys(
    organization,
    Effect.fnUntraced(function* (keys, nowMs) {
      const own = ownKey(organization, keys, nowMs)
      if (own === undefined) return yield* new OrganizationKeyNotFound({ organization })
      const { endsAtMs } = own
      if (endsAtMs !== undefined) return yield* new OrganizationKeyEnds({ endsAtMs })
      return yield* addKey(organization, keys, nowMs)
    }),
  )

/**
 * Lets the server's key sign for an organization again, after the overlap; returns the key that signs until then. It stays
 * listed as a retired one does. Fails with `OrganizationKeyNotFound` if the organization has none of its own.
 */
export const endOrganizationKey = (organization: OrganizationId) =>
  withKeys(
    organization,
    Effect.fnUntraced(function* (keys, nowMs) {
      const own = ownKey(organization, keys, nowMs)
      if (own === undefined) return yield* new OrganizationKeyNotFound({ organization })
      // An end that is further away is from before the clock was set back.
      const endsAtMs = nextActiveFromMs(organization, own, nowMs)
      return yield* setEnd(organization, keys, own, Math.min(own.endsAtMs ?? endsAtMs, endsAtMs), nowMs)
    }),
  )

/** The server's key signs for the organization, and none of its own is about to; public callers get it for any other ID, too. */
export class OrganizationKeyNotFound extends TaggedError("OrganizationKeyNotFound")<{
  /** The requested organization; `""` if the server itself has no key. */
  readonly organization: OrganizationId
}> {}

/** The server's key signs for the organization from `endsAtMs` (Unix milliseconds). */
export class OrganizationKeyEnds extends TaggedError("OrganizationKeyEnds")<{
  /** When the organization's key stops signing, in Unix milliseconds. */
  readonly endsAtMs: number
}> {}

/** As many retired keys as possible are listed; `untilMs` is in Unix milliseconds. */
export class RotationIsTooSoon extends TaggedError("RotationIsTooSoon")<{
  /** When the next rotation is possible, in Unix milliseconds. */
  readonly untilMs: number
}> {}

/** The listed keys of an organization and of the server, and whose active key signs for the organization. */
export const organizationKeys = Effect.fnUntraced(function* (organization: OrganizationId) {
  yield* ensureSigningKey
  const keys = yield* signingKeys(organization)
  const signedBy: "organization" | "server" = keys.some(({ state }) => state === "active")
    ? "organization"
    : "server"
  return { signedBy, keys, serverKeys: yield* signingKeys(theServer) }
})

/** Runs a change with the stored keys, again while another process changes them: then the change gives `undefined`. */
const withKeys = <A, E, R>(
  organization: OrganizationId,
  change: (keys: ReadonlyArray<SigningKey>, nowMs: number) => Effect.Effect<A | undefined, E, R>,
) =>
  Effect.gen(function* () {
    const store = yield* SigningKeyStore
    for (;;) {
      const keys = yield* store.list(organization)
      const changed = yield* change(keys, yield* Clock.currentTimeMillis)
      if (changed !== undefined) return changed
    }
  })

/** The newest key if it signs for the organization or is about to. */
export const ownKey = (
  organization: OrganizationId,
  keys: ReadonlyArray<SigningKey>,
  nowMs: number,
): SigningKey | undefined => {
  const newest = keys.at(-1)
  const active = activeSigningKey(organization, keys, nowMs)
  if (newest === undefined || newest === active) return newest
  return isPending(organization, newest, active, nowMs) ? newest : active
}

const addKey = Effect.fnUntraced(function* (
  organization: OrganizationId,
  keys: ReadonlyArray<SigningKey>,
  nowMs: number,
) {
  const untilMs = rotationPossibleAtMs(organization, keys, nowMs)
  return untilMs === undefined
    ? yield* pendingOrNewKey(organization, keys, nowMs)
    : yield* new RotationIsTooSoon({ untilMs })
})

/** Sets the end of a key, and with it deletes others: the keys that would replace it, or those that are given. */
export const setEnd = Effect.fnUntraced(function* (
  organization: OrganizationId,
  keys: ReadonlyArray<SigningKey>,
  { endsAtMs: previousMs, ...key }: SigningKey,
  endsAtMs: number | undefined,
  nowMs: number,
  removedKeyIds = endsAtMs === undefined ? [] : idsAfter(keys, key.keyId),
) {
  const changed: SigningKey = { ...key, ...(endsAtMs !== undefined && { endsAtMs }) }
  const scheduled = scheduledKey(changed, key.activeFromMs > nowMs ? "next" : "active")
  if (previousMs === endsAtMs && removedKeyIds.length === 0) return scheduled
  const isSet = yield* (yield* SigningKeyStore).setEnd(organization, {
    newest: keys.at(-1),
    keyId: key.keyId,
    endsAtMs,
    removedKeyIds,
  })
  if (!isSet) return undefined
  yield* (yield* SigningKeyCache).forget(organization)
  return scheduled
})

const idsAfter = (keys: ReadonlyArray<SigningKey>, keyId: string): ReadonlyArray<string> =>
  keys.slice(keys.findIndex((key) => key.keyId === keyId) + 1).map((key) => key.keyId)
