import type { Frame, Scale, Values } from "../chart/Scale.ts"
import { listText, t } from "../language/Text.tsx"
import { BudgetChart } from "./BudgetChart.tsx"
import { BurnChart } from "./BurnChart.tsx"
import type { SloChartsProps } from "./ChartParts.tsx"
import { EventChart } from "./EventChart.tsx"
import { SliChart } from "./SliChart.tsx"
import { type Annotation, AnnotationMarks, annotationText } from "./SloAnnotations.tsx"
import css from "./SloCharts.module.css"

/** The error budget, the burn rate, the SLI and the events of one objective over time, or the first three of several. */
export const SloCharts = (props: SloChartsProps) => {
  const { tracks, frame, annotations } = props
  const isKnown = tracks.some(
    ({ budget, reliability, counts }) =>
      hasValue(budget) || hasValue(reliability) || (counts !== undefined && hasValue(counts.total)),
  )
  if (!isKnown) return <p className={css.noData}>{t("No data in this time range.")}</p>
  const shared = {
    frame,
    subject: props.subject,
    onAct: props.onAct,
    marks: (scale: Scale) => <AnnotationMarks annotations={annotations} scale={scale} until={frame.until} />,
    /** What was under way in a step. */
    annotated: (index: number) => annotatedAt(annotations, frame, index),
  }
  return (
    <div className={css.charts} data-paired={props.isPaired || undefined}>
      <BudgetChart {...props} {...shared} />
      <BurnChart {...props} {...shared} />
      <SliChart {...props} {...shared} />
      {tracks.length === 1 && <EventChart {...props} {...shared} />}
    </div>
  )
}

const hasValue = (values: Values): boolean => values.some((each) => each !== null)

const annotatedAt = (annotations: ReadonlyArray<Annotation>, frame: Frame, index: number) => {
  const from = frame.from + index * frame.stepMs
  const to = from + frame.stepMs
  const some = annotations.filter((each) => {
    const start = Date.parse(each.from)
    const isOpen = each.kind === "alert" && each.to === undefined
    const end = isOpen ? Infinity : Math.max(start + 1, each.to === undefined ? 0 : Date.parse(each.to))
    return start < to && from < end
  })
  return some.length === 0
    ? []
    : [[t("Annotations"), listText(some.slice(0, 3).map(annotationText))] as const]
}
