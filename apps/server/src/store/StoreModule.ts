import { type MasterKeys, SecretBoxNode } from "@tocsin/adapters-http/server"
import { CredentialStoreMemory, RateLimiterMemory, SigningKeyStoreMemory } from "@tocsin/adapters-memory"
import { CredentialStore, RateLimiter, SigningKeyStore } from "@tocsin/domain/ports"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { importModule } from "./ImportModule.ts"

/** The module of `TOCSIN_STORES` cannot be used. */
export class StoreModuleIsUnusable extends Data.TaggedError("StoreModuleIsUnusable")<{
  readonly message: string
}> {}

/** Ports that share no transaction with others, and no `Redacted` value that is made outside of the server's own ports. */
const replaceable = [CredentialStore, RateLimiter, SigningKeyStore]

/** They have every operation of these ports. */
const complete = Layer.mergeAll(
  CredentialStoreMemory.layer,
  RateLimiterMemory.layer,
  SigningKeyStoreMemory.layer,
)

/** Ports that replace the store's ports. */
export type ReplacedStores = Layer.Layer<CredentialStore | RateLimiter | SigningKeyStore>

/**
 * Builds the layer that a module exports by default, until the scope closes. The layer may need `SecretBox`.
 *
 * The module has its own instance of Effect, as the server is bundled: values cross by their keys and tags.
 */
export const openStoreModule = (
  file: string,
  masterKeys: MasterKeys,
): Effect.Effect<ReplacedStores, StoreModuleIsUnusable, Scope.Scope> => {
  const unusable = (message: string) =>
    new StoreModuleIsUnusable({ message: `TOCSIN_STORES: ${file} ${message}` })
  return Effect.gen(function* () {
    const exported = yield* Effect.tryPromise({
      try: () => importModule(pathToFileURL(resolve(file)).href),
      catch: (cause) => unusable(`cannot be loaded: ${reasonOf(cause)}`),
    })
    if (!Layer.isLayer(exported.default)) return yield* unusable("must export a layer by default")
    const provided = yield* Layer.build(exported.default as Layer.Layer<unknown, unknown>).pipe(
      Effect.provide(SecretBoxNode.layer(masterKeys)),
      Effect.catchCause((cause) =>
        Effect.fail(unusable(`cannot be opened: ${reasonOf(Cause.squash(cause))}`)),
      ),
    )
    const { mapUnsafe: all } = yield* Layer.build(complete)
    const names: ReadonlyArray<string> = replaceable.map(({ key }) => key)
    const others = [...provided.mapUnsafe.keys()].filter(
      (key) => key.startsWith("@tocsin/") && !names.includes(key),
    )
    if (others.length > 0)
      return yield* unusable(
        `provides ${others.map(nameOf).join(", ")}, which a server cannot replace alone; it may provide ${names.map(nameOf).join(", ")}`,
      )
    const replaced = [...provided.mapUnsafe].filter(([key]) => names.includes(key))
    if (replaced.length === 0)
      return yield* unusable(
        `provides no port; its layer must provide ${names.map(nameOf).join(", ")}, or some of them`,
      )
    const missing = replaced.flatMap(([key, service]) =>
      Object.keys(all.get(key) as object)
        .filter((operation) => service?.[operation] === undefined)
        .map((operation) => `${nameOf(key)}.${operation}`),
    )
    if (missing.length > 0) return yield* unusable(`lacks ${missing.join(", ")}`)
    return Layer.succeedContext(
      Context.makeUnsafe<CredentialStore | RateLimiter | SigningKeyStore>(new Map(replaced)),
    )
  })
}

const nameOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1)

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
