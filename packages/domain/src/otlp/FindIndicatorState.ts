import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { findIndicator } from "../data-source/IndicatorStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { PushedMetricStore } from "./PushedMetricStore.ts"

/** Returns what an SLO's indicator has come to: what has arrived of pushed metrics, or as `findIndicator`. */
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
        return Option.isSome(pushed) ? { pushed: pushed.value } : yield* failure
      }),
    ),
  )
