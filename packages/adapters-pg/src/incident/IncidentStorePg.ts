import {
  type Incident,
  incidentAlertsMax,
  isGrouping,
  storedIncident,
  storedIncidentEntry,
} from "@tocsin/domain/features/incident"
import type { OrganizationId } from "@tocsin/domain/kernel"
import {
  type ClaimedIncident,
  groupingIncidentsMax,
  type IncidentChange,
  type IncidentFilter,
  type IncidentFound,
  type IncidentReads,
  IncidentStore,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { forEachOrganization } from "../database/ForEachOrganization.ts"
import { keyArrays, searchText, texts } from "../database/Parameters.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { inRow, readPage } from "../database/StoredRow.ts"
import { WriteTurns } from "../database/WriteTurns.ts"

/** The end of an incident that is open. */
const openTo = Number.MAX_SAFE_INTEGER

/** Incidents in PostgreSQL. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const turns = yield* WriteTurns

  const find = (organization: OrganizationId, id: string) =>
    Effect.gen(function* () {
      const ofIncident = sql`organization = ${organization} AND incident = ${searchText(id)}`
      const [row] = yield* sql<SummaryRow & { readonly alerts: ReadonlyArray<string> }>`
        SELECT id, incident, ARRAY(
          SELECT alert FROM incident_alerts WHERE ${ofIncident} AND NOT is_removed ORDER BY position
        ) AS alerts
        FROM incidents WHERE organization = ${organization} AND id = ${searchText(id)}`
      if (row === undefined) return undefined
      const incident: Incident = { ...(yield* Effect.fromResult(rowToSummary(row))), alerts: row.alerts }
      return incident
    })

  /** Changes of incidents of an organization wait for one another, and for nothing else. Returns how many it has. */
  const lock = (organization: OrganizationId) =>
    Effect.map(
      sql<{ readonly incidents: number }>`
        INSERT INTO incident_counts AS c (organization, incidents) VALUES (${organization}, 0)
        ON CONFLICT (organization) DO UPDATE SET incidents = c.incidents RETURNING incidents`,
      ([row]) => row?.incidents ?? 0,
    )

  const addToCount = (organization: OrganizationId, added: number) =>
    sql`UPDATE incident_counts SET incidents = incidents + ${added} WHERE organization = ${organization}`

  const read = Effect.fnUntraced(function* (
    organization: OrganizationId,
    id: string,
    { alerts = [], entry }: IncidentReads,
    count: number,
  ) {
    const incident = yield* find(organization, id)
    const wanted = texts([...alerts.map(searchText), ...(incident?.alerts ?? [])])
    const grouped = yield* sql<{ readonly alert: string; readonly incident: string }>`
      SELECT alert, incident FROM incident_alerts
      WHERE organization = ${organization} AND alert = ANY (${wanted}) AND is_open AND incident <> ${searchText(id)}`
    const removed = yield* sql<{ readonly alert: string }>`
      SELECT alert FROM incident_alerts WHERE organization = ${organization} AND incident = ${searchText(id)}
        AND alert = ANY (${texts(alerts.map(searchText))}) AND is_removed`
    const position = /^[1-9][0-9]{0,8}$/.test(entry ?? "") ? Number(entry) : 0
    const [entryRow] = yield* sql<EntryRow>`
      SELECT incident, position, entry FROM incident_entries
      WHERE organization = ${organization} AND incident = ${searchText(id)} AND position = ${position}`
    // Only open incidents have the latest end, by which there is an index.
    const [grouping] = yield* sql<{ readonly count: number }>`
      SELECT count(*)::integer AS count FROM (
        SELECT FROM incidents WHERE organization = ${organization} AND active_to = ${openTo}
          AND grouping_at IS NOT NULL AND id <> ${searchText(id)}
        LIMIT ${groupingIncidentsMax}
      ) others`
    const found: IncidentFound = {
      incident,
      entry: entryRow === undefined ? undefined : yield* Effect.fromResult(rowToEntry(entryRow)),
      groupedBy: new Map(grouped.map((each) => [each.alert, each.incident])),
      removed: new Set(removed.map(({ alert }) => alert)),
      count,
      grouping: grouping?.count ?? 0,
    }
    return found
  })

  const write = Effect.fnUntraced(function* (
    organization: OrganizationId,
    before: Incident | undefined,
    { incident, entries }: IncidentChange,
  ) {
    const { alerts, ...summary } = incident
    const { id, status, startedAt, resolvedAt, services } = summary
    const isOpen = status !== "resolved"
    const { json } = storedIncident.write(summary)
    yield* sql`
      INSERT INTO incidents AS i (organization, id, status, started_at, active_to, grouping_at, incident)
      VALUES (${organization}, ${id}, ${status}, ${startedAt}, ${resolvedAt ?? openTo},
        ${isGrouping(summary) ? 0 : null}, ${json})
      ON CONFLICT (organization, id) DO UPDATE SET
        status = excluded.status, started_at = excluded.started_at, active_to = excluded.active_to,
        grouping_at = CASE WHEN excluded.grouping_at IS NULL THEN NULL ELSE coalesce(i.grouping_at, 0) END,
        incident = excluded.incident`

    if (before === undefined) yield* addToCount(organization, 1)
    const ofIncident = sql`organization = ${organization} AND incident = ${id}`
    yield* sql`DELETE FROM incident_services WHERE ${ofIncident}`
    const [service, ...otherServices] = services.map(({ project, name }) => ({
      organization,
      incident: id,
      project,
      service: name,
    }))
    if (service !== undefined)
      yield* sql`INSERT INTO incident_services ${sql.insert([service, ...otherServices])}`

    const wereOpen = before !== undefined && before.status !== "resolved"
    const kept = new Set(alerts)
    const removed = (before?.alerts ?? []).filter((alert) => !kept.has(alert))
    if (removed.length > 0)
      yield* sql`
        UPDATE incident_alerts SET is_open = false, is_removed = true
        WHERE ${ofIncident} AND alert = ANY (${texts(removed)})`
    if (isOpen !== wereOpen)
      yield* sql`UPDATE incident_alerts SET is_open = ${isOpen} WHERE ${ofIncident} AND NOT is_removed`
    const known = new Set(before?.alerts)
    const addedFrom = summary.revision * 2 * incidentAlertsMax
    const [first, ...others] = alerts
      .filter((alert) => !known.has(alert))
      .map((alert, index) => ({
        organization,
        incident: id,
        alert,
        position: addedFrom + index,
        is_open: isOpen,
        is_removed: false,
      }))
    if (first !== undefined)
      yield* sql`
        INSERT INTO incident_alerts ${sql.insert([first, ...others])}
        ON CONFLICT (organization, incident, alert) DO UPDATE SET
          position = excluded.position, is_open = excluded.is_open, is_removed = false`

    const [entry, ...otherEntries] = entries.map((each) => ({
      organization,
      incident: id,
      position: Number(each.id),
      kind: each.kind,
      entry: storedIncidentEntry.write(each).json,
    }))
    if (entry !== undefined)
      yield* sql`
        INSERT INTO incident_entries ${sql.insert([entry, ...otherEntries])}
        ON CONFLICT (organization, incident, position) DO UPDATE SET entry = excluded.entry`
  })

  const change = <E>(
    organization: OrganizationId,
    id: string,
    reads: IncidentReads,
    decide: (found: IncidentFound) => Result.Result<IncidentChange, E>,
  ) =>
    Effect.gen(function* () {
      const found = yield* read(organization, id, reads, yield* lock(organization))
      const decided = yield* Effect.fromResult(decide(found))
      if (decided.incident.revision !== found.incident?.revision)
        yield* write(organization, found.incident, decided)
      return decided
    })

  return IncidentStore.of({
    change: (organization, id, reads, decide) =>
      operation(
        "change",
        turns.run(organization, sql.withTransaction(change(organization, id, reads, decide))),
      ),
    find: operation("find", (organization, id) => Effect.map(find(organization, id), Option.fromUndefinedOr)),
    list: operation("list", (organization, filter, { after, limit }) =>
      Effect.flatMap(
        sql<SummaryRow>`
          SELECT id, incident FROM incidents WHERE ${sql.and([
            sql`organization = ${organization}`,
            ...(after === undefined
              ? []
              : [sql`(started_at, id) < (${after.startedAt}::bigint, ${searchText(after.id)})`]),
            ...conditionsOf(sql, organization, filter),
          ])}
          ORDER BY started_at DESC, id DESC LIMIT ${limit + 1}`,
        (rows) => readPage(rows, limit, rowToSummary),
      ),
    ),
    entries: operation("entries", (organization, id, kinds, { after, limit }) =>
      Effect.flatMap(
        sql<EntryRow>`
          SELECT incident, position, entry FROM incident_entries WHERE ${sql.and([
            sql`organization = ${organization}`,
            sql`incident = ${searchText(id)}`,
            ...(after === undefined ? [] : [sql`position < ${after}`]),
            ...(kinds === undefined ? [] : [sql`kind = ANY (${texts(kinds)})`]),
          ])}
          ORDER BY position DESC LIMIT ${limit + 1}`,
        (rows) => readPage(rows, limit, rowToEntry),
      ),
    ),
    remove: operation("remove", (organization, id) =>
      turns.run(
        organization,
        sql.withTransaction(
          Effect.gen(function* () {
            yield* lock(organization)
            const rows = yield* sql`
              DELETE FROM incidents WHERE organization = ${organization} AND id = ${searchText(id)} RETURNING true`
            for (const table of ["incident_services", "incident_alerts", "incident_entries"])
              yield* sql`
                DELETE FROM ${sql(table)} WHERE organization = ${organization} AND incident = ${searchText(id)}`
            yield* addToCount(organization, -rows.length)
            return rows.length > 0
          }),
        ),
      ),
    ),
    claimGrouping: operation("claimGrouping", (now, limit, everyMs) =>
      Effect.gen(function* () {
        // A time far ahead was set by a clock that was ahead.
        const due = yield* readAcrossOrganizations(
          sql,
          sql<{ readonly organization: OrganizationId; readonly id: string }>`
            SELECT organization, id FROM (
              SELECT organization, id, grouping_at,
                row_number() OVER (PARTITION BY organization ORDER BY grouping_at) AS turn
              FROM incidents
              WHERE grouping_at IS NOT NULL AND (grouping_at <= ${now} OR grouping_at > ${now + everyMs})
            ) due
            ORDER BY turn, grouping_at LIMIT ${limit}`,
        )
        const claimed = yield* forEachOrganization(
          due.slice(0, limit),
          (organization, some) =>
            sql<{ readonly organization: OrganizationId; readonly id: string }>`
              UPDATE incidents SET grouping_at = ${now + everyMs} WHERE organization = ${organization}
                AND id = ANY (${texts(some.map(({ id }) => id))})
                AND (grouping_at <= ${now} OR grouping_at > ${now + everyMs})
              RETURNING organization, id`,
        )
        const found = yield* Effect.forEach(claimed, ({ organization, id }) =>
          Effect.map(find(organization, id), (incident): ReadonlyArray<ClaimedIncident> =>
            incident === undefined ? [] : [{ organization, incident }],
          ),
        )
        return found.flat()
      }),
    ),
  })
})

/** The incidents of a database. */
export const layer = Layer.effect(IncidentStore, make)

const operation = storeOperation("IncidentStore")

const conditionsOf = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { statuses, project, services, alert, activeFrom, isPosted }: IncidentFilter,
) => [
  ...(statuses === undefined ? [] : [sql`status = ANY (${texts(statuses)})`]),
  ...(activeFrom === undefined ? [] : [sql`active_to >= ${activeFrom}`]),
  ...(project === undefined
    ? []
    : [
        sql`id IN (
          SELECT incident FROM incident_services
          WHERE organization = ${organization} AND project = ${searchText(project)})`,
      ]),
  ...(services === undefined
    ? []
    : [
        sql`id IN (
          SELECT incident FROM incident_services
          WHERE organization = ${organization}
            AND (project, service) IN (SELECT * FROM unnest(${keyArrays(sql, services)})))`,
      ]),
  ...(alert === undefined
    ? []
    : [
        sql`id IN (
          SELECT incident FROM incident_alerts
          WHERE organization = ${organization} AND alert = ${searchText(alert)} AND NOT is_removed)`,
      ]),
  ...(isPosted === undefined
    ? []
    : [
        sql`EXISTS (
          SELECT FROM incident_entries e
          WHERE e.organization = ${organization} AND e.incident = incidents.id AND e.kind = 'post')`,
      ]),
]

interface SummaryRow {
  readonly id: string
  readonly incident: string
}

interface EntryRow {
  readonly incident: string
  readonly position: number
  readonly entry: string
}

const rowToSummary = ({ id, incident }: SummaryRow) =>
  inRow(`incident ${id}`, storedIncident.read(incident, undefined))

const rowToEntry = ({ incident, position, entry }: EntryRow) =>
  inRow(`entry ${position} of incident ${incident}`, storedIncidentEntry.read(entry, undefined))
