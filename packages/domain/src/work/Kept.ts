import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** A value is used for this many times as long as it took to refresh, so that refreshing takes at most a tenth of the time. */
const usedTimes = 10

/** What a process keeps of each key. */
export interface KeptOptions<Key, Value, E, R> {
  /** Most that all values take together, in the unit of `sizeOf`. */
  readonly max: number
  /** What a value takes now. */
  readonly sizeOf: (value: Value) => number
  /** Makes a value for the first refresh. */
  readonly make: () => Value
  /**
   * Brings a value up to date, or makes another one. Before it takes much more, `makeRoom` drops the values of other keys that were used
   * longest ago, as far as they do not fit beside all that is kept and as much more.
   */
  readonly refresh: (key: Key, value: Value, makeRoom: (more: number) => void) => Effect.Effect<Value, E, R>
}

/** Values that are kept in memory and refreshed. */
export interface Kept<Key, Value, E, R> {
  /** The value of a key: refreshed now or, if that took long, not long ago. */
  readonly get: (key: Key) => Effect.Effect<Value, E, R>
  /** The value as far as there is one, also while it is refreshed; this does not count as use. */
  readonly peek: (key: Key) => Value | undefined
  /** Has the value refreshed before it is used again. */
  readonly expire: (key: Key) => void
}

interface Entry<Value, E> {
  value: Value
  refreshed: Deferred.Deferred<Value, E>
  /** Until when it may be used, in milliseconds of the clock; `Infinity` while it is refreshed. */
  until: number
  /** Whether something has changed since it was refreshed, or since that began. */
  isExpired: boolean
}

/**
 * Keeps the values that were used last, as far as they fit. One that is refreshed quickly is refreshed for each use, another one at most
 * once in ten times as long as that takes. Requests at the same time share a refresh, which goes on when they are interrupted.
 */
export const makeKept = <Key, Value, E, R>({
  max,
  sizeOf,
  make,
  refresh,
}: KeptOptions<Key, Value, E, R>): Kept<Key, Value, E, R> => {
  /** The one used last is last. */
  const entries = new Map<Key, Entry<Value, E>>()

  const drop = (more = 0, kept?: Key): void => {
    let size = more
    for (const { value } of entries.values()) size += sizeOf(value)
    for (const [key, { value }] of entries) {
      if (size <= max) return
      if (key === kept) continue
      entries.delete(key)
      size -= sizeOf(value)
    }
  }

  const start = (key: Key, entry: Entry<Value, E>, startedAt: number): Effect.Effect<Value, E, R> => {
    const refreshed = Deferred.makeUnsafe<Value, E>()
    entry.refreshed = refreshed
    entry.until = Infinity
    entry.isExpired = false
    const refreshing = Effect.onExit(
      refresh(key, entry.value, (more) => drop(more, key)),
      (exit) =>
        Effect.clockWith((clock) =>
          Effect.sync(() => {
            if (exit._tag === "Success") {
              const now = clock.currentTimeMillisUnsafe()
              entry.until = now + usedTimes * Math.max(0, now - startedAt)
              entry.value = exit.value
              drop()
            } else if (entries.get(key) === entry) entries.delete(key)
            Deferred.doneUnsafe(refreshed, exit)
          }),
        ),
    )
    return Effect.andThen(Effect.forkDetach(refreshing), Deferred.await(refreshed))
  }

  const get = (key: Key): Effect.Effect<Value, E, R> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const entry = entries.get(key) ?? {
        value: make(),
        refreshed: Deferred.makeUnsafe<Value, E>(),
        until: 0,
        isExpired: true,
      }
      entries.delete(key)
      entries.set(key, entry)
      if (entry.until === Infinity) {
        const refreshed = Deferred.await(entry.refreshed)
        return entry.isExpired ? Effect.andThen(Effect.exit(refreshed), get(key)) : refreshed
      }
      // After the clock was set back, a value is used no longer than it would have been.
      return entry.isExpired || entry.until <= now ? start(key, entry, now) : Effect.succeed(entry.value)
    })

  return {
    get,
    peek: (key) => entries.get(key)?.value,
    expire: (key) => {
      const entry = entries.get(key)
      if (entry !== undefined) entry.isExpired = true
    },
  }
}
