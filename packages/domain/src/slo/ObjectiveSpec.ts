import type { ProjectKey } from "../metadata/ObjectKey.ts"
import { displayName, nameOf } from "../metadata/Metadata.ts"
import { nameFromDisplayName } from "../codec/NameFromDisplayName.ts"
import { objectOf, type ObjectReader } from "../codec/ObjectRule.ts"
import { distinctListOf, number, type Rule } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"
import { compositeOfObjective, target } from "./CompositeSpec.ts"
import type { BudgetingMethod, CompositeObjective, Objective } from "./Slo.ts"

/**
 * The objectives of the SLO `owner`, with unique names; one without a name takes it from its display name, or from
 * its place.
 *
 * Source: decisions 0602, 0517, 0519 and 0522.
 */
export const objectiveList =
  (owner: ProjectKey, budgetingMethod: BudgetingMethod | undefined): Rule<ReadonlyArray<Objective>> =>
  (value, path, issues) => {
    const written = distinctListOf(objective(owner, budgetingMethod), nameAt, { min: 1, at: "name" })(
      value,
      path,
      issues,
    )
    if (written === undefined) return undefined
    const named = written.map((each, index) => ({ ...each, name: nameAt(each, index) }))
    const components = named.reduce((sum, { composite }) => sum + (composite?.components.length ?? 0), 0)
    if (components > Limits.componentsMax) {
      issues.add(path, "too_many", `must have at most ${Limits.componentsMax} components in all`)
    }
    const objectives = named.flatMap(toObjective)
    return objectives.length === named.length ? objectives : undefined
  }

/** An objective as written: its name may still have to be derived, and what has issues is not there. */
interface WrittenObjective {
  readonly name: string | undefined
  readonly displayName: string | undefined
  readonly target: number | undefined
  readonly timeSliceTarget: number | undefined
  readonly isComposite: boolean
  readonly composite: CompositeObjective["composite"] | undefined
}

const objective = (owner: ProjectKey, budgetingMethod: BudgetingMethod | undefined): Rule<WrittenObjective> =>
  objectOf((reader) => {
    const name = reader.optional("name", nameOf(Limits.sloNameMaxCharacters))
    const shown = reader.optional("displayName", displayName)
    const wanted = reader.required("target", target)
    const timeSliceTarget = reader.optional("timeSliceTarget", timeSliceShare)
    const composite = reader.optional("composite", compositeOfObjective(owner))
    checkMethod(reader, budgetingMethod)
    if (reader.has("name") && name === undefined) return undefined
    const isComposite = reader.has("composite")
    return { name, displayName: shown, target: wanted, timeSliceTarget, isComposite, composite }
  })

const timeSliceShare = number((value) => value > 0 && value <= 1, "must be more than 0 and at most 1")

const checkMethod = (reader: ObjectReader, budgetingMethod: BudgetingMethod | undefined): void => {
  const { issues } = reader
  const isComposite = reader.has("composite")
  if (isComposite && budgetingMethod === "Timeslices") {
    issues.add(reader.at("composite"), "not_allowed_value", "is for the budgeting method Occurrences alone")
  }
  const at = reader.at("timeSliceTarget")
  if (!reader.has("timeSliceTarget")) {
    if (budgetingMethod === "Timeslices" && !isComposite) {
      issues.add(at, "required", "is required for the budgeting method Timeslices")
    }
  } else if (isComposite) {
    issues.add(at, "not_allowed_value", "is not for an objective that is composite")
  } else if (budgetingMethod === "Occurrences") {
    issues.add(at, "not_allowed_value", "is for the budgeting method Timeslices alone")
  }
}

const nameAt = ({ name, displayName }: WrittenObjective, index: number): string => {
  if (name !== undefined) return name
  const derived = nameFromDisplayName(displayName ?? "", Limits.sloNameMaxCharacters)
  return derived === "" ? `objective-${index + 1}` : derived
}

/** The objective, or nothing when a part of it could not be read. */
const toObjective = (
  written: WrittenObjective & { readonly name: string },
): readonly [Objective] | readonly [] => {
  const { name, displayName, target, timeSliceTarget, isComposite, composite } = written
  if (target === undefined) return []
  const shown = { name, ...(displayName !== undefined && { displayName }), target }
  if (!isComposite) return [{ ...shown, ...(timeSliceTarget !== undefined && { timeSliceTarget }) }]
  return composite === undefined ? [] : [{ ...shown, composite }]
}
