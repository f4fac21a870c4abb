import { TaggedError } from "@tocsin/domain/adapter"
import type { Issue, StoredDocumentIsInvalid } from "@tocsin/domain/codec"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type { Page } from "@tocsin/domain/pagination"
import type { SecretCannotBeOpened } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/**
 * A row cannot be read: the JSON in it was written by a later version, or changed by hand.
 *
 * JSON columns are read by the codec that wrote them. The other columns are typed by hand, without a check at run time:
 * the contract tests of the ports write and read each of them.
 */
export class StoredRowIsInvalid extends TaggedError("StoredRowIsInvalid")<{
  /** What the row describes, such as `delivery 0198…`. */
  readonly row: string
  readonly issues: ReadonlyArray<Issue>
}> {}

export const inRow = <A>(
  row: string,
  read: Result.Result<A, StoredDocumentIsInvalid>,
): Result.Result<A, StoredRowIsInvalid> =>
  Result.mapError(read, ({ issues }) => new StoredRowIsInvalid({ row, issues }))

export const readRows = <Row, A, E>(rows: ReadonlyArray<Row>, read: (row: Row) => Result.Result<A, E>) =>
  Effect.fromResult(Result.all(rows.map(read)))

/** Reads the rows of a page, of which the statement has selected one more than the limit. */
export const readPage = <Row, A, E>(
  rows: ReadonlyArray<Row>,
  limit: number,
  read: (row: Row) => Result.Result<A, E>,
): Effect.Effect<Page<A>, E> =>
  Effect.map(readRows(rows.slice(0, limit), read), (items) => ({ items, hasMore: rows.length > limit }))

/** Logs a row that is left out, so that it does not delay the rows of other organizations. */
export const logUnreadableRow = (
  organization: OrganizationId,
  failure: StoredRowIsInvalid | SecretCannotBeOpened,
) => Effect.annotateLogs(Effect.logError("Reading a stored row failed", failure), { organization })
