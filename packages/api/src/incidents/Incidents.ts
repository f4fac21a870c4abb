import {
  incidentAlertsMax,
  incidentAlertsRequest,
  incidentEntryKinds,
  incidentEntryRequest,
  incidentRequest,
  incidentSeverities,
  incidentStatuses,
  incidentTaskUpdate,
  incidentUpdate,
  postmortemAlertsMax,
  postmortemSlosMax,
} from "@tocsin/domain/features/incident"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { count, KeySchema, noContent, optionalText, pageOf, repeatable, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"

/** The media type of a post-mortem as Markdown. */
export const postmortemType = "text/markdown; charset=utf-8"

const status = Schema.Literals(incidentStatuses)

const summaryFields = {
  id: Schema.String,
  title: Schema.String,
  severity: Schema.Literals(incidentSeverities),
  status,
  owner: optionalText("Person in charge. Omitted if the incident has none"),
  services: Schema.Array(KeySchema).annotate({ description: "The affected services" }),
  startedAt: time("When the incident began"),
  resolvedAt: Schema.optionalKey(time("When the incident was resolved. Omitted while it is open")),
  groupAlertsWithinMinutes: count.annotate({
    description:
      "While the incident is open, alerts of its services that trigger within this number of minutes of one of its alerts are added. 0: none are added",
  }),
  alertCount: count,
  openTaskCount: count,
  entryCount: count.annotate({ description: "Entries of the timeline" }),
  revision: count.annotate({
    description: "Increases by one with each change of the incident or its timeline",
  }),
  createdAt: time("When the incident was created"),
  createdBy: Schema.String.annotate({ description: "Client ID of the credential" }),
  updatedAt: time("When the incident or its timeline was last changed"),
  updatedBy: optionalText("Client ID of the credential. Omitted if Tocsin added alerts itself"),
}

/** An incident in a list, without the IDs of its alerts. */
export const incidentSummary = Schema.Struct(summaryFields).annotate({ identifier: "IncidentSummary" })

/** The JSON of `incidentSummary`. */
export type IncidentSummary = (typeof incidentSummary)["Encoded"]

/** An incident. */
export const incident = Schema.Struct({
  ...summaryFields,
  alerts: Schema.Array(Schema.String).annotate({
    description: `IDs of the alerts that the incident groups, at most ${incidentAlertsMax}, in the order in which they were added`,
  }),
}).annotate({ identifier: "Incident" })

/** The JSON of `incident`. */
export type Incident = (typeof incident)["Encoded"]

const entryFields = {
  id: Schema.String,
  at: time("When the entry was added"),
  author: optionalText("Client ID of the credential. Omitted for what Tocsin did itself"),
}

const alertIds = Schema.Array(Schema.String).annotate({ description: "IDs of alerts" })

/** An entry of the timeline of an incident. */
export const incidentEntry = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("note"), ...entryFields, text: Schema.String }),
  Schema.Struct({
    kind: Schema.Literal("task"),
    ...entryFields,
    text: Schema.String,
    isDone: Schema.Boolean,
    doneAt: Schema.optionalKey(time("When the task was completed")),
    doneBy: optionalText("Client ID of the credential"),
  }),
  Schema.Struct({
    kind: Schema.Literal("link"),
    ...entryFields,
    url: Schema.String,
    title: Schema.optionalKey(Schema.String),
  }),
  Schema.Struct({
    kind: Schema.Literal("post"),
    ...entryFields,
    text: Schema.String.annotate({ description: "What the public status page shows" }),
    status,
  }),
  Schema.Struct({ kind: Schema.Literal("alerts_added"), ...entryFields, alerts: alertIds }),
  Schema.Struct({ kind: Schema.Literal("alerts_removed"), ...entryFields, alerts: alertIds }),
  Schema.Struct({ kind: Schema.Literal("status_changed"), ...entryFields, from: status, to: status }),
  Schema.Struct({
    kind: Schema.Literal("owner_changed"),
    ...entryFields,
    from: optionalText("Omitted if the incident had no owner"),
    to: optionalText("Omitted if the owner was removed"),
  }),
]).annotate({ identifier: "IncidentEntry" })

/** The JSON of `incidentEntry`. */
export type IncidentEntry = (typeof incidentEntry)["Encoded"]

/** Incidents, their alerts and their timelines. */
export const incidents = resource("Incidents", {
  listIncidents: {
    method: "GET",
    path: "/api/incidents",
    query: {
      status: repeatable(status),
      project: optionalText("Project of an affected service. Required with service"),
      service: optionalText("Name of an affected service"),
      alert: optionalText("ID of an alert that the incident groups"),
    },
    success: pageOf(incidentSummary, "IncidentPage"),
    summary: "List incidents",
    description: "Latest start first.",
  },
  createIncident: {
    method: "POST",
    path: "/api/incidents",
    role: "editor",
    body: incidentRequest,
    bodyAs: "json",
    success: { 201: incident },
    errors: [404, 409],
    summary: "Create an incident",
    description:
      "Creates an incident, which can group alerts. An alert belongs to one open incident at most; otherwise, the request fails with 409.",
  },
  findIncident: {
    method: "GET",
    path: "/api/incidents/:id",
    success: incident,
    errors: [404],
    summary: "Retrieve an incident",
  },
  updateIncident: {
    method: "POST",
    path: "/api/incidents/:id",
    role: "editor",
    body: incidentUpdate,
    bodyAs: "json",
    success: incident,
    errors: [404, 409, 412],
    summary: "Update an incident",
    description:
      "Changes the fields that the request contains. With a post, the status page shows what happened. If the request contains a revision and the incident has another, the request fails with 412.",
  },
  deleteIncident: {
    method: "DELETE",
    path: "/api/incidents/:id",
    role: "editor",
    success: noContent,
    errors: [404],
    summary: "Delete an incident",
    description: "Deletes an incident with its timeline. Its alerts remain.",
  },
  addIncidentAlerts: {
    method: "POST",
    path: "/api/incidents/:id/alerts",
    role: "editor",
    body: incidentAlertsRequest,
    bodyAs: "json",
    success: incident,
    errors: [404, 409],
    summary: "Add alerts to an incident",
    description:
      "Adds alerts, and their services to the affected services. Alerts that the incident already groups are ignored, so a request can be repeated.",
  },
  removeIncidentAlert: {
    method: "DELETE",
    path: "/api/incidents/:id/alerts/:alertId",
    role: "editor",
    success: incident,
    errors: [404],
    summary: "Remove an alert from an incident",
    description: "The affected services do not change.",
  },
  listIncidentEntries: {
    method: "GET",
    path: "/api/incidents/:id/entries",
    query: { kind: repeatable(Schema.Literals(incidentEntryKinds)) },
    success: pageOf(incidentEntry),
    errors: [404],
    summary: "List the timeline of an incident",
    description: "Latest entries first.",
  },
  addIncidentEntry: {
    method: "POST",
    path: "/api/incidents/:id/entries",
    role: "editor",
    body: incidentEntryRequest,
    bodyAs: "json",
    success: { 201: incidentEntry },
    errors: [404, 409],
    summary: "Add an entry to the timeline of an incident",
    description:
      "Adds a note, a task, a link, or a post for the public status page. A post with another status changes the status of the incident.",
  },
  updateIncidentTask: {
    method: "PUT",
    path: "/api/incidents/:id/tasks/:entryId",
    role: "editor",
    body: incidentTaskUpdate,
    bodyAs: "json",
    success: incidentEntry,
    errors: [404],
    summary: "Complete or reopen a task of an incident",
  },
  findPostmortem: {
    method: "GET",
    path: "/api/incidents/:id/postmortem",
    success: [Schema.String.pipe(HttpApiSchema.asText({ contentType: postmortemType }))],
    isRaw: true,
    responseHeaders: ["ETag"],
    errors: [404, 429],
    summary: "Retrieve the post-mortem of an incident",
    description: `Returns a Markdown document: a summary, the timeline with the events of the alerts, each alert with the evidence at its trigger, the error budget that was used by SLO, the deliveries of notifications, and the open tasks. Describes at most ${postmortemAlertsMax} alerts and the error budgets of ${postmortemSlosMax} SLOs.`,
  },
})
