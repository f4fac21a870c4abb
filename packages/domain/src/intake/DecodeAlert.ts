import * as Result from "effect/Result"
import * as Data from "effect/Data"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { Issue } from "../codec/Issue.ts"
import { nameOf, projectKey } from "../metadata/Metadata.ts"
import { objectOf } from "../codec/ObjectRule.ts"
import { decodeBy, listOf, oneOf, type Rule, text } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"
import { minuteMs, utcInstant } from "../codec/MinuteInstant.ts"
import { severities, type Severity } from "../alert-policy/AlertPolicy.ts"

/** What an outside evaluator can report of an alert. Source: decision 0601. */
export const reportedStatuses = ["triggered", "resolved"] as const

/** An alert that an outside evaluator reports. Source: decision 0601. */
export interface AlertRequest {
  readonly status: (typeof reportedStatuses)[number]
  readonly slo: ProjectKey
  readonly objective?: string
  readonly alertPolicy?: ProjectKey
  readonly alertMethods?: ReadonlyArray<ProjectKey>
  readonly severity?: Severity
  readonly conditions?: ReadonlyArray<string>
  readonly alertId?: string
  /**
   * Tells the alerts of an evaluator apart that are about the same, as its policy too is; of each there are several, one
   * after the other, with an `alertId` each. Source: decision 0606.
   */
  readonly evaluation?: string
  /** When it happened, in Unix milliseconds. */
  readonly at?: number
}

/** An alert from outside breaks rules; nothing was stored and nobody was rung. Source: decision 0601. */
export class AlertIsInvalid extends Data.TaggedError("AlertIsInvalid")<{
  /** Every issue, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/**
 * Reads an alert from outside, parsed from JSON, and tells every issue.
 *
 * `alertPolicy`, `alertMethods` or both are given when it is triggered; with both, the methods listed are rung. An
 * empty list counts as absent. A severity may be in any case; `at` is a date-time in UTC, not more than 5 minutes ahead of
 * `now` (Unix milliseconds).
 *
 * Source: decisions 0601 and 0622.
 */
export const decodeAlert = (body: unknown, now: number): Result.Result<AlertRequest, AlertIsInvalid> =>
  Result.mapError(decodeBy(alertRequest(now), body), (issues) => new AlertIsInvalid({ issues }))

const alertRequest = (now: number): Rule<AlertRequest> =>
  objectOf((reader) => {
    const status = reader.required("status", oneOf(reportedStatuses))
    const slo = reader.required("slo", projectKey(Limits.sloNameMaxCharacters))
    const objective = reader.optional("objective", nameOf(Limits.sloNameMaxCharacters))
    const alertPolicy = reader.optional("alertPolicy", projectKey(Limits.nameMaxCharacters))
    const alertMethods = reader.optional("alertMethods", methodKeys)
    const severity = reader.optional("severity", severityInAnyCase)
    const conditions = reader.optional("conditions", conditionTexts)
    const alertId = reader.optional("alertId", alertIdText)
    const at = reader.optional("at", pastInstant(now))
    const hasMethods = alertMethods === undefined ? reader.has("alertMethods") : alertMethods.length > 0
    if (status === "triggered" && !reader.has("alertPolicy") && !hasMethods) {
      return reader.issues.add(
        reader.at("alertPolicy"),
        "required",
        "is required, unless alertMethods lists the alert methods to ring",
      )
    }
    if (status === undefined || slo === undefined) return undefined
    return {
      status,
      slo,
      ...(objective !== undefined && { objective }),
      ...(alertPolicy !== undefined && { alertPolicy }),
      ...(alertMethods !== undefined && alertMethods.length > 0 && { alertMethods }),
      ...(severity !== undefined && { severity }),
      ...(conditions !== undefined && { conditions }),
      ...(alertId !== undefined && { alertId }),
      ...(at !== undefined && { at }),
    }
  })

const pastInstant =
  (now: number): Rule<number> =>
  (value, path, issues) => {
    const at = utcInstant(value, path, issues)
    if (at === undefined || at <= now + Limits.alertMaxAheadMs) return at
    const message = `must be at most ${Limits.alertMaxAheadMs / minuteMs} minutes in the future`
    return issues.add(path, "out_of_range", message)
  }

const methodList = listOf(projectKey(Limits.nameMaxCharacters), { max: Limits.alertMethodsPerAlertMax })

const methodKeys: Rule<ReadonlyArray<ProjectKey>> = (value, path, issues) => {
  const keys = methodList(value, path, issues)
  const different = new Set(keys?.map(projectKeyText))
  return keys === undefined || different.size === keys.length
    ? keys
    : issues.add(path, "duplicate", "must list each alert method once")
}

const severityInAnyCase: Rule<Severity> = (value, path, issues) => {
  const lower = typeof value === "string" ? value.toLowerCase() : value
  return oneOf(severities)(severities.find((each) => each.toLowerCase() === lower) ?? value, path, issues)
}

const conditionTexts = listOf(text({ max: Limits.alertConditionMaxCharacters }), {
  max: Limits.alertConditionsMax,
})

const alertIdText = text({
  max: Limits.alertIdMaxCharacters,
  format: { pattern: /^[!-~]+$/, message: "must consist of visible ASCII characters" },
})
