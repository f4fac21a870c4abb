import { budgetAdjustment } from "@tocsin/domain/definitions"
import {
  budgetChangesPageMax,
  definitionsMax,
  effectObjectivesMax,
  effectSlosMax,
} from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  BearerAccess,
  OrganizationHeader,
  bodyErrors,
  organizationErrors,
  TooManyRequests,
  endpoint,
  dateTime,
  optionalText,
  PageParams,
  pageSchema,
  warnings,
} from "@tocsin/api/openapi"
import { objectiveMetrics as metrics } from "@tocsin/api"
import * as examples from "./BudgetAdjustmentExamples.ts"

const Metrics = Schema.Struct(metrics).annotate({
  identifier: "ObjectiveMetrics",
  description: "Metrics without data are omitted",
})

/** The metrics of the affected objectives before and after a budget adjustment. */
export const BudgetEffectsSchema = Schema.Struct({
  isPartial: Schema.Boolean.annotate({
    description: `Whether objectives are left out: of more than ${effectSlosMax} SLOs, or more than ${effectObjectivesMax}`,
  }),
  objectives: Schema.Array(
    Schema.Struct({
      project: Schema.String,
      slo: Schema.String,
      objective: optionalText("Absent for the legacy composite"),
      before: Metrics,
      after: Metrics,
    }),
  ),
}).annotate({ identifier: "BudgetEffects" })

const BudgetPreviewSchema = Schema.Struct({ ...BudgetEffectsSchema.fields, warnings }).annotate({
  identifier: "BudgetPreview",
})

export const BudgetChangeSchema = Schema.Struct({
  id: Schema.String,
  at: dateTime("When the change was made"),
  author: optionalText("Client ID of the credential that made it"),
  adjustments: Schema.Array(
    Schema.Struct({
      outcome: Schema.Literals(["created", "updated", "deleted"]),
      definition: budgetAdjustment.schema(),
    }),
  ),
  effects: BudgetEffectsSchema,
}).annotate({ identifier: "BudgetChange" })

export const BudgetAdjustmentsApi = HttpApiGroup.make("budget adjustments")
  .add(
    endpoint.post("previewBudgetAdjustments", "/api/budget-adjustments/preview", {
      headers: OrganizationHeader,
      payload: Schema.Union([
        budgetAdjustment.schema(),
        Schema.Array(budgetAdjustment.schema()).check(
          Schema.isMinLength(1),
          Schema.isMaxLength(definitionsMax),
        ),
      ]),
      success: BudgetPreviewSchema,
      error: [...organizationErrors, ...bodyErrors],
      summary: "Preview budget adjustments",
      description:
        "Returns the metrics of each affected objective without and with the adjustments, at the same time. Takes one definition or a list, as JSON or YAML. Nothing is stored.",
      isYaml: true,
      example: examples.previewBudgetAdjustments,
    }),
    endpoint.get("listBudgetChanges", "/api/budget-adjustments/changes", {
      headers: OrganizationHeader,
      query: Schema.Struct({
        ...PageParams.fields,
        project: optionalText("Project of the adjustment. Default: default"),
        name: optionalText("Name of an adjustment. Default: the changes of all"),
      }),
      success: pageSchema(BudgetChangeSchema, "BudgetChangePage"),
      error: [...organizationErrors, TooManyRequests],
      summary: "List changes of budget adjustments",
      description: `Newest first, at most ${budgetChangesPageMax} on a page: who created, updated or deleted adjustments, and the metrics of the affected objectives before and after.`,
      example: examples.listBudgetChanges,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Budget adjustments")
