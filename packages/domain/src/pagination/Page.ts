import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"
import { CursorIsInvalid, readCursor, writeCursor } from "./Cursor.ts"

/** Largest page, and the default. */
export const pageSizeMax = 500

/** Which part of an ordered list to read. */
export interface PageRequest<Key> {
  /** The key of the last element already read; absent: from the start. */
  readonly after?: Key
  readonly limit: number
}

/** A part of an ordered list. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
}

/**
 * Reads the query parameter `limit`: how many elements a page holds at most.
 *
 * Absent, empty and `0` mean the default, which is the largest page.
 *
 * Source: spec/status-api §5, spec/status-api §6.
 */
export const parsePageLimit = (text: string | undefined): Result.Result<number, ParameterIsInvalid> => {
  if (text === undefined || text === "") return Result.succeed(pageSizeMax)
  const limit = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN
  if (limit === 0) return Result.succeed(pageSizeMax)
  return limit <= pageSizeMax
    ? Result.succeed(limit)
    : Result.fail(
        new ParameterIsInvalid({
          code: "limit_invalid",
          propertyName: "limit",
          propertyValue: text,
          detail: `limit must be a whole number from 1 to ${pageSizeMax}`,
        }),
      )
}

/** Links of a page, relative to the service's base address; `next` only when more exist. */
export interface PageLinks {
  readonly self: string
  readonly next?: string
}

/**
 * Builds the links of a page; both carry `limit` and `cursor`, and the first page's cursor is empty.
 *
 * `path` is the path of the list, as `/api/v2/slos`; `cursor` and `nextCursor` as `writeCursor` returns them, which
 * need no escape.
 */
export const pageLinks = (
  path: string,
  limit: number,
  cursor: string,
  nextCursor: string | undefined,
): PageLinks => {
  const link = (to: string): string => `${path}?limit=${limit}&cursor=${to}`
  return { self: link(cursor), ...(nextCursor !== undefined && { next: link(nextCursor) }) }
}

/** The pagination parameters of a query; empty strings are treated as omitted. */
export interface PageQuery {
  readonly limit?: string | undefined
  readonly cursor?: string | undefined
}

/** A page of a list, its limit, and the cursor of the next one if there is one. */
export interface ListedPage<Item> {
  readonly items: ReadonlyArray<Item>
  readonly limit: number
  readonly next: string | undefined
}

/** A paginated list: its name, as `writeCursor` takes it, and how a cursor encodes the position of an element. */
export interface PagedList<Item, Key> {
  readonly endpoint: string
  readonly keyLength: number
  /** `undefined` for parts that are of no element. */
  readonly partsToKey: (parts: ReadonlyArray<string>) => Key | undefined
  readonly itemToParts: (item: Item) => ReadonlyArray<string>
}

/** A list in the order of IDs. */
export const listById = <Item>(endpoint: string, idOf: (item: Item) => string): PagedList<Item, string> => ({
  endpoint,
  keyLength: 1,
  partsToKey: ([id = ""]) => id,
  itemToParts: (item) => [idOf(item)],
})

/** A list in the order of projects, then names. */
export const listByProjectKey = <Item>(
  endpoint: string,
  keyOf: (item: Item) => ProjectKey,
): PagedList<Item, ProjectKey> => ({
  endpoint,
  keyLength: 2,
  partsToKey: ([project = "", name = ""]) => ({ project, name }),
  itemToParts: (item) => [keyOf(item).project, keyOf(item).name],
})

/**
 * Reads the page of a list that a query asks for.
 *
 * Fails with `ParameterIsInvalid` or `CursorIsInvalid`, and then reads nothing.
 *
 * Source: spec/status-api §6, spec/status-api §7.
 */
export const readPage = <Item, Key, E, R>(
  list: PagedList<Item, Key>,
  query: PageQuery,
  read: (page: PageRequest<Key>) => Effect.Effect<Page<Item>, E, R>,
): Effect.Effect<ListedPage<Item>, CursorIsInvalid | ParameterIsInvalid | E, R> =>
  Effect.gen(function* () {
    const limit = yield* Effect.fromResult(parsePageLimit(query.limit))
    const after = query.cursor ? yield* Effect.fromResult(cursorToKey(list, query.cursor)) : undefined
    const { items, hasMore } = yield* read({ limit, ...(after !== undefined && { after }) })
    const last = items.at(-1)
    const isLast = !hasMore || last === undefined
    return { items, limit, next: isLast ? undefined : writeCursor(list.endpoint, list.itemToParts(last)) }
  })

const cursorToKey = <Key>(
  { endpoint, keyLength, partsToKey }: PagedList<never, Key>,
  cursor: string,
): Result.Result<Key, CursorIsInvalid> =>
  Result.flatMap(readCursor(endpoint, keyLength, cursor), (parts) => {
    const key = partsToKey(parts)
    return key === undefined ? Result.fail(new CursorIsInvalid({ value: cursor })) : Result.succeed(key)
  })
