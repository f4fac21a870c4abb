import { publicKeyToPem } from "./Ed25519PublicKey.ts"
import { type KeyOwner, type PublicKey, type SigningKey, theServer } from "./SigningKeyStore.ts"

/**
 * Time for which a new signing key is published before it signs, in seconds; longer than receivers (300 s)
 * and processes of the service (30 s) cache keys, with a margin for clock skew.
 */
export const signingKeyOverlapSeconds = 600

/** Time for which a retired signing key stays listed, in seconds. */
export const signingKeyRetiredListedSeconds = 86_400

/** Most retired keys of an organization that are listed at once. */
export const retiredKeysMax = 8

/** A public key as the public key endpoint returns it. */
export interface PublishedKey {
  readonly keyId: string
  readonly algorithm: "ed25519"
  readonly publicKeyPem: string
}

/** A listed key. It is published but does not sign yet (`next`), signs (`active`), or was replaced (`retired`). */
export interface ScheduledKey extends PublishedKey {
  /** Computed when the key is listed; not stored. */
  readonly state: "next" | "active" | "retired"
  /** When it starts to sign, in Unix milliseconds. */
  readonly activeFromMs: number
  /** When the server's key signs again instead, in Unix milliseconds. */
  readonly endsAtMs?: number
}

export const publishKey = (key: PublicKey): PublishedKey => ({
  keyId: key.keyId,
  algorithm: "ed25519",
  publicKeyPem: publicKeyToPem(key.publicKey),
})

export const scheduledKey = (key: SigningKey, state: ScheduledKey["state"]): ScheduledKey => ({
  ...publishKey(key),
  state,
  // A key that replaced a revoked one has its place in the schedule, from before it was created.
  activeFromMs: Math.max(key.activeFromMs, key.createdAtMs),
  ...(key.endsAtMs !== undefined && { endsAtMs: key.endsAtMs }),
})

/** A listed key with its state. */
export interface ListedKey {
  readonly key: SigningKey
  readonly state: ScheduledKey["state"]
}

/**
 * The key that signs at a time (Unix milliseconds): the last one that has become active; `undefined` if there is none.
 * `keys` are in the order of `activeFromMs`.
 *
 * When the clock was set back so far that none has become active, the first one of the server signs. For an organization,
 * the server's key signs then, as it did at that time.
 */
export const activeSigningKey = (
  owner: KeyOwner,
  keys: ReadonlyArray<SigningKey>,
  nowMs: number,
): SigningKey | undefined => {
  const latest = keys.findLast(({ activeFromMs }) => activeFromMs <= nowMs)
  if (latest === undefined) return owner === theServer ? keys[0] : undefined
  const isEnded = latest.endsAtMs !== undefined && latest.endsAtMs <= nowMs
  return isEnded && owner !== theServer ? undefined : latest
}

/** The keys that are published at a time, oldest first: a retired one until 24 h after it stopped to sign. */
export const listedSigningKeys = (
  owner: KeyOwner,
  keys: ReadonlyArray<SigningKey>,
  nowMs: number,
): ReadonlyArray<ListedKey> => {
  const active = activeSigningKey(owner, keys, nowMs)
  return keys.flatMap((key, index): ReadonlyArray<ListedKey> => {
    if (key === active) return [{ key, state: "active" }]
    if (key.activeFromMs > nowMs) return [{ key, state: "next" }]
    return nowMs < unlistedAtMs(key, keys[index + 1], nowMs) ? [{ key, state: "retired" }] : []
  })
}

/** When a key that does not sign any more is no longer listed. */
const unlistedAtMs = (key: SigningKey, next: SigningKey | undefined, nowMs: number): number => {
  const retiredAtMs = Math.min(
    key.endsAtMs ?? Number.POSITIVE_INFINITY,
    next?.activeFromMs ?? Number.POSITIVE_INFINITY,
  )
  return (Number.isFinite(retiredAtMs) ? retiredAtMs : nowMs) + signingKeyRetiredListedSeconds * 1_000
}

/**
 * The key before a revoked one, and when it stopped signing: without the revoked key it would sign again, or stay listed for longer.
 * `undefined` if there is none.
 */
export const endBefore = (
  keys: ReadonlyArray<SigningKey>,
  revoked: SigningKey,
): { readonly key: SigningKey; readonly endsAtMs: number } | undefined => {
  const key = keys[keys.indexOf(revoked) - 1]
  if (key === undefined) return undefined
  return { key, endsAtMs: Math.min(key.endsAtMs ?? revoked.activeFromMs, revoked.activeFromMs) }
}

/**
 * When so few retired keys are listed that the next key can be added, in Unix milliseconds; `undefined`: now. It limits
 * what receivers read.
 */
export const rotationPossibleAtMs = (
  owner: KeyOwner,
  keys: ReadonlyArray<SigningKey>,
  nowMs: number,
): number | undefined => {
  const unlistedAt = keys.flatMap((key, index) => {
    const isRetired = key !== activeSigningKey(owner, keys, nowMs) && key.activeFromMs <= nowMs
    const atMs = unlistedAtMs(key, keys[index + 1], nowMs)
    return isRetired && atMs > nowMs ? [atMs] : []
  })
  return unlistedAt.toSorted((a, b) => a - b)[unlistedAt.length - retiredKeysMax]
}

/** Whether a key is about to sign. One that has longer to wait is from before the clock was set back. */
export const isPending = (
  owner: KeyOwner,
  key: SigningKey,
  active: SigningKey | undefined,
  nowMs: number,
): boolean =>
  key !== active && key.activeFromMs > nowMs && key.activeFromMs <= nextActiveFromMs(owner, active, nowMs)

/**
 * When a key that is created at a time starts to sign. The first key of the server signs at once, as no receiver knows
 * another. The first key of an organization replaces that of the server.
 */
export const nextActiveFromMs = (owner: KeyOwner, active: SigningKey | undefined, nowMs: number): number =>
  owner === theServer && active === undefined
    ? nowMs
    : Math.max(nowMs, active?.activeFromMs ?? nowMs) + signingKeyOverlapSeconds * 1_000
