import * as SqlClient from "effect/sql/SqlClient"
import type { OrganizationId } from "@tocsin/domain/metadata/ObjectKey"
import type { Page } from "@tocsin/domain/pagination/Page"
import { SecretBox } from "@tocsin/domain/secret/SecretBox"
import { projectToJson, serviceToJson } from "@tocsin/domain/status/SloRecord"
import {
  type SloRow,
  SloStore,
  SloStoreIsUnavailable,
  type ComputedStatus,
  textToRevision,
} from "@tocsin/domain/status/SloStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type DueRow, readDueSlos } from "./DueSlos.ts"
import { makeDueSlosCache } from "./DueSlosCache.ts"
import { portOperation } from "../database/PortOperation.ts"
import { sloBasis, sloRevision } from "./SloRows.ts"
import { searchText } from "../database/StoredText.ts"
import { bigints, texts } from "../database/Parameters.ts"

/** SLO records in PostgreSQL; the parts of the project and the service are joined when a record is read. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const box = yield* SecretBox
  const known = makeDueSlosCache()

  /**
   * The JSON of the project and of the service of `s`. As subqueries: for a join, the planner may choose to read all
   * projects and services.
   */
  const projectJson = (organization: OrganizationId) => sql`(
    SELECT record_json FROM definitions
    WHERE organization = ${organization} AND kind = 'Project' AND project = '' AND name = s.project)`
  const serviceJson = (organization: OrganizationId) => sql`(
    SELECT record_json FROM definitions
    WHERE organization = ${organization} AND kind = 'Service' AND project = s.project AND name = s.service)`

  const revision = sloRevision(sql)

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
            ${texts(statuses.map(({ tailJson }) => tailJson))},
            ${texts(statuses.map(({ evaluation }) => evaluation ?? null))},
            ${bigints(statuses.map(({ dueAt }) => dueAt ?? null))}
          ) WITH ORDINALITY AS g (organization, project, name, basis, counts, tail_json, evaluation, due_at, n)
        ), locked AS MATERIALIZED (
          SELECT g.* FROM given g
          JOIN slos s ON s.organization = g.organization AND s.project = g.project AND s.name = g.name
            AND ${sloBasis(sql)} = g.basis
          ORDER BY s.organization, s.project, s.name
          FOR NO KEY UPDATE OF s
        )
        UPDATE slos s SET tail_json = l.tail_json, evaluation = l.evaluation, revision = s.revision + 1,
          due_at = CASE WHEN s.counts_revision::text = l.counts THEN l.due_at
            ELSE least(s.due_at, l.due_at, ${now}::bigint) END
        FROM locked l
        WHERE s.organization = l.organization AND s.project = l.project AND s.name = l.name
        RETURNING l.n, ${sloBasis(sql)} AS basis`,
      (rows) => new Map(rows.map(({ n, basis }) => [n - 1, basis])),
    )
  }

  return SloStore.of({
    page: (organization, { after, limit }, { project, service, text } = {}) =>
      operation(
        "page",
        Effect.map(
          // Each project and each service of the page is read once, as a row of its own.
          sql<PageRow>`
            WITH page AS MATERIALIZED (
              SELECT project, name, service, tail_json FROM slos
              WHERE organization = ${organization}
                AND ${after === undefined ? sql`true` : sql`(project, name) > (${searchText(after.project)}, ${searchText(after.name)})`}
                AND ${project === undefined ? sql`true` : sql`project = ${searchText(project)}`}
                AND ${service === undefined ? sql`true` : sql`service = ${searchText(service)}`}
                AND ${text === undefined ? sql`true` : sql`strpos(search_text, ${searchText(text)}) > 0`}
              ORDER BY project, name
              LIMIT ${limit + 1}
            )
            SELECT project, name, service, tail_json AS json FROM page
            UNION ALL
            SELECT project, NULL, NULL, ${projectJson(organization)} FROM (SELECT DISTINCT project FROM page) s
            UNION ALL
            SELECT project, NULL, service, ${serviceJson(organization)}
            FROM (SELECT DISTINCT project, service FROM page) s
            ORDER BY project, name`,
          (rows) => toPage(rows, limit),
        ),
      ),
    find: (organization, { project, name }) =>
      operation(
        "find",
        Effect.map(
          sql<RecordRow>`
            SELECT project, name, service, tail_json,
              ${projectJson(organization)} AS project_json, ${serviceJson(organization)} AS service_json
            FROM slos s
            WHERE organization = ${organization} AND project = ${searchText(project)} AND name = ${searchText(name)}`,
          ([row]) => Option.map(Option.fromNullishOr(row), toSloRow),
        ),
      ),
    dueForStatus: (now, limit, leaseMs) =>
      operation(
        "dueForStatus",
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
          (due) => readDueSlos(sql, box, due, known),
        ),
      ),
    findForStatus: (organization, { project, name }) =>
      operation(
        "findForStatus",
        Effect.map(
          Effect.flatMap(
            sql<DueRow>`
              SELECT organization, project, name, ${revision} AS revision, evaluation FROM slos s
              WHERE organization = ${organization}
                AND project = ${searchText(project)} AND name = ${searchText(name)}`,
            (due) => readDueSlos(sql, box, due, known),
          ),
          ([due]) => Option.fromNullishOr(due),
        ),
      ),
    writeStatuses: (statuses) =>
      operation(
        "writeStatuses",
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
export const layer: Layer.Layer<SloStore, never, SqlClient.SqlClient | SecretBox> = Layer.effect(
  SloStore,
  make,
)

const operation = portOperation((failure) => new SloStoreIsUnavailable(failure))

interface RecordRow {
  readonly project: string
  readonly name: string
  readonly service: string
  readonly tail_json: string
  readonly project_json: string | null
  readonly service_json: string | null
}

/** An SLO; without a name, a service; without a service either, a project. */
type PageRow = SloPageRow | SharedPageRow

interface SloPageRow {
  readonly project: string
  readonly name: string
  readonly service: string
  readonly json: string
}

interface SharedPageRow {
  readonly project: string
  readonly name: null
  readonly service: string | null
  readonly json: string | null
}

const toPage = (rows: ReadonlyArray<PageRow>, limit: number): Page<SloRow> => {
  const sharedJson = new Map<string, string | null>()
  const slos: Array<SloPageRow> = []
  for (const row of rows) {
    if (row.name === null) sharedJson.set(`${row.project}/${row.service ?? ""}`, row.json)
    else slos.push(row)
  }
  const items = slos.slice(0, limit).map(({ project, name, service, json }) =>
    toSloRow({
      project,
      name,
      service,
      tail_json: json,
      project_json: sharedJson.get(`${project}/`) ?? null,
      service_json: sharedJson.get(`${project}/${service}`) ?? null,
    }),
  )
  return { items, hasMore: slos.length > limit }
}

/** A project or a service without a definition is represented by its name. */
const toSloRow = (row: RecordRow): SloRow => ({
  project: row.project,
  name: row.name,
  service: row.service,
  projectJson: row.project_json ?? projectToJson({ metadata: { name: row.project } }),
  serviceJson: row.service_json ?? serviceToJson({ metadata: { project: row.project, name: row.service } }),
  tailJson: row.tail_json,
})
