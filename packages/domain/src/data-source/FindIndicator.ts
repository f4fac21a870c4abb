import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { DefinitionStore, type DefinitionStoreIsUnavailable } from "../definition/DefinitionStore.ts"
import type { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { SloNotFound, sloKey } from "../status/FindSlo.ts"
import type { IndicatorState } from "./IndicatorState.ts"
import { IndicatorStore, type IndicatorStoreIsUnavailable } from "./IndicatorStore.ts"

/** The SLO is there, and has no indicator. Source: decision 0605. */
export class IndicatorNotFound extends Data.TaggedError("IndicatorNotFound")<{
  readonly project: string
  readonly name: string
}> {}

/**
 * Tells how far the counts of an SLO's indicator are read, and what is wrong with it.
 *
 * Source: decision 0605.
 */
export const findIndicator = (
  organization: OrganizationId,
  slo: { readonly project?: string | undefined; readonly name: string },
): Effect.Effect<
  IndicatorState,
  | IndicatorNotFound
  | ParameterIsInvalid
  | SloNotFound
  | DefinitionStoreIsUnavailable
  | IndicatorStoreIsUnavailable,
  DefinitionStore | IndicatorStore
> =>
  Effect.gen(function* () {
    const key = yield* Effect.fromResult(sloKey(slo.project, slo.name))
    const found = yield* (yield* IndicatorStore).find(organization, key)
    if (Option.isSome(found)) return found.value
    const definition = yield* (yield* DefinitionStore).find(organization, "SLO", key)
    return yield* Option.isSome(definition) ? new IndicatorNotFound(key) : new SloNotFound(key)
  })
