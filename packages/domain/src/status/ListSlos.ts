import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { Limits } from "../Limits.ts"
import type { CursorIsInvalid } from "../pagination/Cursor.ts"
import {
  type ListedPage,
  listByProjectKey,
  type PageQuery,
  readPage,
  type PageLinks,
  pageLinks,
} from "../pagination/Page.ts"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { recordBytes, type ApiVersion } from "./SloRecord.ts"
import { foldedText, type SloFilter, type SloRow, SloStore, type SloStoreIsUnavailable } from "./SloStore.ts"

/** Which page of the list to tell, as the query says it. */
export interface ListSlosQuery extends PageQuery {
  readonly version: ApiVersion
}

/** Which SLOs to look for, as the query says it; an empty text counts as absent. */
export interface SearchSlosQuery extends PageQuery {
  readonly project?: string | undefined
  readonly service?: string | undefined
  /** A part of the name or the display name, in any letter case. */
  readonly search?: string | undefined
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
    const { version } = query
    const endpoint = `${version}/slos`
    const { items, limit, next } = yield* readSloPage(organization, endpoint, query, {})
    return slosToJson(items, version, pageLinks(`/api/${endpoint}`, limit, query.cursor ?? "", next))
  })

/**
 * Finds SLOs of an organization, in the order and pages of `listSlos`. A text to look for has at most 253 characters.
 *
 * Source: decision 0707.
 */
export const searchSlos = (
  organization: OrganizationId,
  query: SearchSlosQuery,
): Effect.Effect<
  ListedPage<SloRow>,
  CursorIsInvalid | ParameterIsInvalid | SloStoreIsUnavailable,
  SloStore
> => {
  const { project, service, search } = query
  if (search !== undefined && search.length > Limits.displayNameMaxCharacters) {
    const detail = `search has at most ${Limits.displayNameMaxCharacters} characters`
    return new ParameterIsInvalid({ code: "search_too_long", propertyName: "search", detail })
  }
  return readSloPage(organization, "console/slos", query, {
    ...(project && { project }),
    ...(service && { service }),
    ...(search && { text: foldedText(search) }),
  })
}

/** A page of SLOs as the JSON of the list envelope in UTF-8, joined from ready records. Source: contract section 2.2. */
export const slosToJson = (
  rows: ReadonlyArray<SloRow>,
  version: ApiVersion,
  links: PageLinks,
): Uint8Array => {
  const records = rows.map((row) => recordBytes(row, version))
  return joinBytes(`{"data":[`, records, `],"links":${JSON.stringify(links)}}`)
}

const readSloPage = (organization: OrganizationId, endpoint: string, query: PageQuery, filter: SloFilter) =>
  Effect.flatMap(SloStore, (store) =>
    readPage(
      listByProjectKey(endpoint, (row: SloRow) => row),
      query,
      (page) => store.page(organization, page, filter),
    ),
  )

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
