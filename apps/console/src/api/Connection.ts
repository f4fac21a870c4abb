import type { ConsoleStatus } from "@tocsin/api"
import { useEffect, useSyncExternalStore } from "react"
import { ApiError, apiErrorOf, client } from "./Client.ts"
import { queryClient } from "./Queries.ts"

/** How old the figures of the page are, and why they are not newer. Times are in Unix milliseconds. */
export type Connection =
  /** The server responds, and everything that is refreshed automatically is new. */
  | { readonly state: "live" }
  /** The server responds; the page shows what was read at `since`. */
  | { readonly state: "updated"; readonly since: number; readonly now: number }
  /** Nothing can be read. The page shows what was read at `since`; absent: nothing. */
  | {
      readonly state: "offline"
      readonly since: number | undefined
      readonly now: number
      readonly reason: OfflineReason
    }

/** No network, no response of the server, or its response that it is not available. */
export type OfflineReason = "network" | "server" | "unavailable"

/** How often a visible page asks for the status of the server, and how long it waits for the response. */
const checkMs = 4_000
const timeoutMs = 4_000

/** A refresh may be late by this before the figures count as old. */
const graceMs = 5_000

const live: Connection = { state: "live" }

let status: ConsoleStatus | undefined
let failure: OfflineReason | undefined
let lastResponseAt = Date.now()
/** The version of the console's files when the page was loaded. */
let loadedVersion: string | undefined
let connection: Connection = live
let checkTimer: ReturnType<typeof setTimeout> | undefined
let isChecking = false
const listeners = new Set<() => void>()

/** The pages that are forms. What was read for one, such as a preview, has no age that matters. */
let forms = 0

/** Says that the page is a form. */
export const useAgelessPage = (): void => {
  useEffect(() => {
    forms++
    return () => {
      forms--
    }
  }, [])
}

/** Asks for the status of the server now. A hidden page does not. */
const checkNow = async (): Promise<void> => {
  clearTimeout(checkTimer)
  if (isChecking || document.hidden) return
  isChecking = true
  const before = failure
  failure = await check()
  isChecking = false
  // Also requests that still wait for a response which will never come are sent again.
  if (before !== undefined && failure === undefined) void queryClient.refetchQueries({ type: "active" })
  update()
  // Browsers that lost the same server do not return at the same moment.
  checkTimer = setTimeout(() => void checkNow(), checkMs + Math.random() * 500)
}

/** Reads everything that the page shows again. */
export const refreshNow = async (): Promise<void> => {
  await Promise.all([checkNow(), queryClient.refetchQueries({ type: "active" })])
  update()
}

const check = async (): Promise<OfflineReason | undefined> => {
  const startedAt = Date.now()
  try {
    const { data } = await client.GET("/api/console/status", { signal: AbortSignal.timeout(timeoutMs) })
    status = data
    loadedVersion ??= data?.version
    lastResponseAt = Date.now()
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.status > 0) return error.status >= 500 ? "unavailable" : undefined
    if (!navigator.onLine) return "network"
    // The session had expired, and the user has signed in again long after the request.
    return Date.now() - startedAt > 2 * timeoutMs ? undefined : "server"
  }
}

const current = (): Connection => {
  const now = Date.now()
  const shown = queryClient
    .getQueryCache()
    .findAll({ type: "active" })
    // What never changes, such as the session, has no age.
    .filter(({ observers }) => observers.some(({ options }) => options.staleTime !== Infinity))
  const read = shown.flatMap((query) => {
    const { dataUpdatedAt, data } = query.state
    if (data === undefined) return []
    const intervals = query.observers.flatMap(({ options: { refetchInterval } }) => {
      const healthy = { state: { error: null, data } } as unknown as typeof query
      const ms = typeof refetchInterval === "function" ? refetchInterval(healthy) : refetchInterval
      return typeof ms === "number" ? [ms] : []
    })
    return [{ dataUpdatedAt, refreshMs: intervals.length === 0 ? undefined : Math.min(...intervals) }]
  })
  const refreshed = read.filter(({ refreshMs }) => refreshMs !== undefined)
  const times = (refreshed.length > 0 ? refreshed : read).map(({ dataUpdatedAt }) => dataUpdatedAt)
  const oldest = times.length === 0 ? undefined : Math.min(...times)
  if (failure !== undefined) {
    return {
      state: "offline",
      since: Math.min(oldest ?? lastResponseAt, lastResponseAt),
      now,
      reason: failure,
    }
  }
  const failed = shown.filter(({ state: { error } }) => error !== null && isUnavailable(error))
  if (failed.length > 0) {
    const kept = failed.flatMap(({ state: { data, dataUpdatedAt } }) =>
      data === undefined ? [] : [dataUpdatedAt],
    )
    const since = kept.length === 0 ? undefined : Math.min(...kept)
    return { state: "offline", since, now, reason: "unavailable" }
  }
  const isNew =
    refreshed.length > 0
      ? refreshed.every(({ dataUpdatedAt, refreshMs = 0 }) => now - dataUpdatedAt <= refreshMs + graceMs)
      : forms > 0 || oldest === undefined || now - oldest <= 2 * graceMs
  return isNew || oldest === undefined ? live : { state: "updated", since: oldest, now }
}

const isUnavailable = (error: unknown): boolean => [0, 502, 503, 504].includes(apiErrorOf(error).status)

const update = (): void => {
  connection = current()
  for (const each of listeners) each()
}

const subscribe = (listener: () => void): (() => void) => {
  if (listeners.size === 0) start()
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) stop()
  }
}

let tick: ReturnType<typeof setInterval> | undefined

const start = (): void => {
  tick = setInterval(() => {
    if (!document.hidden) update()
  }, 1_000)
  document.addEventListener("visibilitychange", look)
  addEventListener("online", look)
  addEventListener("offline", look)
  checkTimer = setTimeout(() => void checkNow(), 500)
}

const stop = (): void => {
  clearInterval(tick)
  clearTimeout(checkTimer)
  document.removeEventListener("visibilitychange", look)
  removeEventListener("online", look)
  removeEventListener("offline", look)
}

/** A page that becomes visible shows the age of its figures before they are read again. */
const look = (): void => {
  if (document.hidden) return
  update()
  void checkNow()
}

/** The state of the connection, every second unless it is live. Only the shell of a signed-in user calls it. */
export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => connection)

/** The number of open alerts; undefined until it is known. */
export const useActiveAlertCount = (): number | undefined =>
  useSyncExternalStore(subscribe, () => status?.activeAlerts)

/** Whether the server has other files of the console than this page was loaded from. */
export const useIsOutdated = (): boolean =>
  useSyncExternalStore(subscribe, () => status !== undefined && status.version !== loadedVersion)
