import { useEffect, useRef, useState } from "react"
import { type Resource, useResource } from "./Resource.ts"

/** A page of a list, as the API answers it. */
export interface ApiPage<T> {
  readonly data: ReadonlyArray<T>
  readonly links: { readonly next?: string }
}

/** A list that is read page by page. */
export interface Pages<T> extends Pick<Resource<unknown>, "failure" | "reload"> {
  /**
   * All that was read so far; absent before the first page. Those of the last key stay until there are others, or none:
   * nothing jumps while one filters.
   */
  readonly items: ReadonlyArray<T> | undefined
  /** Reads the next page; absent when all was read. */
  readonly more: (() => void) | undefined
  readonly isReadingMore: boolean
}

/**
 * Reads a list page by page, and its first page again every `pollMs`: what is new stands on top without reloading.
 *
 * `idOf` tells the items apart: one that comes again, from a page that moved on, replaces the older reading.
 */
export const usePages = <T>(
  key: string,
  load: (cursor: string | undefined, signal?: AbortSignal) => Promise<ApiPage<T>>,
  idOf: (item: T) => string,
  pollMs?: number,
): Pages<T> => {
  const first = useResource(key, (signal) => load(undefined, signal), pollMs)
  const [older, setOlder] = useState<{
    readonly key: string
    readonly items: ReadonlyArray<T>
    readonly next: string | undefined
  }>()
  const [isReadingMore, setIsReadingMore] = useState(false)
  const [moreFailure, setMoreFailure] = useState<Resource<T>["failure"]>()
  const read = older?.key === key ? older : undefined

  // What moves out of the first page while it is read again and again must not fall into the gap before the next.
  useEffect(() => {
    if (first.data === undefined || read === undefined) return
    const ids = new Set(read.items.map(idOf))
    const missing = first.data.data.filter((item) => !ids.has(idOf(item)))
    if (missing.length > 0) setOlder({ ...read, items: [...missing, ...read.items] })
  }, [first.data, read, idOf])

  const next = read === undefined ? cursorOf(first.data) : read.next
  const more = async (): Promise<void> => {
    setIsReadingMore(true)
    setMoreFailure(undefined)
    try {
      const page = await load(next)
      const base = read?.items ?? first.data?.data ?? []
      const ids = new Set(base.map(idOf))
      const added = page.data.filter((item) => !ids.has(idOf(item)))
      setOlder({ key, items: [...base, ...added], next: cursorOf(page) })
    } catch (error) {
      setMoreFailure(error as Resource<T>["failure"])
    }
    setIsReadingMore(false)
  }

  const fresh = new Map(first.data?.data.map((item) => [idOf(item), item]))
  const items =
    read === undefined
      ? first.data?.data
      : [...(first.data?.data ?? []), ...read.items.filter((item) => !fresh.has(idOf(item)))]
  const shown = useRef(items)
  useEffect(() => {
    if (items !== undefined || first.failure !== undefined) shown.current = items
  })
  return {
    items: items ?? (first.failure === undefined ? shown.current : undefined),
    more: next === undefined ? undefined : () => void more(),
    isReadingMore,
    failure: first.failure ?? moreFailure,
    reload: first.reload,
  }
}

const cursorOf = (page: ApiPage<unknown> | undefined): string | undefined =>
  page?.links.next === undefined
    ? undefined
    : (new URLSearchParams(page.links.next.slice(page.links.next.indexOf("?"))).get("cursor") ?? undefined)
