import { definitionToJson } from "@tocsin/domain"
import {
  type BudgetChange,
  listBudgetChanges,
  previewBudgetChange,
} from "@tocsin/domain/features/budget-change"
import * as Effect from "effect/Effect"
import { accessOf } from "../access/RequestAccess.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { documentMediaTypes } from "../documents/ReadDocuments.ts"
import { documentsOf } from "../documents/RequestDocuments.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { costly, costlyReadsPolicy, unitsOf } from "@tocsin/domain/rate-limit"
import { readText } from "../frame/RequestBody.ts"
import { filteredLinks, queryOf } from "../frame/RequestParameters.ts"
import { timeText } from "../frame/TimeText.ts"
import { BudgetAdjustmentsApi } from "./BudgetAdjustmentsApi.ts"

/** Units of costly requests for which a preview counts, beside those of its body. */
export const previewUnits = 10

/** Units of costly requests for which a page of changes counts. */
export const changesUnits = 5

export const budgetAdjustmentsRoutes = routesOf(BudgetAdjustmentsApi, {
  previewBudgetAdjustments: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const body = yield* readText(request, documentMediaTypes)
    const options = yield* DefinitionOptions
    const effects = yield* Effect.flatMap(documentsOf(body), (documents) =>
      previewBudgetChange(organization, documents, options),
    ).pipe(costly(organization, costlyReadsPolicy, previewUnits + unitsOf(body.text)))
    return jsonResponse(200, JSON.stringify(effects))
  }),
  listBudgetChanges: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const { items, ...page } = yield* listBudgetChanges(
      organization,
      queryOf(request, ["limit", "cursor", "project", "name"]),
    ).pipe(costly(organization, costlyReadsPolicy, changesUnits))
    const { vendorPrefix } = yield* DefinitionOptions
    const links = filteredLinks(request, "/api/budget-adjustments/changes", ["project", "name"], page)
    const data = items.map((change) => changeToJson(change, vendorPrefix))
    return jsonResponse(200, JSON.stringify({ data, links }))
  }),
})

const changeToJson = ({ at, adjustments, ...change }: BudgetChange, vendorPrefix: string) => ({
  ...change,
  at: timeText(at),
  adjustments: adjustments.map(({ outcome, definition }) => ({
    outcome,
    definition: definitionToJson(definition, vendorPrefix),
  })),
})
