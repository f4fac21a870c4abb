import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Result from "effect/Result"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import type { Incident, IncidentEntry, IncidentStatus, IncidentSummary } from "./Incident.ts"

/** Maximum number of incidents of an organization. */
export const incidentsMax = 10_000

/** Maximum number of open incidents of an organization with `groupAlertsWithinMinutes`. */
export const groupingIncidentsMax = 100

/** What a change of an incident decides over, read in its own transaction. */
export interface IncidentFound {
  /** `undefined` if the organization has none with the ID. */
  readonly incident: Incident | undefined
  /** The requested entry of its timeline. */
  readonly entry: IncidentEntry | undefined
  /** By alert, of the requested alerts and the alerts of the incident: the ID of another open incident that groups it. */
  readonly groupedBy: ReadonlyMap<string, string>
  /** Which of the requested alerts were removed from the incident by hand. */
  readonly removed: ReadonlySet<string>
  /** How many incidents the organization has. */
  readonly count: number
  /** How many other open incidents with `groupAlertsWithinMinutes` it has; those above `groupingIncidentsMax` may not be counted. */
  readonly grouping: number
}

/** What a change writes. */
export interface IncidentChange {
  /** Created, or replaces the one with its ID. With the revision that is stored, nothing is written. */
  readonly incident: Incident
  /** Entries to add, or to replace by their IDs. */
  readonly entries: ReadonlyArray<IncidentEntry>
}

/** What a change reads besides the incident. */
export interface IncidentReads {
  /** IDs of alerts; default: none. */
  readonly alerts?: ReadonlyArray<string>
  /** The ID of an entry. */
  readonly entry?: string
}

/** Which incidents to list; what is absent lets all through. */
export interface IncidentFilter {
  /** Incidents with any of these statuses. */
  readonly statuses?: ReadonlyArray<IncidentStatus>
  /** Incidents that concern a service of this project. */
  readonly project?: string
  /** Incidents that concern any of these services. */
  readonly services?: ReadonlyArray<ProjectKey>
  /** Incidents that group the alert with this ID. */
  readonly alert?: string
  /** Open at this time or later, in Unix milliseconds. */
  readonly activeFrom?: number
  /** Incidents with a post in their timeline. */
  readonly isPosted?: true
}

/** The position of an incident in the order of starts. */
export interface IncidentPlace {
  /** In Unix milliseconds. */
  readonly startedAt: number
  /** The ID of the incident. */
  readonly id: string
}

/** An open incident to which alerts may be added automatically. */
export interface ClaimedIncident {
  /** The organization that it belongs to. */
  readonly organization: OrganizationId
  /** The incident. */
  readonly incident: Incident
}

/**
 * Port: stores incidents and their timelines. An alert is grouped by at most one open incident; incidents keep the IDs of alerts
 * that are deleted.
 */
export class IncidentStore extends Context.Service<
  IncidentStore,
  {
    /**
     * Reads the incident with the ID, passes it to the pure `decide`, and writes what it returns, in one transaction; an incident
     * with the same revision is not written. Changes of incidents of one organization never interleave.
     */
    readonly change: <E>(
      organization: OrganizationId,
      id: string,
      reads: IncidentReads,
      decide: (found: IncidentFound) => Result.Result<IncidentChange, E>,
    ) => Effect.Effect<IncidentChange, E | StoreIsUnavailable>
    readonly find: (
      organization: OrganizationId,
      id: string,
    ) => Effect.Effect<Option.Option<Incident>, StoreIsUnavailable>
    /** Latest starts first; of the same start by ID backwards. */
    readonly list: (
      organization: OrganizationId,
      filter: IncidentFilter,
      page: PageRequest<IncidentPlace>,
    ) => Effect.Effect<Page<IncidentSummary>, StoreIsUnavailable>
    /** The timeline of an incident, or its entries of some kinds: the latest first. The key of a page is the ID as a number. */
    readonly entries: (
      organization: OrganizationId,
      id: string,
      kinds: ReadonlyArray<IncidentEntry["kind"]> | undefined,
      page: PageRequest<number>,
    ) => Effect.Effect<Page<IncidentEntry>, StoreIsUnavailable>
    /** Deletes an incident with its timeline; `false` if no incident has the ID. */
    readonly remove: (organization: OrganizationId, id: string) => Effect.Effect<boolean, StoreIsUnavailable>
    /**
     * Claims open incidents of all organizations with `groupAlertsWithinMinutes` for which no caller has looked for alerts for
     * `everyMs`. The second incident of an organization comes after the first of each. No other caller claims them until
     * `everyMs` after `now` (Unix milliseconds).
     */
    readonly claimGrouping: (
      now: number,
      limit: number,
      everyMs: number,
    ) => Effect.Effect<ReadonlyArray<ClaimedIncident>, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/incident/IncidentStore") {}
