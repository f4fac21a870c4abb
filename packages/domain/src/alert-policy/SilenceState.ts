import { dayMs, minuteOf } from "../codec/MinuteInstant.ts"
import { periodOf, silenceForecastDays, silencePeriods, type WrittenSilence } from "./SilencePeriods.ts"

/** `active`: notifications are suppressed now; `scheduled`: a period begins later; `ended`: no period follows. */
export const silenceStatuses = ["active", "scheduled", "ended"] as const

/** What a silence does at a time. Times are in Unix milliseconds. */
export interface SilenceState {
  /** `scheduled`: it begins later, perhaps again; `ended`: it is never active again. */
  readonly status: (typeof silenceStatuses)[number]
  /** Of the current or next period, inclusive; absent if it does not begin within `silenceForecastDays`, and for `ended`. */
  readonly startsAt?: number
  /** Of the same period, exclusive, or of the one that has ended; absent if it is not within `silenceForecastDays`. */
  readonly endsAt?: number
}

/**
 * The state of a silence at `now`. It is active when `silenceEnd` says so; occurrences that touch or overlap are one period. Of a
 * recurrence, no more is expanded than up to the end of that period, or `silenceForecastDays`.
 */
export const silenceState = (silence: WrittenSilence, now: number): SilenceState => {
  const { period, recurrence } = silence.definition.spec
  const [next] = silencePeriods(silence, now, 1)
  const status = next !== undefined && next.from <= now ? "active" : "scheduled"
  if (recurrence === undefined) {
    const { from, to } = next ?? periodOf(period, silence.updatedAt)
    return next === undefined ? { status: "ended", endsAt: to } : { status, startsAt: from, endsAt: to }
  }
  const forecastEnd = minuteOf(now) + silenceForecastDays * dayMs
  if (next === undefined) {
    const { until } = recurrence
    return { status: until !== undefined && until < forecastEnd ? "ended" : "scheduled" }
  }
  // What touches the end may go on behind it.
  const isEndKnown = next.to < forecastEnd
  return { status, startsAt: next.from, ...(isEndKnown && { endsAt: next.to }) }
}

/** How long a state that was computed at `now` is right, in Unix milliseconds, exclusive, while the silence is not written. */
export const silenceStateUntil = ({ status, startsAt, endsAt }: SilenceState, now: number): number => {
  if (status === "ended") return Infinity
  const changesAt = status === "active" ? endsAt : startsAt
  // Until then, nothing begins or ends; then, another look ahead shows more.
  return changesAt ?? now + dayMs
}
