import { type IncidentEntry, incidents } from "@tocsin/api"
import { incidentSeverities, incidentStatuses } from "@tocsin/domain/features/incident"
import { InvalidArgumentError } from "commander"
import * as Effect from "effect/Effect"
import { readAll } from "../client/Pages.ts"
import {
  apiClient,
  type CommandFailure,
  CommandFailed,
  printJson,
  printText,
  resourceClient,
} from "./CommandContext.ts"
import { commands, listed, printed, work } from "./Commands.ts"
import { findObject } from "./FindObject.ts"
import {
  client,
  given as flag,
  oneOf,
  oneOfDefault,
  organization,
  parsed,
  someOf,
  text,
  texts,
  url,
} from "./Flags.ts"

const id = "ID of the incident, as printed by `list`"

const openStatuses = incidentStatuses.filter((status) => status !== "resolved")

/** A service in the form `project/name`. */
const serviceOf = (given: string) => {
  const [project = "", name = "", ...rest] = given.split("/")
  return project === "" || name === "" || rest.length > 0
    ? Effect.fail(
        new CommandFailed({ message: `--service needs PROJECT/NAME, such as shop/checkout: ${given}` }),
      )
    : Effect.succeed({ project, name })
}

const minutesOf = (given: string): number => {
  if (/^\d{1,4}$/.test(given)) return Number(given)
  throw new InvalidArgumentError("It must be a whole number of minutes.")
}

const entryText = (entry: IncidentEntry): string => {
  switch (entry.kind) {
    case "note":
      return entry.text
    case "task":
      return `[${entry.isDone ? "x" : " "}] ${entry.text}`
    case "link":
      return entry.title === undefined ? entry.url : `${entry.title}: ${entry.url}`
    case "post":
      return `Posted as ${entry.status}: ${entry.text}`
    case "alerts_added":
      return `Alerts added: ${entry.alerts.join(", ")}`
    case "alerts_removed":
      return `Alerts removed: ${entry.alerts.join(", ")}`
    case "status_changed":
      return `Status changed from ${entry.from} to ${entry.to}`
    case "owner_changed":
      return `Owner changed from ${entry.from ?? "none"} to ${entry.to ?? "none"}`
  }
}

const timelineLine = (entry: IncidentEntry): string => `${entry.at}  ${entryText(entry)}`

const alertCountText = ({ id, alertCount }: { readonly id: string; readonly alertCount: number }): string =>
  `Incident ${id} has ${alertCount} alerts`

export const incidentCommand = commands(
  "create, update and resolve incidents",
  "Create incidents, which group alerts, write their timelines, and print post-mortems.",
  {
    create: printed(incidents, "createIncident", {
      summary: "create an incident",
      description: "Create an incident, with alerts that belong to it.",
      arguments: { title: "title of the incident" },
      flags: {
        severity: oneOfDefault("<severity>", "severity of the incident", incidentSeverities, "major"),
        alert: texts("<id...>", "IDs of alerts, as printed by `tocsin get alerts`"),
        service: texts("<project/name...>", "affected services (default: the services of the alerts)"),
        owner: text("<name>", "person in charge"),
        groupWithin: parsed(
          "<minutes>",
          "add alerts of the services that trigger within this number of minutes of one another",
          minutesOf,
        ),
        post: text("<text>", "post for the public status page"),
        ...client,
      },
      examples:
        "  $ tocsin incident create 'Checkout is slow' --severity critical --alert 0198c2f4-6f00-7a3b-8c1d-2e4f60718293",
      request: ({ title, severity, alert, service, owner, groupWithin, post, ...flags }, context) =>
        Effect.gen(function* () {
          const services = yield* Effect.forEach(service ?? [], serviceOf)
          // The server rejects the names too, but does not suggest others.
          const api = yield* apiClient(flags, context)
          for (const { project, name } of services) yield* findObject(api, "Service", project, name)
          return {
            body: {
              title,
              severity,
              alerts: alert,
              services: service === undefined ? undefined : services,
              owner,
              groupAlertsWithinMinutes: groupWithin,
              post,
            },
          }
        }),
      text: ({ id }) => id,
    }),
    list: listed(incidents, "listIncidents", {
      summary: "list incidents",
      description: "List incidents, latest start first.",
      flags: {
        status: someOf("<status...>", "filter by status (default: all)", incidentStatuses, "s"),
        alert: text("<id>", "filter by an alert that belongs to the incident"),
        ...client,
      },
      examples: `  $ tocsin incident list --status ${openStatuses.join(" ")}`,
      empty: "No incidents.",
      columns: {
        ID: ({ id }) => id,
        STATUS: ({ status }) => status,
        SEVERITY: ({ severity }) => severity,
        OWNER: ({ owner }) => owner,
        ALERTS: ({ alertCount }) => `${alertCount}`,
        STARTED: ({ startedAt }) => startedAt,
        TITLE: ({ title }) => title,
      },
    }),
    show: work(
      {
        summary: "show an incident with its timeline",
        description: "Show an incident with its timeline, oldest entries first.",
        arguments: { id },
        flags: client,
        examples: "  $ tocsin incident show 019c0ec6-5588-7fd0-bf98-c03a8b8f0000",
      },
      ({ id, ...given }, context) =>
        Effect.gen(function* () {
          const api = yield* resourceClient(incidents, given, context)
          const incident = yield* api.findIncident({ id })
          const entries = yield* readAll<IncidentEntry, CommandFailure>((page) =>
            api.listIncidentEntries({ id, ...page }),
          )
          const whole = { ...incident, entries: entries.toReversed() }
          yield* printJson(given, whole, ({ title, severity, status, owner = "none", entries, ...rest }) =>
            [
              `${title} (${severity}, ${status})`,
              `Owner: ${owner}`,
              `Services: ${rest.services.map(({ project, name }) => `${project}/${name}`).join(", ") || "none"}`,
              `Alerts: ${rest.alerts.join(", ") || "none"}`,
              `Started: ${rest.startedAt}`,
              ...(rest.resolvedAt === undefined ? [] : [`Resolved: ${rest.resolvedAt}`]),
              ...entries.map(timelineLine),
            ].join("\n"),
          )
        }),
    ),
    note: printed(incidents, "addIncidentEntry", {
      summary: "add a note to an incident",
      description: "Add a note to the timeline of an incident.",
      arguments: { id, text: "text of the note" },
      flags: client,
      examples: "  $ tocsin incident note 019c0ec6-5588-7fd0-bf98-c03a8b8f0000 'Rolled back release 41'",
      request: ({ id, text }) => ({ id, body: { kind: "note", text } }),
      text: timelineLine,
    }),
    post: printed(incidents, "addIncidentEntry", {
      summary: "post on the public status page",
      description: "Add a post to an incident, which the public status page shows.",
      arguments: { id, text: "text of the post" },
      flags: {
        status: oneOf(
          "<status>",
          "new status of the incident (default: the current one)",
          incidentStatuses,
          "s",
        ),
        ...client,
      },
      examples:
        "  $ tocsin incident post 019c0ec6-5588-7fd0-bf98-c03a8b8f0000 'A fix is deployed.' --status monitoring",
      request: ({ id, text, status }) => ({ id, body: { kind: "post", text, status } }),
      text: timelineLine,
    }),
    task: printed(incidents, "addIncidentEntry", {
      summary: "add a task to an incident",
      description: "Add a task to the timeline of an incident. Prints the ID of the task.",
      arguments: { id, text: "what is to be done" },
      flags: client,
      examples: "  $ tocsin incident task 019c0ec6-5588-7fd0-bf98-c03a8b8f0000 'Add an alert on the queue'",
      request: ({ id, text }) => ({ id, body: { kind: "task", text } }),
      text: (entry) => entry.id,
    }),
    tasks: listed(incidents, "listIncidentEntries", {
      summary: "list the tasks of an incident",
      description: "List the tasks of an incident, latest first.",
      arguments: { id },
      flags: client,
      examples: "  $ tocsin incident tasks 019c0ec6-5588-7fd0-bf98-c03a8b8f0000",
      request: ({ id }) => ({ id, kind: ["task"] }),
      empty: "No tasks.",
      columns: {
        ID: (entry) => entry.id,
        DONE: (entry) => (entry.kind === "task" ? entry.doneAt : undefined),
        ADDED: (entry) => entry.at,
        TASK: (entry) => (entry.kind === "task" ? entry.text : undefined),
      },
    }),
    done: printed(incidents, "updateIncidentTask", {
      summary: "complete a task of an incident",
      description: "Complete a task of an incident, or open it again.",
      arguments: { id, task: "ID of the task, as printed by `tasks`" },
      flags: { reopen: flag("open the task again"), ...client },
      examples: "  $ tocsin incident done 019c0ec6-5588-7fd0-bf98-c03a8b8f0000 3",
      request: ({ id, task, reopen }) => ({ id, entryId: task, body: { isDone: reopen !== true } }),
      text: timelineLine,
    }),
    addAlerts: printed(incidents, "addIncidentAlerts", {
      summary: "add alerts to an incident",
      description: "Add alerts to an incident, and their services to the affected services.",
      arguments: { id, "alerts...": "IDs of alerts, as printed by `tocsin get alerts`" },
      flags: client,
      examples:
        "  $ tocsin incident add-alerts 019c0ec6-5588-7fd0-bf98-c03a8b8f0000 0198c2f4-6f00-7a3b-8c1d-2e4f60718293",
      request: ({ id, alerts }) => ({ id, body: { alerts } }),
      text: alertCountText,
    }),
    removeAlert: printed(incidents, "removeIncidentAlert", {
      summary: "remove an alert from an incident",
      description: "Remove an alert from an incident. It is not added automatically again.",
      arguments: { id, alert: "ID of the alert" },
      flags: client,
      examples:
        "  $ tocsin incident remove-alert 019c0ec6-5588-7fd0-bf98-c03a8b8f0000 0198c2f4-6f00-7a3b-8c1d-2e4f60718293",
      request: ({ id, alert }) => ({ id, alertId: alert }),
      text: alertCountText,
    }),
    update: printed(incidents, "updateIncident", {
      summary: "update an incident",
      description:
        "Change the fields of an incident. An incident that is opened again adds alerts automatically as before, unless --group-within is 0.",
      arguments: { id },
      flags: {
        title: text("<title>", "new title"),
        severity: oneOf("<severity>", "new severity", incidentSeverities),
        status: oneOf("<status>", "new status", incidentStatuses, "s"),
        owner: text("<name>", "new person in charge; empty for none"),
        groupWithin: parsed("<minutes>", "as in `create`; 0 adds no alerts automatically", minutesOf),
        post: text("<text>", "post for the public status page"),
        ...client,
      },
      examples:
        "  # Open a resolved incident again\n  $ tocsin incident update 019c0ec6-5588-7fd0-bf98-c03a8b8f0000 --status investigating --group-within 0",
      request: ({ id, groupWithin, title, severity, status, owner, post }) => ({
        id,
        body: { title, severity, status, owner, groupAlertsWithinMinutes: groupWithin, post },
      }),
      text: ({ id, status }) => `Incident ${id} is ${status}`,
    }),
    resolve: printed(incidents, "updateIncident", {
      summary: "resolve an incident",
      description: "Resolve an incident.",
      arguments: { id },
      flags: { post: text("<text>", "post for the public status page"), ...client },
      examples:
        "  $ tocsin incident resolve 019c0ec6-5588-7fd0-bf98-c03a8b8f0000 --post 'Checkout is fast again.'",
      request: ({ id, post }) => ({ id, body: { status: "resolved", post } }),
      text: ({ id, resolvedAt }) => `Incident ${id} resolved at ${resolvedAt}`,
    }),
    delete: printed(incidents, "deleteIncident", {
      summary: "delete an incident",
      description:
        "Delete an incident with its timeline, such as one that was created by mistake. Its alerts remain.",
      arguments: { id },
      flags: client,
      examples: "  $ tocsin incident delete 019c0ec6-5588-7fd0-bf98-c03a8b8f0000",
      text: (_, { id }) => `Incident ${id} deleted`,
    }),
    postmortem: work(
      {
        summary: "print the post-mortem of an incident",
        description:
          "Print the post-mortem of an incident as Markdown: its timeline, alerts with their evidence, the error budget that was used, and the notifications.",
        arguments: { id },
        flags: { ...organization, ...url },
        examples: "  $ tocsin incident postmortem 019c0ec6-5588-7fd0-bf98-c03a8b8f0000 > postmortem.md",
      },
      ({ id, ...given }, context) =>
        Effect.gen(function* () {
          const api = yield* resourceClient(incidents, given, context)
          yield* printText(yield* api.findPostmortem({ id }))
        }),
    ),
  },
)
