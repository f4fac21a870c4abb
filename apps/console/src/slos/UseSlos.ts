import { useCallback, useEffect, useRef, useState } from "react"
import type { Schemas } from "../api/ApiTypes.ts"
import { whileFilling } from "../api/Busy.ts"
import { call, CallFailed, failureOf, isPassing } from "../api/Call.ts"
import { cursorOf } from "../api/Pages.ts"
import { useLastShown } from "../api/Resource.ts"

/** Which SLOs to list. */
export interface SloFilters {
  readonly search: string
  readonly project: string
  readonly service: string
}

/** A page as it was read last. */
interface ReadPage {
  readonly slos: ReadonlyArray<Schemas["Slo"]>
  readonly next: string | undefined
}

/** How many SLOs are read at once. */
const pageSize = 100

/** How often the pages that are seen are read anew. */
const refreshMs = 10_000

/**
 * The SLOs of a filter, page by page as far as one scrolls, in the order of project and name.
 *
 * `show` tells which rows are seen: near the end the next page is read, and the pages of these rows are read again every
 * 10 s, no others.
 */
export const useSlos = (filters: SloFilters) => {
  const key = JSON.stringify(filters)
  const [state, setState] = useState<{
    readonly key: string
    readonly pages: ReadonlyArray<ReadPage>
    readonly failure: CallFailed | undefined
  }>({ key, pages: [], failure: undefined })
  const current = state.key === key ? state : undefined
  const seen = useRef({ first: 0, last: 0 })
  const latest = useRef({ state, key, filters })
  latest.current = { state, key, filters }
  const reading = useRef(new Set<number>())

  const read = useCallback(async (at: number): Promise<void> => {
    const { key: asked, filters: wanted } = latest.current
    if (reading.current.has(at)) return
    const pages = latest.current.state.key === asked ? latest.current.state.pages : []
    const cursor = at === 0 ? undefined : pages[at - 1]?.next
    if (at > 0 && cursor === undefined) return
    reading.current.add(at)
    const isNew = at >= pages.length
    const answer = readPage(wanted, cursor)
    const page = await (isNew ? whileFilling(answer) : answer).catch(failureOf)
    if (latest.current.key !== asked) return
    reading.current.delete(at)
    setState((last) => {
      const before = last.key === asked ? last.pages : []
      if (page instanceof CallFailed) return { key: asked, pages: before, failure: page }
      return { key: asked, pages: before.toSpliced(at, 1, page), failure: undefined }
    })
  }, [])

  useEffect(() => {
    reading.current.clear()
    seen.current = { first: 0, last: 0 }
    void read(0)
    const timer = setInterval(() => {
      if (document.visibilityState !== "visible") return
      const { first, last } = seen.current
      for (let at = Math.floor(first / pageSize); at <= Math.floor(last / pageSize); at++) void read(at)
    }, refreshMs)
    return () => clearInterval(timer)
  }, [key, read])

  const pages = current?.pages ?? []
  const hasMore = pages.at(-1)?.next !== undefined
  const count = pages.reduce((sum, page) => sum + page.slos.length, 0)
  const show = useCallback(
    (first: number, last: number): void => {
      seen.current = { first, last }
      if (hasMore && last >= count - pageSize / 2) void read(pages.length)
    },
    [hasMore, count, pages.length, read],
  )

  const shown = useLastShown(pages.length === 0 ? undefined : pages, current?.failure)
  return {
    /** Absent until the first page was read, and as lasting as the data of a `Resource`. */
    slos: shown.data && unique(shown.data.flatMap(({ slos }) => slos)),
    isStale: shown.isStale,
    hasMore,
    // What passes is tried again in a moment; what is shown stays.
    failure:
      current?.failure === undefined || (pages.length > 0 && isPassing(current.failure))
        ? undefined
        : current.failure,
    reload: () => void read(0),
    show,
  }
}

const readPage = async (filters: SloFilters, cursor: string | undefined): Promise<ReadPage> => {
  const page = await call("GET /api/console/slos", {
    query: {
      limit: pageSize,
      ...(filters.search !== "" && { search: filters.search }),
      ...(filters.project !== "" && { project: filters.project }),
      ...(filters.service !== "" && { service: filters.service }),
      ...(cursor !== undefined && { cursor }),
    },
  })
  return { slos: page.data, next: cursorOf(page) }
}

/** An SLO can stand on two pages when one before it was added between their readings. */
const unique = (slos: ReadonlyArray<Schemas["Slo"]>): ReadonlyArray<Schemas["Slo"]> => [
  ...new Map(slos.map((slo) => [`${slo.project.name}/${slo.name}`, slo])).values(),
]
