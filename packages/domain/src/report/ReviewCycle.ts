import { durationOf } from "../codec/Duration.ts"
import { dayMs, minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { Recurrence } from "../codec/Recurrence.ts"
import type { Service } from "../slo/Service.ts"

/** The review cycle of a service. */
export type ReviewCycle = NonNullable<Service["spec"]["reviewCycle"]>

/** How many days before a review is due there is a reminder. */
export const reviewReminderDays = 7

/** How far the next time of a cycle is looked for, in milliseconds: a leap day can be eight years away. */
const lookAheadMs = 9 * 366 * dayMs

/** The first time of a cycle after `now`, both in Unix milliseconds; `undefined` if it has ended, or its rule is not one of RFC 5545. */
export const nextInCycle = (cycle: ReviewCycle, now: number): number | undefined =>
  firstInCycle(cycle, { from: now + minuteMs, to: now + lookAheadMs })

/** The first time of a cycle in a range of Unix milliseconds; `undefined` without any. */
export const firstInCycle = (cycle: ReviewCycle, range: MinuteRange): number | undefined => {
  for (const time of timesInCycle(cycle, range)) return time
  return undefined
}

/** The time in which times are looked for at once, in milliseconds: a cycle has at most one a day, and most have one within a month. */
const lookBackMs = 32 * dayMs

/** The latest time of a cycle that is not after `now`, both in Unix milliseconds; `undefined` as for `nextInCycle`. */
export const latestInCycle = (cycle: ReviewCycle, now: number): number | undefined => {
  for (let to = now + 1; to > now - lookAheadMs; to -= lookBackMs) {
    const latest = [...timesInCycle(cycle, { from: to - lookBackMs, to })].at(-1)
    if (latest !== undefined) return latest
  }
  return undefined
}

function* timesInCycle({ startTime, timeZone, rrule }: ReviewCycle, range: MinuteRange): Generator<number> {
  const text = startTime.replace("T", " ")
  const written = {
    startTime: { text, ms: Date.parse(`${startTime}Z`) },
    timeZone,
    rrule,
    duration: durationOf("1m"),
  }
  try {
    for (const { from } of new Recurrence(written).eachRange(range)) if (from >= range.from) yield from
  } catch {
    // The definitions of services and reports allow rules whose parts do not fit one another.
  }
}
