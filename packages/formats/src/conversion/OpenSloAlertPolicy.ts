import { severities } from "@tocsin/domain"
import type { Severity } from "@tocsin/domain/alerting"
import {
  boolean,
  type Codec,
  type IssueList,
  list,
  literals,
  nameMaxCharacters,
  number,
  optional,
  string,
  type TypeOf,
} from "@tocsin/domain/codec"
import { description } from "@tocsin/domain/kernel"
import { severityOfText } from "../SeverityText.ts"
import { foreign, foreignObject, lost } from "./Foreign.ts"
import { readOpenSloDuration, toDurationText } from "./OpenSloDuration.ts"
import { partOf, referenceOf } from "./OpenSloDocuments.ts"
import { partMetadata } from "./OpenSloMetadata.ts"

export type OpenSloCondition = TypeOf<typeof alertConditionSpec>

/** Targets are names of alert methods. */
type OpenSloAlertPolicy = TypeOf<ReturnType<typeof alertPolicySpecOf>>

/** Reads the parts of a policy, inline or by reference. */
export interface PolicyParts {
  readonly hasCondition: (name: string) => boolean
  /** The referenced condition, unless it was omitted. */
  readonly findCondition: (name: string) => OpenSloCondition | undefined
  /** Returns the name of the alert method, unless it was omitted. */
  readonly target: Codec<string>
}

export const alertPolicySpecOf = (parts: PolicyParts) =>
  foreignObject({
    description: optional(description),
    alertWhenBreaching: optional(boolean),
    conditions: optional(list(optionally(conditionEntry(parts)))),
    notificationTargets: optional(list(optionally(parts.target))),
    alertWhenResolved: optional(boolean),
    alertWhenNoData: optional(boolean),
  }).to((_, { value, has, at, issues }) => {
    if (!has("alertWhenBreaching")) {
      issues.add(at("alertWhenBreaching"), "required", "is missing and is assumed to be true")
    }
    const { conditions = [], notificationTargets: targets = [] } = value
    return {
      ...(value.description !== undefined && { description: value.description }),
      notifiesWhenBreaching: value.alertWhenBreaching ?? true,
      notifiesWhenResolved: value.alertWhenResolved ?? false,
      notifiesWhenNoData: value.alertWhenNoData ?? false,
      // A condition that could not be converted is `undefined`.
      conditions: conditions.map(({ read }) => read),
      alertMethods: [...new Set(targets.flatMap(({ read }) => (read === undefined ? [] : [read])))],
    }
  })

/** Maps the usual names of severities to Low, Medium and High. */
const convertedSeverity = foreign<Severity>((value, path, issues, context) => {
  const written = string({ max: nameMaxCharacters }).read(value, path, issues, context)
  if (written === undefined) return undefined
  const taken = severityOfText(written) ?? "Medium"
  if (written.toLowerCase() !== taken.toLowerCase()) {
    issues.add(path, "not_allowed_value", `becomes ${taken}: the severities are Low, Medium and High`)
  }
  return taken
})

const alertingWindow = foreign<string>((value, path, issues) => {
  const read = typeof value === "string" ? readOpenSloDuration(value) : undefined
  const duration = read && toDurationText(read)
  return (
    duration ?? issues.add(path, "invalid_format", "must be minutes, hours, days or weeks, such as 5m or 1h")
  )
})

const alertAfter = foreign<string>((value, ...at) =>
  typeof value === "string" && /^0[a-zA-Z]?$/.test(value) ? "0m" : alertingWindow.read(value, ...at),
)

const burnRateCondition = foreignObject({
  kind: optional(string({ max: nameMaxCharacters })),
  op: literals(["gt", "gte", "lt", "lte"]),
  threshold: number({ min: 0 }),
  lookbackWindow: alertingWindow,
  alertAfter: optional(alertAfter),
}).to((whole, { value: { kind = "burnrate", op }, has, at, issues }) => {
  const isBurnRate = kind.toLowerCase() === "burnrate"
  if (!isBurnRate) {
    issues.add(at("kind"), "not_allowed_value", "is omitted: burnrate is the only supported kind")
  }
  if (op === "gt") issues.add(at("op"), "not_allowed_value", "becomes gte, the only supported operator")
  if (op === "lt" || op === "lte") {
    const message = "is omitted: it would alert while the budget burns slowly; use gte for “exceeds”"
    return issues.add(at("op"), "not_allowed_value", message)
  }
  if (whole === undefined || !isBurnRate) return undefined
  const { threshold, lookbackWindow, alertAfter: lastsFor = "0m" } = whole
  // Without it, the condition would be met earlier.
  if (has("alertAfter") && whole.alertAfter === undefined) return undefined
  return {
    measurement: "averageBurnRate",
    value: threshold,
    op: "gte",
    alertingWindow: lookbackWindow,
    ...(lastsFor !== "0m" && { lastsFor }),
  }
})

export const alertConditionSpec = foreignObject({
  description: lost("is omitted: conditions have no description"),
  severity: convertedSeverity,
  condition: burnRateCondition,
}).to((whole) => whole && { severity: whole.severity, condition: whole.condition })

const inlineCondition = partOf("AlertCondition", alertConditionSpec, partMetadata)

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
const optionally = <A>(codec: Codec<A>): Codec<{ readonly read: A | undefined }> =>
  foreign((...at) => ({ read: codec.read(...at) }))

const conditionEntry = ({ hasCondition, findCondition }: PolicyParts): Codec<OpenSloCondition> =>
  foreign((value, path, issues, context) => {
    const name = referenceOf("conditionRef", value, path, issues, context)
    if (name === undefined) return inlineCondition.read(value, path, issues, context)?.spec
    if (hasCondition(name)) return findCondition(name)
    return issues.add(path, "not_found", "is omitted: no document defines this AlertCondition")
  })
