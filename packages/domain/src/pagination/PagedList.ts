import { Effect } from "effect"
import type { ProjectKey } from "../definition/Definition.ts"
import type { ParameterIsInvalid } from "../ParameterIsInvalid.ts"
import { resultToEffect } from "../Result.ts"
import { type CursorIsInvalid, readCursor, writeCursor } from "./Cursor.ts"
import type { Page, PageRequest } from "./Page.ts"
import { parsePageLimit } from "./PageLimit.ts"

/** Which page of a list to tell, as the query says it; an empty text counts as absent. */
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

/** A list that is told by pages: its name, as `writeCursor` takes it, and how a cursor says where an element stands. */
export interface PagedList<Item, Key> {
  readonly endpoint: string
  readonly keyLength: number
  readonly partsToKey: (parts: ReadonlyArray<string>) => Key
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
 * Source: decisions 0509 and 0510.
 */
export const readPage = <Item, Key, E, R>(
  { endpoint, keyLength, partsToKey, itemToParts }: PagedList<Item, Key>,
  { limit: limitText, cursor = "" }: PageQuery,
  read: (page: PageRequest<Key>) => Effect.Effect<Page<Item>, E, R>,
): Effect.Effect<ListedPage<Item>, CursorIsInvalid | ParameterIsInvalid | E, R> =>
  Effect.gen(function* () {
    const limit = yield* resultToEffect(parsePageLimit(limitText))
    const after = cursor === "" ? undefined : yield* resultToEffect(readCursor(endpoint, keyLength, cursor))
    const { items, hasMore } = yield* read({ limit, ...(after && { after: partsToKey(after) }) })
    const last = items.at(-1)
    const next = hasMore && last !== undefined ? writeCursor(endpoint, itemToParts(last)) : undefined
    return { items, limit, next }
  })
