import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Part } from "@tocsin/domain"
import { definitionKey, type DefinitionOf } from "@tocsin/domain/adapter"
import {
  type DefinitionKey,
  definitionKeyText,
  type Kind,
  labelKeyToken,
  labelToken,
  type OrganizationId,
  organizationKeyText,
  type ProjectKey,
  projectKeyText,
} from "@tocsin/domain/kernel"
import type { PageRequest } from "@tocsin/domain/pagination"
import {
  type DefinitionChange,
  type DefinitionQuery,
  type DefinitionsRead,
  DefinitionStore,
  referrersReadMax,
  SecretBox,
  type SloMove,
  type StoredDefinition,
  type StoreIsUnavailable,
} from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { LRUCache } from "lru-cache"
import {
  type DefinitionRow,
  definitionToRow,
  rowToDefinition,
  rowToDefinitionOf,
} from "../database/DefinitionRow.ts"
import { DeliveryHints } from "../delivery/DeliveryHints.ts"
import { moveSlos } from "../slo/MoveSlos.ts"
import { organizationRow } from "../database/ForEachOrganization.ts"
import { storeOperation, togetherOperation } from "../database/PortOperation.ts"
import { WriteTurns } from "../database/WriteTurns.ts"
import { listRecords } from "./ChangeRecordRows.ts"
import { participants } from "./Participants.ts"
import { findStatusPage } from "./StatusPageRows.ts"
import { listKept } from "./KeptRows.ts"
import { readPage, readRows } from "../database/StoredRow.ts"
import { lockSlosOfChange, makeSlosDue, putSlos, removeSlos } from "../slo/SloRows.ts"
import { bigints, byteas, jsonbs, keysTable, searchText, texts } from "../database/Parameters.ts"

/**
 * Definitions in PostgreSQL; the secrets of alert methods and data sources are encrypted.
 *
 * A change first locks the row of its organization, so that the changes of one organization run one after the other. What else it
 * writes is in `participants`. The reads of status pages, kept documents and change records are operations of the port, which every
 * store has: without their participants, they find nothing.
 */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const turns = yield* WriteTurns
  const box = yield* SecretBox
  const hints = yield* DeliveryHints

  const change = <C extends DefinitionChange, E>(
    organization: OrganizationId,
    reads: ReadonlyArray<DefinitionKey>,
    decide: (found: DefinitionsRead) => Result.Result<C, E>,
  ) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const version = yield* lockOrganization(sql, organization)
      const found = yield* readDefinitions(organization, reads)
      const decided = yield* Effect.flatMap(decideOn(organization, found, decide), Effect.fromResult)
      const { put, remove: removed, moves = [], parts = [] } = decided
      const unwritten = parts.find(({ part }) => !writtenParts.has(part.name))
      if (unwritten !== undefined)
        return yield* Effect.die(`No participant of the store writes ${unwritten.part.name}`)
      let isWaking = false
      const wakeQueues = () => {
        isWaking = true
      }
      const changing = { sql, box, organization, change: decided, version, now, wakeQueues }
      for (const { before } of participants) if (before !== undefined) yield* before(changing)
      const affected = yield* lockSlosOfChange(sql, organization, decided, (key) =>
        found.get(definitionKeyText(key)),
      )
      if (moves.length > 0) {
        yield* remove("definition_references", organization, formerKeys(moves))
        const tables = participants.flatMap(({ sloTables = [] }) => sloTables)
        yield* moveSlos(sql, organization, moves, tables)
      }
      if (removed.length > 0) {
        yield* remove("definitions", organization, removed)
        yield* removeSlos(sql, organization, removed)
      }
      if (put.length > 0) {
        yield* putSlos(sql, organization, put, version, now)
        yield* putDefinitions(organization, put, version, now)
      }
      for (const { write } of participants) if (write !== undefined) yield* write(changing)
      yield* makeSlosDue(sql, organization, affected, now)
      return { decided, isWaking }
    })

  /** Repeats the decision while it asks for what has not been read yet; most changes need neither. */
  const decideOn = <C, E>(
    organization: OrganizationId,
    found: ReadonlyMap<string, StoredDefinition>,
    decide: (found: DefinitionsRead) => Result.Result<C, E>,
  ) =>
    Effect.gen(function* () {
      const referrers = new Map<string, ReadonlyArray<DefinitionKey>>()
      const answers = new Map<string, unknown>()
      let count: number | undefined
      for (;;) {
        let needsCount = false
        const missing = new Map<string, DefinitionKey>()
        const asked = new Map<string, Map<string, unknown>>()
        const decided = decide({
          find: (key) => found.get(definitionKeyText(key)),
          referrers: (key) => {
            const text = definitionKeyText(key)
            if (!referrers.has(text)) missing.set(text, key)
            return referrers.get(text) ?? []
          },
          count: () => {
            needsCount ||= count === undefined
            return count ?? 0
          },
          ask: <W, Q, A>({ name, unread, textOf }: Part<W, Q, A>, question: Q): A => {
            const text = textOf(question)
            const known = `${name} ${text}`
            // The answers of a part are of its own type.
            if (answers.has(known)) return answers.get(known) as A
            const ofPart = asked.get(name) ?? new Map<string, unknown>()
            asked.set(name, ofPart.set(text, question))
            return unread
          },
        })
        if (missing.size === 0 && asked.size === 0 && !needsCount) return decided
        for (const [name, questions] of asked) {
          const read = readers.get(name)
          if (read === undefined) return yield* Effect.die(`No participant of the store answers ${name}`)
          const answered = yield* read(sql, organization, [...questions.values()])
          for (const text of questions.keys()) answers.set(`${name} ${text}`, answered.get(text))
        }
        if (needsCount) count = yield* countDefinitions(organization)
        if (missing.size === 0) continue
        for (const text of missing.keys()) referrers.set(text, [])
        for (const { to, from } of yield* readReferrers(organization, [...missing.values()])) {
          const text = definitionKeyText(to)
          referrers.set(text, [...(referrers.get(text) ?? []), from])
        }
      }
    })

  const readDefinitions = (organization: OrganizationId, keys: ReadonlyArray<DefinitionKey>) =>
    Effect.gen(function* () {
      const rows = yield* sql<DefinitionRow>`
        SELECT d.* FROM ${keysTable(sql, keys)}
        JOIN definitions d ON d.organization = ${organization}
          AND d.kind = k.kind AND d.project = k.project AND d.name = k.name`
      const stored = yield* readRows(rows, (row) => rowToDefinition(box, organization, row))
      return new Map(stored.map((each) => [definitionKeyText(definitionKey(each.definition)), each]))
    })

  const countDefinitions = (organization: OrganizationId) =>
    Effect.map(
      sql<{ count: number }>`SELECT ${participants
        .flatMap(({ count }) => count?.(sql, organization) ?? [])
        .reduce(
          (sum, count) => sql`${sum} + ${count}`,
          sql`(SELECT count(*) FROM definitions WHERE organization = ${organization})::integer`,
        )} AS count`,
      ([row]) => row?.count ?? 0,
    )

  const readReferrers = (organization: OrganizationId, keys: ReadonlyArray<DefinitionKey>) =>
    Effect.map(
      sql<ReferenceRow>`
        SELECT r.* FROM ${keysTable(sql, keys)}
        CROSS JOIN LATERAL (
          SELECT kind, project, name, to_kind, to_project, to_name FROM definition_references
          WHERE organization = ${organization}
            AND to_kind = k.kind AND to_project = k.project AND to_name = k.name
          ORDER BY kind, project, name
          LIMIT ${referrersReadMax}
        ) r`,
      (rows) =>
        rows.map((row) => ({
          to: { kind: row.to_kind, project: row.to_project, name: row.to_name },
          from: { kind: row.kind, project: row.project, name: row.name },
        })),
    )

  const remove = (
    table: "definitions" | "definition_references",
    organization: OrganizationId,
    keys: ReadonlyArray<DefinitionKey>,
  ) =>
    sql`
      DELETE FROM ${sql(table)} d USING ${keysTable(sql, keys)}
      WHERE d.organization = ${organization}
        AND d.kind = k.kind AND d.project = k.project AND d.name = k.name`

  const putDefinitions = (
    organization: OrganizationId,
    put: DefinitionChange["put"],
    version: number,
    now: number,
  ) =>
    Effect.gen(function* () {
      const rows = put.map(({ definition }) => definitionToRow(box, organization, definition))
      yield* sql`
        INSERT INTO definitions
          (organization, kind, project, name, definition, labels, sealed, sealing_key_id,
           version, created_at, updated_at)
        SELECT o.organization, kind, project, name, definition,
          ARRAY(SELECT jsonb_array_elements_text(labels)), sealed, sealing_key_id,
          ${version}::bigint, ${now}::bigint, updated_at
        FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
          ${texts(rows.map(({ key }) => key.kind))}, ${texts(rows.map(({ key }) => key.project))},
          ${texts(rows.map(({ key }) => key.name))}, ${texts(rows.map(({ json }) => json))},
          ${jsonbs(rows.map(({ labels }) => labels))},
          ${byteas(rows.map(({ sealed }) => (sealed === undefined ? null : Buffer.from(sealed.bytes))))},
          ${texts(rows.map(({ sealed }) => sealed?.keyId ?? null))},
          ${bigints(put.map(({ updatedAt = now }) => updatedAt))}
        ) AS given (kind, project, name, definition, labels, sealed, sealing_key_id, updated_at)
        ON CONFLICT (organization, kind, project, name) DO UPDATE SET
          definition = excluded.definition, labels = excluded.labels,
          sealed = excluded.sealed, sealing_key_id = excluded.sealing_key_id,
          version = excluded.version, updated_at = excluded.updated_at`
      const keys = rows.map(({ key }) => key)
      yield* remove("definition_references", organization, keys)
      const references = put.flatMap((each, index) => {
        const key = keys[index]
        return key === undefined ? [] : each.references.map((to) => ({ key, to }))
      })
      if (references.length === 0) return
      yield* sql`
        INSERT INTO definition_references
        SELECT o.organization, given.* FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
          ${texts(references.map(({ key }) => key.kind))}, ${texts(references.map(({ key }) => key.project))},
          ${texts(references.map(({ key }) => key.name))}, ${texts(references.map(({ to }) => to.kind))},
          ${texts(references.map(({ to }) => to.project))}, ${texts(references.map(({ to }) => to.name))}
        ) AS given
        ON CONFLICT DO NOTHING`
    })

  const readDefinitionRows = (organization: OrganizationId, kind: Kind, keys: ReadonlyArray<ProjectKey>) =>
    sql<DefinitionRow>`
      SELECT d.* FROM (
        SELECT DISTINCT project, name FROM ${keysTable(
          sql,
          keys.map((key) => ({ kind, ...key })),
        )}
      ) k
      CROSS JOIN LATERAL (
        SELECT * FROM definitions
        WHERE organization = ${organization} AND kind = ${kind}
          AND project = k.project AND name = k.name
        LIMIT 1
      ) d`

  const known = new LRUCache<string, StoredDefinition>({ maxSize: knownCharacters })

  /**
   * The definition of a row, decoded once for each of its versions, as that takes half of the time of looking it up. One with secrets is
   * not kept.
   */
  const decodeOnce = (organization: OrganizationId, kind: Kind, row: DefinitionRow) => {
    const key = `${kind} ${organizationKeyText(organization, row)}`
    const before = known.get(key)
    if (before !== undefined && before.version === String(row.version) && before.updatedAt === row.updated_at)
      return Result.succeed(before)
    const decoded = rowToDefinitionOf(kind, box, organization, row)
    if (Result.isSuccess(decoded) && row.sealed === null) {
      known.set(key, decoded.success, { size: row.definition.length })
    } else known.delete(key)
    return decoded
  }

  /** Definitions of a kind that are looked up at the same time are read by one statement. */
  const findTogether = togetherOperation(
    "DefinitionStore",
    "find",
    lookupsTogetherMax,
    (lookups: Lookups) => {
      const [{ organization, kind }] = lookups
      const keys = lookups.map(({ key }) => key)
      return Effect.map(readDefinitionRows(organization, kind, keys), (rows) => {
        const rowsByKey = new Map(rows.map((row) => [projectKeyText(row), row]))
        return keys.map((key) => {
          const row = rowsByKey.get(projectKeyText(key))
          return row === undefined
            ? Result.succeedNone
            : Result.map(decodeOnce(organization, kind, row), Option.some<StoredDefinition>)
        })
      })
    },
  )

  return DefinitionStore.of({
    change: (organization, reads, decide) =>
      operation(
        "change",
        turns.run(organization, sql.withTransaction(change(organization, reads, decide))),
      ).pipe(
        Effect.tap(({ isWaking }) => (isWaking ? hints.publish(organization) : Effect.void)),
        Effect.map(({ decided }) => decided),
      ),
    find: <K extends Kind>(organization: OrganizationId, kind: K, key: ProjectKey) =>
      // Of the kind, as the key of the gathering has it.
      findTogether(`${kind} ${organization}`, { organization, kind, key }) as Effect.Effect<
        Option.Option<StoredDefinition<DefinitionOf<K>>>,
        StoreIsUnavailable
      >,
    findStatusPage: operation("findStatusPage", (slug) => findStatusPage(sql, slug)),
    findAll: <K extends Kind>(organization: OrganizationId, kind: K, keys: ReadonlyArray<ProjectKey>) =>
      operation(
        "findAll",
        Effect.flatMap(readDefinitionRows(organization, kind, keys), (rows) =>
          readRows(rows, (row) => rowToDefinitionOf(kind, box, organization, row)),
        ),
      ),
    referrers: (organization, kind, keys, limit = referrersReadMax) =>
      operation(
        "referrers",
        sql<DefinitionKey>`
          SELECT DISTINCT r.kind, r.project, r.name FROM ${keysTable(sql, keys)}
          CROSS JOIN LATERAL (
            SELECT kind, project, name FROM definition_references
            WHERE organization = ${organization} AND kind = ${kind}
              AND to_kind = k.kind AND to_project = k.project AND to_name = k.name
            ORDER BY project, name
            LIMIT ${limit}
          ) r`,
      ),
    records: (organization, of, page) => operation("records", listRecords(sql, organization, of, page)),
    listKept: (organization, query, page) => operation("listKept", listKept(sql, organization, query, page)),
    list: <K extends Kind>(
      organization: OrganizationId,
      query: DefinitionQuery<K>,
      { after, limit }: PageRequest<ProjectKey>,
    ) =>
      operation(
        "list",
        Effect.gen(function* () {
          const rows = yield* sql<DefinitionRow>`
            SELECT * FROM definitions
            WHERE ${sql.and([
              sql`organization = ${organization}`,
              sql`kind = ${query.kind}`,
              ...(after === undefined ? [] : [sql`(project, name) > (${after.project}, ${after.name})`]),
              ...filters(sql, query),
            ])}
            ORDER BY project, name
            LIMIT ${limit + 1}`
          return yield* readPage(rows, limit, (row) => rowToDefinitionOf(query.kind, box, organization, row))
        }),
      ),
  })
})

/** The definitions of a database, on the hints that they share with the queue. */
export const layer = Layer.effect(DefinitionStore, make)

const operation = storeOperation("DefinitionStore")

/** Maximum number of definitions that one statement looks up for those who look up one each. */
const lookupsTogetherMax = 100

/** How long the JSON of all definitions is at most that are kept decoded, which takes a few times as much: of about 10,000 SLOs. */
const knownCharacters = 8_000_000

/** Definitions of an organization and kind. */
type Lookups = readonly [Lookup, ...ReadonlyArray<Lookup>]

interface Lookup {
  readonly organization: OrganizationId
  readonly kind: Kind
  readonly key: ProjectKey
}

const readers = new Map(
  participants.flatMap(({ answers = [] }) => answers.map(({ part, read }) => [part, read] as const)),
)

const writtenParts = new Set(participants.flatMap(({ parts = [] }) => parts.map(({ name }) => name)))

/** The keys that moved SLOs have until then. */
const formerKeys = (moves: ReadonlyArray<SloMove>): ReadonlyArray<DefinitionKey> =>
  moves.map(({ name, from }) => ({ kind: "SLO", project: from, name }))

interface ReferenceRow {
  readonly kind: Kind
  readonly project: string
  readonly name: string
  readonly to_kind: Kind
  readonly to_project: string
  readonly to_name: string
}

/** Waits for other changes of the organization to commit; returns a version that is newer than every other. */
const lockOrganization = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
): Effect.Effect<number, SqlError> =>
  Effect.map(
    sql<{ revision: number }>`
      INSERT INTO organizations AS o (organization, revision) VALUES (${organization}, 1)
      ON CONFLICT (organization) DO UPDATE SET revision = o.revision + 1
      RETURNING revision`,
    (rows) => rows[0]?.revision ?? 0,
  )

const filters = (
  sql: SqlClient.SqlClient,
  { project, names, labels }: DefinitionQuery,
): ReadonlyArray<Fragment> => [
  ...(project === undefined ? [] : [sql`project = ${searchText(project)}`]),
  ...(names === undefined ? [] : [sql`name = ANY(${texts(names.map(searchText))})`]),
  ...Object.entries(labels ?? {}).map(([key, values]) =>
    values.length === 0
      ? sql`labels @> ${texts([labelKeyToken(key)])}`
      : sql`labels && ${texts(values.map((value) => labelToken(key, value)))}`,
  ),
]
