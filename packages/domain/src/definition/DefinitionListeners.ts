import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { DefinitionStore } from "./DefinitionStore.ts"

type Listener = (organization: OrganizationId) => void

/** Of each store of a process. */
const listenersByStore = Context.Reference<WeakMap<DefinitionStore["Service"], Set<Listener>>>(
  "@tocsin/domain/internal/definition/DefinitionListeners",
  { defaultValue: () => new WeakMap() },
)

/** Has a function called whenever this process has changed definitions of an organization, as long as the store exists. */
export const onDefinitionsChanged = (listener: Listener): Effect.Effect<void, never, DefinitionStore> =>
  Effect.gen(function* () {
    const byStore = yield* listenersByStore
    const store = yield* DefinitionStore
    byStore.set(store, (byStore.get(store) ?? new Set()).add(listener))
  })

/** Calls the functions of `onDefinitionsChanged`. */
export const definitionsWereChanged = (
  organization: OrganizationId,
): Effect.Effect<void, never, DefinitionStore> =>
  Effect.gen(function* () {
    const listeners = (yield* listenersByStore).get(yield* DefinitionStore)
    for (const listener of listeners ?? []) listener(organization)
  })
