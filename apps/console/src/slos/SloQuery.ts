import { useQueries } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { apiErrorOf, type Schemas } from "../api/Client.ts"
import { type ApiPage, api, nextCursor, poll, queryClient } from "../api/Queries.ts"

/** Which SLOs to list. */
export interface SloFilters {
  readonly search: string
  readonly project: string
  readonly service: string
}

const pageSize = 100

/** How often the visible pages are refreshed. */
const refreshMs = 10_000

/** A page of SLOs; the first one has no cursor. */
const pageQuery = ({ search, project, service }: SloFilters, cursor: string | undefined) =>
  api.queryOptions("get", "/api/console/slos", {
    params: {
      query: {
        limit: pageSize,
        search: search || undefined,
        project: project || undefined,
        service: service || undefined,
        cursor,
      },
    },
  })

/**
 * The SLOs of a filter by project and name, page by page.
 *
 * `show` reports the visible rows: only their pages are refreshed, and the next page is loaded near the end.
 */
export const useSlos = (filters: SloFilters) => {
  const key = JSON.stringify(filters)
  const [{ first, last, count, of }, setView] = useState({ first: 0, last: 0, count: 1, of: key })
  const wanted = of === key ? count : 1

  // Each page that was read names the next one.
  const cursors: Array<string | undefined> = [undefined]
  let hasMore = false
  for (const cursor of cursors) {
    const page = queryClient.getQueryData<ApiPage<Schemas["Slo"]>>(pageQuery(filters, cursor).queryKey)
    const next = page === undefined ? undefined : nextCursor(page)
    if (cursors.length >= wanted) hasMore = next !== undefined
    else if (next !== undefined) cursors.push(next)
  }
  const isVisible = (at: number): boolean =>
    at >= Math.floor(first / pageSize) && at <= Math.floor(last / pageSize)
  const pages = useQueries({
    queries: cursors.map((cursor, at) => ({
      ...pageQuery(filters, cursor),
      refetchInterval: poll(isVisible(at) ? refreshMs : undefined),
      staleTime: refreshMs,
    })),
  })

  const failed = pages.find(({ error }) => error !== null)
  const slos = pages[0]?.data === undefined ? undefined : pages.flatMap(({ data }) => data?.data ?? [])
  // The list stays until that of another filter is there.
  const shown = useRef(slos)
  const isStale = slos === undefined && failed === undefined && shown.current !== undefined
  useEffect(() => {
    if (!isStale) shown.current = slos
  })

  const loaded = slos?.length ?? 0
  return {
    slos: isStale ? shown.current : slos,
    isStale,
    hasMore,
    /** A transient error is retried and leaves the list as it is. */
    failed: failed !== undefined && loaded > 0 && apiErrorOf(failed.error).isTransient ? undefined : failed,
    show: (firstRow: number, lastRow: number): void => {
      const more = hasMore && !isStale && lastRow >= loaded - pageSize / 2 ? 1 : 0
      setView((view) =>
        view.of === key && view.first === firstRow && view.last === lastRow && more === 0
          ? view
          : { first: firstRow, last: lastRow, count: wanted + more, of: key },
      )
    },
  }
}
