import { severities } from "@tocsin/domain"
import type { Severity } from "@tocsin/domain/alerting"
import { boolean, type IssueList, nameMaxCharacters, number, oneOf, string } from "@tocsin/domain/codec"
import { description } from "@tocsin/domain/kernel"
import { severityOfText } from "../SeverityText.ts"
import { listOf, objectOf, type Rule } from "./ObjectRule.ts"
import { readOpenSloDuration, toDurationText } from "./OpenSloDuration.ts"
import { partOf, referenceOf } from "./OpenSloDocuments.ts"
import { partMetadata, logLost } from "./OpenSloMetadata.ts"

export interface OpenSloCondition {
  readonly severity: Severity
  readonly condition: ConvertedCondition
}

interface ConvertedCondition {
  readonly measurement: "averageBurnRate"
  readonly value: number
  readonly op: "gte"
  readonly alertingWindow: string
  readonly lastsFor?: string
}

/** Targets are names of alert methods. */
export interface OpenSloAlertPolicy {
  readonly description?: string
  readonly notifiesWhenBreaching: boolean
  readonly notifiesWhenResolved: boolean
  readonly notifiesWhenNoData: boolean
  /** A condition that could not be converted is `undefined`. */
  readonly conditions: ReadonlyArray<OpenSloCondition | undefined>
  readonly alertMethods: ReadonlyArray<string>
}

/** Reads the parts of a policy, inline or by reference. */
export interface PolicyParts {
  readonly hasCondition: (name: string) => boolean
  /** The referenced condition, unless it was omitted. */
  readonly findCondition: (name: string) => OpenSloCondition | undefined
  /** Returns the name of the alert method, unless it was omitted. */
  readonly target: Rule<string>
}

export const alertPolicySpecOf = (parts: PolicyParts): Rule<OpenSloAlertPolicy> =>
  objectOf((reader) => {
    const said = reader.optional("description", description.read)
    const breaching = reader.optional("alertWhenBreaching", boolean.read)
    if (!reader.has("alertWhenBreaching")) {
      const message = "is missing and is assumed to be true"
      reader.issues.add(reader.at("alertWhenBreaching"), "required", message)
    }
    const conditions = reader.optional("conditions", listOf(optionally(conditionEntry(parts))))
    const alertMethods = reader.optional("notificationTargets", listOf(optionally(parts.target)))
    return {
      ...(said !== undefined && { description: said }),
      notifiesWhenBreaching: breaching ?? true,
      notifiesWhenResolved: reader.optional("alertWhenResolved", boolean.read) ?? false,
      notifiesWhenNoData: reader.optional("alertWhenNoData", boolean.read) ?? false,
      conditions: (conditions ?? []).map(({ read }) => read),
      alertMethods: [
        ...new Set((alertMethods ?? []).flatMap(({ read }) => (read === undefined ? [] : [read]))),
      ],
    }
  })

export const alertConditionSpec: Rule<OpenSloCondition> = objectOf((reader) => {
  logLost(reader, ["description"], "is omitted: conditions have no description")
  const severity = reader.required("severity", convertedSeverity)
  const condition = reader.required("condition", burnRateCondition)
  return severity === undefined || condition === undefined ? undefined : { severity, condition }
})

/**
 * Returns `undefined`, with a note, if the policy would never notify, or would notify more often because a
 * condition is omitted. `at` gives the path of a property in the source document.
 */
export const policyToSpec = (
  {
    conditions,
    alertMethods,
    notifiesWhenBreaching,
    notifiesWhenNoData,
    description: said,
  }: OpenSloAlertPolicy,
  project: string,
  issues: IssueList,
  at: (property: string) => string,
): object | undefined => {
  if (notifiesWhenNoData && alertMethods.length === 0) {
    issues.add(at("spec.alertWhenNoData"), "too_few", "is omitted: the policy has no notification target")
  }
  if (!notifiesWhenBreaching) {
    const message = "is false, so the policy is omitted: a policy always notifies when its conditions are met"
    return issues.add(at("spec.alertWhenBreaching"), "not_allowed_value", message)
  }
  const carried = conditions.filter((each) => each !== undefined)
  if (carried.length === 0) {
    const message = "has no condition that can be converted, so the policy is omitted"
    return issues.add(at("spec.conditions"), "too_few", message)
  }
  if (carried.length < conditions.length) {
    const message = "has a condition that is omitted, so the policy is omitted: it would notify more often"
    return issues.add(at("spec.conditions"), "too_few", message)
  }
  const severity = severities.findLast((each) => carried.some((one) => one.severity === each))
  if (carried.some((each) => each.severity !== severity)) {
    const message = `has conditions of several severities; the policy takes ${severity}`
    issues.add(at("spec.conditions"), "not_allowed_value", message)
  }
  return {
    ...(said !== undefined && { description: said }),
    severity,
    conditions: carried.map(({ condition }) => condition),
    alertMethods: alertMethods.map((name) => ({ metadata: { name, project } })),
  }
}

/** Keeps the other entries of a list if an entry is invalid. */
const optionally =
  <A>(rule: Rule<A>): Rule<{ readonly read: A | undefined }> =>
  (value, path, issues) => ({ read: rule(value, path, issues) })

const conditionEntry =
  ({ hasCondition, findCondition }: PolicyParts): Rule<OpenSloCondition> =>
  (value, path, issues) => {
    const name = referenceOf("conditionRef", value, path, issues)
    if (name === undefined) {
      return partOf("AlertCondition", alertConditionSpec, partMetadata)(value, path, issues)?.spec
    }
    if (hasCondition(name)) return findCondition(name)
    return issues.add(path, "not_found", "is omitted: no document defines this AlertCondition")
  }

const burnRateCondition: Rule<ConvertedCondition> = objectOf((reader) => {
  const { issues } = reader
  const kind = reader.optional("kind", string({ max: nameMaxCharacters }).read) ?? "burnrate"
  if (kind.toLowerCase() !== "burnrate") {
    issues.add(reader.at("kind"), "not_allowed_value", "is omitted: burnrate is the only supported kind")
  }
  const op = reader.required("op", oneOf(["gt", "gte", "lt", "lte"]))
  if (op === "gt")
    issues.add(reader.at("op"), "not_allowed_value", "becomes gte, the only supported operator")
  if (op === "lt" || op === "lte") {
    const message = "is omitted: it would alert while the budget burns slowly; use gte for “exceeds”"
    issues.add(reader.at("op"), "not_allowed_value", message)
  }
  const value = reader.required("threshold", number({ min: 0 }).read)
  const alertingWindow = reader.required("lookbackWindow", alertingWindowText)
  const alertAfter = reader.optional("alertAfter", alertAfterText)
  // Without it, the condition would be met earlier.
  if (alertAfter === undefined && reader.has("alertAfter")) return undefined
  const lastsFor = alertAfter === undefined || alertAfter === "0m" ? {} : { lastsFor: alertAfter }
  const isRising = op === "gt" || op === "gte"
  if (!isRising || kind.toLowerCase() !== "burnrate") return undefined
  return value === undefined || alertingWindow === undefined
    ? undefined
    : { measurement: "averageBurnRate", value, op: "gte", alertingWindow, ...lastsFor }
})

const alertingWindowText: Rule<string> = (value, path, issues) => {
  const read = typeof value === "string" ? readOpenSloDuration(value) : undefined
  const duration = read && toDurationText(read)
  return (
    duration ?? issues.add(path, "invalid_format", "must be minutes, hours, days or weeks, such as 5m or 1h")
  )
}

const alertAfterText: Rule<string> = (value, path, issues) =>
  typeof value === "string" && /^0[a-zA-Z]?$/.test(value) ? "0m" : alertingWindowText(value, path, issues)

/** Maps the usual names of severities to Low, Medium and High. */
const convertedSeverity: Rule<Severity> = (value, path, issues) => {
  const written = string({ max: nameMaxCharacters }).read(value, path, issues, undefined)
  if (written === undefined) return undefined
  const taken = severityOfText(written) ?? "Medium"
  if (written.toLowerCase() === taken.toLowerCase()) return taken
  return (
    issues.add(path, "not_allowed_value", `becomes ${taken}: the severities are Low, Medium and High`) ??
    taken
  )
}
