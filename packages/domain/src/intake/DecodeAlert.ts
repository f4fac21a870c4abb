import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { severities, type Severity } from "../alert-policy/AlertPolicy.ts"
import { type Codec, decode, described, named, type TypeOf } from "../codec/Codec.ts"
import { list, object, optional } from "../codec/Containers.ts"
import type { Issue } from "../codec/Issue.ts"
import { literals, string } from "../codec/Leaves.ts"
import { minuteMs, utcInstant } from "../codec/MinuteInstant.ts"
import { oneOf } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"
import { objectName, projectKey, sloName } from "../metadata/Metadata.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"

/** What an outside evaluator can report of an alert. */
export const reportedStatuses = ["triggered", "resolved"] as const

/** The time that an alert from outside is received at. */
interface NowContext {
  /** In Unix milliseconds. */
  readonly now: number
}

const pastInstant: Codec<number, NowContext> = {
  ...utcInstant,
  read: (value, path, issues, context) => {
    const at = utcInstant.read(value, path, issues, context)
    if (at === undefined || at <= context.now + Limits.alertMaxAheadMs) return at
    const message = `must be at most ${Limits.alertMaxAheadMs / minuteMs} minutes in the future`
    return issues.add(path, "out_of_range", message)
  },
}

const methodList = list(projectKey(objectName), { max: Limits.alertMethodsPerAlertMax })

const methodKeys: Codec<ReadonlyArray<ProjectKey>> = {
  ...methodList,
  read: (value, path, issues, context) => {
    const keys = methodList.read(value, path, issues, context)
    const different = new Set(keys?.map(projectKeyText))
    return keys === undefined || different.size === keys.length
      ? keys
      : issues.add(path, "duplicate", "must list each alert method once")
  },
}

const severityInAnyCase: Codec<Severity> = literals(severities, (value, path, issues) => {
  const lower = typeof value === "string" ? value.toLowerCase() : value
  return oneOf(severities)(severities.find((each) => each.toLowerCase() === lower) ?? value, path, issues)
})

/** An alert from outside as it is written. */
export const alertRequest = named(
  object(
    {
      status: literals(reportedStatuses),
      slo: projectKey(sloName),
      objective: optional(sloName),
      /** When it is triggered, this or `alertMethods` is given; with both, the methods listed are notified. */
      alertPolicy: optional(projectKey(objectName)),
      /** An empty list is treated as absent. */
      alertMethods: optional(described(methodKeys, "Instead of those of the policy"), {
        isEmpty: (methods) => methods.length === 0,
      }),
      severity: optional(described(severityInAnyCase, "In any letter case; instead of that of the policy")),
      conditions: optional(
        list(string({ max: Limits.alertConditionMaxCharacters }), { max: Limits.alertConditionsMax }),
      ),
      alertId: optional(
        string({
          max: Limits.alertIdMaxCharacters,
          format: { pattern: /^[!-~]+$/, message: "must consist of visible ASCII characters" },
        }),
      ),
      at: optional(described(pastInstant, "When it happened, in UTC")),
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

/** An alert that an outside evaluator reports; `at` is when it happened, in Unix milliseconds. */
export interface AlertRequest extends TypeOf<typeof alertRequest> {
  /**
   * Distinguishes the alerts of an evaluator that are about the same, as its policy does too; of each there are several,
   * one after the other, with an `alertId` each.
   */
  readonly evaluation?: string
}

/** An alert from outside breaks rules; nothing was stored and nobody was notified. */
export class AlertIsInvalid extends Data.TaggedError("AlertIsInvalid")<{
  /** Every issue, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/**
 * Reads an alert from outside, parsed from JSON, and tells every issue.
 *
 * `alertPolicy`, `alertMethods` or both are given when it is triggered; with both, the methods listed are notified. An
 * empty list is treated as absent. A severity may be in any case; `at` is a date-time in UTC, not more than 5 minutes ahead of
 * `now` (Unix milliseconds).
 *
 * Source: spec/alerting §7, spec/alerting §9.
 */
export const decodeAlert = (body: unknown, now: number): Result.Result<AlertRequest, AlertIsInvalid> =>
  Result.mapError(decode(alertRequest, body, { now }), (issues) => new AlertIsInvalid({ issues }))
