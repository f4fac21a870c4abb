import { dayMs, hourMs, minuteMs } from "../time/Minute.ts"
import { dayAfter, monthStart, startOfDay, timeFormat, weekStart } from "../time/TimeZone.ts"

/** About five round values from `min` to `max`, in steps of 1, 2 or 5 times a power of ten. */
export const valueTicks = (min: number, max: number): ReadonlyArray<number> => {
  const rough = (max - min) / 4
  if (!(rough > 0)) return [min]
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough
  const ticks: Array<number> = []
  // Adding 0 turns -0 into 0.
  for (let at = Math.ceil(min / step - 1e-9); at * step <= max + step * 1e-9; at++) ticks.push(at * step + 0)
  return ticks
}

/** A label of a time axis. */
export interface TimeTick {
  readonly time: number
  readonly text: string
}

/** At most `count` labels of a time axis, on round minutes, hours, days, weeks or months of the chosen time zone. */
export const timeTicks = (from: number, to: number, count: number): ReadonlyArray<TimeTick> => {
  const step = steps.find((each) => (to - from) / each <= count)
  if (step !== undefined) return stepTicks(from, to, step)
  const days = daySteps.find((each) => (to - from) / (each * dayMs) <= count)
  if (days !== undefined) return dayTicks(from, to, days)
  const months = monthSteps.find((each) => (to - from) / (each * 30 * dayMs) <= count) ?? 12
  return monthTicks(from, to, months)
}

const stepTicks = (from: number, to: number, step: number): ReadonlyArray<TimeTick> => {
  const text = step < 6 * hourMs || to - from <= dayMs ? timeText : dayTimeText
  const ticks: Array<TimeTick> = []
  for (let time = startOfDay(from); time <= to; time += step) {
    if (time >= from) ticks.push({ time, text: text(time) })
  }
  return ticks
}

/** Ticks at an interval of whole days; from a week on, they are Mondays. */
const dayTicks = (from: number, to: number, days: number): ReadonlyArray<TimeTick> => {
  const text = days < 7 ? weekdayText : dayText
  const ticks: Array<TimeTick> = []
  const start = days < 7 ? startOfDay(from) : weekStart(from)
  for (let time = start; time <= to; time = dayAfter(time, days)) {
    if (time >= from) ticks.push({ time, text: text(time) })
  }
  return ticks
}

const monthTicks = (from: number, to: number, months: number): ReadonlyArray<TimeTick> => {
  const ticks: Array<TimeTick> = []
  for (let time = monthStart(from, 0, months); time <= to; time = monthStart(time, months)) {
    if (time >= from) ticks.push({ time, text: monthText(time) })
  }
  return ticks
}

const steps = [
  minuteMs,
  5 * minuteMs,
  10 * minuteMs,
  15 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  3 * hourMs,
  6 * hourMs,
  12 * hourMs,
]
const daySteps = [1, 2, 7, 14]
const monthSteps = [1, 2, 3, 6]

const timeText = timeFormat({ hour: "2-digit", minute: "2-digit" })
const weekdayText = timeFormat({ weekday: "short", day: "numeric", month: "short" })
const dayText = timeFormat({ day: "numeric", month: "short" })
const monthText = timeFormat({ month: "short", year: "numeric" })
const dayTimeText = timeFormat({ weekday: "short", hour: "2-digit", minute: "2-digit" })
