import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** A value is used for this many times as long as it took to refresh, so that refreshing takes at most a tenth of the time. */
const usedTimes = 10

/** What a process keeps of each key. */
export interface KeptOptions<Key, Value, E, R> {
  /** Most that all values take together, in the unit of `sizeOf`. */
  readonly max: number
  readonly sizeOf: (value: Value) => number
  /** Makes what `refresh` fills. */
  readonly make: () => Value
  /** Brings a value up to date. */
  readonly refresh: (key: Key, value: Value) => Effect.Effect<void, E, R>
}

/** Values that are kept in memory and refreshed. */
export interface Kept<Key, Value, E, R> {
  /** The value of a key, up to date: refreshed now or, if that took long, not long ago. */
  readonly get: (key: Key) => Effect.Effect<Value, E, R>
  /** The value as far as there is one: nobody waits, and it does not count as use. */
  readonly peek: (key: Key) => Value | undefined
  /** Has the value refreshed before it is used again. */
  readonly expire: (key: Key) => void
}

interface Entry<Value, E> {
  readonly value: Value
  refreshed: Deferred.Deferred<Value, E>
  /** Until when it may be used, in milliseconds of the clock; `Infinity` while it is being refreshed. */
  until: number
  /** Whether it is to be refreshed once more, since something has changed in the meantime. */
  isExpired: boolean
  size: number
}

/** Keeps those that were used last, as far as they fit. Requests at the same time share one refresh, which goes on when they are interrupted. */
export const makeKept = <Key, Value, E, R>(
  options: KeptOptions<Key, Value, E, R>,
): Kept<Key, Value, E, R> => {
  const { max, sizeOf, make, refresh } = options
  /** The one used last is last. */
  const entries = new Map<Key, Entry<Value, E>>()

  const drop = (): void => {
    let size = 0
    for (const entry of entries.values()) size += entry.size
    for (const [key, entry] of entries) {
      if (size <= max) return
      entries.delete(key)
      size -= entry.size
    }
  }

  const start = (key: Key, entry: Entry<Value, E>, startedAt: number): Effect.Effect<Value, E, R> => {
    entry.refreshed = Deferred.makeUnsafe()
    entry.until = Infinity
    entry.isExpired = false
    const { refreshed, value } = entry
    const refreshing = Effect.onExit(Effect.as(refresh(key, value), value), (exit) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          if (exit._tag === "Success") {
            const now = clock.currentTimeMillisUnsafe()
            entry.until = now + usedTimes * Math.max(0, now - startedAt)
            entry.size = sizeOf(value)
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
      const known = entries.get(key)
      const entry = known ?? {
        value: make(),
        refreshed: Deferred.makeUnsafe(),
        until: 0,
        isExpired: false,
        size: 0,
      }
      entries.delete(key)
      entries.set(key, entry)
      if (entry.until === Infinity) {
        const waiting = Deferred.await(entry.refreshed)
        return entry.isExpired ? Effect.andThen(Effect.exit(waiting), get(key)) : waiting
      }
      // After the clock was set back, a value is used no longer than it would have been.
      if (entry.isExpired || entry.until <= now) return start(key, entry, now)
      return Effect.succeed(entry.value)
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
