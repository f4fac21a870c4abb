import {
  type Incident,
  type IncidentEntry,
  type IncidentSummary,
  isGrouping,
} from "@tocsin/domain/features/incident"
import { type OrganizationId, projectKeyText } from "@tocsin/domain/kernel"
import {
  type IncidentFilter,
  type IncidentPlace,
  type IncidentReads,
  IncidentStore,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

interface Stored {
  readonly incident: Incident
  /** By their IDs, in the order of their positions. */
  readonly entries: ReadonlyMap<string, IncidentEntry>
  /** IDs of alerts that were removed. */
  readonly removed: ReadonlySet<string>
}

/** Incidents in memory, lost when the process ends. */
const make = (): IncidentStore["Service"] => {
  const organizations = new Map<OrganizationId, Map<string, Stored>>()
  /** By stored incident: until when its alerts are not looked for again, in Unix milliseconds. */
  const claimedTo = new Map<string, number>()
  const tableOf = (organization: OrganizationId) =>
    organizations.get(organization) ?? new Map<string, Stored>()

  const read = (organization: OrganizationId, id: string, { alerts = [], entry }: IncidentReads) => {
    const table = tableOf(organization)
    const stored = table.get(id)
    const wanted = new Set([...alerts, ...(stored?.incident.alerts ?? [])])
    const groupedBy = new Map(
      [...table.values()]
        .filter(({ incident }) => incident.id !== id && incident.status !== "resolved")
        .flatMap(({ incident }) =>
          incident.alerts.filter((each) => wanted.has(each)).map((each) => [each, incident.id] as const),
        ),
    )
    return {
      incident: stored?.incident,
      entry: entry === undefined ? undefined : stored?.entries.get(entry),
      groupedBy,
      removed: new Set(alerts.filter((each) => stored?.removed.has(each))),
      count: table.size,
      grouping: [...table.values()].filter(({ incident }) => incident.id !== id && isGrouping(incident))
        .length,
    }
  }

  return {
    change: (organization, id, reads, decide) =>
      Effect.suspend(() => {
        const found = read(organization, id, reads)
        const decided = decide(found)
        if (Result.isFailure(decided)) return Effect.fail(decided.failure)
        const { incident, entries } = decided.success
        if (incident.revision === found.incident?.revision) return Effect.succeed(decided.success)
        const table = tableOf(organization)
        const stored = table.get(id)
        const kept = new Set(incident.alerts)
        const removed = [...(stored?.removed ?? []), ...(stored?.incident.alerts ?? [])]
        organizations.set(
          organization,
          table.set(id, {
            incident,
            entries: new Map([
              ...(stored?.entries ?? []),
              ...entries.map((each) => [each.id, each] as const),
            ]),
            removed: new Set(removed.filter((each) => !kept.has(each))),
          }),
        )
        return Effect.succeed(decided.success)
      }),
    find: (organization, id) =>
      Effect.sync(() => Option.fromUndefinedOr(tableOf(organization).get(id)?.incident)),
    list: (organization, filter, { after, limit }) =>
      Effect.sync(() => {
        const items = [...tableOf(organization).values()]
          .filter((each) => isWanted(filter, each))
          .map(({ incident }) => incident)
          .filter((each) => after === undefined || byPlace(each, after) < 0)
          .toSorted((a, b) => byPlace(b, a))
        return { items: items.slice(0, limit).map(toSummary), hasMore: items.length > limit }
      }),
    entries: (organization, id, kinds, { after = Infinity, limit }) =>
      Effect.sync(() => {
        const items = [...(tableOf(organization).get(id)?.entries.values() ?? [])]
          .filter((each) => Number(each.id) < after && (kinds === undefined || kinds.includes(each.kind)))
          .toReversed()
        return { items: items.slice(0, limit), hasMore: items.length > limit }
      }),
    remove: (organization, id) =>
      Effect.sync(() => {
        claimedTo.delete(`${organization} ${id}`)
        return tableOf(organization).delete(id)
      }),
    claimGrouping: (now, limit, everyMs) =>
      Effect.sync(() => {
        const due = [...organizations].flatMap(([organization, table]) =>
          [...table.values()]
            .flatMap(({ incident }) => {
              if (!isGrouping(incident)) return []
              const to = claimedTo.get(`${organization} ${incident.id}`) ?? 0
              // A time far ahead was set by a clock that was ahead.
              return to > now && to <= now + everyMs ? [] : [{ organization, incident, to }]
            })
            .toSorted((a, b) => a.to - b.to)
            .map((each, turn) => ({ ...each, turn })),
        )
        const claimed = due
          .toSorted((a, b) => a.turn - b.turn || a.to - b.to)
          .slice(0, limit)
          .map(({ organization, incident }) => ({ organization, incident }))
        for (const { organization, incident } of claimed)
          claimedTo.set(`${organization} ${incident.id}`, now + everyMs)
        return claimed
      }),
  }
}

const isWanted = (
  { statuses, project, services, alert, activeFrom = -Infinity, isPosted }: IncidentFilter,
  { incident, entries }: Stored,
): boolean => {
  const wanted = services && new Set(services.map(projectKeyText))
  return (
    (statuses === undefined || statuses.includes(incident.status)) &&
    (project === undefined || incident.services.some((each) => each.project === project)) &&
    (wanted === undefined || incident.services.some((each) => wanted.has(projectKeyText(each)))) &&
    (alert === undefined || incident.alerts.includes(alert)) &&
    (incident.resolvedAt ?? Infinity) >= activeFrom &&
    (isPosted === undefined || [...entries.values()].some(({ kind }) => kind === "post"))
  )
}

const byPlace = (a: IncidentPlace, b: IncidentPlace): number =>
  a.startedAt - b.startedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const toSummary = ({ alerts: _alerts, ...summary }: Incident): IncidentSummary => summary

export const layer: Layer.Layer<IncidentStore> = Layer.sync(IncidentStore, make)
