/** What people publish on a status page: posts of incidents, and planned maintenance. Source: spec/status-pages §2. */
import * as Effect from "effect/Effect"
import { dayMs } from "../codec/MinuteInstant.ts"
import { timeOfWallClock } from "../codec/TimeZones.ts"
import type { IncidentStatus } from "../incident/Incident.ts"
import { IncidentStore } from "../incident/IncidentStore.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { adjustsSlo } from "../slo/AdjustsSlo.ts"
import type { BudgetAdjustment } from "../slo/BudgetAdjustment.ts"
import { adjustmentPeriods } from "../status/AdjustedMinutes.ts"
import type { DueSlo } from "../status/SloStore.ts"

/** Maximum number of incidents whose posts a page shows; the latest are kept. */
const postedIncidentsMax = 50

/** Maximum number of posts of an incident on a page; the latest are kept. */
const postsPerIncidentMax = 20

/** Number of characters of all posts on a page after which only the latest posts of open incidents are added. */
const postCharactersMax = 100_000

/** How far ahead planned maintenance is announced, in days. */
const maintenanceDays = 30

/** How far behind now and behind `maintenanceDays` the limits of maintenance that recurs without a gap are looked for, in days. */
const maintenanceLimitDays = 32

/** Maximum number of budget adjustments that a page announces. */
const maintenanceMax = 20

/** Maximum number of budget adjustments that are evaluated for a page. */
const adjustmentsMax = 200

/** The display name of a component or its service, or else its position, from 1; never an internal name. */
export type ComponentName = string | number

/** A component of a page, with the service that it shows. */
interface Component {
  readonly service: string
  readonly name: ComponentName
}

/** A post of an incident. */
export interface PublishedPost {
  /** Unique in its incident, and not published. */
  readonly id: string
  /** The status of the incident then. */
  readonly status: IncidentStatus
  /** As written; it is not HTML. */
  readonly text: string
  /** In Unix milliseconds. */
  readonly at: number
}

/** An incident that has posts. Nothing else of it is published, not even its title. */
export interface PostedIncident {
  /** The ID of the incident, which is not published. */
  readonly id: string
  /** The names of the components that it concerns. */
  readonly components: ReadonlyArray<ComponentName>
  /** `outage` for a critical incident, or else `degraded`. */
  readonly state: "outage" | "degraded"
  /** `resolved`, or as in the latest post; after a post that it was resolved, the status of an incident that was opened again. */
  readonly status: IncidentStatus
  /** In Unix milliseconds. */
  readonly startedAt: number
  /** In Unix milliseconds; absent: it goes on. */
  readonly resolvedAt?: number
  /** Latest first, at least one. */
  readonly posts: ReadonlyArray<PublishedPost>
}

/** Minutes that a budget adjustment with a display name excludes, now or soon. */
export interface PlannedMaintenance {
  /** The display name of the budget adjustment. */
  readonly title: string
  /** The names of the components with SLOs that it adjusts. */
  readonly components: ReadonlyArray<ComponentName>
  /** When it starts, in Unix milliseconds. */
  readonly from: number
  /** When it ends, in Unix milliseconds; absent: it recurs without a gap, and no end of that is in sight. */
  readonly to?: number
}

/** The incidents with posts that concern the components of a project and were open at `from` or later, the latest start first. */
export const readPosts = Effect.fnUntraced(function* (
  organization: OrganizationId,
  project: string,
  components: ReadonlyArray<Component>,
  from: number,
) {
  if (components.length === 0) return []
  const store = yield* IncidentStore
  const services = components.map(({ service }) => ({ project, name: service }))
  const { items } = yield* store.list(
    organization,
    { services, activeFrom: from, isPosted: true },
    { limit: postedIncidentsMax },
  )
  const posted: Array<PostedIncident> = []
  let characters = 0
  for (const incident of items) {
    const found = yield* store.entries(organization, incident.id, ["post"], { limit: postsPerIncidentMax })
    const posts = found.items.flatMap((entry) =>
      entry.kind === "post" ? [{ id: entry.id, status: entry.status, text: entry.text, at: entry.at }] : [],
    )
    const [latest] = posts
    if (latest === undefined) continue
    characters += posts.reduce((sum, { text }) => sum + text.length, 0)
    const { id, startedAt, resolvedAt, severity } = incident
    const isFull = characters > postCharactersMax
    if (isFull && resolvedAt !== undefined) continue
    const concerned = new Set(
      incident.services.flatMap((each) => (each.project === project ? each.name : [])),
    )
    posted.push({
      id,
      components: components.flatMap(({ service, name }) => (concerned.has(service) ? name : [])),
      state: severity === "critical" ? "outage" : "degraded",
      status: resolvedAt !== undefined || latest.status === "resolved" ? incident.status : latest.status,
      startedAt,
      ...(resolvedAt !== undefined && { resolvedAt }),
      posts: isFull ? [latest] : posts,
    })
  }
  return posted
})

/**
 * The minutes that budget adjustments with a display name exclude at `now` (Unix milliseconds) or within `maintenanceDays`, each
 * with its first period, the earliest first. `componentOf` is the component of an SLO of the page.
 */
export const plannedMaintenance = Effect.fnUntraced(function* (
  dues: ReadonlyArray<DueSlo>,
  componentOf: (slo: string) => ComponentName | undefined,
  now: number,
) {
  const found = new Map<
    string,
    { readonly adjustment: BudgetAdjustment; readonly due: DueSlo; readonly components: Set<ComponentName> }
  >()
  for (const due of dues) {
    const { metadata } = due.slo.definition
    const component = componentOf(metadata.name)
    if (component === undefined) continue
    for (const adjustment of due.adjustments) {
      const { displayName } = adjustment.metadata
      if (displayName === undefined || adjustment.spec.set !== undefined) continue
      if (!adjustsSlo(adjustment, metadata)) continue
      const key = projectKeyText(adjustment.metadata)
      const known = found.get(key)
      if (known !== undefined) known.components.add(component)
      else if (found.size < adjustmentsMax) {
        found.set(key, { adjustment, due, components: new Set([component]) })
      }
    }
  }
  const planned: Array<PlannedMaintenance> = []
  for (const { adjustment, due, components } of found.values()) {
    // Expanding a recurrence can take some milliseconds.
    yield* Effect.yieldNow
    const period = nextPeriod(adjustment, due.slo.definition.metadata, now)
    const { displayName } = adjustment.metadata
    if (period === undefined || displayName === undefined) continue
    planned.push({ title: displayName, components: [...components], ...period })
  }
  return planned.toSorted((a, b) => a.from - b.from).slice(0, maintenanceMax)
})

/**
 * The first period of an adjustment for an SLO that ends after `now`. Occurrences that touch are one period, whose limits stay the
 * same while time goes on: without an end if none is near, and of an earlier start, that of the rule.
 */
const nextPeriod = (
  adjustment: BudgetAdjustment,
  slo: ProjectKey,
  now: number,
): Pick<PlannedMaintenance, "from" | "to"> | undefined => {
  const near = { from: now, to: now + maintenanceDays * dayMs }
  const [first] = adjustmentPeriods(adjustment, near, slo)
  const { recurrence } = adjustment.spec
  if (first === undefined || recurrence === undefined) return first
  if (first.from > now && first.to < near.to) return first
  const limitMs = maintenanceLimitDays * dayMs
  const far = { from: near.from - limitMs, to: near.to + limitMs }
  const whole = adjustmentPeriods(adjustment, far, slo).find(({ to }) => to > now) ?? first
  const { startTime, timeZone } = recurrence
  return {
    from: whole.from > far.from ? whole.from : timeOfWallClock(startTime.ms, timeZone.rules),
    ...(whole.to < far.to && { to: whole.to }),
  }
}
