/** What a project publishes of its services, without names of policies, conditions or people. Source: spec/status-pages. */
import * as Clock from "effect/Clock"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AlertStore } from "../alerting/AlertStore.ts"
import type { Alert } from "../alerting/Alert.ts"
import { dayMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { type OrganizationId, projectKeyText } from "../metadata/ObjectKey.ts"
import type { Project, StatusPage } from "../slo/Project.ts"
import type { Slo } from "../slo/Slo.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import { adjustedMinutes, keptMinutes } from "../status/AdjustedMinutes.ts"
import type { SloRecord } from "../status/SloRecord.ts"
import { findSloSeries } from "../status/SloSeries.ts"
import { type DueSlo, SloStore } from "../status/SloStore.ts"
import {
  type ComponentName,
  type PlannedMaintenance,
  plannedMaintenance,
  type PostedIncident,
  readPosts,
} from "./PublishedPosts.ts"

/** How many days a page shows, the present one included. */
export const statusPageDays = 90

/** Most incidents that a page lists. */
const statusPageIncidentsMax = 50

/** Most SLOs that a page is made of: the first, by name. */
const statusPageSlosMax = 200

/** A day whose error budget burned at least so many times as fast as the target allows was an outage. */
export const outageBurnRate = 10

/** The states of a component, the best first. */
const componentStates = ["operational", "degraded", "outage"] as const

/** The state of a component, a day or an incident. */
export type ComponentState = (typeof componentStates)[number]

/** A service on a status page. */
export interface PublishedComponent {
  /** Names it on the page. */
  readonly name: ComponentName
  /** Absent: there is no data. */
  readonly state: ComponentState | undefined
  /** The last `statusPageDays`, the oldest first. */
  readonly days: ReadonlyArray<PublishedDay>
}

/** A day of a component, in UTC. */
export interface PublishedDay {
  /** The start of the day, in Unix milliseconds. */
  readonly at: number
  /** Absent: there is no data. */
  readonly state: ComponentState | undefined
  /** The lowest share of good events of its objectives, 0 to 1. */
  readonly reliability?: number
}

/** An alert of an SLO, as the public reads of it. */
export interface PublishedIncident {
  /** The ID of the alert, which is not published. */
  readonly id: string
  /** The name of the component. */
  readonly component: ComponentName
  /** The display name of the SLO, if it has one. */
  readonly title?: string
  /** `outage` for an alert of severity `High`, or else `degraded`. */
  readonly state: ComponentState
  /** Unix milliseconds. */
  readonly startedAt: number
  /** Unix milliseconds; absent: it goes on. */
  readonly endedAt?: number
  /** The minutes of the incident that budget adjustments exclude from the figures; absent: none. */
  readonly excluded?: ExcludedMinutes
}

/** Minutes that are excluded from the figures. */
export interface ExcludedMinutes {
  /** How many, at least 1. */
  readonly minutes: number
  /** Whether they are all minutes of the incident. */
  readonly areAll: boolean
}

/** A status page at a moment. */
export interface PublishedPage {
  /** The last part of the path of the page, unique on the server. */
  readonly slug: string
  /** The title of the page or the display name of its project, or else `Status`. */
  readonly title: string
  /** Absent if the project has none for its page. */
  readonly description?: string
  /** When it was read, in Unix milliseconds. */
  readonly at: number
  /** The worst of the components; absent: there is no data and no open incident of any. */
  readonly state: ComponentState | undefined
  /** In the order of the definition, or by service name if it lists no components. */
  readonly components: ReadonlyArray<PublishedComponent>
  /** Latest first. */
  readonly incidents: ReadonlyArray<PublishedIncident>
  /** What people have posted about incidents of these days and open ones, the latest start first. */
  readonly posted: ReadonlyArray<PostedIncident>
  /** Earliest first. */
  readonly maintenance: ReadonlyArray<PlannedMaintenance>
}

/** No project publishes a page of this slug. */
export class StatusPageNotFound extends TaggedError("StatusPageNotFound")<{
  /** The requested slug. */
  readonly slug: string
}> {}

/** The project that publishes a page. */
export interface StatusPageOwner {
  /** The organization of the project. */
  readonly organization: OrganizationId
  /** The name of the project. */
  readonly project: string
}

/** Finds the project that publishes the page of a slug; fails with `StatusPageNotFound`. */
export const findStatusPage = Effect.fnUntraced(function* (slug: string) {
  const definitions = yield* DefinitionStore
  const owner: StatusPageOwner | undefined = Option.getOrUndefined(yield* definitions.findStatusPage(slug))
  return owner ?? (yield* new StatusPageNotFound({ slug }))
})

/** Reads the page of a slug as it is now; fails with `StatusPageNotFound` if the project no longer publishes it. */
export const readStatusPage = Effect.fn("readStatusPage")(function* (
  slug: string,
  { organization, project: name }: StatusPageOwner,
) {
  const { project, published } = yield* publishedBy(organization, name)
  if (published?.slug !== slug) return yield* new StatusPageNotFound({ slug })
  const now = yield* Clock.currentTimeMillis
  const today = Math.floor(now / dayMs) * dayMs
  const from = today - (statusPageDays - 1) * dayMs
  const slos = yield* (yield* SloStore).page(organization, { limit: statusPageSlosMax }, { project: name })
  const groups = componentsOf(published, slos.items)
  const alerts = yield* alertsOf(organization, name, groups, from)
  const posted = yield* readPosts(organization, name, groups, from)
  const components = yield* Effect.forEach(groups, (group) =>
    Effect.map(daysOf(organization, group.records, { from, today }), (days) => ({
      name: group.name,
      days,
      state: stateOf(group, alerts, posted, days),
    })),
  )
  const dues = yield* readDues(organization, groups)
  const page: PublishedPage = {
    slug,
    title: titleOf(project, published),
    ...(published.description !== undefined && { description: published.description }),
    at: now,
    state: worst(components.map(({ state }) => state)),
    components,
    incidents: incidentsOf(groups, alerts, excludedOf(dues, alerts, now)),
    posted,
    maintenance: yield* maintenanceOf(groups, dues),
  }
  return page
})

/** The title of the page that a project publishes; `undefined` if it publishes none. */
export const readPageTitle = Effect.fnUntraced(function* (organization: OrganizationId, name: string) {
  const { project, published } = yield* publishedBy(organization, name)
  return published && { slug: published.slug, title: titleOf(project, published) }
})

/** What subscribers are told: posts of incidents that were open since `from` (Unix milliseconds), and planned maintenance. */
export const readAnnouncements = Effect.fnUntraced(function* (
  organization: OrganizationId,
  name: string,
  from: number,
) {
  const { project, published } = yield* publishedBy(organization, name)
  if (published === undefined) return undefined
  const slos = yield* (yield* SloStore).page(organization, { limit: statusPageSlosMax }, { project: name })
  const groups = componentsOf(published, slos.items)
  return {
    slug: published.slug,
    title: titleOf(project, published),
    posted: yield* readPosts(organization, name, groups, from),
    maintenance: yield* maintenanceOf(groups, yield* readDues(organization, groups)),
  }
})

const publishedBy = Effect.fnUntraced(function* (organization: OrganizationId, name: string) {
  const stored = yield* (yield* DefinitionStore).find(organization, "Project", { project: "", name })
  const project = Option.getOrUndefined(stored)?.definition
  return { project, published: project?.spec.statusPage }
})

const titleOf = (project: Project | undefined, { title }: StatusPage): string =>
  title ?? project?.metadata.displayName ?? "Status"

interface ComponentGroup {
  readonly service: string
  readonly name: ComponentName
  readonly records: ReadonlyArray<SloRecord>
}

/** The services of a page with their SLOs; without a list, all that have some, by name. Internal names are not published. */
const componentsOf = (
  { components }: StatusPage,
  records: ReadonlyArray<SloRecord>,
): ReadonlyArray<ComponentGroup> => {
  const byService = new Map<string, Array<SloRecord>>()
  for (const record of records) {
    const { service } = record.slo.spec
    byService.set(service, [...(byService.get(service) ?? []), record])
  }
  const listed = components ?? [...byService.keys()].toSorted().map((service) => ({ service }))
  return listed.map(({ service, ...component }, index) => {
    const ofService = byService.get(service) ?? []
    const displayName = "displayName" in component ? component.displayName : undefined
    const name = displayName ?? ofService[0]?.service.displayName ?? index + 1
    return { service, name, records: ofService }
  })
}

/** The latest alerts of the SLOs since `from`, also open ones that are older, latest first; silenced ones are left out. */
const alertsOf = Effect.fnUntraced(function* (
  organization: OrganizationId,
  project: string,
  groups: ReadonlyArray<ComponentGroup>,
  from: number,
) {
  const store = yield* AlertStore
  const slos = groups.flatMap(({ records }) => records.map(({ slo }) => slo.metadata.name))
  if (slos.length === 0) return []
  const page = { limit: statusPageIncidentsMax }
  const open = yield* store.list(organization, { project, slos, statuses: ["triggered"] }, page)
  const recent = yield* store.list(organization, { project, slos, from }, page)
  const byId = new Map([...open.items, ...recent.items].map((alert) => [alert.id, alert]))
  return [...byId.values()]
    .filter(({ isSilenced, anomaly }) => isSilenced !== true && anomaly === undefined)
    .toSorted((a, b) => b.triggeredAt - a.triggeredAt)
})

/** An alert of high severity says that a service fails, another one that it is impaired. */
const stateOfAlert = ({ severity }: Alert): ComponentState => (severity === "High" ? "outage" : "degraded")

const stateOf = (
  { name, records }: ComponentGroup,
  alerts: ReadonlyArray<Alert>,
  posted: ReadonlyArray<PostedIncident>,
  days: ReadonlyArray<PublishedDay>,
): ComponentState | undefined => {
  const names = new Set(records.map(({ slo }) => slo.metadata.name))
  const open = alerts.filter(({ status, subject }) => status === "triggered" && names.has(subject.slo.name))
  // Yesterday too: at midnight, today has no data yet.
  const hasData = days.slice(-2).some(({ reliability }) => reliability !== undefined)
  // What people say is so although nothing has measured it.
  const said = posted.filter((each) => each.resolvedAt === undefined && each.components.includes(name))
  return worst([
    ...open.map(stateOfAlert),
    ...said.map(({ state }) => state),
    hasData ? "operational" : undefined,
  ])
}

/** The worst of the known states. */
const worst = (states: ReadonlyArray<ComponentState | undefined>): ComponentState | undefined =>
  componentStates.findLast((state) => states.includes(state))

/** SLOs of a page that are read at a time, between which other requests go on. */
const slosAtOnce = 50

const readDues = Effect.fnUntraced(function* (
  organization: OrganizationId,
  groups: ReadonlyArray<ComponentGroup>,
) {
  const store = yield* SloStore
  const keys = groups.flatMap(({ records }) => records.map(({ slo }) => slo.metadata))
  const found: Array<DueSlo> = []
  for (let at = 0; at < keys.length; at += slosAtOnce) {
    found.push(...(yield* store.findAllForStatus(organization, keys.slice(at, at + slosAtOnce))))
    yield* Effect.yieldNow
  }
  return found
})

const maintenanceOf = (groups: ReadonlyArray<ComponentGroup>, dues: ReadonlyArray<DueSlo>) => {
  const componentBySlo = new Map(
    groups.flatMap(({ name, records }) => records.map(({ slo }) => [slo.metadata.name, name] as const)),
  )
  return Effect.flatMap(Clock.currentTimeMillis, (now) =>
    plannedMaintenance(dues, (slo) => componentBySlo.get(slo), now),
  )
}

/** By the ID of an alert: the minutes from its trigger to its end that are excluded for its SLO. */
const excludedOf = (
  dues: ReadonlyArray<DueSlo>,
  alerts: ReadonlyArray<Alert>,
  now: number,
): ReadonlyMap<string, ExcludedMinutes> => {
  const listed = alerts.slice(0, statusPageIncidentsMax)
  const byKey = new Map(dues.map((due) => [projectKeyText(due.slo.definition.metadata), due]))
  return new Map(
    listed.flatMap(({ id, subject, triggeredAt, resolvedAt = now }) => {
      const due = byKey.get(projectKeyText(subject.slo))
      if (due === undefined) return []
      // At least the minute of the trigger.
      const from = minuteOf(triggeredAt)
      const range = { from, to: Math.max(minuteOf(resolvedAt), from + minuteMs) }
      const { excluded } = adjustedMinutes(due.adjustments, due.slo.definition, range)
      const kept = keptMinutes(range, excluded)
      const minutes = (range.to - range.from) / minuteMs - kept
      return minutes === 0 ? [] : [[id, { minutes, areAll: kept === 0 }] as const]
    }),
  )
}

const incidentsOf = (
  groups: ReadonlyArray<ComponentGroup>,
  alerts: ReadonlyArray<Alert>,
  excludedById: ReadonlyMap<string, ExcludedMinutes>,
): ReadonlyArray<PublishedIncident> =>
  alerts.slice(0, statusPageIncidentsMax).flatMap((alert) => {
    for (const { name: component, records } of groups) {
      const record = records.find(({ slo }) => slo.metadata.name === alert.subject.slo.name)
      if (record === undefined) continue
      const { displayName } = record.slo.metadata
      const { id, triggeredAt: startedAt, resolvedAt: endedAt } = alert
      const excluded = excludedById.get(id)
      return [
        {
          id,
          component,
          ...(displayName !== undefined && { title: displayName }),
          state: stateOfAlert(alert),
          startedAt,
          ...(endedAt !== undefined && { endedAt }),
          ...(excluded !== undefined && { excluded }),
        },
      ]
    }
    return []
  })

/** The days of the SLOs of a component: each is as its worst objective was. */
const daysOf = Effect.fnUntraced(function* (
  organization: OrganizationId,
  records: ReadonlyArray<SloRecord>,
  { from, today }: { readonly from: number; readonly today: number },
) {
  const range = { from: new Date(from).toISOString(), to: new Date(today + dayMs).toISOString(), step: "1d" }
  const perSlo = yield* Effect.forEach(records, ({ slo }) =>
    findSloSeries(organization, { ...slo.metadata, ...range }).pipe(
      Effect.map(({ objectives }) =>
        objectives.map(({ name, stepReliability }) => ({ target: targetOf(slo, name), stepReliability })),
      ),
      // It was deleted meanwhile.
      Effect.catchTag("SloNotFound", () => Effect.succeed([])),
      Effect.tap(() => Effect.yieldNow),
    ),
  )
  const objectives = perSlo.flat()
  return Array.from({ length: statusPageDays }, (_, index): PublishedDay => {
    const measured = objectives.flatMap(({ target, stepReliability }) => {
      const reliability = stepReliability[index] ?? null
      return reliability === null ? [] : [{ target, reliability }]
    })
    return {
      at: from + index * dayMs,
      state: worst(measured.map(stateOfDay)),
      ...(measured.length > 0 && {
        reliability: Math.min(...measured.map(({ reliability }) => reliability)),
      }),
    }
  })
})

const targetOf = (slo: Slo, name: string): number =>
  objectivesOf(slo).find((objective) => objective.name === name)?.target ?? 0

/** The burn rate of a day is the share of bad events over the share that the target allows. */
export const stateOfDay = ({
  target,
  reliability,
}: {
  readonly target: number
  readonly reliability: number
}): ComponentState => {
  if (reliability >= target) return "operational"
  // 0.1 / 0.01 is less than 10 in binary fractions.
  const burnRate = Number(((1 - reliability) / (1 - target)).toPrecision(12))
  return burnRate >= outageBurnRate ? "outage" : "degraded"
}
