import type { SigningKey } from "./SigningKeyStore.ts"

/**
 * How long a new signing key is published before it signs, in seconds: longer than receivers (300 s) and the
 * processes of the service (30 s) keep what they know, with room for clocks that differ. */
export const signingKeyOverlapSeconds = 600

/** How long a retired signing key stays listed, in seconds. */
export const signingKeyRetiredListedSeconds = 86_400

/** Where a key is in its life: published but not signing yet, signing, or replaced. */
export type SigningKeyState = "next" | "active" | "retired"

/** A key and its state at one moment. */
export interface ListedSigningKey {
  readonly key: SigningKey
  readonly state: SigningKeyState
}

/**
 * The key that signs at a time (Unix milliseconds): of those that have begun, the one that began last.
 *
 * `undefined` only when no key has begun. `keys` are in the order of `activeFromMs`, as the store lists them.
 */
export const activeSigningKey = (keys: ReadonlyArray<SigningKey>, nowMs: number): SigningKey | undefined =>
  keys.findLast(({ activeFromMs }) => activeFromMs <= nowMs)

/** The keys that are published at a time, oldest first: a retired one for 24 h after its successor began. */
export const listedSigningKeys = (
  keys: ReadonlyArray<SigningKey>,
  nowMs: number,
): ReadonlyArray<ListedSigningKey> => {
  const active = activeSigningKey(keys, nowMs)
  return keys.flatMap((key, index): ReadonlyArray<ListedSigningKey> => {
    if (key === active) return [{ key, state: "active" }]
    if (key.activeFromMs > nowMs) return [{ key, state: "next" }]
    const retiredAtMs = keys[index + 1]?.activeFromMs ?? nowMs
    const isListed = nowMs < retiredAtMs + signingKeyRetiredListedSeconds * 1_000
    return isListed ? [{ key, state: "retired" }] : []
  })
}

/**
 * When a key that is published now may begin to sign, in Unix milliseconds: 10 min later, when every receiver
 * and every process must have seen it. The first key of all signs at once, since nobody knows another.
 */
export const nextActiveFromMs = (keys: ReadonlyArray<SigningKey>, nowMs: number): number =>
  keys.length === 0 ? nowMs : nowMs + signingKeyOverlapSeconds * 1_000
