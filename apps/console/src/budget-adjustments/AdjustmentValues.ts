import type { AdjustmentDocument, DefinitionDocument } from "@tocsin/api"
import { newMetadata } from "../editor/General.tsx"
import { keyOf } from "../editor/NameList.tsx"
import { newPeriod } from "../editor/Period.tsx"
import { timeText } from "../time/TimeZone.ts"

export type BudgetAdjustment = DefinitionDocument<"BudgetAdjustment">

type ClientAdjustment = Exclude<BudgetAdjustment, AdjustmentDocument>

/** A new adjustment, from the parameters of the address: an SLO as `project/name`, and a range. */
export const newAdjustment = (apiVersion: string, search: URLSearchParams) => {
  const slo = search.get("slo") ?? ""
  const timeOf = (name: string): string => {
    const time = Date.parse(search.get(name) ?? "")
    return Number.isNaN(time) ? "" : timeText(time)
  }
  return {
    apiVersion,
    kind: "BudgetAdjustment",
    metadata: newMetadata(slo === "" ? undefined : keyOf(slo).project),
    spec: {
      reason: "",
      slos: slo === "" ? [] : [keyOf(slo)],
      sloLabels: undefined,
      period: newPeriod(timeOf("from"), timeOf("to")),
      recurrence: undefined,
      set: undefined,
    },
  } as object as AdjustmentDocument
}

/** The project of an adjustment; those of the service's public clients name none. */
export const projectOf = (metadata: BudgetAdjustment["metadata"]): string =>
  "project" in metadata ? metadata.project : "default"

/** Whether an adjustment is written in the form of the service's public clients, which has fields of its own. */
export const isOfClients = (adjustment: BudgetAdjustment): adjustment is ClientAdjustment =>
  !("project" in adjustment.metadata)

/** Why an adjustment was made. */
export const reasonOf = ({ spec }: BudgetAdjustment): string | undefined =>
  "reason" in spec ? spec.reason : spec.description
