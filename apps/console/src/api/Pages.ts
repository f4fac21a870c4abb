import { useEffect, useState } from "react"
import { failureOf } from "./Call.ts"
import { type Resource, useLastShown, useResource } from "./Resource.ts"

/** A page of a list, as the API answers it. */
export interface ApiPage<T> {
  readonly data: ReadonlyArray<T>
  readonly links: { readonly next?: string }
}

/** A list that is read page by page. */
export interface Pages<T> extends Pick<Resource<unknown>, "isStale" | "failure" | "reload"> {
  /** All that was read so far; absent before the first page, and as lasting as the data of a `Resource`. */
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
  const newest = first.isStale ? undefined : first.data

  // What moves out of the first page while it is read again and again must not fall into the gap before the next.
  useEffect(() => {
    if (newest === undefined || read === undefined) return
    const ids = new Set(read.items.map(idOf))
    const missing = newest.data.filter((item) => !ids.has(idOf(item)))
    if (missing.length > 0) setOlder({ ...read, items: [...missing, ...read.items] })
  }, [newest, read, idOf])

  const next = read === undefined ? cursorOf(newest) : read.next
  const more = async (): Promise<void> => {
    setIsReadingMore(true)
    setMoreFailure(undefined)
    try {
      const page = await load(next)
      const base = read?.items ?? newest?.data ?? []
      const ids = new Set(base.map(idOf))
      const added = page.data.filter((item) => !ids.has(idOf(item)))
      setOlder({ key, items: [...base, ...added], next: cursorOf(page) })
    } catch (error) {
      setMoreFailure(failureOf(error))
    }
    setIsReadingMore(false)
  }

  const fresh = new Set(newest?.data.map(idOf))
  const items =
    read === undefined
      ? newest?.data
      : [...(newest?.data ?? []), ...read.items.filter((item) => !fresh.has(idOf(item)))]
  const shown = useLastShown(items, first.failure)
  return {
    items: shown.data,
    isStale: shown.isStale,
    more: next === undefined ? undefined : () => void more(),
    isReadingMore,
    failure: first.failure ?? moreFailure,
    reload: first.reload,
  }
}

/** The cursor of the page after a page; absent after the last one. */
export const cursorOf = (page: ApiPage<unknown> | undefined): string | undefined =>
  page?.links.next === undefined
    ? undefined
    : (new URLSearchParams(page.links.next.slice(page.links.next.indexOf("?"))).get("cursor") ?? undefined)
