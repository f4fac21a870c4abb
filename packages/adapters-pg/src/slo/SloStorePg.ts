import * as SqlClient from "effect/sql/SqlClient"
import type { NamedObject, SloRecord } from "@tocsin/domain"
import { heldLifecycleText, inParts, sloOutlineFromStored, storedStatuses } from "@tocsin/domain/adapter"
import {
  type OrganizationId,
  organizationKeyText,
  type ProjectKey,
  projectKeyText,
} from "@tocsin/domain/kernel"
import type { Page, PageRequest } from "@tocsin/domain/pagination"
import {
  type ComputedStatus,
  type HeldSlo,
  type ProjectVersion,
  SecretBox,
  type SloChange,
  SloStore,
  type SloVersion,
  textToRevision,
} from "@tocsin/domain/ports"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Fragment } from "effect/sql/Statement"
import { type DefinitionRow, rowToDefinition, rowToDefinitionOf } from "../database/DefinitionRow.ts"
import { type DueRow, makeDueSlosCache, readDueSlos } from "./DueSlos.ts"
import { currentRecent } from "./IndicatorStorePg.ts"
import { pastChangesJson, readPastChanges } from "./PastChangeRows.ts"
import { Slice } from "../database/InSlices.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { inRow, type StoredRowIsInvalid } from "../database/StoredRow.ts"
import { setBackTimes } from "../database/SetBackTimes.ts"
import { sloBasis, sloRevision, readStatuses } from "./SloRows.ts"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { forEachOrganization } from "../database/ForEachOrganization.ts"
import { bigints, integers, searchText, texts, keyArrays } from "../database/Parameters.ts"
import { LRUCache } from "lru-cache"

/** Reads and refreshes the SLO records of a database. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const box = yield* SecretBox
  const known = makeDueSlosCache()

  const revision = sloRevision(sql)
  const recordsOf = makeSloRecords(sql, box)

  const readPage = (organization: OrganizationId, conditions: ReadonlyArray<Fragment>, limit: number) =>
    Effect.map(
      readRecords(
        organization,
        sql`
          SELECT project, name, service, version, revision FROM slos
          WHERE ${sql.and([sql`organization = ${organization}`, ...conditions])}
          ORDER BY project, name LIMIT ${limit + 1}`,
        limit,
      ),
      ({ items, found }): Page<SloRecord> => ({ items, hasMore: found > limit }),
    )

  /**
   * Reads up to `limit` SLOs of a selection, and how many it has. Each of their projects and services is looked up once, by a
   * subquery: for a join, the planner may prefer to read all of them.
   */
  const readRecords = (organization: OrganizationId, selection: Fragment, limit: number) =>
    Effect.gen(function* () {
      const rows = yield* sql<NamedRow>`
        WITH s AS MATERIALIZED (${selection})
        SELECT 'SLO' AS kind, project, name, ${sloBasis(sql)} AS basis, NULL AS definition, NULL AS version,
          NULL AS created_at, NULL AS updated_at, NULL AS sealed, NULL AS sealing_key_id
        FROM s
        UNION ALL
        SELECT d.kind, d.project, d.name, NULL, d.definition, d.version, d.created_at, d.updated_at, NULL, NULL
        FROM (SELECT DISTINCT project FROM s) p CROSS JOIN LATERAL (
          SELECT * FROM definitions
          WHERE organization = ${organization} AND kind = 'Project' AND project = '' AND name = p.project OFFSET 0) d
        UNION ALL
        SELECT d.kind, d.project, d.name, NULL, d.definition, d.version, d.created_at, d.updated_at, NULL, NULL
        FROM (SELECT DISTINCT project, service FROM s) p CROSS JOIN LATERAL (
          SELECT * FROM definitions
          WHERE organization = ${organization} AND kind = 'Service' AND project = p.project AND name = p.service
          OFFSET 0) d
        ORDER BY project, name`
      const named = rows.flatMap((row) => (row.basis === null ? [row] : []))
      const versions = rows.flatMap((row) => (row.basis === null ? [] : [row]))
      const items = yield* recordsOf(organization, versions.slice(0, limit), named)
      return { items, found: versions.length }
    })

  const readProjectVersions = (organization: OrganizationId) =>
    sql<ProjectVersion>`
      SELECT s.*, coalesce(p.version, 0) || ' ' || n.services || ' ' || n.versions AS names
      FROM (
        SELECT project, count(*) AS slos, sum(version)::bigint AS definition, sum(revision)::bigint AS status
        FROM slos WHERE organization = ${organization} GROUP BY project
      ) s
      -- One without a definition has the version 0.
      CROSS JOIN LATERAL (
        SELECT max(version) AS version FROM definitions
        WHERE organization = ${organization} AND kind = 'Project' AND project = '' AND name = s.project
      ) p
      CROSS JOIN LATERAL (
        SELECT count(*) AS services, coalesce(sum(version), 0) AS versions FROM definitions
        WHERE organization = ${organization} AND kind = 'Service' AND project = s.project
      ) n`

  const readChanges = Effect.fnUntraced(function* (
    organization: OrganizationId,
    projects: ReadonlyArray<string>,
    { after, limit }: PageRequest<ProjectKey>,
    known: (key: ProjectKey) => SloVersion | undefined,
  ) {
    const found = yield* sql<ProjectKey & SloVersion>`
      SELECT project, name, version AS definition, revision AS status FROM slos
      WHERE ${sql.and([
        sql`organization = ${organization}`,
        sql`project = ANY(${texts(projects)})`,
        ...(after === undefined
          ? []
          : [sql`(project, name) > (${searchText(after.project)}, ${searchText(after.name)})`]),
      ])}
      ORDER BY project, name LIMIT ${limit + 1}`
    const page = found.slice(0, limit)
    const changed = page.flatMap((row) => {
      const before = known(row)
      const isDefined = before?.definition === row.definition
      return isDefined && before.status === row.status ? [] : [{ row, isDefined }]
    })
    const read = new Map<string, SloChange>()
    if (changed.length > 0) {
      const rows = yield* sql<ChangeRow>`
        SELECT s.project, s.name, s.version AS definition, s.revision AS status, s.statuses, d.definition AS outlined
        FROM unnest(
          ${keyArrays(
            sql,
            changed.map(({ row }) => row),
          )},
          ${bigints(changed.map(({ row, isDefined }) => (isDefined ? row.definition : null)))}
        ) AS k (project, name, version)
        JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
        LEFT JOIN definitions d ON s.version IS DISTINCT FROM k.version AND d.organization = ${organization}
          AND d.kind = 'SLO' AND d.project = k.project AND d.name = k.name`
      const changes = yield* inParts(function* () {
        const changes: Array<Result.Result<SloChange, StoredRowIsInvalid>> = []
        for (const [index, row] of rows.entries()) {
          if (index % changesAtOnce === 0) yield
          changes.push(rowToChange(row))
        }
        return changes
      })
      for (const change of yield* Effect.fromResult(Result.all(changes))) {
        read.set(projectKeyText(change), change)
      }
    }
    const items = page.map(({ project, name, definition, status }): SloChange => {
      const unchanged = { project, name, version: { definition, status } }
      return read.get(projectKeyText(unchanged)) ?? unchanged
    })
    return { items, hasMore: found.length > limit } satisfies Page<SloChange>
  })

  /**
   * Claims SLOs that are due, longest due first. Reads which they are without locking them, and claims them by organization.
   *
   * Those that are locked, or that another process claims at the same time, are passed over for the next ones.
   */
  const claimDue = (now: number, limit: number, leaseMs: number) =>
    Effect.gen(function* () {
      const claimed: Array<ClaimedRow> = []
      let missed = 0
      for (let turn = 0; turn < claimTurnsMax && claimed.length < limit; turn++) {
        const wanted = limit - claimed.length
        const found = yield* readAcrossOrganizations(
          sql,
          sql<ProjectKey & { readonly organization: OrganizationId }>`
            SELECT organization, project, name FROM slos WHERE due_at <= ${now}
            ORDER BY due_at LIMIT ${wanted} OFFSET ${missed}`,
        )
        const due = found.slice(0, wanted)
        const rows = yield* forEachOrganization(
          due,
          (organization, some) =>
            sql<ClaimedRow>`
              UPDATE slos s SET due_at = ${now}::bigint + ${leaseMs}::bigint FROM (
                SELECT s.project, s.name, s.due_at, p.read_to, ${currentRecent(sql, "p")} AS recent
                FROM unnest(${keyArrays(sql, some)}) AS k (project, name)
                JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
                LEFT JOIN indicator_polls p
                  ON p.organization = ${organization} AND p.project = k.project AND p.slo = k.name
                WHERE s.due_at <= ${now}
                FOR NO KEY UPDATE OF s SKIP LOCKED
              ) due
              WHERE s.organization = ${organization} AND s.project = due.project AND s.name = due.name
              RETURNING s.organization, s.project, s.name, ${revision} AS revision, s.evaluation, s.past_changes,
                s.counts_traceparent, due.read_to, due.recent, due.due_at AS was_due_at`,
        )
        claimed.push(...rows)
        missed += due.length - rows.length
        if (due.length < wanted) break
      }
      return claimed.toSorted((a, b) => a.was_due_at - b.was_due_at)
    })

  /** Those of the keys that exist, in their order. */
  const readDueRows = (organization: OrganizationId, keys: ReadonlyArray<ProjectKey>) =>
    sql<DueRow>`
      SELECT s.organization, s.project, s.name, ${revision} AS revision, s.evaluation, s.past_changes,
        s.counts_traceparent, p.read_to, ${currentRecent(sql, "p")} AS recent
      FROM unnest(${keyArrays(sql, keys)}, ${integers(keys.map((_, index) => index))}) AS k (project, name, n)
      JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
      LEFT JOIN indicator_polls p
        ON p.organization = ${organization} AND p.project = s.project AND p.slo = s.name
      ORDER BY k.n`

  const readHeld = Effect.fnUntraced(function* (
    organization: OrganizationId,
    limit: number,
    { project, name }: Partial<ProjectKey> = {},
  ) {
    const conditions = [
      sql`organization = ${organization}`,
      // As in the index `slos_held`.
      sql.literal(`strpos(evaluation, '${heldLifecycleText}') > 0`),
      ...(project === undefined ? [] : [sql`project = ${searchText(project)}`]),
      ...(name === undefined ? [] : [sql`name = ${searchText(name)}`]),
    ]
    const rows = yield* sql<
      ProjectKey & { readonly evaluation: string; readonly past_changes: string | null }
    >`
      SELECT project, name, evaluation, past_changes FROM slos WHERE ${sql.and(conditions)}
      ORDER BY project, name LIMIT ${limit + 1}`
    const items: Array<HeldSlo> = []
    for (const { project, name, evaluation, past_changes } of rows.slice(0, limit)) {
      const slo = { project, name }
      const pastChanges = yield* Effect.fromResult(readPastChanges(slo, past_changes))
      items.push({ slo, ...(pastChanges !== undefined && { pastChanges }), evaluation })
    }
    return { items, hasMore: rows.length > limit } satisfies Page<HeldSlo>
  })

  /**
   * Returns the basis of each status that was written, by its position. Locks rows in the same order as every other
   * statement.
   *
   * An SLO with newer counts becomes due at once, as a process that has claimed it meanwhile cannot write its status.
   */
  const writeStatuses = (statuses: ReadonlyArray<ComputedStatus>, now: number) =>
    Effect.map(
      forEachOrganization(
        statuses.map((status, index) => ({ ...status, index })),
        (organization, some) => writeStatusesOf(organization, some, now),
      ),
      (rows) => new Map(rows.map(({ n, basis }) => [n, basis])),
    )

  const writeStatusesOf = (
    organization: OrganizationId,
    statuses: ReadonlyArray<ComputedStatus & { readonly index: number }>,
    now: number,
  ) => {
    const revisions = statuses.map(({ revision }) => textToRevision(revision))
    return sql<{ readonly n: number; readonly basis: string }>`
      WITH given AS MATERIALIZED (
        SELECT * FROM unnest(
          ${keyArrays(
            sql,
            statuses.map(({ slo }) => slo),
          )},
          ${texts(revisions.map(({ basis }) => basis))}, ${texts(revisions.map(({ counts }) => counts))},
          ${texts(statuses.map((status) => storedStatuses.write(status.statuses).json))},
          ${texts(statuses.map(({ evaluation }) => evaluation ?? null))},
          ${texts(statuses.map(({ pastChanges }) => pastChangesJson(pastChanges)))},
          ${bigints(statuses.map(({ dueAt }) => dueAt ?? null))}, ${integers(statuses.map(({ index }) => index))}
        ) AS g (project, name, basis, counts, statuses, evaluation, past_changes, due_at, n)
      ), locked AS MATERIALIZED (
        SELECT g.* FROM given g
        JOIN slos s ON s.organization = ${organization} AND s.project = g.project AND s.name = g.name
          AND ${sloBasis(sql)} = g.basis
        ORDER BY s.project, s.name
        FOR NO KEY UPDATE OF s
      )
      UPDATE slos s SET statuses = l.statuses, evaluation = l.evaluation, revision = s.revision + 1,
        past_changes = CASE WHEN s.counts_revision::text <> l.counts THEN s.past_changes ELSE l.past_changes END,
        counts_traceparent = CASE WHEN s.counts_revision::text <> l.counts THEN s.counts_traceparent END,
        due_at = CASE WHEN s.counts_revision::text = l.counts THEN l.due_at
          ELSE least(s.due_at, l.due_at, ${now}::bigint) END
      FROM locked l
      WHERE s.organization = ${organization} AND s.project = l.project AND s.name = l.name
      RETURNING l.n, ${sloBasis(sql)} AS basis`
  }

  return SloStore.of({
    page: operation("page", (organization, { after, limit }, { project, service, text } = {}) =>
      readPage(
        organization,
        [
          ...(after === undefined
            ? []
            : [sql`(project, name) > (${searchText(after.project)}, ${searchText(after.name)})`]),
          ...(project === undefined ? [] : [sql`project = ${searchText(project)}`]),
          ...(service === undefined ? [] : [sql`service = ${searchText(service)}`]),
          ...(text === undefined ? [] : [sql`strpos(search_text, ${searchText(text)}) > 0`]),
        ],
        limit,
      ),
    ),
    find: operation("find", (organization, { project, name }) =>
      Effect.map(
        readPage(organization, [sql`project = ${searchText(project)}`, sql`name = ${searchText(name)}`], 1),
        ({ items: [record] }) => Option.fromNullishOr(record),
      ),
    ),
    findAll: operation("findAll", (organization, keys) =>
      Effect.gen(function* () {
        if (keys.length === 0) return []
        const { items } = yield* readRecords(
          organization,
          sql`
            SELECT o.project, o.name, o.service, o.version, o.revision
            FROM unnest(${keyArrays(sql, keys)}) AS k (project, name)
            CROSS JOIN LATERAL (
              SELECT * FROM slos
              WHERE organization = ${organization} AND project = k.project AND name = k.name OFFSET 0) o`,
          keys.length,
        )
        const byKey = new Map(items.map((record) => [projectKeyText(record.slo.metadata), record]))
        return keys.flatMap((key) => byKey.get(projectKeyText(key)) ?? [])
      }),
    ),
    projectVersions: operation("projectVersions", readProjectVersions),
    changedSlos: operation("changedSlos", readChanges),
    dueForStatus: operation("dueForStatus", (now, limit, leaseMs) =>
      Effect.flatMap(claimDue(now, limit, leaseMs), (due) =>
        Effect.map(readDueSlos(sql, box, due, known), Array.getSuccesses),
      ),
    ),
    oldestDueAt: operation("oldestDueAt", (now) =>
      Effect.map(
        readAcrossOrganizations(
          sql,
          sql<{ readonly due_at: number }>`
            SELECT due_at FROM slos WHERE due_at <= ${now} ORDER BY due_at LIMIT 1`,
        ),
        (rows) => Option.fromNullishOr(rows.map(({ due_at }) => due_at).toSorted((a, b) => a - b)[0]),
      ),
    ),
    makeDue: operation("makeDue", (now, waitMs) =>
      setBackTimes(sql, "slos", "due_at", { latest: now + waitMs, to: now }),
    ),
    findForStatus: operation("findForStatus", (organization, key) =>
      Effect.flatMap(
        Effect.flatMap(readDueRows(organization, [key]), (due) => readDueSlos(sql, box, due, known)),
        ([due]) => (due === undefined ? Effect.succeedNone : Effect.asSome(Effect.fromResult(due))),
      ),
    ),
    findAllForStatus: operation("findAllForStatus", (organization, keys) =>
      Effect.map(
        Effect.flatMap(readDueRows(organization, keys), (due) => readDueSlos(sql, box, due, known)),
        Array.getSuccesses,
      ),
    ),
    held: operation("held", (organization, limit, filter) => readHeld(organization, limit, filter)),
    writeStatuses: operation("writeStatuses", (statuses) =>
      Effect.map(
        Effect.flatMap(Clock.currentTimeMillis, (now) => writeStatuses(statuses, now)),
        (written) =>
          statuses.map((status, index) => {
            const basis = written.get(index)
            if (basis !== undefined) known.written(status, basis)
            return basis !== undefined
          }),
      ),
    ),
  })
})

/** The SLO records of a database. */
export const layer = Layer.effect(SloStore, make)

const operation = storeOperation("SloStore")

interface ChangeRow extends ProjectKey, SloVersion {
  readonly statuses: string
  /** Absent if the definition is known. */
  readonly outlined: string | null
}

const rowToChange = ({
  project,
  name,
  definition,
  status,
  statuses,
  outlined,
}: ChangeRow): Result.Result<SloChange, StoredRowIsInvalid> =>
  Result.gen(function* () {
    const outline =
      outlined === null ? undefined : yield* inRow(`SLO ${project}/${name}`, sloOutlineFromStored(outlined))
    return {
      project,
      name,
      version: { definition, status },
      ...(outline !== undefined && { outline }),
      statuses: yield* readStatuses({ project, name }, statuses),
    }
  })

/** SLOs that are read in one part. */
const changesAtOnce = 50

interface ClaimedRow extends DueRow {
  readonly was_due_at: number
}

/** More turns find few more: what is due is then locked, or claimed by other processes at this moment. */
const claimTurnsMax = 3

/** An SLO that a statement names, or the definition of a project or a service of such SLOs. */
type NamedRow = (SloVersionRow & { readonly kind: "SLO" }) | (DefinitionRow & { readonly basis: null })

interface SloVersionRow extends ProjectKey {
  /** `SloRevision.basis`: changes with the definition and with each status. */
  readonly basis: string
}

/**
 * Reads the records of SLOs that a statement has just named, and keeps the `recordsMax` used last with their versions: one
 * that has not changed since is the same object, and neither read nor decoded again.
 */
const makeSloRecords = (sql: SqlClient.SqlClient, box: SecretBox["Service"]) => {
  const cache = new LRUCache<string, CachedRecord>({ max: recordsMax })

  /** What others read meanwhile may replace an entry of the cache, and must not change what is `found` for a list. */
  const keep = (found: Map<string, CachedRecord>, key: string, record: CachedRecord): void => {
    found.set(key, record)
    cache.set(key, record)
  }

  /** Adds those whose definition has not changed to `found`, with their statuses; returns the others. */
  const renewStatuses = Effect.fnUntraced(function* (
    organization: OrganizationId,
    keys: ReadonlyArray<SloVersionRow>,
    found: Map<string, CachedRecord>,
  ) {
    const cachedOf = new Map<string, CachedRecord>()
    const known = keys.filter((row) => {
      const key = organizationKeyText(organization, row)
      const cached = cache.get(key)
      if (cached === undefined || !hasSameDefinition(cached, row)) return false
      cachedOf.set(key, cached)
      return true
    })
    if (known.length === 0) return keys
    const rows = yield* sql<SloVersionRow & { readonly statuses: string }>`
      SELECT s.project, s.name, s.statuses, ${sloBasis(sql)} AS basis
      FROM unnest(${keyArrays(sql, known)}) AS k (project, name)
      JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name`
    const slice = new Slice()
    for (const row of rows) {
      if (slice.isOver) yield* slice.end
      const key = organizationKeyText(organization, row)
      const cached = cachedOf.get(key)
      if (cached === undefined || !hasSameDefinition(cached, row)) continue
      const statuses = yield* Effect.fromResult(readStatuses(row, row.statuses))
      keep(found, key, { ...cached, basis: row.basis, record: { ...cached.record, statuses } })
    }
    return keys.filter((row) => !found.has(organizationKeyText(organization, row)))
  })

  const readSlos = (
    organization: OrganizationId,
    keys: ReadonlyArray<SloVersionRow>,
    found: Map<string, CachedRecord>,
  ) =>
    Effect.gen(function* () {
      const changed = yield* renewStatuses(organization, keys, found)
      if (changed.length === 0) return
      const rows = yield* sql<DefinitionRow & { readonly basis: string; readonly statuses: string }>`
        SELECT d.*, s.statuses, ${sloBasis(sql)} AS basis
        FROM unnest(${keyArrays(sql, changed)}) AS k (project, name)
        JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
        JOIN definitions d ON d.organization = ${organization} AND d.kind = 'SLO'
          AND d.project = k.project AND d.name = k.name`
      const slice = new Slice()
      for (const row of rows) {
        if (slice.isOver) yield* slice.end
        const { definition: slo, createdAt } = yield* Effect.fromResult(
          rowToDefinitionOf("SLO", box, organization, row),
        )
        const statuses = yield* Effect.fromResult(readStatuses(row, row.statuses))
        const { project } = slo.metadata
        keep(found, organizationKeyText(organization, row), {
          basis: row.basis,
          names: "",
          record: {
            slo,
            createdAt,
            statuses,
            project: { name: project },
            service: { name: slo.spec.service },
          },
        })
      }
    })

  /**
   * `named` are the definitions of the projects and services of these SLOs. An SLO that was removed since it was named is
   * left out.
   */
  return (
    organization: OrganizationId,
    slos: ReadonlyArray<SloVersionRow>,
    named: ReadonlyArray<DefinitionRow>,
  ) =>
    Effect.gen(function* () {
      const rowByKey = new Map(named.map((row) => [`${row.kind} ${projectKeyText(row)}`, row]))
      const objectOf = (row: DefinitionRow | undefined, name: string) =>
        row === undefined
          ? Effect.succeed<NamedObject>({ name })
          : Effect.map(
              Effect.fromResult(rowToDefinition(box, organization, row)),
              ({ definition }): NamedObject => definition.metadata,
            )
      const found = new Map<string, CachedRecord>()
      const unread = slos.filter((row) => {
        const key = organizationKeyText(organization, row)
        const cached = cache.get(key)
        if (cached?.basis !== row.basis) return true
        found.set(key, cached)
        return false
      })
      yield* readSlos(organization, unread, found)
      const records: Array<SloRecord> = []
      const slice = new Slice()
      for (const row of slos) {
        if (slice.isOver) yield* slice.end
        const key = organizationKeyText(organization, row)
        const cached = found.get(key)
        if (cached === undefined) continue
        const { project } = cached.record.slo.metadata
        const { service } = cached.record.slo.spec
        const projectRow = rowByKey.get(`Project ${projectKeyText({ project: "", name: project })}`)
        const serviceRow = rowByKey.get(`Service ${projectKeyText({ project, name: service })}`)
        const names = `${projectRow?.version ?? ""} ${serviceRow?.version ?? ""}`
        if (cached.names === names) {
          records.push(cached.record)
          continue
        }
        const record: SloRecord = {
          ...cached.record,
          project: yield* objectOf(projectRow, project),
          service: yield* objectOf(serviceRow, service),
        }
        cache.set(key, { basis: cached.basis, names, record })
        records.push(record)
      }
      return records
    })
}

/** The part of a basis that changes with the definition. */
const definitionVersion = (basis: string): string => basis.slice(0, basis.indexOf("."))

const hasSameDefinition = (cached: CachedRecord, { basis }: SloVersionRow): boolean =>
  definitionVersion(cached.basis) === definitionVersion(basis)

interface CachedRecord {
  readonly basis: string
  /** The versions of the project and the service; empty while they have not been read. */
  readonly names: string
  readonly record: SloRecord
}

/** Each takes some 3 KB. */
const recordsMax = 20_000
