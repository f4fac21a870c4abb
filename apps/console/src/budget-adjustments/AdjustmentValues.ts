import type { AdjustmentDocument, DefinitionDocument } from "@tocsin/api"

export type BudgetAdjustment = DefinitionDocument<"BudgetAdjustment">

type ClientAdjustment = Exclude<BudgetAdjustment, AdjustmentDocument>

/** The project of an adjustment; adjustments of the service's public clients have no project. */
export const projectOf = (metadata: BudgetAdjustment["metadata"]): string =>
  "project" in metadata ? metadata.project : "default"

/** Whether an adjustment is written in the form of the service's public clients, which has its own fields. */
export const isOfClients = (adjustment: BudgetAdjustment): adjustment is ClientAdjustment =>
  !("project" in adjustment.metadata)

/** Why an adjustment was made. */
export const reasonOf = ({ spec }: BudgetAdjustment): string | undefined =>
  "reason" in spec ? spec.reason : spec.description
