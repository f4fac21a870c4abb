import { useCallback, useEffect, useRef, useState } from "react"
import { whileFilling } from "./Busy.ts"
import { type CallFailed, failureOf, isPassing } from "./Call.ts"

/** What is known of something that the server keeps. */
export interface Resource<T> {
  /**
   * As it was read last; absent until then. Stays while a later reading fails, and that of the last key until there is
   * another, or none: nothing jumps while one filters.
   */
  readonly data: T | undefined
  /** Whether `data` is that of the last key. */
  readonly isStale: boolean
  /** Why the latest reading failed. */
  readonly failure: CallFailed | undefined
  readonly reload: () => void
}

/** What was read, by key, so that a page that is opened again shows at once what it showed before. */
const known = new Map<string, { readonly text: string; readonly data: unknown }>()

/** Forgets all that was read: it was somebody else's. */
export const deleteUnusedResources = (): void => known.clear()

/** How often a page that is looked at reads anew what can change by itself. */
export const pollMs = 3_000

/** How long to wait after a failure, when nobody says how long. */
const retryMs = 5_000

/**
 * Reads something from the server, and again every `pollMs` while the page is looked at.
 *
 * What comes back unchanged changes nothing on the page. After a failure that passes it is tried again, with or without
 * `pollMs`. `key` names what is read: another key begins anew.
 */
export const useResource = <T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  pollMs?: number,
): Resource<T> => {
  const [, setVersion] = useState(0)
  const [failed, setFailed] = useState<{ readonly key: string; readonly failure: CallFailed }>()
  const loading = useRef(load)
  loading.current = load
  const [round, setRound] = useState(0)

  useEffect(() => {
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let isReading = false

    const read = async (): Promise<void> => {
      clearTimeout(timer)
      isReading = true
      let nextMs = pollMs
      try {
        const answer = loading.current(abort.signal)
        const data = await (known.has(key) ? answer : whileFilling(answer))
        abort.signal.throwIfAborted()
        const text = JSON.stringify(data) ?? ""
        if (known.get(key)?.text !== text) {
          known.set(key, { text, data })
          setVersion((version) => version + 1)
        }
        setFailed(undefined)
      } catch (error) {
        if (abort.signal.aborted) return
        const failure = failureOf(error)
        setFailed({ key, failure })
        if (isPassing(failure)) nextMs = Math.max(retryMs, (failure.retryAfterSeconds ?? 0) * 1000)
      }
      isReading = false
      if (nextMs !== undefined && document.visibilityState === "visible") timer = setTimeout(read, nextMs)
    }
    const onVisible = (): void => {
      if (document.visibilityState === "visible" && !isReading && pollMs !== undefined) void read()
      else clearTimeout(timer)
    }
    document.addEventListener("visibilitychange", onVisible)
    void read()
    return () => {
      abort.abort()
      clearTimeout(timer)
      document.removeEventListener("visibilitychange", onVisible)
    }
  }, [key, pollMs, round])

  const reload = useCallback(() => setRound((last) => last + 1), [])
  const data = known.get(key)?.data as T | undefined
  const failure = failed?.key === key ? failed.failure : undefined
  return { ...useLastShown(data, failure), failure, reload }
}

/** What is there now, or what was there before while there is neither that nor a failure. */
export const useLastShown = <T>(
  data: T | undefined,
  failure: CallFailed | undefined,
): Pick<Resource<T>, "data" | "isStale"> => {
  const shown = useRef(data)
  const isWaiting = data === undefined && failure === undefined
  useEffect(() => {
    if (!isWaiting) shown.current = data
  })
  return isWaiting ? { data: shown.current, isStale: shown.current !== undefined } : { data, isStale: false }
}
