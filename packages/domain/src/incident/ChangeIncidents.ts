import * as Clock from "effect/Clock"
import { serviceKind } from "../slo/Service.ts"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Alert } from "../alerting/Alert.ts"
import { AlertStore } from "../alerting/AlertStore.ts"
import { type Codec, decode } from "../codec/Codec.ts"
import { entryPath, type Issue } from "../codec/Issue.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import {
  type Author,
  type Edit,
  editIncident,
  IncidentIsInvalid,
  servicesOf,
  touched,
} from "./EditIncident.ts"
import {
  type Incident,
  incidentAlertsRequest,
  type IncidentEntry,
  incidentEntryRequest,
  incidentRequest,
  incidentTaskUpdate,
  incidentUpdate,
} from "./Incident.ts"
import { type IncidentFound, incidentsMax, IncidentStore } from "./IncidentStore.ts"
import { findIncident, IncidentNotFound } from "./ListIncidents.ts"

/** The incident has another revision than the request is based on. Nothing was written. */
export class IncidentHasChanged extends TaggedError("IncidentHasChanged")<{
  /** The ID of the incident. */
  readonly id: string
  /** Its revision now. */
  readonly revision: number
}> {}

/** The timeline of the incident has no task with this ID. */
export class IncidentTaskNotFound extends TaggedError("IncidentTaskNotFound")<{
  /** The requested ID. */
  readonly id: string
}> {}

/** Creates an incident. Fails with `IncidentIsInvalid` and every issue, or with `AlertIsGrouped`. */
export const createIncident = Effect.fn("createIncident")(function* (
  organization: OrganizationId,
  body: unknown,
  by: string,
) {
  const request = yield* decoded(incidentRequest, body)
  const { title, severity, status, groupAlertsWithinMinutes, owner, post } = request
  const now = yield* Clock.currentTimeMillis
  const alerts = yield* readAlerts(organization, request.alerts)
  const servicesMissing = yield* missingServices(organization, request.services)
  yield* Effect.fromResult(failWith([...missingAlerts(request.alerts, alerts), ...servicesMissing([])]))
  const startedAt = Math.min(now, ...alerts.map(({ triggeredAt }) => triggeredAt))
  const blank: Incident = {
    id: yield* uuidV7,
    title,
    severity,
    status,
    services: request.services ?? servicesOf(alerts),
    startedAt,
    groupAlertsWithinMinutes,
    lastAlertAt: request.startedAt ?? startedAt,
    alerts: [],
    alertCount: 0,
    openTaskCount: 0,
    entryCount: 0,
    revision: 0,
    createdAt: now,
    createdBy: by,
    updatedAt: now,
  }
  const edit: Edit = {
    addAlerts: alerts,
    ...(request.startedAt !== undefined && { startedAt: request.startedAt }),
    ...(owner !== undefined && { owner }),
    ...(post !== undefined && { entry: { kind: "post", text: post, status } }),
  }
  const store = yield* IncidentStore
  const { incident } = yield* store.change(organization, blank.id, { alerts: request.alerts }, (found) => {
    if (found.count < incidentsMax) return editIncident(blank, edit, found, { by, now })
    const message = `the organization already has ${incidentsMax} incidents: delete some`
    return Result.fail(new IncidentIsInvalid({ issues: [{ path: "", code: "too_many", message }] }))
  })
  return incident
})

/**
 * Changes fields of an incident, with a post if one is given. Fails with `IncidentNotFound`, with `IncidentIsInvalid` and every
 * issue, with `IncidentHasChanged` if another revision is given, or with `AlertIsGrouped` if an incident is opened again.
 */
export const updateIncident = Effect.fn("updateIncident")(function* (
  organization: OrganizationId,
  id: string,
  body: unknown,
  by: string,
) {
  const { post, revision, ...fields } = yield* decoded(incidentUpdate, body)
  const servicesMissing = yield* missingServices(organization, fields.services)
  const edit = (incident: Incident): Result.Result<Edit, IncidentHasChanged | IncidentIsInvalid> => {
    if (revision !== undefined && revision !== incident.revision)
      return Result.fail(new IncidentHasChanged({ id, revision: incident.revision }))
    const status = fields.status ?? incident.status
    return Result.map(failWith(servicesMissing(incident.services)), () => ({
      ...fields,
      ...(post !== undefined && { entry: { kind: "post", text: post, status } }),
    }))
  }
  const { incident } = yield* changeIncident(organization, id, by, edit)
  return incident
})

/**
 * Adds alerts, and their services to the affected services. Fails with `IncidentNotFound`, with `IncidentIsInvalid` and every issue,
 * or with `AlertIsGrouped`.
 */
export const addIncidentAlerts = Effect.fn("addIncidentAlerts")(function* (
  organization: OrganizationId,
  id: string,
  body: unknown,
  by: string,
) {
  const request = yield* decoded(incidentAlertsRequest, body)
  const alerts = yield* findAlerts(organization, request.alerts)
  const edit = ({ services }: Incident) =>
    Result.succeed({ addAlerts: alerts, services: servicesOf(alerts, services) })
  const { incident } = yield* changeIncident(organization, id, by, edit, request.alerts)
  return incident
})

/**
 * Removes an alert, which is not added automatically again. An incident without the alert stays as it is. Fails with
 * `IncidentNotFound`.
 */
export const removeIncidentAlert = Effect.fn("removeIncidentAlert")(function* (
  organization: OrganizationId,
  id: string,
  alert: string,
  by: string,
) {
  const before = yield* findIncident(organization, id)
  const lastAlertAt = yield* latestWithout(organization, before, alert)
  const hasSameAlerts = (now: Incident): boolean =>
    now.lastAlertAt === before.lastAlertAt && now.alerts.join(" ") === before.alerts.join(" ")
  const { incident } = yield* changeIncident(organization, id, by, (now) =>
    Result.succeed({
      removeAlert: alert,
      ...(lastAlertAt !== undefined && hasSameAlerts(now) && { lastAlertAt }),
    }),
  )
  return incident
})

/** When the latest of the other alerts of an incident triggered; `undefined` unless it has changed. */
const latestWithout = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { alerts, lastAlertAt }: Incident,
  id: string,
) {
  const [removed] = alerts.includes(id) ? yield* readAlerts(organization, [id]) : []
  if (removed === undefined || removed.triggeredAt < lastAlertAt) return undefined
  const others = yield* readAlerts(
    organization,
    alerts.filter((each) => each !== id),
  )
  return others.length === 0 ? undefined : Math.max(...others.map(({ triggeredAt }) => triggeredAt))
})

/**
 * Adds an entry to the timeline; a post with another status changes the status. Returns the entry. Fails with
 * `IncidentNotFound`, with `IncidentIsInvalid`, or with `AlertIsGrouped` if the post opens the incident again.
 */
export const addIncidentEntry = Effect.fn("addIncidentEntry")(function* (
  organization: OrganizationId,
  id: string,
  body: unknown,
  by: string,
) {
  const request = yield* decoded(incidentEntryRequest, body)
  const edit = (incident: Incident): Edit => {
    if (request.kind === "task") return { entry: { ...request, isDone: false } }
    if (request.kind !== "post") return { entry: request }
    const { text, status = incident.status } = request
    return { status, entry: { kind: "post", text, status } }
  }
  const { entries } = yield* changeIncident(organization, id, by, (incident) =>
    Result.succeed(edit(incident)),
  )
  // The entries that record the change come before it.
  return entries.at(-1) ?? (yield* Effect.die(new Error("An entry that is accepted is written")))
})

/** Completes a task, or opens it again. Returns its entry. Fails with `IncidentNotFound` or `IncidentTaskNotFound`. */
export const updateIncidentTask = Effect.fn("updateIncidentTask")(function* (
  organization: OrganizationId,
  id: string,
  entryId: string,
  body: unknown,
  by: string,
) {
  const { isDone } = yield* decoded(incidentTaskUpdate, body)
  const now = yield* Clock.currentTimeMillis
  const store = yield* IncidentStore
  const { entries } = yield* store.change(organization, id, { entry: entryId }, (found) =>
    Result.flatMap(storedIncident(found, id), (incident) => {
      const { entry } = found
      if (entry?.kind !== "task") return Result.fail(new IncidentTaskNotFound({ id: entryId }))
      if (entry.isDone === isDone) return Result.succeed({ incident, entries: [entry] })
      const { doneAt: _at, doneBy: _by, ...task } = entry
      const done: IncidentEntry = { ...task, isDone, ...(isDone && { doneAt: now, doneBy: by }) }
      const openTaskCount = incident.openTaskCount + (isDone ? -1 : 1)
      return Result.succeed({
        incident: touched({ ...incident, openTaskCount }, { by, now }),
        entries: [done],
      })
    }),
  )
  return entries[0] ?? (yield* Effect.die(new Error("A change of a task writes it")))
})

/** Deletes an incident with its timeline; fails with `IncidentNotFound`. */
export const deleteIncident = Effect.fnUntraced(function* (organization: OrganizationId, id: string) {
  if (!(yield* (yield* IncidentStore).remove(organization, id))) return yield* new IncidentNotFound({ id })
})

/** Changes a stored incident: `by` is `undefined` if the service does so itself. */
export const changeIncident = Effect.fnUntraced(function* <E>(
  organization: OrganizationId,
  id: string,
  by: Author["by"],
  edit: (incident: Incident, found: IncidentFound) => Result.Result<Edit, E>,
  alerts: ReadonlyArray<string> = [],
) {
  const now = yield* Clock.currentTimeMillis
  return yield* (yield* IncidentStore).change(organization, id, { alerts }, (found) =>
    Result.flatMap(storedIncident(found, id), (incident) =>
      Result.flatMap(edit(incident, found), (each) => editIncident(incident, each, found, { by, now })),
    ),
  )
})

/** Alerts of these IDs that exist, in their order. */
export const readAlerts = Effect.fnUntraced(function* (
  organization: OrganizationId,
  ids: ReadonlyArray<string>,
) {
  const store = yield* AlertStore
  const byId = new Map<string, Alert>()
  for (let at = 0; at < ids.length; at += alertsAtOnce) {
    const some = ids.slice(at, at + alertsAtOnce)
    const { items } = yield* store.list(organization, { ids: some }, { limit: some.length })
    for (const alert of items) byId.set(alert.id, alert)
    yield* Effect.yieldNow
  }
  return ids.flatMap((id) => byId.get(id) ?? [])
})

/** With their evidence, which can be long. */
const alertsAtOnce = 25

/** The alerts of a request, which must exist. */
const findAlerts = Effect.fnUntraced(function* (organization: OrganizationId, ids: ReadonlyArray<string>) {
  const alerts = yield* readAlerts(organization, ids)
  yield* Effect.fromResult(failWith(missingAlerts(ids, alerts)))
  return alerts
})

const missingAlerts = (ids: ReadonlyArray<string>, found: ReadonlyArray<Alert>): ReadonlyArray<Issue> => {
  const known = new Set(found.map(({ id }) => id))
  return ids.flatMap((id, index) =>
    known.has(id)
      ? []
      : [{ path: entryPath("alerts", index), code: "not_found", message: `the alert ${id} does not exist` }],
  )
}

/** The services of a request that do not exist, except those that the incident has: they may have been deleted since. */
const missingServices = Effect.fnUntraced(function* (
  organization: OrganizationId,
  services: ReadonlyArray<ProjectKey> = [],
) {
  const stored =
    services.length === 0
      ? []
      : yield* (yield* DefinitionStore).findAll(organization, serviceKind.kind, services)
  const existing = stored.map(({ definition: { metadata } }) => projectKeyText(metadata))
  return (before: ReadonlyArray<ProjectKey>): ReadonlyArray<Issue> => {
    const known = new Set([...existing, ...before.map(projectKeyText)])
    return services.flatMap((service, index) => {
      const message = `the project ${service.project} has no service ${service.name}`
      return known.has(projectKeyText(service))
        ? []
        : [{ path: entryPath("services", index), code: "not_found", message }]
    })
  }
})

const failWith = (issues: ReadonlyArray<Issue>): Result.Result<void, IncidentIsInvalid> =>
  issues.length === 0 ? Result.void : Result.fail(new IncidentIsInvalid({ issues }))

const storedIncident = ({ incident }: IncidentFound, id: string) =>
  incident === undefined ? Result.fail(new IncidentNotFound({ id })) : Result.succeed(incident)

const decoded = <A>(codec: Codec<A>, body: unknown) =>
  Effect.fromResult(
    Result.mapError(decode(codec, body, undefined), (issues) => new IncidentIsInvalid({ issues })),
  )
