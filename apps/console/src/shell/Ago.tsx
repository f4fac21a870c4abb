import { useSyncExternalStore } from "react"

/** A time, as how long ago or ahead it is; the whole time, in the reader's zone, on pointing at it. */
export const Ago = ({ at }: { readonly at: string }) => {
  const now = useNow()
  const time = new Date(at)
  return (
    <time dateTime={at} title={wholeTime.format(time)}>
      {agoText(time.getTime() - now)}
    </time>
  )
}

/** A time to the second, in the reader's zone. */
export const At = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={at}>
    {wholeTime.format(new Date(at))}
  </time>
)

const wholeTime = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
})

const shortDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" })

const agoText = (aheadMs: number): string => {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  if (seconds < 5) return "now"
  const text =
    seconds < 60
      ? `${seconds} s`
      : seconds < 3600
        ? `${Math.floor(seconds / 60)} min`
        : seconds < 86_400
          ? `${Math.floor(seconds / 3600)} h`
          : seconds < 30 * 86_400
            ? `${Math.floor(seconds / 86_400)} d`
            : undefined
  if (text === undefined) return shortDay.format(Date.now() + aheadMs)
  return aheadMs < 0 ? `${text} ago` : `in ${text}`
}

/** The time now in Unix milliseconds, to 5 s: one clock for the whole page. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => tick)

const tickMs = 5_000
let tick = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  if (timer === undefined) {
    // It stood still while nobody asked for it.
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
