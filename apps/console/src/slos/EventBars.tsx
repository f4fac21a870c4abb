import { useId } from "react"
import type { Frame, Scale, Values } from "../chart/Scale.ts"
import { t } from "../language/Text.tsx"
import css from "./SloCharts.module.css"

/** One bar per step: good events, with bad events hatched on top. */
export const EventBars = ({
  frame,
  good,
  total,
  scale,
}: {
  readonly frame: Frame
  readonly good: Values
  readonly total: Values
  readonly scale: Scale
}) => {
  const patternId = useId()
  const gap = scale.step > 6 ? 2 : scale.step > 3 ? 1 : 0
  const width = Math.max(0.6, scale.step - gap)
  let goodBars = ""
  let badBars = ""
  for (const [at, all] of total.entries()) {
    if (!all) continue
    const fine = good[at] ?? 0
    const x = scale.x(frame.from + at * frame.stepMs).toFixed(1)
    const middle = scale.y(fine)
    if (fine > 0) goodBars += bar(x, middle, scale.bottom, width)
    // A single bad event stays visible.
    if (all > fine) badBars += bar(x, Math.min(scale.y(all), middle - 1), middle, width)
  }
  return (
    <>
      <defs>
        <pattern
          id={patternId}
          width="4"
          height="4"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="4" height="4" className={css.badGround} />
          <rect width="2" height="4" className={css.badLines} />
        </pattern>
      </defs>
      <path className={css.goodBars} d={goodBars} />
      <path fill={`url(#${patternId})`} d={badBars} />
    </>
  )
}

const bar = (x: string, top: number, bottom: number, width: number): string =>
  `M${x} ${top.toFixed(1)}h${width.toFixed(2)}V${bottom.toFixed(1)}h-${width.toFixed(2)}Z`

export const EventLegend = () => (
  <>
    <span className={css.key}>
      <span className={css.goodKey} aria-hidden="true" /> {t("Good")}
    </span>
    <span className={css.key}>
      <span className={css.badKey} aria-hidden="true" /> {t("Bad")}
    </span>
  </>
)
