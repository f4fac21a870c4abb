import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { DefinitionStore, DefinitionStoreIsUnavailable } from "../definition/DefinitionStore.ts"
import { entryPath, type Issue, IssueList, joinPaths } from "../codec/Issue.ts"
import type { Sha256 } from "../signature/Sha256.ts"
import {
  type AlertmanagerAlert,
  alertmanagerLabels,
  AlertmanagerGroupIsInvalid,
  decodeAlertmanagerGroup,
} from "./AlertmanagerGroup.ts"
import type { AlertReceipt, AlertStore, AlertStoreIsUnavailable } from "../alerting/AlertStore.ts"
import { receiveAlertRequest } from "./ReceiveAlert.ts"

/** What became of a group; everything is stored. */
export interface AlertmanagerReceipt {
  /** In the order of the group. */
  readonly alerts: ReadonlyArray<AlertmanagerOutcome>
  readonly truncatedAlerts: number
}

/** What became of one alert: `unknown` is one that ended without ever having been told of. */
export type AlertmanagerOutcome = AlertTaken | AlertRejected

interface AlertTaken extends Pick<AlertReceipt, "deliveries"> {
  readonly fingerprint: string
  readonly outcome: "triggered" | "resolved" | "unchanged" | "unknown"
  readonly alertId?: string
}

interface AlertRejected {
  /** Where it could be read. */
  readonly fingerprint?: string
  readonly outcome: "refused"
  /** The path of each begins with the alert's place, as `alerts[0].labels.tocsin_slo`. */
  readonly issues: ReadonlyArray<Issue>
}

/**
 * Takes a group of alerts from Alertmanager's webhook, each as an alert of its own.
 *
 * An alert is told apart by its fingerprint and by when it began. Sent again it rings nobody; one that began later
 * than the one that is open takes its place, and rings. Every alert that holds is taken, whatever is wrong with others;
 * refusals are logged.
 *
 * Fails with `AlertmanagerGroupIsInvalid` when nothing could be taken: the body is no group, or all of it is refused.
 * Alertmanager then sends the group again after its `group_interval`, and says in its log what is wrong.
 */
export const receiveAlertmanager = (
  organization: OrganizationId,
  body: unknown,
): Effect.Effect<
  AlertmanagerReceipt,
  AlertmanagerGroupIsInvalid | AlertStoreIsUnavailable | DefinitionStoreIsUnavailable,
  AlertStore | DefinitionStore | Sha256
> =>
  Effect.gen(function* () {
    const { alerts, truncatedAlerts } = yield* Effect.fromResult(decodeAlertmanagerGroup(body))
    const outcomes = yield* Effect.forEach(
      alerts,
      (alert, index) => receiveOne(organization, alert, entryPath("alerts", index)),
      { concurrency: concurrencyMax },
    )
    const refused = outcomes.filter((outcome) => outcome.outcome === "refused")
    if (refused.length > 0 && refused.length === outcomes.length) {
      const issues = new IssueList()
      for (const each of refused) issues.addAll("", each.issues)
      return yield* new AlertmanagerGroupIsInvalid({ issues: issues.sorted() })
    }
    for (const { fingerprint = "", issues } of refused) {
      const logged = issues.slice(0, loggedIssuesMax).map(({ path, message }) => `${path} ${message}`)
      yield* Effect.annotateLogs(Effect.logWarning("Alertmanager alert rejected"), {
        organization,
        fingerprint,
        issues: logged.join("; "),
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

/** Of one alert, whose labels can be made to have an issue in every fourth byte. */
const loggedIssuesMax = 10

const receiveOne = (
  organization: OrganizationId,
  { fingerprint, request }: AlertmanagerAlert,
  path: string,
): Effect.Effect<
  AlertmanagerOutcome,
  AlertStoreIsUnavailable | DefinitionStoreIsUnavailable,
  AlertStore | DefinitionStore | Sha256
> => {
  const refused = (issues: ReadonlyArray<Issue>): AlertmanagerOutcome => ({
    ...(fingerprint !== undefined && { fingerprint }),
    outcome: "refused",
    issues: issues.map((issue) => ({ ...issue, path: joinPaths(path, issue.path) })),
  })
  if (Result.isFailure(request) || fingerprint === undefined) {
    return Effect.succeed(refused(Result.isSuccess(request) ? [] : request.failure))
  }
  const { status } = request.success
  return receiveAlertRequest(organization, request.success).pipe(
    Effect.map(({ alertId, isChanged, deliveries }): AlertmanagerOutcome => ({
      fingerprint,
      outcome: isChanged ? status : "unchanged",
      alertId,
      deliveries,
    })),
    Effect.catchTags({
      AlertNotFound: () =>
        Effect.succeed<AlertmanagerOutcome>({ fingerprint, outcome: "unknown", deliveries: [] }),
      AlertIsInvalid: ({ issues }) => Effect.succeed(refused(issues.map(atLabel))),
    }),
  )
}

/** The issue at the label that says what the property is made of. */
const atLabel = (issue: Issue): Issue => {
  const [property = ""] = issue.path.split(/[.[]/)
  const label = Object.entries(alertmanagerLabels).find(([name]) => name === property)?.[1]
  return label === undefined ? issue : { ...issue, path: joinPaths("labels", label) }
}
