/** Most signatures that the in-memory replay guard stores; the oldest are dropped first. */
const replayGuardMaxEntries = 100_000

/**
 * Remembers accepted notifications, so that none is accepted twice.
 *
 * Its keys are of two kinds, distinguished by their prefix:
 *
 * - `signature:…`, the signature itself. This is the guard: a replayer who sends a captured request again, with whatever
 *   changes to what is not signed, sends the same signature, and it is rejected until it expires.
 * - `notification:…`, the `Notification-Id`. This is no protection, since the header is not signed and anybody can
 *   change it; it identifies an honest retry of a notification that was accepted before.
 *
 * The guard in memory covers one process, since its start: until 300 s after a restart, a notification that was accepted
 * before can be accepted again. Several processes that receive for one URL, and receivers for which that matters, need a
 * shared store: provide your own guard, for instance
 * `remember: async (key, ttlSeconds) => (await redis.set(key, "", { NX: true, EX: ttlSeconds })) !== null`.
 */
export interface ReplayGuard {
  /**
   * Remembers a key for a time, in whole seconds, and returns whether it was new. Atomic: of two calls with one key
   * exactly one returns `true`.
   */
  readonly remember: (key: string, ttlSeconds: number) => boolean | Promise<boolean>
}

/**
 * A guard in the memory of this process. It stores at most 100,000 keys; beyond that it drops the oldest, which
 * only senders with the private key can cause.
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
