import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { DataSource } from "../slo/DataSource.ts"
import { serverOfAgent } from "../slo/MetricAgent.ts"
import { isOwnIndicator, type PolledIndicator, type SharedIndicator } from "../slo/PolledIndicator.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/**
 * The server of an indicator as it is defined now; `undefined`: its data source was deleted together with the SLO, or is of a
 * type that is not read.
 *
 * A data source with the name of an Agent or Direct is read instead of it: that is how an Agent or Direct gets authentication.
 */
export const findSource = (
  organization: OrganizationId,
  indicator: PolledIndicator,
): Effect.Effect<SourceServer | undefined, StoreIsUnavailable, DefinitionStore> =>
  Effect.map(findDefinedSource(organization, indicator), ({ server }) => server)

/** `findSource` for many indicators of an organization; those that are read from the same data source have the same `server`. */
export const makeSourceFinder = (organization: OrganizationId) => {
  const sources = new Map<string, DefinedSource>()
  return Effect.fnUntraced(function* (indicator: PolledIndicator) {
    const key = JSON.stringify(isOwnIndicator(indicator) ? indicator.source : sourceOf(indicator))
    const source = sources.get(key) ?? (yield* findDefinedSource(organization, indicator))
    sources.set(key, source)
    return source
  })
}

type SourceServer = DataSource["spec"]["prometheus"]

interface DefinedSource {
  readonly server: SourceServer | undefined
  /** When the data source was last changed, in Unix milliseconds; absent if the indicator has the URL. */
  readonly updatedAt?: number
}

const findDefinedSource = (
  organization: OrganizationId,
  indicator: PolledIndicator,
): Effect.Effect<DefinedSource, StoreIsUnavailable, DefinitionStore> =>
  Effect.gen(function* () {
    const store = yield* DefinitionStore
    const { url, dataSource } = isOwnIndicator(indicator)
      ? { url: undefined, dataSource: indicator.source }
      : indicator.prometheus
    if (url !== undefined) return { server: { url, headers: [] } }
    if (dataSource === undefined) return { server: undefined }
    const found = Option.getOrUndefined(yield* store.find(organization, "DataSource", dataSource))
    if (found !== undefined) return { server: found.definition.spec.prometheus, updatedAt: found.updatedAt }
    if (!isOwnIndicator(indicator)) return { server: undefined }
    const { source } = indicator
    const agent = Option.getOrUndefined(yield* store.find(organization, source.kind, source))
    return agent === undefined
      ? { server: undefined }
      : { server: serverOfAgent(agent.definition), updatedAt: agent.updatedAt }
  })

/** What a shared indicator is read from. */
const sourceOf = ({ prometheus: { url, dataSource } }: SharedIndicator) => ({ url: url?.text, ...dataSource })
