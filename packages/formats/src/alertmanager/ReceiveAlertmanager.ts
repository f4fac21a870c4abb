import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import {
  enforceAlertsQuota,
  type NotificationsQuotaIsExceeded,
  receiveAlertRequest,
  severities,
} from "@tocsin/domain"
import type { Severity } from "@tocsin/domain/alerting"
import { entryPath, type Issue, IssueList, joinPaths, ParameterIsInvalid } from "@tocsin/domain/codec"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type {
  AlertReceipt,
  AlertStore,
  DefinitionStore,
  RateLimiter,
  RateLimitIsExceeded,
  Sha256,
  StoreIsUnavailable,
} from "@tocsin/domain/ports"
import {
  type AlertmanagerAlert,
  alertmanagerLabels,
  AlertmanagerGroupIsInvalid,
  decodeAlertmanagerGroup,
} from "./AlertmanagerGroup.ts"

/** What became of a group of alerts. */
export interface AlertmanagerReceipt {
  /** In the order of the group. */
  readonly alerts: ReadonlyArray<AlertmanagerOutcome>
  /** How many alerts Alertmanager left out of the group. */
  readonly truncatedAlerts: number
}

/** The outcome of one alert; `unknown`: it was resolved but never triggered here. */
export type AlertmanagerOutcome = AlertTaken | AlertRejected

interface AlertTaken extends Pick<AlertReceipt, "deliveries"> {
  readonly fingerprint: string
  /** What was replaced in the alert; paths begin as those of issues. */
  readonly warnings?: ReadonlyArray<Issue>
  readonly outcome: "triggered" | "resolved" | "unchanged" | "unknown"
  readonly alertId?: string
}

interface AlertRejected {
  /** Where it could be read. */
  readonly fingerprint?: string
  readonly outcome: "rejected"
  /** Paths begin with the alert's index, as `alerts[0].labels.tocsin_slo`. */
  readonly issues: ReadonlyArray<Issue>
}

/** The severity of alerts that have no known one, nor a policy. */
export const defaultExternalSeverity: Severity = "Medium"

/**
 * Accepts a group of Alertmanager's webhook, each alert on its own.
 *
 * Fingerprint and start time identify an alert. A later start replaces the open alert and notifies. Valid alerts are
 * accepted even if others are rejected; rejected ones are logged. An alert without a known severity has that of its policy, or
 * else `severity`, in any letter case; one that is written but not known gets a warning, which is also logged.
 *
 * Fails with `AlertmanagerGroupIsInvalid` if the body is not a group or every alert is rejected; Alertmanager then
 * sends it again after `group_interval`. The same with `RateLimitIsExceeded`: a group counts toward the quota of alerts
 * as many times as it has alerts, and the alerts before one that exceeds the quota of deliveries stay accepted.
 * `NotificationsQuotaIsExceeded` likewise. Fails with `ParameterIsInvalid` if `severity` is none.
 */
export const receiveAlertmanager = (
  organization: OrganizationId,
  body: unknown,
  options: { readonly severity?: string | undefined } = {},
): Effect.Effect<
  AlertmanagerReceipt,
  | AlertmanagerGroupIsInvalid
  | StoreIsUnavailable
  | NotificationsQuotaIsExceeded
  | ParameterIsInvalid
  | RateLimitIsExceeded,
  AlertStore | DefinitionStore | RateLimiter | Sha256
> =>
  Effect.gen(function* () {
    const defaultSeverity = yield* Effect.fromResult(parseSeverity(options.severity ?? ""))
    const { alerts, truncatedAlerts } = yield* Effect.fromResult(decodeAlertmanagerGroup(body))
    yield* enforceAlertsQuota(organization, alerts.length)
    const outcomes = yield* Effect.forEach(
      alerts,
      // A group can have the deliveries of thousands of alerts: others run between them.
      (alert, index) =>
        Effect.tap(
          receiveOne(organization, alert, defaultSeverity, entryPath("alerts", index)),
          () => Effect.yieldNow,
        ),
      { concurrency: concurrencyMax },
    )
    const rejected = outcomes.filter((outcome) => outcome.outcome === "rejected")
    if (rejected.length > 0 && rejected.length === outcomes.length) {
      const issues = new IssueList()
      for (const each of rejected) issues.addAll("", each.issues)
      return yield* new AlertmanagerGroupIsInvalid({ issues: issues.sorted() })
    }
    for (const { fingerprint = "", issues } of rejected) {
      const logged = issues.slice(0, loggedIssuesMax).map(({ path, message }) => `${path} ${message}`)
      yield* Effect.annotateLogs(Effect.logWarning("Alertmanager alert rejected"), {
        organization,
        fingerprint,
        issues: logged.join("; "),
      })
    }
    const unknown = alerts.filter(({ isSeverityUnknown }) => isSeverityUnknown)
    if (unknown.length > 0) {
      yield* Effect.annotateLogs(Effect.logWarning("Alertmanager alerts with an unknown severity"), {
        organization,
        alerts: unknown.length,
        fingerprint: unknown[0]?.fingerprint,
      })
    }
    if (truncatedAlerts > 0) {
      yield* Effect.annotateLogs(Effect.logWarning("Alertmanager group truncated by max_alerts"), {
        organization,
        truncatedAlerts,
      })
    }
    return { alerts: outcomes, truncatedAlerts }
  })

/** Fewer than the connections that a process has to its database. */
const concurrencyMax = 4

/** For each alert; crafted labels can have an issue in every fourth byte. */
const loggedIssuesMax = 10

const receiveOne = (
  organization: OrganizationId,
  { fingerprint, request, isSeverityUnknown }: AlertmanagerAlert,
  defaultSeverity: Severity,
  path: string,
): Effect.Effect<
  AlertmanagerOutcome,
  StoreIsUnavailable | NotificationsQuotaIsExceeded | RateLimitIsExceeded,
  AlertStore | DefinitionStore | RateLimiter | Sha256
> => {
  const rejected = (issues: ReadonlyArray<Issue>): AlertmanagerOutcome => ({
    ...(fingerprint !== undefined && { fingerprint }),
    outcome: "rejected",
    issues: issues.map((issue) => ({ ...issue, path: joinPaths(path, issue.path) })),
  })
  if (Result.isFailure(request) || fingerprint === undefined) {
    return Effect.succeed(rejected(Result.isSuccess(request) ? [] : request.failure))
  }
  const { status, alertPolicy } = request.success
  const used = alertPolicy === undefined ? defaultSeverity : "the severity of the alert policy"
  const warning: Issue = {
    path: joinPaths(path, `labels.${alertmanagerLabels.severity}`),
    code: "not_allowed_value",
    message: `is not a known severity, so ${used} is used; use Low, Medium, High or a synonym, such as warning or critical`,
  }
  return receiveAlertRequest(organization, { ...request.success, defaultSeverity }).pipe(
    Effect.map(({ alertId, isChanged, deliveries }): AlertmanagerOutcome => ({
      fingerprint,
      outcome: isChanged ? status : "unchanged",
      alertId,
      deliveries,
      ...(isSeverityUnknown && { warnings: [warning] }),
    })),
    Effect.catchTags({
      AlertNotFound: () =>
        Effect.succeed<AlertmanagerOutcome>({ fingerprint, outcome: "unknown", deliveries: [] }),
      AlertIsInvalid: ({ issues }) => Effect.succeed(rejected(issues.map(atLabel))),
    }),
  )
}

const parseSeverity = (text: string): Result.Result<Severity, ParameterIsInvalid> => {
  if (text === "") return Result.succeed(defaultExternalSeverity)
  const severity = severities.find((each) => each.toLowerCase() === text.toLowerCase())
  return severity === undefined
    ? Result.fail(
        new ParameterIsInvalid({
          code: "severity_invalid",
          propertyName: "severity",
          propertyValue: text,
          detail: `must be one of ${severities.join(", ")}`,
        }),
      )
    : Result.succeed(severity)
}

/** Moves an issue to the label that the property is read from. */
const atLabel = (issue: Issue): Issue => {
  const [property = ""] = issue.path.split(/[.[]/)
  const label = Object.entries(alertmanagerLabels).find(([name]) => name === property)?.[1]
  return label === undefined ? issue : { ...issue, path: joinPaths("labels", label) }
}
