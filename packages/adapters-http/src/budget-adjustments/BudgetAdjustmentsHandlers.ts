import { budgetAdjustments } from "@tocsin/api"
import { definitionToJson } from "@tocsin/domain"
import { listBudgetChanges, previewBudgetChange } from "@tocsin/domain/features/budget-change"
import { costly, costlyReadsPolicy, unitsOf } from "@tocsin/domain/rate-limit"
import * as Effect from "effect/Effect"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { documentMediaTypes } from "@tocsin/formats/documents"
import { documentsOf } from "../documents/RequestDocuments.ts"
import { readText } from "../frame/RequestBody.ts"
import { serve } from "../serve/Serve.ts"

/** Units of costly requests for which a preview counts, beside those of its body. */
const previewUnits = 10

/** Units of costly requests for which a page of changes counts. */
const changesUnits = 5

export const budgetAdjustmentsRoutes = serve(budgetAdjustments, {
  previewBudgetAdjustments: Effect.fnUntraced(function* ({ organization }, request) {
    const body = yield* readText(request, documentMediaTypes)
    const options = yield* DefinitionOptions
    return yield* Effect.flatMap(documentsOf(body), (documents) =>
      previewBudgetChange(organization, documents, options),
    ).pipe(costly(organization, costlyReadsPolicy, previewUnits + unitsOf(body.text)))
  }),
  listBudgetChanges: Effect.fnUntraced(function* ({ organization, page, project, name }) {
    const { items, ...listed } = yield* listBudgetChanges(organization, { ...page, project, name }).pipe(
      costly(organization, costlyReadsPolicy, changesUnits),
    )
    const { vendorPrefix } = yield* DefinitionOptions
    return {
      ...listed,
      items: items.map(({ adjustments, ...change }) => ({
        ...change,
        adjustments: adjustments.map(({ outcome, definition }) => ({
          outcome,
          definition: definitionToJson(definition, vendorPrefix),
        })),
      })),
    }
  }),
})
