import type { AdjustmentDocument, DefinitionDocument } from "@tocsin/api"
import { generalOf, type GeneralValues, newMetadata } from "../editor/General.tsx"
import { keyOf, keyText } from "../editor/NameList.tsx"
import { emptyPeriod, periodOf, type PeriodValues, periodValuesOf } from "../editor/Period.tsx"
import type { SloSelectionValues } from "../editor/SloSelection.tsx"
import { timeText } from "../time/TimeZone.ts"

export type BudgetAdjustment = DefinitionDocument<"BudgetAdjustment">

type ClientAdjustment = Exclude<BudgetAdjustment, AdjustmentDocument>

export interface AdjustmentValues extends GeneralValues, PeriodValues, SloSelectionValues {
  readonly reason: string
  /** Each `project/name`. */
  readonly slos: ReadonlyArray<string>
  /** Whether counts are set, instead of excluding the minutes. */
  readonly isSet: boolean
  readonly good: string
  readonly total: string
}

/** The values of a new adjustment, from the parameters of the address: an SLO as `project/name`, and a range. */
export const newValues = (search: URLSearchParams): AdjustmentValues => {
  const slo = search.get("slo") ?? ""
  const timeOf = (name: string): string => {
    const time = Date.parse(search.get(name) ?? "")
    return Number.isNaN(time) ? "" : timeText(time)
  }
  return {
    metadata: newMetadata(slo === "" ? undefined : keyOf(slo).project),
    spec: {},
    ...emptyPeriod(),
    start: timeOf("from"),
    end: timeOf("to"),
    reason: "",
    isByLabels: false,
    slos: slo === "" ? [] : [slo],
    sloLabels: "",
    isSet: false,
    good: "",
    total: "",
  }
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

/** The values of a stored adjustment. */
export const valuesOf = (adjustment: AdjustmentDocument): AdjustmentValues => {
  const { metadata, spec } = adjustment
  return {
    ...generalOf({ metadata }),
    ...periodValuesOf(spec),
    reason: spec.reason,
    isByLabels: spec.sloLabels !== undefined,
    slos: (spec.slos ?? []).map((slo) => keyText(slo, projectOf(metadata))),
    sloLabels: spec.sloLabels ?? "",
    isSet: spec.set !== undefined,
    good: spec.set === undefined ? "" : String(spec.set.good),
    total: spec.set === undefined ? "" : String(spec.set.total),
  }
}

/** The definition that the values describe, valid or not. */
export const definitionOf = (values: AdjustmentValues, apiVersion: string): AdjustmentDocument =>
  ({
    apiVersion,
    kind: "BudgetAdjustment",
    metadata: values.metadata,
    spec: {
      reason: values.reason.trim(),
      ...(values.isByLabels ? { sloLabels: values.sloLabels.trim() } : { slos: values.slos.map(keyOf) }),
      ...periodOf(values),
      ...(values.isSet && { set: { good: numberOf(values.good), total: numberOf(values.total) } }),
    },
  }) as AdjustmentDocument

/** What is no number stays a text, which the server rejects with the rule. */
const numberOf = (text: string): number | string => {
  const number = Number(text.trim())
  return text.trim() === "" || Number.isNaN(number) ? text : number
}
