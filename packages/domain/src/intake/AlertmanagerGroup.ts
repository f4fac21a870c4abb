import * as Result from "effect/Result"
import * as Data from "effect/Data"
import { instant } from "../codec/DateTime.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { IssueList, type Issue } from "../codec/Issue.ts"
import { objectName, sloName } from "../metadata/Metadata.ts"
import { lenientObjectOf, type ObjectReader } from "../codec/ObjectRule.ts"
import { decodeBy, listOf, number, oneOf, type Rule, text } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"
import { defaultProjectName } from "../slo/Project.ts"
import type { AlertRequest } from "./DecodeAlert.ts"
import { severityOfText } from "./SeverityText.ts"

/** What Alertmanager says of a group of alerts. Source: Prometheus Alertmanager, webhook payload version 4. */
export interface AlertmanagerGroup {
  readonly alerts: ReadonlyArray<AlertmanagerAlert>
  /** How many alerts of the group Alertmanager has left out, as its `max_alerts` says. */
  readonly truncatedAlerts: number
}

/** One alert of a group. */
export interface AlertmanagerAlert {
  /** What Alertmanager makes of the labels; `undefined` where that cannot be read, and the request is none. */
  readonly fingerprint: string | undefined
  /** What is to be done, or why nothing can be. Paths of issues begin with the alert's properties. */
  readonly request: Result.Result<AlertRequest, ReadonlyArray<Issue>>
}

/** A body is no group of alerts, or every alert of it is refused; nothing was taken. */
export class AlertmanagerGroupIsInvalid extends Data.TaggedError("AlertmanagerGroupIsInvalid")<{
  /** Every issue, sorted by path; a path begins with the alert's place, as `alerts[0].labels.tocsin_slo`. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/**
 * Reads the body of Alertmanager's webhook, parsed from JSON. An alert that cannot be read does not keep the others
 * from being read; properties that later versions may add are let be.
 *
 * Source: spec/alertmanager §1, spec/alerting §9.
 */
export const decodeAlertmanagerGroup = (
  body: unknown,
): Result.Result<AlertmanagerGroup, AlertmanagerGroupIsInvalid> =>
  Result.mapError(decodeBy(groupRule, body), (issues) => new AlertmanagerGroupIsInvalid({ issues }))

/** The labels that say whom an alert is about and whom it rings. */
export const alertmanagerLabels = {
  slo: "tocsin_slo",
  project: "tocsin_project",
  objective: "tocsin_objective",
  alertPolicy: "tocsin_alert_policy",
  alertMethods: "tocsin_alert_methods",
  severity: "severity",
} as const

const groupRule: Rule<AlertmanagerGroup> = lenientObjectOf((reader) => {
  const version = reader.required("version", oneOf(["4"]))
  const alerts = reader.required("alerts", listOf(alertEntry, { max: Limits.alertsPerGroupMax }))
  const truncatedAlerts = reader.optional("truncatedAlerts", count) ?? 0
  return version === undefined || alerts === undefined ? undefined : { alerts, truncatedAlerts }
})

const count = number((value) => Number.isSafeInteger(value) && value >= 0, "must be a whole number from 0")

const alertEntry: Rule<AlertmanagerAlert> = (value) => {
  const issues = new IssueList()
  const read = alertRule(value, "", issues)
  return {
    fingerprint: read?.fingerprint,
    request:
      read?.request === undefined || !issues.isEmpty
        ? Result.fail(issues.sorted())
        : Result.succeed(read.request),
  }
}

const alertRule: Rule<{
  readonly fingerprint: string | undefined
  readonly request: AlertRequest | undefined
}> = lenientObjectOf((reader) => {
  const status = reader.required("status", oneOf(["firing", "resolved"]))
  const fingerprint = reader.required("fingerprint", fingerprintText)
  const startsAt = reader.required("startsAt", instant.read)?.ms
  const endsAt = status === "resolved" ? reader.required("endsAt", instant.read)?.ms : undefined
  const labels = reader.required("labels", labelRule)
  const conditions = reader.optional("annotations", conditionTexts) ?? []
  const isFiring = status === "firing"
  if (
    isFiring &&
    labels !== undefined &&
    labels.alertPolicy === undefined &&
    labels.alertMethods === undefined
  ) {
    const message = `is required, unless ${alertmanagerLabels.alertPolicy} names an alert policy`
    reader.issues.add(`labels.${alertmanagerLabels.alertMethods}`, "required", message)
  }
  if (fingerprint === undefined || startsAt === undefined || labels === undefined) {
    return { fingerprint, request: undefined }
  }
  // An end before the start, as the time that Go begins with, is not known.
  const at = isFiring ? startsAt : endsAt !== undefined && endsAt >= startsAt ? endsAt : undefined
  const { alertName, ...rest } = labels
  const request: AlertRequest = {
    status: isFiring ? "triggered" : "resolved",
    ...rest,
    conditions: conditions.length > 0 ? conditions : alertName === undefined ? [] : [alertName],
    alertId: `${fingerprint}-${new Date(startsAt).toISOString()}`,
    evaluation: fingerprint,
    ...(at !== undefined && { at }),
  }
  return { fingerprint, request }
})

const fingerprintText = text({
  max: 64,
  format: { pattern: /^[0-9A-Za-z]+$/, message: "must consist of letters and digits" },
})

const labelRule = lenientObjectOf((reader) => {
  const { slo, project, objective, alertPolicy, alertMethods, severity } = alertmanagerLabels
  const owner = reader.optional(project, objectName.read) ?? defaultProjectName
  const name = reader.required(slo, sloName.read)
  const part = reader.optional(objective, sloName.read)
  const policy = reader.optional(alertPolicy, keyText(owner))
  const methods = reader.optional(alertMethods, methodList(owner))
  const word = reader.valueOf(severity)
  const known = typeof word === "string" ? severityOfText(word) : undefined
  const alertName = reader.valueOf("alertname")
  if (name === undefined || hasIssues(reader)) return undefined
  return {
    slo: { project: owner, name },
    ...(part !== undefined && { objective: part }),
    ...(policy !== undefined && { alertPolicy: policy }),
    ...(methods !== undefined && { alertMethods: methods }),
    ...(known !== undefined && { severity: known }),
    ...(typeof alertName === "string" && { alertName: shortened(alertName) }),
  }
})

const hasIssues = (reader: ObjectReader): boolean => !reader.issues.isEmpty

/** `name`, of the project that is given, or `project/name`. */
const keyText =
  (project: string): Rule<ProjectKey> =>
  (value, path, issues) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be text")
    const parts = value.trim().split("/")
    const [owner, name] = parts.length === 1 ? [project, parts[0]] : parts
    const rule: Rule<string> = objectName.read
    if (parts.length > 2 || owner === undefined || name === undefined) {
      return issues.add(path, "invalid_format", "must be a name, or a project, a slash and a name")
    }
    const read = [rule(owner, path, issues), rule(name, path, issues)]
    return read.includes(undefined) ? undefined : { project: owner, name }
  }

/** Keys parted by commas, each once. */
const methodList =
  (project: string): Rule<ReadonlyArray<ProjectKey>> =>
  (value, path, issues) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be text")
    const parts = [...new Set(value.split(",").map((part) => part.trim()))].filter((part) => part !== "")
    if (parts.length > Limits.alertMethodsPerAlertMax) {
      return issues.add(path, "too_many", `must name at most ${Limits.alertMethodsPerAlertMax} alert methods`)
    }
    const keys = parts.map((part) => keyText(project)(part, path, issues)).filter((key) => key !== undefined)
    if (keys.length === 0 || keys.length < parts.length) return undefined
    return [...new Map(keys.map((key) => [projectKeyText(key), key])).values()]
  }

/** What the annotations of a rule say for people: a summary, and a description. */
const conditionTexts: Rule<ReadonlyArray<string>> = lenientObjectOf((reader) =>
  ["summary", "description"].flatMap((name) => {
    const said = reader.valueOf(name)
    return typeof said === "string" && said.trim() !== "" ? [shortened(said)] : []
  }),
)

const shortened = (said: string): string => {
  const characters = Array.from(said.replaceAll("\u0000", "\ufffd").replaceAll(/\p{Cs}/gu, "\ufffd"))
  return characters.length <= Limits.alertConditionMaxCharacters
    ? characters.join("")
    : `${characters.slice(0, Limits.alertConditionMaxCharacters - 1).join("")}…`
}
