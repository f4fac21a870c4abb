import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"
import { CursorIsInvalid, readCursor, writeCursor } from "./Cursor.ts"

/** Largest page of a list and the default, in items. */
export const pageSizeMax = 500

/** The part of a list that a store is to return. */
export interface PageRequest<Key> {
  /** The key of the last element already read; absent for the first page. */
  readonly after?: Key
  /** Maximum number of items; at least 1. */
  readonly limit: number
}

/** One part of a list. */
export interface Page<A> {
  /** In the order of the list, at most `limit`. */
  readonly items: ReadonlyArray<A>
  /** Whether items follow the last one. */
  readonly hasMore: boolean
}

/** Parses the query parameter `limit` (spec/status-api §5). Omitted, empty and `0` mean the default, `pageSizeMax`. */
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

/** Links of a page, relative to the public base URL; `next` is absent on the last page. */
export interface PageLinks {
  /** The link to this page, with its limit and cursor. */
  readonly self: string
  /** The link to the page after this one, with the same limit. */
  readonly next?: string
}

/**
 * Builds the links of a page. `path` is the path of the list, for example `/api/v2/slos`; the cursor of the first page is
 * empty.
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
  /** As `parsePageLimit` takes it. */
  readonly limit?: string | undefined
  /** Of `links.next` of the page before. */
  readonly cursor?: string | undefined
}

/** A page of a list, its limit, and the cursor of the next page if there is one. */
export interface ListedPage<Item> {
  /** In the order of the list. */
  readonly items: ReadonlyArray<Item>
  /** Maximum number of items. */
  readonly limit: number
  /** The cursor of the next page; `undefined` on the last one. */
  readonly next: string | undefined
}

/** A paginated list: its name, as `writeCursor` takes it, and how a cursor encodes the position of an element. */
export interface PagedList<Item, Key> {
  readonly endpoint: string
  readonly keyLength: number
  /** `undefined` if no element has these parts. */
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

/** Reads the requested page of a list. Fails with `ParameterIsInvalid` or `CursorIsInvalid` before it reads anything. */
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
