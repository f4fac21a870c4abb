import { entryPath } from "../definition/Issue.ts"
import { description, displayName, nameOf } from "../definition/Metadata.ts"
import { nameFromDisplayName } from "../definition/NameFromDisplayName.ts"
import { listOf, number, objectOf, oneOf, refuseRepeated, type Rule } from "../definition/Rule.ts"
import { Limits } from "../Limits.ts"
import { type PlainObjective, type RollingWindow, type Slo } from "./Slo.ts"
import { rollingMs } from "./WindowAt.ts"

/** The property `spec` of an SLO. Source: contract section 2.2; decisions 0507 and 0602. */
export const sloSpec: Rule<Slo["spec"]> = objectOf((reader) => {
  const said = reader.optional("description", description)
  const service = reader.required("service", nameOf(Limits.nameMaxCharacters))
  const budgetingMethod = reader.required("budgetingMethod", budgeting)
  const timeWindows = reader.required("timeWindows", listOf(rollingWindow, { min: 1, max: 1 }))
  const objectives = reader.required("objectives", objectiveList)
  const alertPolicies = reader.has("alertPolicies") ? reader.optional("alertPolicies", policyNames) : []
  const timeWindow = timeWindows?.[0]
  if (
    service === undefined ||
    budgetingMethod === undefined ||
    timeWindow === undefined ||
    objectives === undefined ||
    alertPolicies === undefined
  ) {
    return undefined
  }
  return {
    ...(said !== undefined && { description: said }),
    service,
    budgetingMethod,
    timeWindow,
    objectives,
    alertPolicies,
  }
})

const budgeting: Rule<"Occurrences"> = (value, path, issues) =>
  value === "Timeslices"
    ? issues.add(path, "not_allowed_value", "must be Occurrences; Timeslices is not supported yet")
    : oneOf(["Occurrences"])(value, path, issues)

const notRolling =
  "must be a rolling window: unit Minute, Hour or Day, and isRolling true; calendar-aligned windows are not supported yet"

const rollingWindow: Rule<RollingWindow> = objectOf((reader) => {
  const { issues } = reader
  const unit = reader.required("unit", oneOf(["Minute", "Hour", "Day"]))
  const count = reader.required(
    "count",
    number((value) => Number.isSafeInteger(value) && value > 0, "must be a whole number of at least 1"),
  )
  // The reason is told once, at what says that the window is none that rolls.
  if (reader.has("calendar")) issues.add(reader.at("calendar"), "not_allowed_value", notRolling)
  else if (!reader.has("isRolling")) issues.add(reader.at("isRolling"), "required", "must be true")
  else if (reader.valueOf("isRolling") !== true) {
    issues.add(reader.at("isRolling"), "not_allowed_value", notRolling)
  }
  reader.ignore("isRolling")
  if (unit === undefined || count === undefined) return undefined
  const ms = rollingMs({ unit, count })
  return ms >= Limits.rollingWindowMinMs && ms <= Limits.rollingWindowMaxMs
    ? { unit, count }
    : issues.add(
        reader.path,
        "out_of_range",
        `must be at least ${Limits.rollingWindowMinMs / 60_000} minutes and at most ${Limits.rollingWindowMaxMs / 86_400_000} days long`,
      )
})

/** An objective as written: its name may still have to be derived, and its target may be none. */
interface WrittenObjective {
  readonly name: string | undefined
  readonly displayName: string | undefined
  readonly target: number | undefined
}

const objective: Rule<WrittenObjective> = objectOf((reader) => {
  const name = reader.optional("name", nameOf(Limits.sloNameMaxCharacters))
  const shown = reader.optional("displayName", displayName)
  const target = reader.required(
    "target",
    number((value) => value >= 0 && value < 1, "must be at least 0 and less than 1"),
  )
  return reader.has("name") && name === undefined ? undefined : { name, displayName: shown, target }
})

/** Objectives with unique names; one without a name takes it from its display name, or from its place. */
const objectiveList: Rule<ReadonlyArray<PlainObjective>> = (value, path, issues) => {
  const written = listOf(objective, { min: 1 })(value, path, issues)
  if (written === undefined) return undefined
  const named = written.map((each, index) => ({ ...each, name: each.name ?? derivedName(each, index) }))
  refuseRepeated(
    named.map(({ name }) => name),
    (index) => `${entryPath(path, index)}.name`,
    issues,
  )
  return named.flatMap(({ name, displayName, target }) =>
    target === undefined ? [] : [{ name, ...(displayName !== undefined && { displayName }), target }],
  )
}

const derivedName = ({ displayName }: WrittenObjective, index: number): string => {
  const derived = nameFromDisplayName(displayName ?? "")
    .slice(0, Limits.sloNameMaxCharacters)
    .replace(/-$/, "")
  return derived === "" ? `objective-${index + 1}` : derived
}

const policyNames: Rule<ReadonlyArray<string>> = (value, path, issues) => {
  const names = listOf(nameOf(Limits.nameMaxCharacters))(value, path, issues)
  if (names !== undefined) refuseRepeated(names, (index) => entryPath(path, index), issues)
  return names
}
