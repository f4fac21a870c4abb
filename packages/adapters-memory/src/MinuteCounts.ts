import type { GoodTotal } from "@tocsin/domain/slo/ErrorBudget"

/**
 * The good and total events of one objective by minute, with a sum per hour: summing a month costs some 750 steps.
 *
 * An hour's sum is made anew from its minutes when one of them changes, so that replacing leaves no rounding behind.
 */
export class MinuteCounts {
  readonly #hours = new Map<number, Hour>()

  /** Writes a minute, given by its start in Unix milliseconds; what was there is replaced. */
  set(at: number, good: number, total: number): void {
    const start = Math.floor(at / hourMs) * hourMs
    const hour = this.#hours.get(start) ?? {
      good: new Float64Array(minutesPerHour).fill(Number.NaN),
      total: new Float64Array(minutesPerHour).fill(Number.NaN),
      sum: { good: 0, total: 0 },
    }
    const minute = (at - start) / minuteMs
    hour.good[minute] = good
    hour.total[minute] = total
    hour.sum = sumOfMinutes(hour, 0, minutesPerHour) ?? hour.sum
    this.#hours.set(start, hour)
  }

  /** Sums the minutes from ≤ t < to; `undefined` when there is none. */
  sum(from: number, to: number): GoodTotal | undefined {
    let good = 0
    let total = 0
    let isEmpty = true
    for (const [start, hour] of this.#hours) {
      const first = Math.max(0, (from - start) / minuteMs)
      const end = Math.min(minutesPerHour, (to - start) / minuteMs)
      if (first >= end) continue
      const isWhole = first === 0 && end === minutesPerHour
      const sum = isWhole ? hour.sum : sumOfMinutes(hour, first, end)
      if (sum === undefined) continue
      good += sum.good
      total += sum.total
      isEmpty = false
    }
    return isEmpty ? undefined : { good, total }
  }

  /** Drops the hours that end at or before this instant, in Unix milliseconds; tells whether any is left. */
  dropBefore(instant: number): boolean {
    for (const start of this.#hours.keys()) {
      if (start + hourMs <= instant) this.#hours.delete(start)
    }
    return this.#hours.size > 0
  }
}

const minutesPerHour = 60
const minuteMs = 60_000
const hourMs = minutesPerHour * minuteMs

interface Hour {
  /** Not a number where a minute has no count. */
  readonly good: Float64Array
  readonly total: Float64Array
  sum: GoodTotal
}

const sumOfMinutes = (hour: Hour, first: number, end: number): GoodTotal | undefined => {
  let good = 0
  let total = 0
  let isEmpty = true
  for (let minute = first; minute < end; minute++) {
    const minuteTotal = hour.total[minute] ?? Number.NaN
    if (Number.isNaN(minuteTotal)) continue
    good += hour.good[minute] ?? 0
    total += minuteTotal
    isEmpty = false
  }
  return isEmpty ? undefined : { good, total }
}
