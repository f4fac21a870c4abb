import type { DefinitionDocument } from "@tocsin/domain"
import {
  alertMethods,
  alerts,
  dataSources,
  definitions,
  deliveries,
  type HeldAlert,
  indicators,
  silences,
} from "@tocsin/api"
import { isObject, tidy } from "@tocsin/domain/codec"
import { writeYamlDocument } from "@tocsin/formats/yaml"
import { isOrganizationKind, kindList } from "@tocsin/domain/definitions"
import type { Kind } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import { type ApiClient, type ApiFailure, operationsOf } from "../client/ApiClient.ts"
import { type ListedObject, listObjects, type ObjectQuery } from "../client/Objects.ts"
import { warningText } from "../client/Warnings.ts"
import { type Cell, tableText } from "../terminal/Table.ts"
import type { Terminal } from "../terminal/Terminal.ts"
import { terminalText } from "../terminal/TerminalText.ts"
import { healthText } from "./AlertMethodCommand.ts"
import { historyText } from "./HistoryText.ts"
import { at, conditionsOf, indicatorOf, labelsOf, list, tableOf, text, windowOf } from "./ObjectColumns.ts"
import { findSlo, listSlos, objectiveCells, objectiveHeader, objectivesOf } from "./SloStatuses.ts"

/** A value by its label, or lines below a title; without any, the title says so. */
type Part =
  { readonly label: string; readonly value: unknown } | { readonly title: string; readonly lines: string }

/** Maximum number of deliveries in a description. */
const deliveriesMax = 10

/** Describes an object with its status, over several lines. */
export const describeObject = (
  client: ApiClient,
  object: ListedObject,
  terminal: Terminal,
): Effect.Effect<string, ApiFailure> => {
  const { kind, metadata } = object
  const own = Object.hasOwn(describers, kind) ? describers[kind] : undefined
  return Effect.map(
    Effect.all([own?.(client, object, terminal) ?? Effect.succeed([]), warningsOf(client, object)]),
    ([parts, warnings]) =>
      partsText([
        { label: "Name", value: metadata.name },
        { label: "Kind", value: kind },
        { label: "Project", value: isOrganizationKind(kind) ? "" : metadata.project },
        { label: "Display name", value: metadata["displayName"] },
        { label: "Labels", value: labelsOf(object).replaceAll(",", ", ") },
        ...annotationsOf(object),
        { label: "Description", value: at(object, "spec.description") },
        ...warnings,
        ...parts,
      ]),
  )
}

/** Alerts have no warnings. */
const warningsOf = (
  client: ApiClient,
  { kind, metadata: { name, project = "" } }: ListedObject,
): Effect.Effect<ReadonlyArray<Part>, ApiFailure> =>
  Effect.gen(function* () {
    if (!kindList.some((each) => each === kind)) return []
    const { warnings } = yield* operationsOf(definitions, client.call).listWarnings({
      kind,
      name,
      project: project === "" ? undefined : project,
    })
    if (warnings.length === 0) return []
    const lines = warnings.map((each) => `${warningText(each)}\n`).join("")
    return [{ title: "Warnings", lines: terminalText(lines) }]
  })

const partsText = (parts: ReadonlyArray<Part>): string => {
  const shown = parts.filter((part) => "title" in part || text(part.value) !== "")
  const width = Math.max(...shown.map((part) => ("label" in part ? part.label.length : 0)))
  return shown
    .map((part) => {
      if ("title" in part) {
        return part.lines === "" ? `${part.title}: none\n` : `${part.title}:\n${indented(part.lines)}`
      }
      const lines = terminalText(text(part.value)).trimEnd().split("\n")
      return `${`${part.label}:`.padEnd(width + 2)}${lines.join(`\n${" ".repeat(width + 2)}`)}\n`
    })
    .join("")
}

const indented = (lines: string): string => lines.replaceAll(/^(?=.)/gm, "  ")

const annotationsOf = (object: ListedObject): ReadonlyArray<Part> => {
  const annotations = at(object, "metadata.annotations")
  if (!isObject(annotations)) return []
  const lines = Object.entries(annotations).map(([key, value]) => `${key}: ${text(value)}`)
  return [{ label: "Annotations", value: lines.join("\n") }]
}

type Describer = (
  client: ApiClient,
  object: ListedObject,
  terminal: Terminal,
) => Effect.Effect<ReadonlyArray<Part>, ApiFailure>

const table = (
  title: string,
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell | string>>,
  { width }: Terminal,
): Part => ({ title, lines: rows.length === 0 ? "" : tableText(header, rows, width - 2) })

/** The objects as `tocsin get` lists them. */
const objectTable = (
  title: string,
  kind: string,
  objects: ReadonlyArray<ListedObject>,
  terminal: Terminal,
  withProject = false,
): Part => {
  const { header, rows } = tableOf(kind, objects, { isWide: false, withProject })
  return table(title, header, rows, terminal)
}

/** The definition, which the server returns without secrets. */
const specOf = (object: ListedObject): Part => {
  const { spec } = object
  const { description: _, ...shown } = isObject(spec) ? spec : {}
  return { title: "Spec", lines: terminalText(writeYamlDocument(shown)) }
}

const projectOf = ({ metadata }: ListedObject): string => metadata.project ?? ""

const openAlerts = (
  client: ApiClient,
  project: string | undefined,
  filters: Pick<ObjectQuery, "slo" | "alertPolicy">,
) => listObjects(client, "alert", { project, status: ["triggered"], ...filters })

/** The latest deliveries, newest first. */
const deliveryTable = (
  client: ApiClient,
  filters: { readonly project?: string; readonly alertMethod?: string; readonly alertId?: string },
  terminal: Terminal,
): Effect.Effect<Part, ApiFailure> =>
  Effect.gen(function* () {
    const { data } = yield* operationsOf(deliveries, client.call).listDeliveries({
      ...filters,
      limit: deliveriesMax,
    })
    const rows = data.map(({ id, state, event, attempt, createdAt }) => [
      id,
      state,
      event,
      String(attempt),
      createdAt,
    ])
    const header = ["ID", "STATUS", "EVENT", "ATTEMPTS", "CREATED"]
    return table("Latest deliveries", header, rows, terminal)
  })

const describeProject: Describer = (client, { metadata: { name } }) =>
  Effect.map(
    Effect.forEach(
      kindList.filter((kind) => !isOrganizationKind(kind)),
      (kind) =>
        Effect.map(listObjects(client, kind, { project: name }), ({ length }) =>
          length === 0 ? "" : `${kind}: ${length}\n`,
        ),
    ),
    (lines) => [{ title: "Objects", lines: lines.join("") }],
  )

const describeService: Describer = (client, object, terminal) =>
  Effect.map(listSlos(client), (slos) => [
    table(
      "SLOs",
      ["SLO", ...objectiveHeader],
      slos
        .filter(
          ({ project, service }) =>
            project.name === projectOf(object) && service.name === object.metadata.name,
        )
        .flatMap((slo) =>
          objectivesOf(slo).map((each) => [slo.name, ...objectiveCells(each, terminal.hasColor)]),
        ),
      terminal,
    ),
  ])

const describeSlo: Describer = (client, object, terminal) =>
  Effect.gen(function* () {
    const { name } = object.metadata
    const project = projectOf(object)
    const slo = yield* findSlo(client, project, name)
    const names = list(at(object, "spec.alertPolicies")).map(text)
    const policies =
      names.length === 0 ? [] : yield* listObjects(client, "AlertPolicy", { project, name: names })
    const hasIndicator = at(object, "spec.indicator") !== undefined
    const indicator = hasIndicator
      ? yield* operationsOf(indicators, client.call).findIndicator({ sloName: name, project })
      : undefined
    const held = yield* operationsOf(alerts, client.call).listHeldAlerts({ project, slo: name })
    return [
      { label: "Service", value: slo.service.name },
      { label: "Budgeting method", value: slo.budgetingMethod },
      { label: "Time window", value: windowOf(object) },
      { label: "Created", value: slo.createdAt },
      { label: "Source", value: indicatorOf(object) },
      { label: "Data source", value: indicator?.dataSource?.name },
      { label: "Read to", value: indicator?.history?.recentTo ?? indicator?.readTo },
      { label: "History", value: indicator === undefined ? "" : historyText(indicator) },
      { label: "Last data point", value: indicator?.receivedAt },
      { label: "Problem", value: problemText(indicator?.problem) },
      table(
        "Objectives",
        objectiveHeader,
        objectivesOf(slo).map((each) => objectiveCells(each, terminal.hasColor)),
        terminal,
      ),
      objectTable("Alert policies", "AlertPolicy", policies, terminal),
      objectTable("Open alerts", "Alert", yield* openAlerts(client, project, { slo: [name] }), terminal),
      ...(held.data.length === 0
        ? []
        : [table("Held alerts", heldHeader, held.data.map(heldCells), terminal)]),
    ]
  })

const heldHeader = ["Objective", "Alert policy", "Since", "Reason"]

const heldCells = ({ objective, alertPolicy, since, detail }: HeldAlert) => [
  objective ?? "(composite)",
  alertPolicy.name,
  since,
  detail,
]

const problemText = (problem: { readonly reason: string; readonly detail: string } | undefined): string =>
  problem === undefined ? "" : `${problem.reason}: ${problem.detail}`

const describeAlertPolicy: Describer = (client, object, terminal) =>
  Effect.gen(function* () {
    const { name } = object.metadata
    const project = projectOf(object)
    const slos = yield* listObjects(client, "SLO", { project })
    return [
      { label: "Severity", value: at(object, "spec.severity") },
      { label: "Conditions", value: conditionsOf(object) },
      specOf(object),
      objectTable(
        "SLOs",
        "SLO",
        slos.filter((slo) => list(at(slo, "spec.alertPolicies")).includes(name)),
        terminal,
      ),
      objectTable(
        "Open alerts",
        "Alert",
        yield* openAlerts(client, project, { alertPolicy: [name] }),
        terminal,
      ),
    ]
  })

const describeAlertMethod: Describer = (client, object, terminal) =>
  Effect.gen(function* () {
    const { name } = object.metadata
    const project = projectOf(object)
    const health = yield* operationsOf(alertMethods, client.call).findAlertMethodHealth({ name, project })
    const policies = yield* listObjects(client, "AlertPolicy", {})
    return [
      { label: "Deliveries", value: healthText(health) },
      specOf(object),
      objectTable(
        "Alert policies",
        "AlertPolicy",
        policies.filter((policy) => methodsOf(policy).includes(`${project}/${name}`)),
        terminal,
        true,
      ),
      yield* deliveryTable(client, { project, alertMethod: name }, terminal),
    ]
  })

/** The alert methods that a policy notifies, at once or later, as `project/name`. */
const methodsOf = (policy: ListedObject): ReadonlyArray<string> =>
  [policy["spec"], ...list(at(policy, "spec.then"))].flatMap((step) =>
    list(at(step, "alertMethods")).map(
      (method) =>
        `${text(at(method, "metadata.project") ?? projectOf(policy))}/${text(at(method, "metadata.name"))}`,
    ),
  )

const describeAlertSilence: Describer = (client, object, terminal) =>
  Effect.gen(function* () {
    const { periods, slos, alerts } = yield* operationsOf(silences, client.call).previewSilence({
      // As it was listed.
      body: object as unknown as DefinitionDocument<"AlertSilence">,
    })
    return [
      specOf(object),
      {
        title: "Active",
        lines: periods.map(({ startTime, endTime }) => `${startTime} to ${endTime}\n`).join(""),
      },
      { title: "SLOs", lines: slos.map(({ name }) => `${name}\n`).join("") },
      objectTable("Open alerts that it silences", "Alert", alerts, terminal),
    ]
  })

const describeDataSource: Describer = (client, object) =>
  Effect.gen(function* () {
    const status = yield* operationsOf(dataSources, client.call).findDataSource({
      name: object.metadata.name,
      project: projectOf(object),
    })
    return [
      { label: "Status", value: status.state },
      { label: "SLOs", value: `${status.sloCount}, of which ${status.affectedSloCount} cannot be read` },
      { label: "Last success", value: status.succeededAt ?? "none" },
      { label: "Unavailable since", value: status.unavailableSince },
      { label: "Problem", value: problemText(status.problem) },
      specOf(object),
      {
        title: "Affected SLOs",
        lines: status.affectedSlos.map(({ project, name }) => `${project}/${name}\n`).join(""),
      },
    ]
  })

const describeAlert: Describer = (client, object, terminal) =>
  Effect.gen(function* () {
    const acknowledgedBy = at(object, "spec.acknowledgement.by")
    const note = at(object, "spec.acknowledgement.note")
    const reason = at(object, "spec.resolutionReason")
    const groups = list(at(object, "spec.evidence.conditionGroups"))
    const methods = list(at(object, "spec.alertMethods")).map(
      (method) => `${text(at(method, "project"))}/${text(at(method, "name"))}`,
    )
    return [
      {
        label: "Status",
        value: text(at(object, "spec.status")) + (reason === undefined ? "" : ` (${text(reason)})`),
      },
      { label: "SLO", value: at(object, "spec.slo.name") },
      { label: "Objective", value: at(object, "spec.objective.name") },
      { label: "Alert policy", value: at(object, "spec.alertPolicy.name") },
      { label: "Severity", value: at(object, "spec.severity") },
      // One of several groups is enough; they are measured below.
      {
        label: "Conditions",
        value: groups.length > 1 ? "" : list(at(object, "spec.conditionTexts")).map(text).join("\n"),
      },
      { label: "Triggered", value: at(object, "spec.triggeredClockTime") },
      { label: "Resolved", value: at(object, "spec.resolvedClockTime") },
      {
        label: "Acknowledged",
        value:
          acknowledgedBy === undefined
            ? "no"
            : `by ${text(acknowledgedBy)} at ${text(at(object, "spec.acknowledgement.at"))}${note === undefined ? "" : `: ${text(note)}`}`,
      },
      { label: "Silenced", value: at(object, "spec.isSilenced") === true ? "yes" : "no" },
      { label: "Alert methods", value: methods.join(", ") },
      ...(groups.length === 0
        ? []
        : [table("Measured when triggered", evidenceHeader, evidenceRows(groups), terminal)]),
      yield* deliveryTable(client, { alertId: object.metadata.name }, terminal),
    ]
  })

const evidenceHeader = ["Condition", "Met", "Bad", "Total", "Measured"]

const evidenceRows = (groups: ReadonlyArray<unknown>) =>
  groups.flatMap((group, index) =>
    list(at(group, "conditions")).map((condition) => {
      const total = Number(at(condition, "total"))
      return [
        `${groups.length > 1 ? `group ${index + 1}: ` : ""}${text(at(condition, "condition"))}`,
        at(condition, "isMet") === true ? "yes" : "no",
        `${tidy(total - Number(at(condition, "good")))}`,
        `${total}`,
        text(at(condition, "detail")),
      ]
    }),
  )

const describers: Readonly<Record<string, Describer>> = {
  Project: describeProject,
  Service: describeService,
  SLO: describeSlo,
  AlertPolicy: describeAlertPolicy,
  AlertMethod: describeAlertMethod,
  AlertSilence: describeAlertSilence,
  DataSource: describeDataSource,
  BudgetAdjustment: (_client, object) => Effect.succeed([specOf(object)]),
  Report: (_client, object) => Effect.succeed([specOf(object)]),
  SavedView: (_client, object) => Effect.succeed([specOf(object)]),
  Agent: (_client, object) => Effect.succeed([specOf(object)]),
  Direct: (_client, object) => Effect.succeed([specOf(object)]),
  Alert: describeAlert,
} satisfies Record<Kind | "Alert", Describer>
