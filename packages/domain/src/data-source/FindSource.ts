import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { DataSource } from "../slo/DataSource.ts"
import { serverOfAgent } from "../slo/MetricAgent.ts"
import { isOwnIndicator, type PolledIndicator } from "../slo/PolledIndicator.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/**
 * The server of an indicator as it is defined now; `undefined`: its data source was deleted together with the SLO, or is of a
 * type that is not read.
 *
 * A data source with the name of an Agent or Direct is read instead of it: that is how one gets a login.
 */
export const findSource = (
  organization: OrganizationId,
  indicator: PolledIndicator,
): Effect.Effect<DataSource["spec"]["prometheus"] | undefined, StoreIsUnavailable, DefinitionStore> =>
  Effect.gen(function* () {
    const store = yield* DefinitionStore
    const { url, dataSource } = isOwnIndicator(indicator)
      ? { url: undefined, dataSource: indicator.source }
      : indicator.prometheus
    if (url !== undefined) return { url, headers: [] }
    if (dataSource === undefined) return undefined
    const found = yield* store.find(organization, "DataSource", dataSource)
    if (Option.isSome(found)) return found.value.definition.spec.prometheus
    if (!isOwnIndicator(indicator)) return undefined
    const { source } = indicator
    const agent = Option.getOrUndefined(yield* store.find(organization, source.kind, source))
    return agent && serverOfAgent(agent.definition)
  })
