import { TaggedError } from "../TaggedError.ts"
import * as Result from "effect/Result"
import { severities, type Severity } from "../alert-policy/AlertPolicy.ts"
import { type Codec, decode, described, named, type TypeOf } from "../codec/Codec.ts"
import { list, object, optional } from "../codec/Containers.ts"
import type { Issue } from "../codec/Issue.ts"
import { literals, oneOf, string } from "../codec/Leaves.ts"
import { utcInstant } from "../codec/Instant.ts"
import { minuteMs } from "../codec/MinuteInstant.ts"
import { objectName, projectKey, sloName } from "../metadata/Metadata.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { alertMaxAheadMs } from "../alerting/Alert.ts"

/** Longest ID of an external alert, in characters. */
export const alertIdMaxCharacters = 253

/** Most conditions of one external alert. */
export const alertConditionsMax = 100

/** Longest condition of an external alert, in characters. */
export const alertConditionMaxCharacters = 1050

/** Most alert methods that one alert notifies. */
export const alertMethodsPerAlertMax = 100

const reportedStatuses = ["triggered", "resolved"] as const

/** When a document is read. */
export interface NowContext {
  /** In Unix milliseconds. */
  readonly now: number
}

const pastInstant: Codec<number, NowContext> = {
  ...utcInstant,
  read: (value, path, issues, context) => {
    const at = utcInstant.read(value, path, issues, context)
    if (at === undefined || at <= context.now + alertMaxAheadMs) return at
    const message = `must be at most ${alertMaxAheadMs / minuteMs} minutes in the future`
    return issues.add(path, "out_of_range", message)
  },
}

const methodList = list(projectKey(objectName), { max: alertMethodsPerAlertMax })

const methodKeys: Codec<ReadonlyArray<ProjectKey>> = {
  ...methodList,
  read: (value, path, issues, context) => {
    const keys = methodList.read(value, path, issues, context)
    const different = new Set(keys?.map(projectKeyText))
    return keys === undefined || different.size === keys.length
      ? keys
      : issues.add(path, "duplicate", "must not contain duplicate alert methods")
  },
}

const severityInAnyCase: Codec<Severity> = literals(severities, (value, path, issues) => {
  const lower = typeof value === "string" ? value.toLowerCase() : value
  return oneOf(severities)(severities.find((each) => each.toLowerCase() === lower) ?? value, path, issues)
})

/** The codec of an alert that an external evaluator reports; reading needs the current time. */
export const alertRequest = named(
  object(
    {
      status: literals(reportedStatuses),
      slo: projectKey(sloName),
      objective: optional(sloName),
      /** When it is triggered, this or `alertMethods` is given; with both, the methods listed are notified. */
      alertPolicy: optional(projectKey(objectName)),
      /** An empty list is treated as absent. */
      alertMethods: optional(
        described(methodKeys, "Alert methods to notify. Default: those of the alert policy"),
        {
          isEmpty: (methods) => methods.length === 0,
        },
      ),
      severity: optional(
        described(severityInAnyCase, "In any letter case. Default: the severity of the alert policy"),
      ),
      conditions: optional(list(string({ max: alertConditionMaxCharacters }), { max: alertConditionsMax })),
      alertId: optional(
        string({
          max: alertIdMaxCharacters,
          format: { pattern: /^[!-~]+$/, message: "must consist of visible ASCII characters" },
        }),
      ),
      at: optional(described(pastInstant, "Time of the event, in UTC. Default: now")),
    },
    {
      rules: ({ value: { status }, given, has, at, issues }) => {
        const listed = given("alertMethods")
        const hasMethods = Array.isArray(listed) ? listed.length > 0 : has("alertMethods")
        if (status === "triggered" && !has("alertPolicy") && !hasMethods) {
          const message = "is required, unless alertMethods lists the alert methods to notify"
          issues.add(at("alertPolicy"), "required", message)
        }
      },
    },
  ),
  "AlertRequest",
)

/** An alert reported by an external evaluator; `at` is in Unix milliseconds. */
export interface AlertRequest extends TypeOf<typeof alertRequest> {
  /**
   * Distinguishes the alerts of an evaluator without a policy. Each evaluation has a sequence of alerts with
   * different `alertId`.
   */
  readonly evaluation?: string
  /** The severity where neither the request nor the policy has one. Absent: none. */
  readonly defaultSeverity?: Severity
}

/** A reported alert is invalid; nothing was written. */
export class AlertIsInvalid extends TaggedError("AlertIsInvalid")<{
  /** Every issue, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/**
 * Decodes an external alert; fails with every issue.
 *
 * A `triggered` alert needs `alertPolicy`, `alertMethods` or both; with both, the listed methods are notified. An
 * empty list is treated as omitted. The severity is case-insensitive. `at` is in UTC, at most 5 minutes after `now`
 * (Unix milliseconds).
 */
export const decodeAlert = (body: unknown, now: number): Result.Result<AlertRequest, AlertIsInvalid> =>
  Result.mapError(decode(alertRequest, body, { now }), (issues) => new AlertIsInvalid({ issues }))
