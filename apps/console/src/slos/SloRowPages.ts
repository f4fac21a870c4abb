import type { SloRowList } from "@tocsin/api"
import { queryOptions } from "@tanstack/react-query"
import { client } from "../api/Client.ts"
import { firstReadMs, nextCursor, poll, queryClient } from "../api/Queries.ts"

/** How often a visible list is refreshed. */
const refreshMs = 10_000

type RowList = SloRowList

/** A page of the list with its ETag: one that has not changed is neither parsed nor drawn again. */
const knownPages = new Map<string, { readonly etag: string | null; readonly page: RowList }>()

const readPage = async (cursor: string | undefined, signal: AbortSignal): Promise<RowList> => {
  const { response } = await client.GET("/api/console/rows", {
    params: { query: { cursor } },
    parseAs: "stream",
    signal,
  })
  const key = cursor ?? ""
  const known = knownPages.get(key)
  const etag = response.headers.get("etag")
  if (known !== undefined && etag !== null && known.etag === etag) {
    await response.body?.cancel()
    return known.page
  }
  const page = (await response.json()) as RowList
  knownPages.set(key, { etag, page })
  return page
}

const readPages = async ({ signal }: { readonly signal: AbortSignal }): Promise<ReadonlyArray<RowList>> => {
  const pages = [await readPage(undefined, signal)]
  for (;;) {
    const last = pages.at(-1)
    const next = last && nextCursor(last)
    if (next === undefined) break
    pages.push(await readPage(next, signal))
  }
  return latest.length === pages.length && pages.every((page, index) => page === latest[index])
    ? latest
    : (latest = pages)
}

/** The pages as they were read last: the same array until one changes. */
let latest: ReadonlyArray<RowList> = []

/**
 * The SLOs that the list begins with by default, and how many are in each state: drawn before all SLOs have been read. When these
 * are all, nothing else is read. The server has neither if the latest figures of all SLOs would take too much memory.
 */
export const urgentRows = queryOptions({
  queryKey: ["console", "urgent rows"],
  queryFn: async ({ signal, client: queries }) => {
    const { data: page } = await client.GET("/api/console/rows", {
      params: { query: { part: "urgent" } },
      signal,
    })
    if (page?.states === undefined) return null
    const { states } = page
    const total = Object.values(states).reduce((sum, each) => sum + each, 0)
    const pages = [page]
    if (total === page.data.length) queries.setQueryData(sloRowPages.queryKey, pages)
    return { pages, states }
  },
  // After an error, all SLOs are read, which shows it.
  refetchInterval: false,
  staleTime: firstReadMs,
  structuralSharing: false,
})

/** All SLOs of the organization, in brief. */
export const sloRowPages = queryOptions({
  queryKey: ["console", "rows"],
  queryFn: readPages,
  refetchInterval: poll(refreshMs),
  // What was requested before the page was there is not requested again.
  staleTime: firstReadMs,
  // Comparing ten thousand rows would take longer than drawing those that are visible.
  structuralSharing: false,
})

/** Requests what the list shows first. */
export const prefetchRows = (): Promise<void> =>
  location.search === "" ? queryClient.prefetchQuery(urgentRows) : queryClient.prefetchQuery(sloRowPages)
