import { TaggedError } from "../TaggedError.ts"
import * as Result from "effect/Result"
import { type Alert, alertMaxAheadMs } from "../alerting/Alert.ts"
import type { Issue } from "../codec/Issue.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import {
  type Incident,
  incidentAlertsMax,
  incidentEntriesMax,
  type IncidentEntry,
  incidentServicesMax,
  isGrouping,
} from "./Incident.ts"
import { groupingIncidentsMax, type IncidentChange, type IncidentFound } from "./IncidentStore.ts"

/** Nothing was written. */
export class IncidentIsInvalid extends TaggedError("IncidentIsInvalid")<{
  /** Every issue of the request, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** An alert is already grouped by another open incident. Nothing was written. */
export class AlertIsGrouped extends TaggedError("AlertIsGrouped")<{
  /** The ID of the alert. */
  readonly alert: string
  /** The ID of the incident that groups it. */
  readonly incident: string
}> {}

/** Who changes an incident, and when. */
export interface Author {
  /** The client ID of a credential; `undefined`: the service itself. */
  readonly by: string | undefined
  /** In Unix milliseconds. */
  readonly now: number
}

type Content<E> = E extends unknown ? Omit<E, "id" | "at" | "author"> : never

/** An entry without what every entry has. */
type EntryContent = Content<IncidentEntry>

/** What is changed of an incident; what is absent stays. */
export interface Edit extends Partial<
  Pick<Incident, "title" | "severity" | "status" | "services" | "startedAt" | "groupAlertsWithinMinutes">
> {
  /** The empty string removes the owner. */
  readonly owner?: string
  /** Alerts to add; those that the incident has are ignored. */
  readonly addAlerts?: ReadonlyArray<Pick<Alert, "id" | "triggeredAt">>
  /** The ID of an alert to remove, and when the latest of the others triggered, if that changes. */
  readonly removeAlert?: string
  readonly lastAlertAt?: number
  /** Something that somebody writes into the timeline. */
  readonly entry?: EntryContent
}

/**
 * Makes an edit. Without a change, the incident is the same, with the same revision.
 *
 * The timeline records changes of the status, the owner and the alerts. They are made even if it is full, so that an incident
 * can always be resolved: a change is not recorded once the timeline has twice the entries that people can add.
 */
export const editIncident = (
  before: Incident,
  { addAlerts = [], removeAlert, lastAlertAt, entry, owner: newOwner = before.owner ?? "", ...fields }: Edit,
  { groupedBy, grouping }: Pick<IncidentFound, "groupedBy" | "grouping">,
  author: Author,
): Result.Result<IncidentChange, IncidentIsInvalid | AlertIsGrouped> => {
  const { by, now } = author
  const known = new Set(before.alerts)
  const added = addAlerts.filter(({ id }) => !known.has(id))
  const alerts = [...before.alerts, ...added.map(({ id }) => id)].filter((id) => id !== removeAlert)
  const { owner: oldOwner, resolvedAt: _, ...kept } = before
  const status = fields.status ?? before.status
  const startedAt = fields.startedAt ?? before.startedAt
  const resolvedAt = status === "resolved" ? (before.resolvedAt ?? Math.max(now, startedAt)) : undefined
  const after = {
    ...kept,
    ...fields,
    ...(newOwner !== "" && { owner: newOwner }),
    ...(resolvedAt !== undefined && { resolvedAt }),
    alerts,
    alertCount: alerts.length,
    lastAlertAt:
      alerts.length === 0
        ? startedAt
        : Math.max(
            ...(before.alertCount === 0 ? [] : [lastAlertAt ?? before.lastAlertAt]),
            ...added.map(({ triggeredAt }) => triggeredAt),
          ),
  } satisfies Incident

  const problem = problemOf(before, after, entry, grouping, now)
  if (problem !== undefined) return Result.fail(new IncidentIsInvalid({ issues: [problem] }))
  if (status !== "resolved") {
    const grouped = alerts.find((id) => groupedBy.has(id))
    const incident = grouped === undefined ? undefined : groupedBy.get(grouped)
    if (grouped !== undefined && incident !== undefined)
      return Result.fail(new AlertIsGrouped({ alert: grouped, incident }))
  }

  const contents: ReadonlyArray<EntryContent> = [
    ...(status === before.status || before.revision === 0
      ? []
      : [{ kind: "status_changed", from: before.status, to: status } as const]),
    ...(newOwner === (oldOwner ?? "")
      ? []
      : [
          {
            kind: "owner_changed",
            ...(oldOwner !== undefined && { from: oldOwner }),
            ...(newOwner !== "" && { to: newOwner }),
          } as const,
        ]),
    ...(added.length === 0 ? [] : [{ kind: "alerts_added", alerts: added.map(({ id }) => id) } as const]),
    ...(removeAlert === undefined || !known.has(removeAlert)
      ? []
      : [{ kind: "alerts_removed", alerts: [removeAlert] } as const]),
    ...(entry === undefined ? [] : [entry]),
  ]
  const entries = contents
    .slice(0, Math.max(0, 2 * incidentEntriesMax - before.entryCount))
    .map((content, index): IncidentEntry => ({
      ...content,
      id: `${before.entryCount + index + 1}`,
      at: now,
      ...(by !== undefined && { author: by }),
    }))
  if (before.revision > 0 && contents.length === 0 && isSame(before, after))
    return Result.succeed({ incident: before, entries: [] })
  const openTaskCount = before.openTaskCount + (entry?.kind === "task" ? 1 : 0)
  const entryCount = before.entryCount + entries.length
  return Result.succeed({ incident: touched({ ...after, openTaskCount, entryCount }, author), entries })
}

/** An incident with its next revision. */
export const touched = (incident: Incident, { by, now }: Author): Incident => {
  const { updatedBy: _, ...rest } = incident
  const revision = incident.revision + 1
  return { ...rest, revision, updatedAt: now, ...(by !== undefined && { updatedBy: by }) }
}

const problemOf = (
  before: Incident,
  after: Incident,
  entry: EntryContent | undefined,
  grouping: number,
  now: number,
): Issue | undefined => {
  const latestStart = Math.min(now + alertMaxAheadMs, after.resolvedAt ?? Infinity)
  if (after.startedAt !== before.startedAt && (after.startedAt < 0 || after.startedAt > latestStart)) {
    const message = "must be from 1970 on, and neither in the future nor after the incident was resolved"
    return { path: "startedAt", code: "out_of_range", message }
  }
  if (after.alertCount > incidentAlertsMax && after.alertCount > before.alertCount) {
    const message = `the incident would have more than ${incidentAlertsMax} alerts`
    return { path: "alerts", code: "too_many", message }
  }
  if (after.services.length > incidentServicesMax) {
    const message = `the incident would have more than ${incidentServicesMax} services`
    return { path: "services", code: "too_many", message }
  }
  if (entry !== undefined && before.entryCount >= incidentEntriesMax) {
    const message = `the timeline already has ${incidentEntriesMax} entries`
    return { path: "", code: "too_many", message }
  }
  // An incident that groups alerts already can always be changed.
  if (grouping >= groupingIncidentsMax && isGrouping(after) && !(before.revision > 0 && isGrouping(before))) {
    const message = `${groupingIncidentsMax} open incidents already add alerts automatically: resolve one of them, or set groupAlertsWithinMinutes to 0 in the same request`
    return { path: "groupAlertsWithinMinutes", code: "too_many", message }
  }
  return undefined
}

/** Whether an edit without an entry changes nothing. */
const isSame = (before: Incident, after: Incident): boolean =>
  before.title === after.title &&
  before.severity === after.severity &&
  before.startedAt === after.startedAt &&
  before.groupAlertsWithinMinutes === after.groupAlertsWithinMinutes &&
  before.services.map(projectKeyText).join() === after.services.map(projectKeyText).join()

/** The service of the SLO of an alert; `undefined` if it is not known. */
export const serviceOf = ({
  service,
  subject,
}: Pick<Alert, "service" | "subject">): ProjectKey | undefined =>
  service === undefined ? undefined : { project: subject.slo.project, name: service }

/** The services of alerts, each once, at most `incidentServicesMax`. */
export const servicesOf = (
  alerts: ReadonlyArray<Pick<Alert, "service" | "subject">>,
  before: ReadonlyArray<ProjectKey> = [],
): ReadonlyArray<ProjectKey> => {
  const services = alerts.flatMap((alert) => serviceOf(alert) ?? [])
  const byText = new Map([...before, ...services].map((each) => [projectKeyText(each), each]))
  return [...byText.values()].slice(0, incidentServicesMax)
}
