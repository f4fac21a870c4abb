import { deletedRevisionsDays, type HistoryChange, type Revision, revisionsMax } from "@tocsin/domain/adapter"
import { dayMs } from "@tocsin/domain/codec"
import { type DefinitionKey, definitionKeyText, type OrganizationId } from "@tocsin/domain/kernel"
import { DefinitionHistory, type FoundRevision, type SloMove } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { forEachOrganization, organizationRow } from "../database/ForEachOrganization.ts"
import { bigints, booleans, integers, keysTable, searchText, texts } from "../database/Parameters.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { readPage } from "../database/StoredRow.ts"

/** The history of definitions in PostgreSQL. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const ofDefinition = (organization: OrganizationId, { kind, project, name }: DefinitionKey) =>
    sql`organization = ${organization} AND kind = ${kind}
      AND project = ${searchText(project)} AND name = ${searchText(name)}`

  return DefinitionHistory.of({
    list: operation("list", (organization, of, { after, limit }) =>
      Effect.flatMap(
        sql<RevisionRow>`
          SELECT ${sql.literal(revisionColumns)} FROM definition_revisions
          WHERE ${ofDefinition(organization, of)} ${after === undefined ? sql`` : sql`AND number < ${after}`}
          ORDER BY number DESC LIMIT ${limit + 1}`,
        (rows) => readPage(rows, limit, (row) => Result.succeed(rowToRevision(row))),
      ),
    ),
    find: operation("find", (organization, of, number) =>
      Effect.map(
        sql<RevisionRow & { readonly definition: string }>`
          SELECT ${sql.literal(revisionColumns)}, definition FROM definition_revisions
          WHERE ${ofDefinition(organization, of)} AND number <= ${number}
          ORDER BY number DESC LIMIT 2`,
        ([row, former]) =>
          row?.number !== number
            ? Option.none()
            : Option.some<FoundRevision>({
                revision: rowToRevision(row),
                text: row.definition,
                // What was before a creation was deleted before.
                ...(former !== undefined && row.outcome !== "created" && { previous: former.definition }),
              }),
      ),
    ),
    creators: operation("creators", (organization, keys) =>
      Effect.map(
        sql<DefinitionKey & { readonly author: string | null }>`
          SELECT DISTINCT ON (r.kind, r.project, r.name) r.kind, r.project, r.name, r.author
          FROM definition_revisions r, ${keysTable(sql, keys)}
          WHERE r.organization = ${organization} AND r.outcome = 'created'
            AND r.kind = k.kind AND r.project = k.project AND r.name = k.name
          ORDER BY r.kind, r.project, r.name, r.number DESC`,
        (rows) =>
          new Map(
            rows.flatMap(({ author, ...key }) =>
              author === null ? [] : [[definitionKeyText(key), author] as const],
            ),
          ),
      ),
    ),
    listDeleted: operation("listDeleted", (organization, { kind, project }, { after, limit }) =>
      Effect.flatMap(
        sql<RevisionRow & DefinitionKey>`
          SELECT kind, project, name, ${sql.literal(revisionColumns)} FROM definition_revisions r
          WHERE ${sql.and([
            sql`organization = ${organization} AND outcome = 'deleted'`,
            ...(kind === undefined ? [] : [sql`kind = ${kind}`]),
            ...(project === undefined ? [] : [sql`project = ${searchText(project)}`]),
            ...(after === undefined
              ? []
              : [
                  sql`(number, kind, project, name) < (${after.number}::bigint, ${after.kind},
                    ${searchText(after.project)}, ${searchText(after.name)})`,
                ]),
          ])} AND NOT EXISTS (
            SELECT FROM definition_revisions later WHERE later.organization = ${organization}
              AND later.kind = r.kind AND later.project = r.project AND later.name = r.name
              AND later.number > r.number
          )
          ORDER BY number DESC, kind DESC, project DESC, name DESC LIMIT ${limit + 1}`,
        (rows) =>
          readPage(rows, limit, (row) =>
            Result.succeed({
              key: { kind: row.kind, project: row.project, name: row.name },
              revision: rowToRevision(row),
            }),
          ),
      ),
    ),
  })
})

/** The history of a database. */
export const layer = Layer.effect(DefinitionHistory, make)

const operation = storeOperation("DefinitionHistory")

const revisionColumns = "number, at, author, outcome, changes_secrets, moved_from"

interface RevisionRow {
  readonly number: number
  readonly at: number
  readonly author: string | null
  readonly outcome: Revision["outcome"]
  readonly changes_secrets: boolean
  readonly moved_from: string | null
}

const rowToRevision = (row: RevisionRow): Revision => ({
  number: row.number,
  at: row.at,
  outcome: row.outcome,
  changesSecrets: row.changes_secrets,
  ...(row.author !== null && { author: row.author }),
  ...(row.moved_from !== null && { movedFrom: row.moved_from }),
})

/** The numbers of the latest revisions of definitions, by `definitionKeyText`. */
export const readLatestRevisions = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  keys: ReadonlyArray<DefinitionKey>,
) =>
  Effect.map(
    sql<DefinitionKey & { readonly number: number }>`
      SELECT k.kind, k.project, k.name, r.number FROM ${keysTable(sql, keys)}
      CROSS JOIN LATERAL (
        SELECT number FROM definition_revisions
        WHERE organization = ${organization} AND kind = k.kind AND project = k.project AND name = k.name
        ORDER BY number DESC LIMIT 1
      ) r`,
    (rows) => new Map(rows.map(({ number, ...key }) => [definitionKeyText(key), number])),
  )

/** Moves the revisions of SLOs, instead of those of deleted SLOs that had their new names. */
export const moveHistory = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  moves: ReadonlyArray<SloMove>,
) =>
  Effect.gen(function* () {
    const replaced = moves.map(({ name, to }): DefinitionKey => ({ kind: "SLO", project: to, name }))
    const dropped = yield* sql<Dropped>`
      DELETE FROM definition_revisions r USING ${keysTable(sql, replaced)}
      WHERE r.organization = ${organization} AND r.kind = k.kind AND r.project = k.project AND r.name = k.name
      RETURNING r.bytes`
    if (dropped.length > 0) yield* addBytes(sql, organization, -sumOf(dropped))
    yield* sql`
      UPDATE definition_revisions r SET project = m.to_project FROM unnest(
        ${texts(moves.map(({ name }) => name))}, ${texts(moves.map(({ from }) => from))},
        ${texts(moves.map(({ to }) => to))}) AS m (name, from_project, to_project)
      WHERE r.organization = ${organization} AND r.kind = 'SLO'
        AND r.project = m.from_project AND r.name = m.name`
  })

/** Adds the revisions of a change at `now` (Unix milliseconds), and drops those that are too many. The organization is locked. */
export const putHistory = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  number: number,
  { author, revisions: newRevisions, maxBytes }: HistoryChange,
  now: number,
) =>
  Effect.gen(function* () {
    const revisions = newRevisions()
    if (revisions.length === 0) return
    yield* sql`
      INSERT INTO definition_revisions
      SELECT o.organization, given.kind, given.project, given.name, ${number}::bigint, ${now}::bigint,
        ${author ?? null}::text, given.outcome, given.changes_secrets, given.moved_from, given.definition, given.bytes
      FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
        ${texts(revisions.map(({ key }) => key.kind))}, ${texts(revisions.map(({ key }) => key.project))},
        ${texts(revisions.map(({ key }) => key.name))}, ${texts(revisions.map(({ outcome }) => outcome))},
        ${booleans(revisions.map(({ changesSecrets }) => changesSecrets))},
        ${texts(revisions.map(({ movedFrom }) => movedFrom ?? null))},
        ${texts(revisions.map(({ text }) => text))}, ${integers(revisions.map(({ bytes }) => bytes))}
      ) AS given (kind, project, name, outcome, changes_secrets, moved_from, definition, bytes)`
    // A definition that is created has at most the revisions that it had when it was deleted.
    const grown = revisions.flatMap(({ outcome, key }) => (outcome === "created" ? [] : [key]))
    const dropped =
      grown.length === 0
        ? []
        : yield* sql<Dropped>`
            DELETE FROM definition_revisions r USING (
              SELECT k.kind, k.project, k.name, (
                SELECT number FROM definition_revisions
                WHERE organization = ${organization}
                  AND kind = k.kind AND project = k.project AND name = k.name
                ORDER BY number DESC OFFSET ${revisionsMax} LIMIT 1
              ) AS number FROM ${keysTable(sql, grown)}
            ) old
            WHERE r.organization = ${organization}
              AND r.kind = old.kind AND r.project = old.project AND r.name = old.name AND r.number <= old.number
            RETURNING r.bytes`
    const stored = yield* addBytes(sql, organization, sumOf(revisions) - sumOf(dropped))
    if (stored > maxBytes) yield* dropOldest(sql, organization, stored - maxBytes)
  })

/** Drops whole changes, oldest first, until that many bytes are free. */
const dropOldest = (sql: SqlClient.SqlClient, organization: OrganizationId, excess: number) =>
  Effect.gen(function* () {
    let freed = 0
    while (freed < excess) {
      const changes = yield* sql<Dropped & { readonly number: number }>`
        SELECT number, sum(bytes)::bigint AS bytes FROM (
          SELECT number, bytes FROM definition_revisions WHERE organization = ${organization}
          ORDER BY number LIMIT ${dropMax}
        ) oldest GROUP BY number ORDER BY number`
      let planned = 0
      const last = changes.find(({ bytes }) => freed + (planned += bytes) >= excess) ?? changes.at(-1)
      if (last === undefined) break
      const dropped = yield* sql<Dropped>`
        DELETE FROM definition_revisions WHERE organization = ${organization} AND number <= ${last.number}
        RETURNING bytes`
      freed += sumOf(dropped)
    }
    yield* addBytes(sql, organization, -freed)
  })

/** Drops deletions whose time is over, and what was before them. */
export const dropOldHistory = (sql: SqlClient.SqlClient, now: number) => {
  const before = now - deletedRevisionsDays * dayMs
  const dropBatch = Effect.gen(function* () {
    const rows = yield* readAcrossOrganizations(
      sql,
      sql<DefinitionKey & { readonly organization: OrganizationId; readonly number: number }>`
        SELECT organization, kind, project, name, number FROM definition_revisions
        WHERE outcome = 'deleted' AND at < ${before} LIMIT ${dropMax}`,
    )
    yield* forEachOrganization(rows, (organization, some) =>
      sql.withTransaction(
        Effect.gen(function* () {
          // As a change of definitions does, so that both count the same bytes.
          yield* sql`SELECT FROM organizations WHERE organization = ${organization} FOR NO KEY UPDATE`
          const dropped = yield* sql<Dropped>`
            DELETE FROM definition_revisions r USING (
              SELECT kind, project, name, max(number) AS number FROM unnest(
                ${texts(some.map(({ kind }) => kind))}, ${texts(some.map(({ project }) => project))},
                ${texts(some.map(({ name }) => name))}, ${bigints(some.map(({ number }) => number))}
              ) AS k (kind, project, name, number) GROUP BY kind, project, name
            ) old
            WHERE r.organization = ${organization}
              AND r.kind = old.kind AND r.project = old.project AND r.name = old.name AND r.number <= old.number
            RETURNING r.bytes`
          yield* addBytes(sql, organization, -sumOf(dropped))
          return []
        }),
      ),
    )
    return rows.length
  })
  return Effect.asVoid(Effect.repeat(dropBatch, { while: (count) => count >= dropMax }))
}

/** Most revisions that are read to be dropped at a time. */
const dropMax = 1_000

/** Returns how many bytes the organization keeps then. */
const addBytes = (sql: SqlClient.SqlClient, organization: OrganizationId, bytes: number) =>
  Effect.map(
    sql<Dropped>`
      UPDATE organizations SET history_bytes = history_bytes + ${bytes}::bigint
      WHERE organization = ${organization} RETURNING history_bytes AS bytes`,
    ([row]) => row?.bytes ?? 0,
  )

interface Dropped {
  readonly bytes: number
}

const sumOf = (rows: ReadonlyArray<Dropped>): number => rows.reduce((sum, { bytes }) => sum + bytes, 0)
