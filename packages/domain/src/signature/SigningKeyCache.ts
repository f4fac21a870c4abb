import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import {
  type KeyOwner,
  type PublicKey,
  type SigningKey,
  SigningKeyStore,
  theServer,
} from "./SigningKeyStore.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Longest time that a process caches signing keys, in milliseconds. */
export const signingKeyCacheMs = 30_000

/** Most organizations whose keys a process caches. */
export const cachedKeyOwnersMax = 10_000

/**
 * The signing keys as this process has them: at most `signingKeyCacheMs` old.
 *
 * A new key is published 10 minutes before it signs, so all processes switch to it at the same time. Whatever is asked,
 * the store is read at most once in that time for each organization that has keys of its own, and twice for the server and
 * the list of these organizations: callers that nobody authenticated may ask.
 */
export class SigningKeyCache extends Context.Service<
  SigningKeyCache,
  {
    /** The keys of an owner, by `activeFromMs`; none for an organization without its own. */
    readonly keysOf: (owner: KeyOwner) => Effect.Effect<ReadonlyArray<SigningKey>, StoreIsUnavailable>
    /** Every public key that an owner ever had. */
    readonly publicKeysOf: (owner: KeyOwner) => Effect.Effect<ReadonlyArray<PublicKey>, StoreIsUnavailable>
    /** Reads the keys of an owner again when they are asked for next: this process has changed them. */
    readonly forget: (owner: KeyOwner) => Effect.Effect<void>
  }
>()("@tocsin/domain/internal/signature/SigningKeyCache") {}

/** Creates an empty cache over `SigningKeyStore`; nothing is read before it is needed. */
export const make = Effect.gen(function* () {
  const store = yield* SigningKeyStore
  const organizations = sharedRead(
    Effect.map(store.listOrganizations, (ids): ReadonlySet<OrganizationId> => new Set(ids)),
  )
  const owners = new Map<KeyOwner, CachedOwner>()

  const cachedOwner = (owner: KeyOwner): CachedOwner => {
    const cached = owners.get(owner) ?? {
      keys: sharedRead(Effect.suspend(() => store.list(owner))),
      publicKeys: sharedRead(Effect.suspend(() => store.listPublicKeys(owner))),
    }
    owners.delete(owner)
    owners.set(owner, cached)
    for (const oldest of owners.keys()) {
      if (owners.size <= cachedKeyOwnersMax) break
      owners.delete(oldest)
    }
    return cached
  }

  const readOf = <A>(
    owner: KeyOwner,
    read: (cached: CachedOwner) => SharedRead<ReadonlyArray<A>>,
  ): Effect.Effect<ReadonlyArray<A>, StoreIsUnavailable> =>
    owner === theServer
      ? Effect.suspend(() => read(cachedOwner(owner)).get)
      : Effect.flatMap(organizations.get, (ids) =>
          ids.has(owner) ? read(cachedOwner(owner)).get : Effect.succeed([]),
        )

  return SigningKeyCache.of({
    keysOf: (owner) => readOf(owner, ({ keys }) => keys),
    publicKeysOf: (owner) => readOf(owner, ({ publicKeys }) => publicKeys),
    forget: (owner) =>
      Effect.sync(() => {
        owners.delete(owner)
        organizations.forget()
      }),
  })
})

/** Provide one for each process, so that all signers and endpoints share it. */
export const layer = Layer.effect(SigningKeyCache, make)

interface CachedOwner {
  readonly keys: SharedRead<ReadonlyArray<SigningKey>>
  readonly publicKeys: SharedRead<ReadonlyArray<PublicKey>>
}

interface SharedRead<A> {
  /** What was read less than `signingKeyCacheMs` ago, or what is read now, once for all who wait for it. */
  readonly get: Effect.Effect<A, StoreIsUnavailable>
  readonly forget: () => void
}

const sharedRead = <A>(read: Effect.Effect<A, StoreIsUnavailable>): SharedRead<A> => {
  let latest: { readonly value: Effect.Effect<A>; readonly readAtMs: number } | undefined
  let current: Deferred.Deferred<A, StoreIsUnavailable> | undefined

  /** Goes on when the caller that started it is interrupted, as others wait for it. */
  const start = (nowMs: number) => {
    const started = Deferred.makeUnsafe<A, StoreIsUnavailable>()
    current = started
    const reading = Effect.onExit(read, (exit) =>
      Effect.sync(() => {
        // What was forgotten meanwhile may be read before the change.
        if (current === started) {
          current = undefined
          if (exit._tag === "Success") latest = { value: Effect.succeed(exit.value), readAtMs: nowMs }
        }
        Deferred.doneUnsafe(started, exit)
      }),
    )
    return Effect.andThen(Effect.forkDetach(reading), Deferred.await(started))
  }

  return {
    get: Effect.clockWith((clock) => {
      const nowMs = clock.currentTimeMillisUnsafe()
      if (latest !== undefined && Math.abs(nowMs - latest.readAtMs) < signingKeyCacheMs) return latest.value
      return current === undefined ? start(nowMs) : Deferred.await(current)
    }),
    forget: () => {
      latest = undefined
      current = undefined
    },
  }
}
