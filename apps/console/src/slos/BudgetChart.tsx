import { areaPath, type Frame, linePath, type Scale, type Values } from "../chart/Scale.ts"
import { TimeChart } from "../chart/TimeChart.tsx"
import { budgetText, shortBudgetText } from "../components/NumberFormat.ts"
import { t } from "../language/Text.tsx"
import {
  atLeast,
  type ChartProps,
  endOf,
  type Forecast,
  Labeled,
  readings,
  TrackKeys,
} from "./ChartParts.tsx"
import css from "./SloCharts.module.css"

/** The error budget that remains, and how it goes on. */
export const BudgetChart = ({ tracks, frame, forecast, marks, annotated, ...shared }: ChartProps) => {
  const least = Math.min(0, ...tracks.flatMap(({ budget }) => budget.filter((each) => each !== null)))
  const only = tracks.length === 1 ? tracks[0] : undefined
  return (
    <TimeChart
      {...shared}
      frame={frame}
      label={t("Error budget remaining")}
      hint={t("Hover over a chart or use the arrow keys to read values. Drag to select a range.")}
      min={least < 0 ? least * 1.05 : 0}
      max={1}
      formatValue={shortBudgetText}
      draw={(scale) => {
        const x = endOf(frame, scale)
        return (
          <>
            {only !== undefined && (
              <>
                <path className={css.burned} d={areaPath(atLeast(only.budget, 0), x, scale.y, scale.y(1))} />
                <path className={css.left} d={areaPath(atLeast(only.budget, 0), x, scale.y, scale.y(0))} />
                <path
                  className={css.overspent}
                  d={areaPath(atMost(only.budget, 0), x, scale.y, scale.y(0))}
                />
              </>
            )}
            {marks(scale)}
            <Labeled scale={scale} at={0} text={t("Exhausted")} className={css.target} />
            {tracks.map(({ name, budget }, at) => (
              <path key={name} className={css.line} data-line={at} d={linePath(budget, x, scale.y)} />
            ))}
            {only !== undefined && forecast !== undefined && (
              <ForecastLine scale={scale} frame={frame} budget={only.budget} forecast={forecast} />
            )}
          </>
        )
      }}
      read={(index) => [
        ...readings(tracks, t("Remaining"), ({ budget }) => budget, budgetText, index),
        ...annotated(index),
      ]}
      legend={<TrackKeys tracks={tracks} />}
    />
  )
}

const atMost = (values: Values, most: number): Values =>
  values.map((each) => (each === null ? null : Math.min(each, most)))

/** How the budget goes on at the pace of the last hour, and at the fastest and the slowest pace of the last day. */
const ForecastLine = ({
  scale,
  frame,
  budget,
  forecast,
}: {
  readonly scale: Scale
  readonly frame: Frame
  readonly budget: Values
  readonly forecast: Omit<Forecast, "name">
}) => {
  const index = budget.findLastIndex((each) => each !== null)
  const last = budget[index]
  const { exhaustedAt, earliestAt, latestAt } = forecast
  if (typeof last !== "number" || last <= 0 || exhaustedAt === undefined) return null
  const [x, y] = [endOf(frame, scale)(index), scale.y(last)]
  const at = (time: string | undefined): string =>
    `${(time === undefined ? scale.right : scale.x(Date.parse(time))).toFixed(1)} ${
      time === undefined ? y.toFixed(1) : scale.y(0).toFixed(1)
    }`
  return (
    <>
      {earliestAt !== undefined && (
        <path
          className={css.forecastRange}
          d={`M${x.toFixed(1)} ${y.toFixed(1)}L${at(earliestAt)}${
            latestAt === undefined ? `H${scale.right}V${y.toFixed(1)}` : `L${at(latestAt)}`
          }Z`}
        />
      )}
      <path className={css.forecast} d={`M${x.toFixed(1)} ${y.toFixed(1)}L${at(exhaustedAt)}`} />
    </>
  )
}
