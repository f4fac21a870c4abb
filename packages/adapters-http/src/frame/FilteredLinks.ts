import { type PageLinks, pageLinks } from "@tocsin/domain/pagination/Page"
import type { ApiRequest } from "./ApiRequest.ts"

/** The links of a page, which carry the request's filters of these names too. Source: decision 0508. */
export const filteredLinks = (
  request: ApiRequest,
  path: string,
  filterNames: ReadonlyArray<string>,
  { limit, next }: { readonly limit: number; readonly next: string | undefined },
): PageLinks => {
  const links = pageLinks(path, limit, request.query.get("cursor") ?? "", next)
  const filters = new URLSearchParams(
    [...request.query].filter(([name, value]) => filterNames.includes(name) && value !== ""),
  ).toString()
  const withFilters = (link: string): string => (filters === "" ? link : `${link}&${filters}`)
  return {
    self: withFilters(links.self),
    ...(links.next !== undefined && { next: withFilters(links.next) }),
  }
}
