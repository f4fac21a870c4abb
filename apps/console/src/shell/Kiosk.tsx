import { Button } from "@mantine/core"
import { type ReactNode, useEffect } from "react"
import { useLocation, useSearch } from "wouter"
import { useConnection } from "../api/Connection.ts"
import { timeText, useNow } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import { timeZoneText } from "../time/TimeZone.ts"
import { ConnectionBanner, ConnectionState } from "./ConnectionState.tsx"
import css from "./Kiosk.module.css"

/** The pages that a wall screen shows: the home page, lists, and the page of a service or an SLO. */
const kioskPaths = /^\/(slos|services|alerts|(slos|services)\/[^/]+\/[^/]+)?$/

/** The order in which a wall screen cycles through pages. The page of a service or an SLO stays. */
const cycledPages: ReadonlyArray<string> = ["/", "/slos", "/alerts"]

/** The shortest time that a page is shown while cycling, in seconds. */
const cycleMinSeconds = 5

/** Whether an address belongs to a page for a wall screen: `?kiosk`, or `?kiosk=30` to change the page every 30 s. */
export const isKiosk = (path: string, search: string): boolean =>
  kioskPaths.test(path) && new URLSearchParams(search).has("kiosk")

/** The address of a page on a wall screen; the home page's address if this page has no kiosk mode. */
export const kioskAddress = (path: string, search: string): string => {
  if (!kioskPaths.test(path)) return "/?kiosk"
  const parameters = new URLSearchParams(search)
  parameters.delete("kiosk")
  return `${path}?${parameters.size === 0 ? "" : `${parameters.toString()}&`}kiosk`
}

/** The frame of a page on a wall screen: no navigation, larger type, and always how old the figures are. */
export const Kiosk = ({ children }: { readonly children: ReactNode }) => {
  const { organization } = useSession()
  const [path, navigate] = useLocation()
  const search = useSearch()
  const now = useNow()
  const { state } = useConnection()

  useEffect(() => {
    document.documentElement.dataset["kiosk"] = ""
    return () => {
      delete document.documentElement.dataset["kiosk"]
    }
  }, [])
  useEffect(keepAwake, [])

  const leave = (): void => {
    const kept = new URLSearchParams(search)
    kept.delete("kiosk")
    navigate(`${path}${kept.size === 0 ? "" : `?${kept.toString()}`}`)
  }
  useEffect(() => {
    const press = ({ key }: KeyboardEvent): void => {
      if (key === "Escape" && document.querySelector("dialog[open]") === null) leave()
    }
    document.addEventListener("keydown", press)
    return () => document.removeEventListener("keydown", press)
  })

  const seconds = Number(new URLSearchParams(search).get("kiosk"))
  const next = cycledPages.includes(path)
    ? (cycledPages[(cycledPages.indexOf(path) + 1) % cycledPages.length] ?? path)
    : path
  useEffect(() => {
    if (!(seconds > 0) || next === path) return
    const timer = setTimeout(
      () => navigate(`${next}?kiosk=${seconds}`, { replace: true }),
      Math.max(cycleMinSeconds, seconds) * 1000,
    )
    return () => clearTimeout(timer)
  }, [seconds, next, path, navigate])

  return (
    <div className={css.kiosk} data-state={state}>
      <header className={css.head}>
        <strong>{organization}</strong>
        <ConnectionState />
        <time className={css.clock}>
          {timeText(now)} {timeZoneText(now)}
        </time>
        <Button variant="default" size="compact-sm" onClick={leave}>
          {t("Exit kiosk mode")}
        </Button>
      </header>
      <ConnectionBanner />
      <main id="content" className={css.main}>
        {children}
      </main>
    </div>
  )
}

/** Keeps the screen on while the page is visible, where the browser can. */
const keepAwake = (): (() => void) => {
  let lock: WakeLockSentinel | undefined
  let isOver = false
  const request = async (): Promise<void> => {
    if (document.hidden || !("wakeLock" in navigator)) return
    // Fails when the battery is low, for example.
    const granted = await navigator.wakeLock.request("screen").catch(() => undefined)
    if (isOver) void granted?.release()
    else lock = granted
  }
  const requestAgain = (): void => void request()
  requestAgain()
  // The browser releases the lock of a hidden page.
  document.addEventListener("visibilitychange", requestAgain)
  return () => {
    isOver = true
    document.removeEventListener("visibilitychange", requestAgain)
    void lock?.release()
  }
}
