import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DefinitionStore, type StoredDefinition } from "../definition/DefinitionStore.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { listByProjectKey, type PageQuery, readPage } from "../pagination/Page.ts"
import type { DataSource } from "../slo/DataSource.ts"
import { IndicatorStore, type SourceReading } from "./IndicatorStore.ts"
import { DataSourceNotFound } from "./TestDataSource.ts"

/**
 * Whether the SLOs of a data source can be read: `unused` before it was queried for one; `degraded` if it could not be read
 * for some when it was tried last, and `unavailable` if for none.
 */
export const sourceStates = ["unused", "available", "degraded", "unavailable"] as const

type SourceState = (typeof sourceStates)[number]

const sourceState = ({ queried, affected }: SourceReading): SourceState => {
  if (queried === 0) return "unused"
  if (affected === 0) return "available"
  return affected < queried ? "degraded" : "unavailable"
}

/** A data source with what its SLOs have come to. */
export interface ListedDataSource {
  /** The data source, with its secrets sealed. */
  readonly definition: DataSource
  /** Derived from `reading`. */
  readonly state: SourceState
  /** The SLOs that reference the data source, and whether their indicators can be queried. */
  readonly reading: SourceReading
}

/** The query of a list of data sources, not validated yet; an empty string is treated as omitted. */
export interface ListDataSourcesQuery extends PageQuery {
  readonly project?: string | undefined
}

/**
 * Lists data sources with their state, in the order of project, then name, by code point: a page, its limit, and the cursor
 * of the next page.
 */
export const listDataSources = Effect.fnUntraced(function* (
  organization: OrganizationId,
  query: ListDataSourcesQuery,
) {
  const store = yield* DefinitionStore
  const wanted = { kind: "DataSource", ...(query.project && { project: query.project }) } as const
  const { items, ...page } = yield* readPage(dataSourceList, query, (request) =>
    store.list(organization, wanted, request),
  )
  const dataSources = yield* withReadings(
    organization,
    items.map(({ definition }) => definition),
  )
  return { dataSources, ...page }
})

const dataSourceList = listByProjectKey(
  "datasources",
  ({ definition }: StoredDefinition<DataSource>) => definition.metadata,
)

/** Returns a data source with its state; fails with `DataSourceNotFound`. */
export const findDataSource = Effect.fnUntraced(function* (organization: OrganizationId, key: ProjectKey) {
  const found = yield* (yield* DefinitionStore).find(organization, "DataSource", key)
  if (Option.isNone(found)) return yield* new DataSourceNotFound({ project: key.project, name: key.name })
  const [source] = yield* withReadings(organization, [found.value.definition])
  return source ?? (yield* Effect.die("the store returns a reading for each data source"))
})

const withReadings = Effect.fnUntraced(function* (
  organization: OrganizationId,
  definitions: ReadonlyArray<DataSource>,
) {
  const keys = definitions.map(({ metadata: { project, name } }) => ({ project, name }))
  const readings = yield* (yield* IndicatorStore).readings(organization, keys)
  return Array.zipWith(definitions, readings, (definition, reading): ListedDataSource => ({
    definition,
    state: sourceState(reading),
    reading,
  }))
})
