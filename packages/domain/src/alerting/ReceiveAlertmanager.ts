import { Effect } from "effect"
import type { OrganizationId } from "../definition/Definition.ts"
import type { DefinitionStore, DefinitionStoreIsUnavailable } from "../definition/DefinitionStore.ts"
import { entryPath, type Issue, IssueList, joinPaths } from "../definition/Issue.ts"
import { resultToEffect } from "../Result.ts"
import type { Sha256 } from "../signature/Sha256.ts"
import {
  type AlertmanagerAlert,
  alertmanagerLabels,
  AlertmanagerGroupIsInvalid,
  decodeAlertmanagerGroup,
} from "./AlertmanagerGroup.ts"
import type { AlertReceipt, AlertStore, AlertStoreIsUnavailable } from "./AlertStore.ts"
import { receiveAlertRequest } from "./ReceiveAlert.ts"

/** What became of a group; everything is stored. Source: decision 0606. */
export interface AlertmanagerReceipt {
  /** In the order of the group. */
  readonly alerts: ReadonlyArray<AlertmanagerOutcome>
  readonly truncatedAlerts: number
}

/** What became of one alert: `unknown` is one that ended without ever having been told of. */
export interface AlertmanagerOutcome extends Pick<AlertReceipt, "deliveries"> {
  readonly fingerprint: string
  readonly outcome: "triggered" | "resolved" | "unchanged" | "unknown"
  readonly alertId?: string
}

/**
 * Takes a group of alerts from Alertmanager's webhook, each as an alert of its own.
 *
 * An alert is told apart by its fingerprint and by when it began. Sent again it rings nobody; one that began later
 * than the one that is open takes its place, and rings. Every alert that holds is taken, whatever is wrong with others.
 *
 * Fails with `AlertmanagerGroupIsInvalid` when the body is no group (nothing is taken then) or when alerts are refused:
 * Alertmanager then sends the group again after its `group_interval`, and says in its log what is wrong.
 *
 * Source: decision 0606.
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
    const { alerts, truncatedAlerts } = yield* resultToEffect(decodeAlertmanagerGroup(body))
    const results = yield* Effect.forEach(alerts, (alert) => receiveOne(organization, alert), {
      concurrency: concurrencyMax,
    })
    if (truncatedAlerts > 0) {
      const message = `Alertmanager left ${truncatedAlerts} alerts out of a group, as its max_alerts says`
      yield* Effect.annotateLogs(Effect.logWarning(message), { organization })
    }
    const issues = new IssueList()
    const outcomes: Array<AlertmanagerOutcome> = []
    for (const [index, result] of results.entries()) {
      if ("issues" in result) issues.addAll(entryPath("alerts", index), result.issues)
      else outcomes.push(result)
    }
    return issues.isEmpty
      ? { alerts: outcomes, truncatedAlerts }
      : yield* new AlertmanagerGroupIsInvalid({ issues: issues.sorted(), taken: outcomes.length })
  })

/** Fewer than the connections that a process has to its database. */
const concurrencyMax = 4

const receiveOne = (
  organization: OrganizationId,
  { fingerprint = "", request }: AlertmanagerAlert,
): Effect.Effect<
  AlertmanagerOutcome | { readonly issues: ReadonlyArray<Issue> },
  AlertStoreIsUnavailable | DefinitionStoreIsUnavailable,
  AlertStore | DefinitionStore | Sha256
> => {
  if (!request.ok) return Effect.succeed({ issues: request.error })
  const { status } = request.value
  return receiveAlertRequest(organization, request.value).pipe(
    Effect.map(({ alertId, isChanged, deliveries }): AlertmanagerOutcome => ({
      fingerprint,
      outcome: isChanged ? status : "unchanged",
      alertId,
      deliveries,
    })),
    Effect.catchTags({
      AlertNotFound: () =>
        Effect.succeed<AlertmanagerOutcome>({ fingerprint, outcome: "unknown", deliveries: [] }),
      AlertIsInvalid: ({ issues }) => Effect.succeed({ issues: issues.map(atLabel) }),
    }),
  )
}

/** The issue at the label that says what the property is made of. */
const atLabel = (issue: Issue): Issue => {
  const [property = ""] = issue.path.split(/[.[]/)
  const label = Object.entries(alertmanagerLabels).find(([name]) => name === property)?.[1]
  return label === undefined ? issue : { ...issue, path: joinPaths("labels", label) }
}
