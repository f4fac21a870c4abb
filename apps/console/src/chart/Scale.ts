/** The steps of the charts of a page, and how far their time axis reaches. Times are in Unix milliseconds. */
export interface Frame {
  readonly from: number
  /** The end of the last step. */
  readonly to: number
  readonly stepMs: number
  /** The end of the axis, which a forecast may move beyond the last step. */
  readonly until: number
}

/** A range of time. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** A value for each step; null without data. */
export type Values = ReadonlyArray<number | null>

/** Maps data to pixels. */
export interface Scale {
  readonly x: (time: number) => number
  readonly y: (value: number) => number
  readonly left: number
  readonly right: number
  readonly top: number
  /** The bottom edge of the plot. */
  readonly bottom: number
  /** The width of one step. */
  readonly step: number
}

/** The edges of a plot, in pixels. */
export type Plot = Pick<Scale, "left" | "right" | "top" | "bottom">

/** The scale of a plot. */
export const scaleOf = (frame: Frame, min: number, max: number, plot: Plot): Scale => {
  const perMs = (plot.right - plot.left) / (frame.until - frame.from || 1)
  return {
    ...plot,
    x: (time) => plot.left + (time - frame.from) * perMs,
    y: (value) => plot.bottom - ((value - min) / (max - min || 1)) * (plot.bottom - plot.top),
    step: frame.stepMs * perMs,
  }
}

/** How many steps a frame has. */
export const stepsOf = ({ from, to, stepMs }: Frame): number => Math.round((to - from) / stepMs)

/** The index of the step that a time is in, or of the nearest one. */
export const stepAt = (frame: Frame, time: number): number =>
  Math.min(Math.max(Math.floor((time - frame.from) / frame.stepMs), 0), stepsOf(frame) - 1)

/** The time under a pixel. */
export const timeAt = (frame: Frame, plot: Plot, x: number): number =>
  frame.from + ((x - plot.left) / (plot.right - plot.left)) * (frame.until - frame.from)

/** The whole steps between two times, whichever is first; at least one. */
export const stepsBetween = (frame: Frame, a: number, b: number): Range => {
  const [first, last] = [stepAt(frame, Math.min(a, b)), stepAt(frame, Math.max(a, b))]
  return { from: frame.from + first * frame.stepMs, to: frame.from + (last + 1) * frame.stepMs }
}

/**
 * A line through the values at their times, interrupted where there is no data. A value that stands alone is drawn as a point.
 */
export const linePath = (
  values: Values,
  x: (index: number) => number,
  y: (value: number) => number,
): string => {
  let path = ""
  let isDown = false
  for (const [index, value] of values.entries()) {
    if (value === null) {
      isDown = false
      continue
    }
    path += `${isDown ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`
    if (!isDown && typeof values[index + 1] !== "number") path += "h0.1"
    isDown = true
  }
  return path
}

/** The area between a line of values and a base, one part for each stretch with data. */
export const areaPath = (
  values: Values,
  x: (index: number) => number,
  y: (value: number) => number,
  base: number,
): string => {
  let path = ""
  let start: number | undefined
  for (let index = 0; index <= values.length; index++) {
    const value = values[index] ?? null
    if (value !== null) {
      path +=
        start === undefined
          ? `M${x(index).toFixed(1)} ${base.toFixed(1)}V${y(value).toFixed(1)}`
          : `L${x(index).toFixed(1)} ${y(value).toFixed(1)}`
      start ??= index
    } else if (start !== undefined) {
      path += `V${base.toFixed(1)}Z`
      start = undefined
    }
  }
  return path
}

/** The lowest step of each stretch of steps whose values are below a limit. */
export const lowestBelow = (
  values: Values,
  limit: number,
): ReadonlyArray<{ readonly index: number; readonly value: number }> => {
  const found: Array<{ readonly index: number; readonly value: number }> = []
  let isBelow = false
  for (const [index, value] of values.entries()) {
    const last = found.at(-1)
    if (value === null || value >= limit) {
      isBelow = false
    } else if (!isBelow || last === undefined) {
      found.push({ index, value })
      isBelow = true
    } else if (value < last.value) found[found.length - 1] = { index, value }
  }
  return found
}

/** The value below which this share of the known values lies. */
export const percentile = (values: Values, share: number): number | undefined => {
  const known = values.filter((each) => each !== null).toSorted((a, b) => a - b)
  return known[Math.min(known.length - 1, Math.floor(known.length * share))]
}
