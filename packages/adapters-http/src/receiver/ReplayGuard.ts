/** Signatures that the replay guard in memory remembers; beyond it the oldest is forgotten. */
export const replayGuardMaxEntries = 100_000

/**
 * Remembers what was taken, so that nothing is taken twice.
 *
 * The keys that it is asked to remember are of two kinds, distinguished by their prefix:
 *
 * - `signature:…`, the signature itself. This is the guard: a replayer who sends a captured request again, with whatever
 *   changes to what is not signed, sends the same signature, and it is refused until it is too old anyway.
 * - `notification:…`, the `Notification-Id`. This is no protection, since the header is not signed and anybody can
 *   change it; it identifies an honest retry of a notification that was accepted before.
 *
 * Two attempts within one second with the same body to the same URL carry the same signature. The second one is
 * refused as a replay and taken when it is sent again, seconds later, with a new signature: nothing is lost.
 *
 * The guard in memory knows what this process took. Several processes that receive for one URL need one store: give
 * an own guard, for instance `remember: (key, ttlSeconds) => redis.set(key, "", { NX: true, EX: ttlSeconds })`.
 */
export interface ReplayGuard {
  /**
   * Remembers a key for a time, in whole seconds, and gives whether it was new. Atomic: of two calls with one key
   * exactly one gives `true`.
   */
  readonly remember: (key: string, ttlSeconds: number) => boolean | Promise<boolean>
}

/**
 * A guard in the memory of this process. It holds at most 100,000 keys; beyond that the oldest is forgotten, which
 * only senders with the private key can bring about.
 */
export const makeReplayGuardMemory = (
  now: () => number = Date.now,
  entriesMax: number = replayGuardMaxEntries,
): ReplayGuard => {
  const expiryByKey = new Map<string, number>()
  return {
    remember: (key, ttlSeconds) => {
      const nowMs = now()
      const isRemembered = (expiryByKey.get(key) ?? nowMs) > nowMs
      if (isRemembered) return false
      expiryByKey.delete(key)
      for (const [oldest, expiresAtMs] of expiryByKey) {
        if (expiresAtMs > nowMs && expiryByKey.size < entriesMax) break
        expiryByKey.delete(oldest)
      }
      expiryByKey.set(key, nowMs + ttlSeconds * 1_000)
      return true
    },
  }
}
