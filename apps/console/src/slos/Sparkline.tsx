import type { ObjectiveState } from "@tocsin/domain/forms"
import { t } from "../language/Text.tsx"
import { budgetText } from "../components/NumberFormat.ts"
import css from "./Sparkline.module.css"
import type { Trend } from "./Trends.ts"

const width = 96
const height = 24
const padding = 2

/** The smallest part of the budget that fills the height. */
const spanMin = 0.2

/** The error budget remaining over the time window as a line, with the line where it is exhausted. */
export const Sparkline = ({
  trend,
  state,
}: {
  /** `undefined` while it is being read. */
  readonly trend: Trend | undefined
  readonly state: ObjectiveState
}) => {
  const values = trend?.filter((value) => value !== null) ?? []
  const [first] = values
  const last = values.at(-1)
  if (trend === undefined || first === undefined || last === undefined) {
    return <span className={css.none} aria-hidden="true" />
  }
  // What changes is visible, and small changes look small. A budget that is overspent many times leaves room for the rest.
  const shown = values.map((value) => Math.max(value, -1))
  const middle = (Math.min(...shown) + Math.max(...shown)) / 2
  const span = Math.max(Math.max(...shown) - Math.min(...shown), spanMin)
  const low = middle - span / 2
  const x = (index: number): number => (index / (trend.length - 1)) * width
  const y = (value: number): number =>
    padding + (1 - (Math.max(value, -1) - low) / span) * (height - 2 * padding)
  const zero = y(0)
  const line = pathOf(trend, x, y)
  const label = t("Error budget over the time window: {first} at first, {last} now", {
    first: budgetText(first),
    last: budgetText(last),
  })
  return (
    <svg
      className={`${css.line} ${css[state]}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {zero >= padding && zero <= height - padding && (
        <path className={css.zero} d={`M0 ${zero.toFixed(1)}H${width}`} />
      )}
      <path d={line} />
    </svg>
  )
}

/** A line with gaps; a single point is a short line. */
const pathOf = (trend: Trend, x: (index: number) => number, y: (value: number) => number): string => {
  let path = ""
  for (const [index, value] of trend.entries()) {
    if (value === null) continue
    const hasLine = index > 0 && trend[index - 1] !== null
    const point = `${x(index).toFixed(1)} ${y(value).toFixed(1)}`
    path += hasLine ? `L${point}` : `M${point}`
    const isAlone = !hasLine && (trend[index + 1] ?? null) === null
    if (isAlone) path += `h${index === trend.length - 1 ? -3 : 3}`
  }
  return path
}
