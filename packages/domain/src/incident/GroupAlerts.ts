import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Alert } from "../alerting/Alert.ts"
import { AlertStore } from "../alerting/AlertStore.ts"
import { minuteMs } from "../codec/MinuteInstant.ts"
import { groupBy } from "../collections/GroupBy.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"
import { logOutages } from "../OutageLog.ts"
import { pageSizeMax } from "../pagination/Page.ts"
import { changeIncident } from "./ChangeIncidents.ts"
import { type Edit, serviceOf } from "./EditIncident.ts"
import { type Incident, incidentAlertsMax } from "./Incident.ts"
import { type ClaimedIncident, type IncidentFound, IncidentStore } from "./IncidentStore.ts"

/** How often alerts are looked for that belong to an incident, in milliseconds. */
const groupingEveryMs = 10_000

/** How often a process looks for such incidents, in milliseconds. */
const groupingPollMs = 2_000

/** Maximum number of incidents that a process claims at a time. */
const claimedMax = 50

/**
 * Adds alerts to the incidents that are due: those that triggered within `groupAlertsWithinMinutes` of another of its alerts, for
 * an SLO of one of its services. Returns whether there may be more incidents.
 *
 * The alerts are found by the times of their triggers, so that none is lost if a process ends in between.
 */
export const groupDueAlerts = Effect.gen(function* () {
  const store = yield* IncidentStore
  const now = yield* Clock.currentTimeMillis
  const claimed = yield* store.claimGrouping(now, claimedMax, groupingEveryMs)
  const exits = yield* Effect.forEach(claimed, (each) => Effect.exit(groupAlertsOf(each)))
  yield* exits.find(Exit.isFailure) ?? Effect.void
  return claimed.length === claimedMax
})

/** Adds alerts to the incidents of all organizations until its fiber is interrupted. A step that fails is retried. */
export const groupAlerts: Effect.Effect<never, never, AlertStore | IncidentStore> = Effect.gen(function* () {
  const logging = yield* logOutages("Grouping alerts failed")
  const step = Effect.catchCause(logging(groupDueAlerts), () => Effect.succeed(false))
  return yield* Effect.forever(
    Effect.flatMap(step, (isMoreDue) => (isMoreDue ? Effect.yieldNow : Effect.sleep(groupingPollMs))),
  )
})

const groupAlertsOf = Effect.fnUntraced(function* ({ organization, incident }: ClaimedIncident) {
  const { services, groupAlertsWithinMinutes, lastAlertAt } = incident
  if (services.length === 0 || groupAlertsWithinMinutes === 0) return
  const withinMs = groupAlertsWithinMinutes * minuteMs
  const times = { from: lastAlertAt - withinMs, to: lastAlertAt + withinMs + 1 }
  const store = yield* AlertStore
  const pages = yield* Effect.forEach(
    groupBy(services, ({ project }) => project),
    ([project, ofProject]) =>
      store.list(
        organization,
        { project, services: ofProject.map(({ name }) => name), ...times },
        { limit: pageSizeMax },
      ),
  )
  const known = new Set(incident.alerts)
  const candidates = pages
    .flatMap(({ items }) => items)
    .filter(({ id }) => !known.has(id))
    .toSorted((a, b) => a.triggeredAt - b.triggeredAt || (a.id < b.id ? -1 : 1))
  if (candidates.length === 0) return
  const ids = candidates.map(({ id }) => id)
  const edit = (stored: Incident, found: IncidentFound) =>
    Result.succeed<Edit>({ addAlerts: alertsToAdd(stored, found, candidates) })
  // An incident that was deleted needs no alerts.
  yield* Effect.catchTag(
    changeIncident(organization, incident.id, undefined, edit, ids),
    "IncidentNotFound",
    () => Effect.void,
  )
})

/** Which of alerts, in the order in which they triggered, belong to an incident. */
const alertsToAdd = (
  { alerts, services, status, groupAlertsWithinMinutes, lastAlertAt }: Incident,
  { groupedBy, removed }: Pick<IncidentFound, "groupedBy" | "removed">,
  candidates: ReadonlyArray<Alert>,
): ReadonlyArray<Alert> => {
  if (status === "resolved" || groupAlertsWithinMinutes === 0) return []
  const known = new Set(alerts)
  const concerned = new Set(services.map(projectKeyText))
  const added: Array<Alert> = []
  let latest = lastAlertAt
  for (const alert of candidates) {
    const { id, triggeredAt } = alert
    if (known.has(id) || groupedBy.has(id) || removed.has(id) || !isOfServices(alert, concerned)) continue
    if (Math.abs(triggeredAt - latest) > groupAlertsWithinMinutes * minuteMs) continue
    if (alerts.length + added.length >= incidentAlertsMax) break
    added.push(alert)
    latest = Math.max(latest, triggeredAt)
  }
  return added
}

const isOfServices = (alert: Alert, services: ReadonlySet<string>): boolean => {
  const service = serviceOf(alert)
  return service !== undefined && services.has(projectKeyText(service))
}
