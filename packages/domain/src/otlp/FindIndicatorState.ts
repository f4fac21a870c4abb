import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { findIndicator } from "../data-source/IndicatorStore.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { unsupportedSourceOf } from "../slo/PolledIndicator.ts"
import { PushedMetricStore } from "./PushedMetricStore.ts"

/**
 * Returns what an SLO's indicator has come to: what has arrived of pushed metrics, the type of a data source that is not read, or
 * as `findIndicator`.
 */
export const findIndicatorState = (
  organization: OrganizationId,
  slo: { readonly project?: string | undefined; readonly name: string },
) =>
  findIndicator(organization, slo).pipe(
    Effect.map((polled) => ({ polled })),
    Effect.catchTag("IndicatorNotFound", (failure) =>
      Effect.gen(function* () {
        const { project, name } = failure
        const pushed = yield* (yield* PushedMetricStore).find(organization, { project, name })
        if (Option.isSome(pushed)) return { pushed: pushed.value }
        const found = yield* (yield* DefinitionStore).find(organization, "SLO", { project, name })
        if (Option.isNone(found)) return yield* failure
        const { definition, updatedAt } = found.value
        const type = unsupportedSourceOf(definition)
        const { metricSource } = definition.spec.indicator ?? {}
        if (type === undefined || metricSource === undefined) return yield* failure
        return { unsupported: { type, source: metricSource, since: updatedAt } }
      }),
    ),
  )
