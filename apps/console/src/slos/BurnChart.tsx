import { linePath } from "../chart/Scale.ts"
import { TimeChart } from "../chart/TimeChart.tsx"
import { burnText, digitsText } from "../components/NumberFormat.ts"
import { listText, t } from "../language/Text.tsx"
import { type ChartProps, Labeled, midOf, readings, TrackKeys } from "./ChartParts.tsx"
import css from "./SloCharts.module.css"

/** The burn rate, with the thresholds of the alert policies. */
export const BurnChart = ({ tracks, frame, thresholds, marks, annotated, ...shared }: ChartProps) => {
  const greatest = Math.max(1, ...tracks.flatMap(({ burnRate }) => burnRate.map((each) => each ?? 0)))
  // A threshold in reach is drawn; one far above would flatten the line.
  const shown = thresholds.filter(({ rate }) => rate <= 3 * greatest)
  const max = 1.12 * Math.max(1.3, greatest, ...shown.map(({ rate }) => rate))
  const above = thresholds.filter((each) => !shown.includes(each))
  return (
    <TimeChart
      {...shared}
      frame={frame}
      label={t("Burn rate")}
      min={0}
      max={max}
      formatValue={(value) => `${digitsText(value, 3)}×`}
      draw={(scale) => (
        <>
          {marks(scale)}
          <line className={css.zero} x1={scale.left} x2={scale.right} y1={scale.y(1)} y2={scale.y(1)} />
          {shown.map(({ rate, text }) => (
            <Labeled key={`${rate} ${text}`} scale={scale} at={rate} text={text} className={css.threshold} />
          ))}
          {tracks.map(({ name, burnRate }, at) => (
            <path
              key={name}
              className={css.line}
              data-line={at}
              d={linePath(burnRate, midOf(frame, scale), scale.y)}
            />
          ))}
        </>
      )}
      read={(index) => [
        ...readings(tracks, t("Burn rate"), ({ burnRate }) => burnRate, burnText, index),
        ...annotated(index),
      ]}
      legend={
        <>
          <TrackKeys tracks={tracks} />
          <span>{t("At 1×, the budget lasts the whole window.")}</span>
          {above.length > 0 && (
            <span>
              {t("Above the chart: {thresholds}", { thresholds: listText(above.map(({ text }) => text)) })}
            </span>
          )}
        </>
      }
    />
  )
}
