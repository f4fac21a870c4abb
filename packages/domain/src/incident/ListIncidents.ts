import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { parseChoices } from "../pagination/ListFilter.ts"
import { type PagedList, type PageQuery, readPage } from "../pagination/Page.ts"
import { type IncidentEntry, incidentEntryKinds, incidentStatuses, type IncidentSummary } from "./Incident.ts"
import { type IncidentPlace, IncidentStore } from "./IncidentStore.ts"

/** The filters of the query; empty strings and lists are treated as omitted. */
export interface ListIncidentsQuery extends PageQuery {
  /** Statuses of incidents; none: all. */
  readonly status?: ReadonlyArray<string>
  /** The project of an affected service. */
  readonly project?: string | undefined
  /** The name of an affected service; requires the project. */
  readonly service?: string | undefined
  /** The ID of an alert that the incident groups. */
  readonly alert?: string | undefined
}

/** Lists incidents, latest start first. Returns a page, its limit and the cursor of the next page. */
export const listIncidents = (organization: OrganizationId, query: ListIncidentsQuery) =>
  readPage(incidentList, query, (page) =>
    Effect.gen(function* () {
      const statuses = yield* Effect.fromResult(parseChoices("status", query.status ?? [], incidentStatuses))
      const { project, service, alert } = query
      if (service && !project) {
        const detail = "project is required with service"
        return yield* new ParameterIsInvalid({ code: "project_required", propertyName: "project", detail })
      }
      const filter = {
        ...(statuses !== undefined && { statuses }),
        ...(project && (service ? { services: [{ project, name: service }] } : { project })),
        ...(alert && { alert }),
      }
      return yield* (yield* IncidentStore).list(organization, filter, page)
    }),
  )

const incidentList: PagedList<IncidentSummary, IncidentPlace> = {
  endpoint: "incidents",
  keyLength: 2,
  partsToKey: ([time, id = ""]) => {
    const startedAt = Number(time)
    return Number.isSafeInteger(startedAt) ? { startedAt, id } : undefined
  },
  itemToParts: ({ startedAt, id }) => [`${startedAt}`, id],
}

/** Finds an incident; fails with `IncidentNotFound`. */
export const findIncident = Effect.fnUntraced(function* (organization: OrganizationId, id: string) {
  const found = yield* (yield* IncidentStore).find(organization, id)
  return Option.isSome(found) ? found.value : yield* new IncidentNotFound({ id })
})

/** The kinds of entries of the query; an empty list is treated as omitted. */
export interface ListIncidentEntriesQuery extends PageQuery {
  /** Kinds of entries; none: all. */
  readonly kind?: ReadonlyArray<string>
}

/** Lists the timeline of an incident, latest entries first; fails with `IncidentNotFound`. */
export const listIncidentEntries = (
  organization: OrganizationId,
  id: string,
  query: ListIncidentEntriesQuery,
) =>
  readPage(entryList, query, (page) =>
    Effect.gen(function* () {
      const kinds = yield* Effect.fromResult(parseChoices("kind", query.kind ?? [], incidentEntryKinds))
      const store = yield* IncidentStore
      const found = yield* store.entries(organization, id, kinds, page)
      if (found.items.length === 0) yield* findIncident(organization, id)
      return found
    }),
  )

const entryList: PagedList<IncidentEntry, number> = {
  endpoint: "incidents/entries",
  keyLength: 1,
  partsToKey: ([id]) => {
    const position = Number(id)
    return Number.isSafeInteger(position) ? position : undefined
  },
  itemToParts: ({ id }) => [id],
}

/** The organization has no incident with this ID. */
export class IncidentNotFound extends TaggedError("IncidentNotFound")<{
  /** The requested ID. */
  readonly id: string
}> {}
