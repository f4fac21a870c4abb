import * as Effect from "effect/Effect"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { CursorIsInvalid } from "../pagination/Cursor.ts"
import { type ListedPage, listByProjectKey, type PageQuery, readPage } from "../pagination/Page.ts"
import { recordKey, type SloRecord } from "./SloRecord.ts"
import { foldedText, type SloFilter, SloStore } from "./SloStore.ts"
import { displayNameMaxCharacters } from "../metadata/MetadataLimits.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

export interface ListSlosQuery extends PageQuery {
  /** Which list its cursors are valid for; by default `slos`. */
  readonly list?: string
}

export interface SearchSlosQuery extends PageQuery {
  readonly project?: string | undefined
  readonly service?: string | undefined
  /** A part of the name or the display name, in any letter case. */
  readonly search?: string | undefined
}

/**
 * Lists the SLOs of an organization in the order of project, then name, by code point. An SLO that exists throughout
 * the paging is listed exactly once.
 */
export const listSlos = (
  organization: OrganizationId,
  { list = "slos", ...query }: ListSlosQuery,
): Effect.Effect<
  ListedPage<SloRecord>,
  CursorIsInvalid | ParameterIsInvalid | StoreIsUnavailable,
  SloStore
> => readSloPage(organization, list, query, {})

/** Searches the SLOs of an organization, in the order and pages of `listSlos`. The text has at most 253 characters. */
export const searchSlos = (
  organization: OrganizationId,
  query: SearchSlosQuery,
): Effect.Effect<
  ListedPage<SloRecord>,
  CursorIsInvalid | ParameterIsInvalid | StoreIsUnavailable,
  SloStore
> => {
  const { project, service, search } = query
  if (search !== undefined && search.length > displayNameMaxCharacters) {
    const detail = `search has at most ${displayNameMaxCharacters} characters`
    return new ParameterIsInvalid({ code: "search_too_long", propertyName: "search", detail })
  }
  return readSloPage(organization, "console/slos", query, {
    ...(project && { project }),
    ...(service && { service }),
    ...(search && { text: foldedText(search) }),
  })
}

const readSloPage = (organization: OrganizationId, list: string, query: PageQuery, filter: SloFilter) =>
  Effect.flatMap(SloStore, (store) =>
    readPage(listByProjectKey(list, recordKey), query, (page) => store.page(organization, page, filter)),
  )
