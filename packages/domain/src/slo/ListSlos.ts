import { Effect } from "effect"
import type { OrganizationId } from "../definition/Definition.ts"
import { readCursor, writeCursor, type CursorIsInvalid } from "../pagination/Cursor.ts"
import { parsePageLimit } from "../pagination/PageLimit.ts"
import { pageLinks } from "../pagination/PageLinks.ts"
import type { ParameterIsInvalid } from "../ParameterIsInvalid.ts"
import { resultToEffect } from "../Result.ts"
import { recordBytes, type ApiVersion } from "./SloRecord.ts"
import { SloStore, type SloStoreIsUnavailable } from "./SloStore.ts"

/** Which page of the list to tell, as the query says it. */
export interface ListSlosQuery {
  readonly version: ApiVersion
  readonly limit?: string
  /** Absent or empty: the first page. */
  readonly cursor?: string
}

/**
 * Lists the SLOs of an organization: one page as the JSON of the list envelope in UTF-8,
 * joined from ready records.
 *
 * In the order of project, then name, by code point. One that exists throughout the paging is told exactly once,
 * whatever is added and removed meanwhile.
 *
 * Source: contract sections 2.2 and 4.2; decisions 0508 to 0510.
 */
export const listSlos = (
  organization: OrganizationId,
  query: ListSlosQuery,
): Effect.Effect<Uint8Array, CursorIsInvalid | ParameterIsInvalid | SloStoreIsUnavailable, SloStore> =>
  Effect.gen(function* () {
    const store = yield* SloStore
    const endpoint = `${query.version}/slos`
    const limit = yield* resultToEffect(parsePageLimit(query.limit))
    const cursor = query.cursor ?? ""
    const after = cursor === "" ? undefined : yield* resultToEffect(readCursor(endpoint, 2, cursor))
    const page = yield* store.page(organization, {
      limit,
      ...(after && { after: { project: after[0] ?? "", name: after[1] ?? "" } }),
    })
    const last = page.items.at(-1)
    const next = page.hasMore && last ? writeCursor(endpoint, [last.project, last.name]) : undefined
    const links = pageLinks(`/api/${endpoint}`, limit, cursor, next)
    const records = page.items.map((row) => recordBytes(row, query.version))
    return joinBytes(`{"data":[`, records, `],"links":${JSON.stringify(links)}}`)
  })

const joinBytes = (opening: string, parts: ReadonlyArray<Uint8Array>, closing: string): Uint8Array => {
  const encoder = new TextEncoder()
  const start = encoder.encode(opening)
  const end = encoder.encode(closing)
  const commas = Math.max(0, parts.length - 1)
  const joined = new Uint8Array(
    parts.reduce((length, part) => length + part.length, start.length + commas + end.length),
  )
  joined.set(start)
  let at = start.length
  for (const [index, part] of parts.entries()) {
    if (index > 0) joined[at++] = 0x2c
    joined.set(part, at)
    at += part.length
  }
  joined.set(end, at)
  return joined
}
