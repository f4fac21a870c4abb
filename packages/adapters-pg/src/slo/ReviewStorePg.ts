import { reviewBytes, storedNotes, storedScope } from "@tocsin/domain/adapter"
import type { Review, ReviewNotes, ReviewSummary } from "@tocsin/domain/features/report"
import { ReviewStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { searchText, texts } from "../database/Parameters.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { inRow, readPage, readRows } from "../database/StoredRow.ts"

/** Reviews in PostgreSQL. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const summaryColumns = sql`id, title, scope, period_from, period_to, created_at, met, missed, insufficient_data, next_at`

  return ReviewStore.of({
    add: operation("add", (organization, review, limits) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const { id, title, period, createdAt, results, nextReviewAt, document, keyId, signature } = review
          const scope = storedScope.write(review.scope).json
          const [stored] = yield* sql<{ readonly count: number; readonly bytes: number }>`
            SELECT count(*)::int AS count, coalesce(sum(bytes), 0)::float8 AS bytes FROM reviews
            WHERE organization = ${organization}`
          const bytes = reviewBytes(review)
          if (stored === undefined || stored.count >= limits.reviews || stored.bytes + bytes > limits.bytes)
            return false
          yield* sql`
            UPDATE reviews SET next_at = NULL, revision = revision + 1
            WHERE organization = ${organization} AND scope = ${scope} AND next_at IS NOT NULL`
          yield* sql`
            INSERT INTO reviews (organization, id, title, scope, period_from, period_to, created_at, met, missed,
              insufficient_data, next_at, notes, revision, bytes, document, key_id, signature)
            VALUES (${organization}, ${id}, ${title}, ${scope}, ${period.from}, ${period.to}, ${createdAt},
              ${results.met}, ${results.missed}, ${results.insufficient_data}, ${nextReviewAt ?? null},
              ${storedNotes.write({}).json}, 0, ${bytes}, ${document}, ${keyId}, ${signature})`
          return true
        }),
      ),
    ),
    find: operation("find", (organization, id) =>
      Effect.flatMap(
        sql<ReviewRow>`
          SELECT ${summaryColumns}, document, key_id, signature FROM reviews
          WHERE organization = ${organization} AND id = ${searchText(id)}`,
        (rows) => Effect.map(readRows(rows, rowToReview), ([review]) => Option.fromUndefinedOr(review)),
      ),
    ),
    list: operation("list", (organization, { after, limit }) =>
      Effect.flatMap(
        sql<SummaryRow>`
          SELECT ${summaryColumns} FROM reviews
          WHERE ${sql.and([
            sql`organization = ${organization}`,
            ...(after === undefined
              ? []
              : [sql`(period_from, id) < (${after.from}::bigint, ${searchText(after.id)})`]),
          ])}
          ORDER BY period_from DESC, id DESC LIMIT ${limit + 1}`,
        (rows) => readPage(rows, limit, rowToSummary),
      ),
    ),
    due: operation("due", (organization, before, limit) =>
      Effect.flatMap(
        sql<SummaryRow>`
          SELECT ${summaryColumns} FROM reviews r
          WHERE organization = ${organization} AND next_at <= ${before} AND NOT EXISTS (
            SELECT FROM reviews later
            WHERE later.organization = ${organization} AND later.scope = r.scope AND later.next_at IS NOT NULL AND later.id > r.id
          )
          ORDER BY next_at, id LIMIT ${limit}`,
        (rows) => readRows(rows, rowToSummary),
      ),
    ),
    areReviewed: operation("areReviewed", (organization, scopes) => {
      const wanted = scopes.map((scope) => storedScope.write(scope).json)
      if (wanted.length === 0) return Effect.succeed([])
      return Effect.map(
        sql<{ readonly scope: string }>`
          SELECT DISTINCT scope FROM reviews WHERE organization = ${organization} AND scope = ANY (${texts(wanted)})`,
        (rows) => {
          const reviewed = new Set(rows.map(({ scope }) => scope))
          return wanted.map((scope) => reviewed.has(scope))
        },
      )
    }),
    findNotes: operation("findNotes", (organization, id) =>
      Effect.flatMap(
        sql<NotesRow>`
          SELECT id, notes, revision, next_at FROM reviews
          WHERE organization = ${organization} AND id = ${searchText(id)}`,
        (rows) => Effect.map(readRows(rows, rowToNotes), ([notes]) => Option.fromUndefinedOr(notes)),
      ),
    ),
    writeNotes: operation("writeNotes", (organization, id, notes, revision) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const [locked] = yield* sql<{ readonly revision: number }>`
            SELECT revision FROM reviews WHERE organization = ${organization} AND id = ${searchText(id)}
            FOR NO KEY UPDATE`
          if (locked === undefined) return "not_found" as const
          if (revision !== undefined && revision !== locked.revision) return "changed" as const
          const next = locked.revision + 1
          yield* sql`
            UPDATE reviews SET notes = ${storedNotes.write(notes).json}, revision = ${next},
              next_at = ${notes.nextReviewAt ?? null}
            WHERE organization = ${organization} AND id = ${searchText(id)}`
          return { ...notes, revision: next }
        }),
      ),
    ),
    remove: operation("remove", (organization, id) =>
      Effect.map(
        sql`DELETE FROM reviews WHERE organization = ${organization} AND id = ${searchText(id)} RETURNING true`,
        (deleted) => deleted.length > 0,
      ),
    ),
  })
})

/** The reviews of a database. */
export const layer = Layer.effect(ReviewStore, make)

const operation = storeOperation("ReviewStore")

interface SummaryRow {
  readonly id: string
  readonly title: string
  readonly scope: string
  readonly period_from: number
  readonly period_to: number
  readonly created_at: number
  readonly met: number
  readonly missed: number
  readonly insufficient_data: number
  readonly next_at: number | null
}

interface ReviewRow extends SummaryRow {
  readonly document: string
  readonly key_id: string
  readonly signature: string
}

interface NotesRow extends Pick<SummaryRow, "id" | "next_at"> {
  readonly notes: string
  readonly revision: number
}

const rowToSummary = ({ id, title, next_at: nextReviewAt, ...row }: SummaryRow) =>
  Result.map(inRow(`review ${id}`, storedScope.read(row.scope, undefined)), (scope): ReviewSummary => ({
    id,
    title,
    scope,
    period: { from: row.period_from, to: row.period_to },
    createdAt: row.created_at,
    results: { met: row.met, missed: row.missed, insufficient_data: row.insufficient_data },
    ...(nextReviewAt !== null && { nextReviewAt }),
  }))

const rowToReview = (row: ReviewRow) =>
  Result.map(rowToSummary(row), (summary): Review => ({
    ...summary,
    document: row.document,
    keyId: row.key_id,
    signature: row.signature,
  }))

/** The next review is stored beside the notes, since a later review ends it. */
const rowToNotes = ({ id, notes, revision, next_at: nextReviewAt }: NotesRow) =>
  Result.map(
    inRow(`notes of review ${id}`, storedNotes.read(notes, undefined)),
    ({ nextReviewAt: _before, ...written }): ReviewNotes => ({
      ...written,
      ...(nextReviewAt !== null && { nextReviewAt }),
      revision,
    }),
  )
