import { alertConditionMaxCharacters, alertMethodsPerAlertMax, type AlertRequest } from "@tocsin/domain"
import { TaggedError } from "@tocsin/domain/adapter"
import {
  type Codec,
  dateTimeToMs,
  decode,
  described,
  instant,
  isObject,
  type Issue,
  IssueList,
  list,
  literals,
  named,
  number,
  object,
  once,
  optional,
  plain,
  string,
  type TypeOf,
} from "@tocsin/domain/codec"
import { defaultProjectName } from "@tocsin/domain/definitions"
import { objectName, type ProjectKey, projectKeyText, sloName } from "@tocsin/domain/kernel"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { fingerprintOfLabels } from "./LabelFingerprint.ts"
import { severityOfText } from "../SeverityText.ts"

/** Most alerts in one group of Alertmanager. */
export const alertsPerGroupMax = 1_000

/** Source: Prometheus Alertmanager, webhook payload version 4, and Grafana, webhook contact point. */
export interface AlertmanagerGroup {
  readonly alerts: ReadonlyArray<AlertmanagerAlert>
  /** The number of alerts that Alertmanager omitted because of `max_alerts`. */
  readonly truncatedAlerts: number
}

export interface AlertmanagerAlert {
  /** The hash of the labels; `undefined` if it is invalid, and then `request` is a failure. */
  readonly fingerprint: string | undefined
  /** Whether a firing alert has a severity that is not known, and thus none of its own. */
  readonly isSeverityUnknown: boolean
  /** Paths of issues are relative to the alert. */
  readonly request: Result.Result<AlertRequest, ReadonlyArray<Issue>>
}

/** The body is not a group, or every alert of it was rejected; nothing was stored. */
export class AlertmanagerGroupIsInvalid extends TaggedError("AlertmanagerGroupIsInvalid")<{
  /** Sorted by path, as in `alerts[0].labels.tocsin_slo`. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** The labels with the subject of an alert and its alert methods. */
export const alertmanagerLabels = {
  slo: "tocsin_slo",
  project: "tocsin_project",
  objective: "tocsin_objective",
  alertPolicy: "tocsin_alert_policy",
  alertMethods: "tocsin_alert_methods",
  severity: "severity",
} as const

/** Without a project, the alert's project applies. */
type UnresolvedKey = Partial<ProjectKey> & Pick<ProjectKey, "name">

const readKey: Codec<UnresolvedKey>["read"] = (value, path, issues, context) => {
  if (typeof value !== "string") return issues.add(path, "wrong_type", "must be a string")
  const parts = value.trim().split("/")
  const [project, name] = parts.length === 1 ? [undefined, parts[0]] : parts
  if (parts.length > 2 || name === undefined) {
    return issues.add(path, "invalid_format", "must have the form name or project/name")
  }
  const isValid =
    (project === undefined || objectName.read(project, path, issues, context) !== undefined) &&
    objectName.read(name, path, issues, context) !== undefined
  return isValid ? { name, ...(project !== undefined && { project }) } : undefined
}

const writeKey = ({ project, name }: UnresolvedKey): string =>
  project === undefined ? name : `${project}/${name}`

const alertPolicyKey: Codec<UnresolvedKey> = {
  read: readKey,
  write: writeKey,
  schema: once(() => Schema.String.annotate({ description: "Alert policy, as name or project/name" })),
}

const alertMethodKeys: Codec<ReadonlyArray<UnresolvedKey>> = {
  read: (value, path, issues, context) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be a string")
    const parts = [...new Set(value.split(",").map((part) => part.trim()))].filter((part) => part !== "")
    if (parts.length > alertMethodsPerAlertMax) {
      return issues.add(path, "too_many", `must name at most ${alertMethodsPerAlertMax} alert methods`)
    }
    const keys = parts.map((part) => readKey(part, path, issues, context)).filter((key) => key !== undefined)
    return keys.length < parts.length ? undefined : keys
  },
  write: (keys) => keys.map(writeKey).join(","),
  schema: once(() =>
    Schema.String.annotate({
      description:
        "Alert methods instead of those of the policy: comma-separated, each as name or project/name",
    }),
  ),
}

/** A property that Alertmanager sends and that is not validated. */
const unchecked = (schema: Schema.Top): Codec<unknown> =>
  plain(
    () => schema,
    (value) => value,
  )

const uncheckedString = unchecked(Schema.String)

const uncheckedTexts = unchecked(Schema.Record(Schema.String, Schema.String))

const labels = object(
  {
    [alertmanagerLabels.slo]: described(sloName, "Name of the SLO"),
    [alertmanagerLabels.project]: optional(described(objectName, "Project of the SLO. Default: default")),
    [alertmanagerLabels.objective]: optional(described(sloName, "Name of an objective of the SLO")),
    [alertmanagerLabels.alertPolicy]: optional(alertPolicyKey),
    [alertmanagerLabels.alertMethods]: optional(alertMethodKeys, { isEmpty: (keys) => keys.length === 0 }),
    [alertmanagerLabels.severity]: optional(
      described(uncheckedString, "Low, Medium, High or a common synonym such as warning or critical"),
    ),
    alertname: optional(uncheckedString),
  },
  { isOpen: true },
)

const annotations = described(
  object({ summary: optional(uncheckedString), description: optional(uncheckedString) }, { isOpen: true }),
  "summary and description become the conditions of the alert",
)

const fingerprint = string({
  max: 64,
  format: { pattern: /^[0-9A-Za-z]+$/, message: "must consist of letters and digits" },
})

const alert = object(
  {
    status: literals(["firing", "resolved"]),
    labels,
    annotations: optional(annotations),
    startsAt: instant,
    endsAt: optional(
      unchecked(Schema.String.annotate({ description: "When the alert resolved", format: "date-time" })),
    ),
    generatorURL: optional(uncheckedString),
    fingerprint: optional(
      described(fingerprint, "Identifies the alert. Default: the hash of the labels, as in Alertmanager"),
    ),
  },
  {
    isOpen: true,
    rules: ({ value, has, given, at, issues }) => {
      if (value.status === "resolved") {
        if (has("endsAt")) instant.read(given("endsAt"), at("endsAt"), issues, {})
        else issues.add(at("endsAt"), "required", "is required")
      }
      const { labels: read } = value
      if (value.status !== "firing" || read === undefined) return
      if (read.tocsin_alert_policy === undefined && read.tocsin_alert_methods === undefined) {
        const message = `is required, unless ${alertmanagerLabels.alertPolicy} names an alert policy`
        issues.add(`labels.${alertmanagerLabels.alertMethods}`, "required", message)
      }
    },
  },
)

/** The body as a whole, at most `alertsPerGroupMax` alerts. `decodeAlertmanagerGroup` validates each alert by itself. */
export const alertmanagerGroup = described(
  named(
    object(
      {
        version: optional(
          described(
            literals(["4", "1"]),
            "Version of the payload: 4 of Alertmanager (default), 1 of a contact point of Grafana",
          ),
        ),
        groupKey: optional(uncheckedString),
        truncatedAlerts: optional(
          described(
            number({ min: 0, isInteger: true }),
            "Number of alerts that Alertmanager omitted because of max_alerts",
          ),
          { default: () => 0 },
        ),
        status: optional(unchecked(Schema.Literals(["firing", "resolved"]))),
        receiver: optional(uncheckedString),
        groupLabels: optional(uncheckedTexts),
        commonLabels: optional(uncheckedTexts),
        commonAnnotations: optional(uncheckedTexts),
        externalURL: optional(uncheckedString),
        alerts: list({ ...unchecked(Schema.Unknown), schema: alert.schema }, { max: alertsPerGroupMax }),
      },
      { isOpen: true },
    ),
    "AlertmanagerGroup",
  ),
  "Webhook payload of Alertmanager, version 4, or of a contact point of Grafana",
)

/**
 * Decodes the body of Alertmanager's webhook. An invalid alert does not affect the others; unknown properties are
 * ignored.
 */
export const decodeAlertmanagerGroup = (
  body: unknown,
): Result.Result<AlertmanagerGroup, AlertmanagerGroupIsInvalid> =>
  // Go, in which senders are written, has `null` for no alerts.
  Result.mapBoth(
    decode(alertmanagerGroup, isObject(body) && body["alerts"] === null ? { ...body, alerts: [] } : body, {}),
    {
      onSuccess: ({ alerts, truncatedAlerts }) => ({ alerts: alerts.map(readAlert), truncatedAlerts }),
      onFailure: (issues) => new AlertmanagerGroupIsInvalid({ issues }),
    },
  )

const readAlert = (input: unknown): AlertmanagerAlert => {
  const read = decode(alert, input, {})
  const identity = fingerprintOf(input)
  return {
    fingerprint: identity,
    isSeverityUnknown:
      Result.isSuccess(read) &&
      read.success.status === "firing" &&
      isWritten(read.success.labels.severity) &&
      knownSeverity(read.success.labels.severity) === undefined,
    request: Result.map(read, (valid) => toRequest(valid, identity ?? "")),
  }
}

/** A label of any type: senders other than Alertmanager do not write texts only. */
const isWritten = (label: unknown): boolean =>
  label !== undefined && label !== null && (typeof label !== "string" || isText(label))

const knownSeverity = (severity: unknown) =>
  typeof severity === "string" ? severityOfText(severity) : undefined

const fingerprintOf = (input: unknown): string | undefined => {
  if (!isObject(input)) return undefined
  const { fingerprint: given, labels: written } = input
  if (given !== undefined && given !== null && given !== "") {
    return fingerprint.read(given, "", new IssueList(), {})
  }
  return isObject(written) ? fingerprintOfLabels(written) : undefined
}

const toRequest = (read: TypeOf<typeof alert>, identity: string): AlertRequest => {
  const { tocsin_project: project = defaultProjectName, severity, alertname, ...rest } = read.labels
  const { tocsin_slo, tocsin_objective, tocsin_alert_policy, tocsin_alert_methods } = rest
  const inProject = (key: UnresolvedKey): ProjectKey => ({ project, ...key })
  const methods = tocsin_alert_methods?.map(inProject)
  const known = knownSeverity(severity)
  const { summary, description } = read.annotations ?? {}
  const conditions = [summary, description].filter(isText)
  const startsAt = read.startsAt.ms
  const endsAt = typeof read.endsAt === "string" ? dateTimeToMs(read.endsAt) : undefined
  const isFiring = read.status === "firing"
  // An end before the start, as the time that Go begins with, is not known.
  const at = isFiring ? startsAt : endsAt !== undefined && endsAt >= startsAt ? endsAt : undefined
  return {
    status: isFiring ? "triggered" : "resolved",
    slo: { project, name: tocsin_slo },
    ...(tocsin_objective !== undefined && { objective: tocsin_objective }),
    ...(tocsin_alert_policy !== undefined && { alertPolicy: inProject(tocsin_alert_policy) }),
    ...(methods !== undefined && {
      alertMethods: [...new Map(methods.map((key) => [projectKeyText(key), key])).values()],
    }),
    ...(known !== undefined && { severity: known }),
    conditions: (conditions.length > 0 ? conditions : [alertname].filter(isText)).map(shortened),
    alertId: `${identity}-${new Date(startsAt).toISOString()}`,
    evaluation: identity,
    ...(at !== undefined && { at }),
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== ""

const shortened = (said: string): string => {
  const characters = Array.from(said.replaceAll("\u0000", "\ufffd").replaceAll(/\p{Cs}/gu, "\ufffd"))
  return characters.length <= alertConditionMaxCharacters
    ? characters.join("")
    : `${characters.slice(0, alertConditionMaxCharacters - 1).join("")}…`
}
