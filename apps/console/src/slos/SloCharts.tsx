import { useId, useMemo } from "react"
import type { Schemas } from "../api/Client.ts"
import { type Scale, TimeChart } from "../chart/TimeChart.tsx"
import { budgetText, countText, reliabilityText, shortBudgetText, shortCountText } from "./NumberFormat.ts"
import { type Annotation, AnnotationMarks, annotationText } from "./SloAnnotations.tsx"
import css from "./SloCharts.module.css"
import { stepMsOf } from "./TimeRange.ts"

type Series = Schemas["SloSeries"]

/** A value for each step; null without data. */
type Values = ReadonlyArray<number | null>

/** The error budget remaining and the events of an objective over time; of the composite, the budget alone. */
export const SloCharts = ({
  series,
  objective,
  annotations,
}: {
  readonly series: Series
  readonly objective: string | undefined
  readonly annotations: ReadonlyArray<Annotation>
}) => {
  const chosen =
    objective === undefined ? undefined : series.objectives.find(({ name }) => name === objective)
  const budgets = (chosen ?? series.composite)?.errorBudgetRemainingPercentage ?? []
  const counts = chosen?.counts
  const stepMs = stepMsOf(series.step)
  const from = Date.parse(series.from)
  const to = Date.parse(series.to)
  const times = useMemo(() => budgets.map((_, at) => from + at * stepMs), [budgets, from, stepMs])
  const range = { times, stepMs, from, to }
  /** What began in a step. */
  const annotated = (at: number): ReadonlyArray<readonly [string, string]> => {
    const start = times[at] ?? 0
    const begun = annotations.filter((each) => {
      const begins = Date.parse(each.from)
      return start <= begins && begins < start + stepMs
    })
    return begun.length === 0 ? [] : [["Annotations", begun.map(annotationText).join(", ")]]
  }
  const known = budgets.filter((each) => each !== null)
  const least = Math.min(0, ...known)
  if (known.length === 0 && !counts?.total.some((total) => total !== null)) {
    return <p className={css.noData}>No data in this time range.</p>
  }
  return (
    <>
      <TimeChart
        {...range}
        label="Error budget remaining"
        min={least < 0 ? least * 1.05 : 0}
        max={Math.max(1, ...known)}
        formatValue={shortBudgetText}
        draw={(scale) => (
          <>
            <AnnotationMarks annotations={annotations} {...scale} to={to} />
            <BudgetLine times={times} budgets={budgets} scale={scale} stepMs={stepMs} />
          </>
        )}
        read={(at) => [["Remaining", textOr(budgets[at], budgetText)], ...annotated(at)]}
      />
      {counts !== undefined && (
        <>
          <TimeChart
            {...range}
            label="Good and bad events"
            min={0}
            max={Math.max(1, ...counts.total.map((total) => total ?? 0))}
            formatValue={shortCountText}
            draw={(scale) => (
              <>
                <EventBars times={times} {...counts} scale={scale} />
                <AnnotationMarks annotations={annotations} {...scale} to={to} />
              </>
            )}
            read={(at) => [...readEvents(counts.good[at], counts.total[at]), ...annotated(at)]}
          />
          <p className={css.legend}>
            <span className={css.goodKey} aria-hidden="true" /> Good
            <span className={css.badKey} aria-hidden="true" /> Bad
          </p>
        </>
      )}
    </>
  )
}

const textOr = (value: number | null | undefined, text: (value: number) => string): string =>
  value === null || value === undefined ? "no data" : text(value)

const readEvents = (
  good: number | null | undefined,
  total: number | null | undefined,
): ReadonlyArray<readonly [string, string]> => [
  ["Good", textOr(good, countText)],
  ["Total", textOr(total, countText)],
  ["Reliability", typeof good !== "number" || !total ? "no data" : reliabilityText(good / total)],
]

interface Drawn {
  readonly times: ReadonlyArray<number>
  readonly scale: Scale
}

/** A line through the end of each step, interrupted where there is no data. */
const BudgetLine = ({
  times,
  budgets,
  scale,
  stepMs,
}: Drawn & { readonly budgets: Values; readonly stepMs: number }) => {
  let path = ""
  let isDown = false
  budgets.forEach((left, at) => {
    if (left === null) {
      isDown = false
      return
    }
    const x = scale.x((times[at] ?? 0) + stepMs)
    path += `${isDown ? "L" : "M"}${x.toFixed(1)} ${scale.y(left).toFixed(1)}`
    // Makes an isolated point visible.
    if (!isDown && typeof budgets[at + 1] !== "number") path += "h0.1"
    isDown = true
  })
  return (
    <>
      <line className={css.zero} x1={0} x2="100%" y1={scale.y(0)} y2={scale.y(0)} />
      <path className={css.budget} d={path} />
    </>
  )
}

/** One bar per step: good events, with bad events hatched on top. */
const EventBars = ({
  times,
  good,
  total,
  scale,
}: Drawn & { readonly good: Values; readonly total: Values }) => {
  const patternId = useId()
  const gap = scale.step > 4 ? 1 : 0
  const width = Math.max(0.6, scale.step - gap)
  let goodBars = ""
  let badBars = ""
  total.forEach((all, at) => {
    if (!all) return
    const fine = good[at] ?? 0
    const x = scale.x(times[at] ?? 0).toFixed(1)
    const middle = scale.y(fine)
    if (fine > 0) goodBars += bar(x, middle, scale.bottom, width)
    // A single bad event stays visible.
    if (all > fine) badBars += bar(x, Math.min(scale.y(all), middle - 1), middle, width)
  })
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
