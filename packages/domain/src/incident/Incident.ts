import { described, named, stored, type TypeOf } from "../codec/Codec.ts"
import { choose, exactOptional, list, object, optional } from "../codec/Containers.ts"
import { utcInstant } from "../codec/Instant.ts"
import { anyString, boolean, literals, number, string } from "../codec/Leaves.ts"
import { plainLine, plainText } from "../codec/PlainText.ts"
import { webLink } from "../codec/WebLink.ts"
import { objectName, projectKey } from "../metadata/Metadata.ts"
import { displayNameMaxCharacters } from "../metadata/MetadataLimits.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"

/** Severities of incidents, the worst first. */
export const incidentSeverities = ["critical", "major", "minor"] as const

/** How severe an incident is. */
export type IncidentSeverity = (typeof incidentSeverities)[number]

/** Statuses of incidents, in their usual order. An incident is open until it is resolved, and can be opened again. */
export const incidentStatuses = ["investigating", "identified", "monitoring", "resolved"] as const

/** How far an incident has come. */
export type IncidentStatus = (typeof incidentStatuses)[number]

/** Maximum number of alerts of an incident. */
export const incidentAlertsMax = 500

/** Maximum number of services of an incident. */
export const incidentServicesMax = 50

/** Maximum number of entries with which people can add another one to a timeline. */
export const incidentEntriesMax = 500

/** Maximum length of the text of an entry of a timeline, in characters. */
export const incidentTextMaxCharacters = 4_000

/** Maximum time between two alerts that belong to one incident by `groupAlertsWithinMinutes`. */
export const incidentGroupingMaxMinutes = 1_440

/** Maximum length of the ID of an alert in a request, in characters. */
const alertIdMaxCharacters = 512

const titleText = plainLine({ max: displayNameMaxCharacters })
const entryText = plainText({ max: incidentTextMaxCharacters, isBlank: false })
const service = projectKey(objectName)
const services = list(service, {
  max: incidentServicesMax,
  distinct: { by: projectKeyText },
})
const alertIds = list(string({ max: alertIdMaxCharacters }), {
  min: 1,
  max: incidentAlertsMax,
  distinct: { by: (id) => id },
})
const severity = literals(incidentSeverities)
const status = literals(incidentStatuses)
const groupAlertsWithinMinutes = described(
  number({ min: 0, max: incidentGroupingMaxMinutes, isInteger: true }),
  "While the incident is open, alerts of its services that trigger within this number of minutes of one of its alerts are added. 0: none are added",
)
const post = described(entryText, "A post for the public status page, with the status of the incident")

/** An incident as it is created. */
export const incidentRequest = named(
  object({
    title: described(titleText, "What is wrong, in a line"),
    severity,
    status: optional(status, { default: (): IncidentStatus => "investigating" }),
    owner: optional(described(titleText, "Person in charge")),
    services: optional(described(services, "The affected services. Default: the services of the alerts")),
    alerts: optional(described(alertIds, "IDs of alerts that the incident groups"), { default: () => [] }),
    startedAt: optional(
      described(
        utcInstant,
        "When the incident began. Default: when its first alert triggered, otherwise now",
      ),
    ),
    groupAlertsWithinMinutes: optional(groupAlertsWithinMinutes, { default: () => 0 }),
    post: optional(post),
  }),
  "IncidentRequest",
)

/** Fields of an incident to change; the others keep their values. */
export const incidentUpdate = named(
  object({
    title: optional(titleText),
    severity: optional(severity),
    status: optional(status),
    owner: exactOptional(described(titleText, "Person in charge. An empty string removes the owner")),
    services: optional(services),
    startedAt: optional(utcInstant),
    groupAlertsWithinMinutes: optional(groupAlertsWithinMinutes),
    post: optional(post),
    revision: optional(
      described(
        number({ min: 1, isInteger: true }),
        "The update is rejected if the incident has another revision. Default: it is applied to any revision",
      ),
    ),
  }),
  "IncidentUpdate",
)

/** Alerts to add to an incident. */
export const incidentAlertsRequest = named(object({ alerts: alertIds }), "IncidentAlertsRequest")

/** A task with its new state. */
export const incidentTaskUpdate = named(object({ isDone: boolean }), "IncidentTaskUpdate")

/** An entry of a timeline that people write. */
export const incidentEntryRequest = named(
  choose("kind", {
    note: object({ kind: literals(["note"]), text: entryText }),
    task: object({ kind: literals(["task"]), text: entryText }),
    link: object({
      kind: literals(["link"]),
      url: webLink({ isHttpAllowed: true }),
      title: optional(titleText),
    }),
    post: object({
      kind: literals(["post"]),
      text: described(entryText, "What the public status page shows"),
      status: optional(described(status, "The new status of the incident. Default: its current status")),
    }),
  }),
  "IncidentEntryRequest",
)

const time = number({})

/** What every entry has. `id` is its position in the timeline, from 1; `author` is the client ID of a credential; absent for what the service did itself. */
const entryFields = { id: anyString, at: time, author: exactOptional(anyString) }

const entry = choose("kind", {
  note: object({ kind: literals(["note"]), ...entryFields, text: anyString }),
  task: object({
    kind: literals(["task"]),
    ...entryFields,
    text: anyString,
    isDone: boolean,
    /** When and by whom the task was completed; absent while it is open. */
    doneAt: exactOptional(time),
    doneBy: exactOptional(anyString),
  }),
  link: object({ kind: literals(["link"]), ...entryFields, url: anyString, title: exactOptional(anyString) }),
  post: object({ kind: literals(["post"]), ...entryFields, text: anyString, status }),
  alerts_added: object({
    kind: literals(["alerts_added"]),
    ...entryFields,
    alerts: list(anyString, { max: incidentAlertsMax }),
  }),
  alerts_removed: object({
    kind: literals(["alerts_removed"]),
    ...entryFields,
    alerts: list(anyString, { max: incidentAlertsMax }),
  }),
  status_changed: object({ kind: literals(["status_changed"]), ...entryFields, from: status, to: status }),
  owner_changed: object({
    kind: literals(["owner_changed"]),
    ...entryFields,
    from: exactOptional(anyString),
    to: exactOptional(anyString),
  }),
})

/** An entry of the timeline of an incident. Times are in Unix milliseconds. */
export type IncidentEntry = TypeOf<typeof entry>

/** Kinds of entries of timelines: four that people write, and four that record changes. */
export const incidentEntryKinds = [
  "note",
  "task",
  "link",
  "post",
  "alerts_added",
  "alerts_removed",
  "status_changed",
  "owner_changed",
] as const satisfies ReadonlyArray<IncidentEntry["kind"]>

/** The stored form of an entry. */
export const storedIncidentEntry = stored(entry, [])

const summary = object({
  /** A UUIDv7. */
  id: anyString,
  title: anyString,
  severity,
  status,
  owner: exactOptional(anyString),
  services: list(service, { max: incidentServicesMax }),
  startedAt: time,
  /** Absent while the incident is open. */
  resolvedAt: exactOptional(time),
  /** 0: no alerts are added automatically. */
  groupAlertsWithinMinutes: number({}),
  /** When the latest of its alerts triggered; before the first one, when the incident began. */
  lastAlertAt: time,
  alertCount: number({}),
  openTaskCount: number({}),
  entryCount: number({}),
  /** 1 at first, and one more with each change. */
  revision: number({}),
  createdAt: time,
  /** Client IDs of credentials; the latter is absent if the service itself changed the incident last. */
  createdBy: anyString,
  updatedAt: time,
  updatedBy: exactOptional(anyString),
})

/** An incident without its alerts and timeline. Times are in Unix milliseconds. */
export type IncidentSummary = TypeOf<typeof summary>

/** The stored form of an incident. */
export const storedIncident = stored(summary, [])

/** Whether alerts are added to an incident automatically. */
export const isGrouping = ({
  status,
  groupAlertsWithinMinutes,
}: Pick<IncidentSummary, "status" | "groupAlertsWithinMinutes">): boolean =>
  status !== "resolved" && groupAlertsWithinMinutes > 0

/** An incident with the IDs of its alerts, in the order in which they were added. */
export interface Incident extends IncidentSummary {
  /** At most `incidentAlertsMax`. An alert can be in one open incident at most. */
  readonly alerts: ReadonlyArray<string>
}
