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

/** At most `count` labels of a time axis, on round minutes, hours or days of the browser's time zone. */
export const timeTicks = (
  from: number,
  to: number,
  count: number,
): ReadonlyArray<{ readonly time: number; readonly text: string }> => {
  const step = steps.find((each) => (to - from) / each <= count) ?? day
  const isDays = step >= day
  const format = isDays ? dayText : step < 6 * hour || to - from <= day ? timeText : dayTimeText
  const first = new Date(from)
  first.setHours(0, 0, 0, 0)
  const ticks = []
  for (let time = first.getTime(); time <= to; time = isDays ? dayAfter(time) : time + step) {
    if (time >= from) ticks.push({ time, text: format.format(time) })
  }
  return ticks
}

/** A local day can have 23 or 25 hours. */
const dayAfter = (time: number): number => {
  const date = new Date(time)
  return date.setDate(date.getDate() + 1)
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const steps = [
  minute,
  5 * minute,
  10 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  3 * hour,
  6 * hour,
  12 * hour,
  day,
]

const timeText = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" })
const dayText = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" })
const dayTimeText = new Intl.DateTimeFormat("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" })
