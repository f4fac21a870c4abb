import * as SqlClient from "effect/sql/SqlClient"
import type { OrganizationId } from "@tocsin/domain/metadata/ObjectKey"
import type { Page } from "@tocsin/domain/pagination/Page"
import { SecretBox } from "@tocsin/domain/secret/SecretBox"
import { type SloRecord, storedStatuses } from "@tocsin/domain/status/SloRecord"
import {
  SloStore,
  SloStoreIsUnavailable,
  type ComputedStatus,
  textToRevision,
} from "@tocsin/domain/status/SloStore"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Fragment } from "effect/sql/Statement"
import type { DefinitionRow } from "../database/DefinitionRow.ts"
import { makeSloRecords, type SloVersionRow } from "./SloRecords.ts"
import { type DueRow, makeDueSlosCache, readDueSlos } from "./DueSlos.ts"
import { portOperation } from "../database/PortOperation.ts"
import { sloBasis, sloRevision } from "./SloRows.ts"
import { bigints, searchText, texts } from "../database/Parameters.ts"

/** Reads and refreshes the SLO records of a database. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const box = yield* SecretBox
  const known = makeDueSlosCache()

  const revision = sloRevision(sql)
  const recordsOf = makeSloRecords(sql, box)

  /**
   * Reads the records of the first `limit` SLOs that `slos` selects, and counts all of these. Each of their projects and
   * services is looked up once: by a subquery for each, as of a join the planner may find it cheaper to read all there
   * are.
   */
  const readRecords = (organization: OrganizationId, slos: Fragment, limit: number) =>
    Effect.gen(function* () {
      const rows = yield* sql<NamedRow>`
        WITH s AS MATERIALIZED (${slos})
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
      return {
        records: yield* recordsOf(organization, versions.slice(0, limit), named),
        count: versions.length,
      }
    })

  /**
   * Returns the basis of each status that was written, by its position. Locks rows in the same order as every other
   * statement.
   *
   * An SLO with newer counts becomes due at once, as a process that has claimed it meanwhile cannot write its status.
   */
  const writeStatuses = (statuses: ReadonlyArray<ComputedStatus>, now: number) => {
    const revisions = statuses.map(({ revision }) => textToRevision(revision))
    return Effect.map(
      sql<{ readonly n: number; readonly basis: string }>`
        WITH given AS MATERIALIZED (
          SELECT * FROM unnest(
            ${texts(statuses.map(({ organization }) => organization))},
            ${texts(statuses.map(({ slo }) => slo.project))}, ${texts(statuses.map(({ slo }) => slo.name))},
            ${texts(revisions.map(({ basis }) => basis))}, ${texts(revisions.map(({ counts }) => counts))},
            ${texts(statuses.map((status) => storedStatuses.write(status.statuses).json))},
            ${texts(statuses.map(({ evaluation }) => evaluation ?? null))},
            ${bigints(statuses.map(({ dueAt }) => dueAt ?? null))}
          ) WITH ORDINALITY AS g (organization, project, name, basis, counts, statuses, evaluation, due_at, n)
        ), locked AS MATERIALIZED (
          SELECT g.* FROM given g
          JOIN slos s ON s.organization = g.organization AND s.project = g.project AND s.name = g.name
            AND ${sloBasis(sql)} = g.basis
          ORDER BY s.organization, s.project, s.name
          FOR NO KEY UPDATE OF s
        )
        UPDATE slos s SET statuses = l.statuses, evaluation = l.evaluation, revision = s.revision + 1,
          due_at = CASE WHEN s.counts_revision::text = l.counts THEN l.due_at
            ELSE least(s.due_at, l.due_at, ${now}::bigint) END
        FROM locked l
        WHERE s.organization = l.organization AND s.project = l.project AND s.name = l.name
        RETURNING l.n, ${sloBasis(sql)} AS basis`,
      (rows) => new Map(rows.map(({ n, basis }) => [n - 1, basis])),
    )
  }

  return SloStore.of({
    page: operation("page", (organization, { after, limit }, { project, service, text } = {}) =>
      Effect.map(
        readRecords(
          organization,
          sql`
            SELECT project, name, service, version, revision FROM slos
            WHERE organization = ${organization}
              AND ${after === undefined ? sql`true` : sql`(project, name) > (${searchText(after.project)}, ${searchText(after.name)})`}
              AND ${project === undefined ? sql`true` : sql`project = ${searchText(project)}`}
              AND ${service === undefined ? sql`true` : sql`service = ${searchText(service)}`}
              AND ${text === undefined ? sql`true` : sql`strpos(search_text, ${searchText(text)}) > 0`}
            ORDER BY project, name
            LIMIT ${limit + 1}`,
          limit,
        ),
        ({ records, count }): Page<SloRecord> => ({ items: records, hasMore: count > limit }),
      ),
    ),
    find: operation("find", (organization, { project, name }) =>
      Effect.map(
        readRecords(
          organization,
          sql`
            SELECT project, name, service, version, revision FROM slos
            WHERE organization = ${organization} AND project = ${searchText(project)} AND name = ${searchText(name)}`,
          1,
        ),
        ({ records: [record] }) => Option.fromNullishOr(record),
      ),
    ),
    dueForStatus: operation("dueForStatus", (now, limit, leaseMs) =>
      Effect.flatMap(
        sql<DueRow>`
          WITH due AS MATERIALIZED (
            SELECT organization, project, name, due_at FROM slos
            WHERE due_at <= ${now} ORDER BY due_at LIMIT ${limit}
            FOR NO KEY UPDATE SKIP LOCKED
          ), claimed AS (
            UPDATE slos s SET due_at = ${now}::bigint + ${leaseMs}::bigint FROM due
            WHERE s.organization = due.organization AND s.project = due.project AND s.name = due.name
            RETURNING s.organization, s.project, s.name, ${revision} AS revision, s.evaluation,
              due.due_at AS was_due_at
          )
          SELECT * FROM claimed ORDER BY was_due_at`,
        (due) => Effect.map(readDueSlos(sql, box, due, known), Array.getSuccesses),
      ),
    ),
    findForStatus: operation("findForStatus", (organization, { project, name }) =>
      Effect.flatMap(
        Effect.flatMap(
          sql<DueRow>`
            SELECT organization, project, name, ${revision} AS revision, evaluation FROM slos s
            WHERE organization = ${organization}
              AND project = ${searchText(project)} AND name = ${searchText(name)}`,
          (due) => readDueSlos(sql, box, due, known),
        ),
        ([due]) => (due === undefined ? Effect.succeedNone : Effect.asSome(Effect.fromResult(due))),
      ),
    ),
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

const operation = portOperation((failure) => new SloStoreIsUnavailable(failure))

/** An SLO that a statement names, or the definition of a project or a service of such SLOs. */
type NamedRow = (SloVersionRow & { readonly kind: "SLO" }) | (DefinitionRow & { readonly basis: null })
