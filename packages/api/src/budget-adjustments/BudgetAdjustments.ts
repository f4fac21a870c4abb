import type { DefinitionJson } from "@tocsin/domain"
import type { JsonOf } from "@tocsin/domain/codec"
import { budgetAdjustment } from "@tocsin/domain/definitions"
import { budgetChangesPageMax, effectObjectivesMax, effectSlosMax } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import { oneOrMore, optionalText, pageOf, time, written } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { warnings } from "../operation/Warnings.ts"
import { metrics } from "../slos/Metrics.ts"

const objectiveMetrics = Schema.Struct(metrics).annotate({
  identifier: "ObjectiveMetrics",
  description: "Metrics without data are omitted",
})

/** The metrics of the affected objectives before and after a budget adjustment. */
const budgetEffects = Schema.Struct({
  isPartial: Schema.Boolean.annotate({
    description: `Whether objectives are left out: of more than ${effectSlosMax} SLOs, or more than ${effectObjectivesMax}`,
  }),
  objectives: Schema.Array(
    Schema.Struct({
      project: Schema.String,
      slo: Schema.String,
      objective: optionalText("Absent for the legacy composite"),
      before: objectiveMetrics,
      after: objectiveMetrics,
      badRemoved: Schema.optionalKey(
        Schema.Finite.annotate({
          description:
            "Only of a preview: how many bad events of the time window no longer count; of a composite objective, those of its components. Negative if more count",
        }),
      ),
    }),
  ),
}).annotate({ identifier: "BudgetEffects" })

/** The JSON of `budgetEffects`. */
export type BudgetEffects = (typeof budgetEffects)["Encoded"]

const preview = Schema.Struct({ ...budgetEffects.fields, warnings }).annotate({
  identifier: "BudgetPreview",
})

/** The JSON of a budget adjustment that belongs to a project: not that of events, which is only read. */
export type AdjustmentDocument = Extract<
  JsonOf<typeof budgetAdjustment>,
  {
    /** It names its project. */
    readonly metadata: { readonly project: string }
  }
>

/** Who created, updated or deleted budget adjustments, and what that changed. */
const budgetChange = Schema.Struct({
  id: Schema.String,
  at: time("When the change was made"),
  author: optionalText("Client ID of the credential that made it"),
  adjustments: Schema.Array(
    Schema.Struct({
      outcome: Schema.Literals(["created", "updated", "deleted"]),
      definition: written<DefinitionJson, AdjustmentDocument>(budgetAdjustment.schema()),
    }),
  ),
  effects: budgetEffects,
}).annotate({ identifier: "BudgetChange" })

/** The JSON of `budgetChange`. */
export type BudgetChange = (typeof budgetChange)["Encoded"]

/** Budget adjustments: what they would change, and what they changed. */
export const budgetAdjustments = resource("Budget adjustments", {
  previewBudgetAdjustments: {
    method: "POST",
    path: "/api/budget-adjustments/preview",
    body: oneOrMore<object>(budgetAdjustment.schema),
    bodyAs: "unread",
    isYaml: true,
    success: preview,
    summary: "Preview budget adjustments",
    description:
      "Returns the metrics of each affected objective with and without the adjustments, at the same time. Takes one definition or a list, as JSON or YAML. Nothing is stored.",
  },
  listBudgetChanges: {
    method: "GET",
    path: "/api/budget-adjustments/changes",
    query: {
      project: optionalText("Project of the adjustment. Default: default"),
      name: optionalText("Name of an adjustment. Default: the changes of all"),
    },
    success: pageOf(budgetChange),
    errors: [429],
    summary: "List changes of budget adjustments",
    description: `Newest first, at most ${budgetChangesPageMax} on a page: who created, updated or deleted adjustments, and the metrics of the affected objectives before and after.`,
  },
})
