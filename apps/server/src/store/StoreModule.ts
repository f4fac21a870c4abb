import { SilenceNoticeStore } from "@tocsin/domain/adapter"
import * as Ports from "@tocsin/domain/ports"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { importModule } from "./ImportModule.ts"

/** The module of `TOCSIN_STORES` cannot be used. */
export class StoreModuleIsUnusable extends Data.TaggedError("StoreModuleIsUnusable")<{
  readonly message: string
}> {}

/** A module with ports that replace the server's. */
export interface StoreModule {
  /** The path of its file, as it is configured. */
  readonly file: string
  /** May require the ports that it replaces, and `SecretBox`. */
  readonly layer: Layer.Layer<unknown, unknown>
}

/** Ports whose changes share transactions. */
const sharing: ReadonlyArray<string> = [
  Ports.AlertStore,
  Ports.AnnotationStore,
  Ports.BulkResendStore,
  Ports.CountStore,
  Ports.DefinitionHistory,
  Ports.DefinitionStore,
  Ports.DeliveryLog,
  Ports.DeliveryQueue,
  Ports.EndpointStore,
  Ports.IndicatorStore,
  Ports.PushedMetricStore,
  Ports.BackfillStore,
  Ports.ReportStore,
  SilenceNoticeStore,
  Ports.SloStore,
  Ports.StatusPageSubscriptionStore,
].map(({ key }) => key)

/**
 * Loads a module. Its default export is a layer, or a function that returns one or a promise of one.
 *
 * The module has a separate instance of Effect, as the server is bundled: values cross by their keys and tags, and secrets
 * by `redact` and `reveal`.
 */
export const loadStoreModule = (file: string): Effect.Effect<StoreModule, StoreModuleIsUnusable> =>
  Effect.gen(function* () {
    const { default: exported } = yield* Effect.tryPromise({
      try: () => importModule(pathToFileURL(resolve(file)).href),
      catch: (cause) => unusable(file, `cannot be loaded: ${reasonOf(cause)}`),
    })
    if (typeof exported !== "function") {
      if (!Layer.isLayer(exported))
        return yield* unusable(file, "must export a layer by default, or a function that returns one")
      return { file, layer: exported as StoreModule["layer"] }
    }
    const returned = yield* Effect.tryPromise({
      try: async () => (await exported()) as unknown,
      catch: (cause) => unusable(file, `cannot be opened: ${reasonOf(cause)}`),
    })
    if (!Layer.isLayer(returned)) return yield* unusable(file, "must return a layer from its default export")
    return { file, layer: returned as StoreModule["layer"] }
  })

/**
 * The ports of the server, of which the module replaces those that it provides. Those that are made of others are made of the
 * replaced ones. Logs which they are, with a warning if others that share transactions with them stay.
 */
export const replacePorts = <A, B, E, R>(
  { file, layer }: StoreModule,
  builtIn: Layer.Layer<A, E, R>,
  madeOfThem: Layer.Layer<B, never, NoInfer<A>>,
): Layer.Layer<A | B, E | StoreModuleIsUnusable, R | Ports.SecretBox> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const ports = yield* Layer.build(Layer.provideMerge(madeOfThem, builtIn))
      const given = yield* Layer.build(layer as Layer.Layer<unknown, unknown, Ports.SecretBox>).pipe(
        Effect.provide(ports as Context.Context<unknown>),
        Effect.catchCause((cause) => unusable(file, `cannot be opened: ${reasonOf(Cause.squash(cause))}`)),
      )
      const provided = [...given.mapUnsafe].filter(([key]) => isPort(key))
      const names = provided.map(([key]) => key)
      const others = names.filter((key) => !ports.mapUnsafe.has(key))
      if (others.length > 0)
        return yield* unusable(
          file,
          `provides ${others.map(nameOf).join(", ")}, which the server takes from no module`,
        )
      if (provided.length === 0)
        return yield* unusable(
          file,
          `provides no port; its layer must provide one or more of ${[...ports.mapUnsafe.keys()].filter(isPort).map(nameOf).toSorted().join(", ")}`,
        )
      const missing = provided.flatMap(([key, service]) =>
        Object.keys(ports.mapUnsafe.get(key) as object)
          .filter((operation) => service?.[operation] === undefined)
          .map((operation) => `${nameOf(key)}.${operation}`),
      )
      if (missing.length > 0) return yield* unusable(file, `lacks ${missing.join(", ")}`)
      const separated = sharing.some((key) => names.includes(key))
        ? sharing.filter((key) => !names.includes(key))
        : []
      const log =
        separated.length === 0
          ? Effect.logInfo("Ports are replaced")
          : Effect.annotateLogs(
              Effect.logWarning("Ports are replaced, but not those that share their data"),
              { builtIn: separated.map(nameOf).join(", ") },
            )
      yield* Effect.annotateLogs(log, { file, ports: names.map(nameOf).join(", ") })
      const replaced = Context.makeUnsafe<A>(new Map([...ports.mapUnsafe, ...provided]))
      const { mapUnsafe: made } = yield* Effect.provide(Layer.build(Layer.fresh(madeOfThem)), replaced)
      return Context.makeUnsafe<A | B>(new Map([...replaced.mapUnsafe, ...made, ...provided]))
    }),
  )

const unusable = (file: string, message: string) =>
  new StoreModuleIsUnusable({ message: `TOCSIN_STORES: ${file} ${message}` })

const isPort = (key: string): boolean => key.startsWith("@tocsin/domain/")

const nameOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1)

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
