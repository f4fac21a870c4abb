import { dataSources, type dataSourceStatus } from "@tocsin/api"
import { definitionToJson } from "@tocsin/domain"
import {
  findDataSource,
  listDataSources,
  type ListedDataSource,
  testDataSource,
  testProposedSource,
} from "@tocsin/domain/features/data-source"
import { costly, costlyReadsPolicy } from "@tocsin/domain/rate-limit"
import * as Effect from "effect/Effect"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { projectKeyOf } from "../frame/RequestParameters.ts"
import { serve } from "../serve/Serve.ts"

export const dataSourcesRoutes = serve(dataSources, {
  listDataSources: Effect.fnUntraced(function* ({ organization, project, page }) {
    const { dataSources, ...listed } = yield* listDataSources(organization, { project, ...page }).pipe(
      costly(organization, costlyReadsPolicy, stateUnits),
    )
    const { vendorPrefix } = yield* DefinitionOptions
    return { ...listed, items: dataSources.map((each) => statusOf(each, vendorPrefix)) }
  }),
  findDataSource: Effect.fnUntraced(function* ({ organization, ...key }) {
    const found = yield* findDataSource(organization, projectKeyOf(key)).pipe(
      costly(organization, costlyReadsPolicy, stateUnits),
    )
    const { vendorPrefix } = yield* DefinitionOptions
    return statusOf(found, vendorPrefix)
  }),
  testDataSource: ({ organization, ...key }) => testDataSource(organization, projectKeyOf(key)),
  testProposedDataSource: ({ organization, body }) =>
    Effect.flatMap(DefinitionOptions, (options) => testProposedSource(organization, body, options)),
})

/** Units of costly requests for which the state of data sources counts; it is derived from all of their SLOs. */
const stateUnits = 1

const statusOf = (
  { definition, state, reading: { slos, affected, ...reading } }: ListedDataSource,
  vendorPrefix: string,
): typeof dataSourceStatus.Type => ({
  ...reading,
  definition: definitionToJson(definition, vendorPrefix),
  state,
  sloCount: slos,
  affectedSloCount: affected,
})
