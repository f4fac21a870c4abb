import { useSyncExternalStore } from "react"
import { t } from "../language/Text.tsx"
import { timeFormat, timeText as isoText } from "../time/TimeZone.ts"

/** A time relative to now; its tooltip has the date and time in the chosen time zone. */
export const RelativeTime = ({ at }: { readonly at: string }) => {
  const now = useNow()
  const time = new Date(at)
  return (
    <time dateTime={at} title={dateTime(time)}>
      {relativeText(time.getTime() - now)}
    </time>
  )
}

/** A date and time to the second, in the chosen time zone. */
export const DateTime = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={isoText(Date.parse(at))}>
    {dateTime(new Date(at))}
  </time>
)

const dateTime = timeFormat({
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
})

const shortDay = timeFormat({ day: "numeric", month: "short", year: "numeric" })

/** The time of a day, to the second. */
export const timeText = timeFormat({ hour: "2-digit", minute: "2-digit", second: "2-digit" })

const relativeText = (aheadMs: number): string => {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  if (seconds < 5) return t("just now")
  const [, unitSeconds, unit] = units.find(([below]) => seconds < below) ?? []
  if (unitSeconds === undefined) return shortDay(Date.now() + aheadMs)
  const duration = `${Math.floor(seconds / unitSeconds)} ${unit}`
  return aheadMs < 0 ? t("{duration} ago", { duration }) : t("in {duration}", { duration })
}

const units = [
  [60, 1, "s"],
  [3600, 60, "min"],
  [86_400, 3600, "h"],
  [30 * 86_400, 86_400, "d"],
] as const

/** The absolute value of a duration in its two largest units: 3 h 12 min. */
export const durationText = (durationMs: number): string => {
  const seconds = Math.floor(Math.abs(durationMs) / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours >= 24) return `${Math.floor(hours / 24)} d ${hours % 24} h`
  if (hours > 0) return `${hours} h ${minutes % 60} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}

/** The current time in Unix milliseconds, updated every 5 s by one clock for the whole page. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => tick)

const tickMs = 5_000
let tick = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  if (timer === undefined) {
    // The clock was stopped while nothing used it.
    tick = Date.now()
    timer = setInterval(() => {
      tick = Date.now()
      for (const each of listeners) each()
    }, tickMs)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}
