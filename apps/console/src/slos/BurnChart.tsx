import type { ComponentProps } from "react"
import { linePath } from "../chart/Scale.ts"
import { TimeChart } from "../chart/TimeChart.tsx"
import { burnText, digitsText } from "../components/NumberFormat.ts"
import { listText, t } from "../language/Text.tsx"
import {
  type BurnLine,
  type ChartProps,
  endOf,
  Labeled,
  LineKey,
  midOf,
  readings,
  textOr,
  TrackKeys,
} from "./ChartParts.tsx"
import css from "./SloCharts.module.css"

/** The burn rate, with the thresholds of the alert policies; of an alert, over the windows that its conditions measured. */
export const BurnChart = (props: ChartProps) =>
  props.burns === undefined || props.burns.length === 0 ? (
    <HourChart {...props} />
  ) : (
    <WindowsChart {...props} burns={props.burns} />
  )

/** A chart of burn rates, with the line at which the budget lasts exactly for the time window. */
const RateChart = ({
  marks,
  annotated,
  draw,
  read,
  ...props
}: Pick<ChartProps, "marks" | "annotated"> &
  Omit<ComponentProps<typeof TimeChart>, "label" | "min" | "formatValue">) => (
  <TimeChart
    {...props}
    label={t("Burn rate")}
    min={0}
    formatValue={(value) => `${digitsText(value, 3)}×`}
    draw={(scale) => (
      <>
        {marks(scale)}
        <line className={css.zero} x1={scale.left} x2={scale.right} y1={scale.y(1)} y2={scale.y(1)} />
        {draw(scale)}
      </>
    )}
    read={(index) => [...read(index), ...annotated(index)]}
  />
)

const WindowsChart = ({ burns, ...shared }: ChartProps & { readonly burns: ReadonlyArray<BurnLine> }) => {
  const thresholds = [...new Set(burns.flatMap((line) => line.thresholds))].toSorted((a, b) => a - b)
  const values = burns.flatMap((line) => [...line.values, line.measured?.value ?? null])
  // Unlike on the page of an SLO, what is measured is compared with these thresholds: all of them are in sight.
  const max =
    1.12 * values.reduce<number>((most, each) => Math.max(most, each ?? 0), Math.max(1.3, ...thresholds))
  return (
    <RateChart
      {...shared}
      max={max}
      draw={(scale) => (
        <>
          {thresholds.map((rate) => (
            <Labeled
              key={rate}
              scale={scale}
              at={rate}
              text={`${burnText(rate)} ${listText(
                burns.filter((line) => line.thresholds.includes(rate)).map(({ window }) => window),
              )}`}
              className={css.threshold}
            />
          ))}
          {burns.map(({ window, values, measured }, at) => (
            <g key={window}>
              <path
                className={css.line}
                data-line={at}
                d={linePath(values, endOf(shared.frame, scale), scale.y)}
              />
              {measured !== undefined && (
                <circle
                  className={css.line}
                  data-line={at}
                  cx={scale.x(measured.at)}
                  cy={scale.y(measured.value)}
                  r={4}
                />
              )}
            </g>
          ))}
        </>
      )}
      read={(index) =>
        burns.map(
          ({ window, values }) =>
            [t("Burn rate over {window}", { window }), textOr(values[index], burnText)] as const,
        )
      }
      legend={
        <>
          {burns.map((line, at) => (
            <LineKey key={line.window} className={css.lineKey} line={at}>
              {line.thresholds.length === 0
                ? line.window
                : t("{window}, threshold {thresholds}", {
                    window: line.window,
                    thresholds: listText(line.thresholds.map(burnText)),
                  })}
            </LineKey>
          ))}
          {burns.some(({ measured }) => measured !== undefined) && (
            <span>{t("Circles: measured when the alert triggered.")}</span>
          )}
        </>
      }
    />
  )
}

const HourChart = ({ tracks, thresholds, ...shared }: ChartProps) => {
  const greatest = Math.max(1, ...tracks.flatMap(({ burnRate }) => burnRate.map((each) => each ?? 0)))
  // A threshold in reach is drawn; one far above would flatten the line.
  const shown = thresholds.filter(({ rate }) => rate <= 3 * greatest)
  const max = 1.12 * Math.max(1.3, greatest, ...shown.map(({ rate }) => rate))
  const above = thresholds.filter((each) => !shown.includes(each))
  return (
    <RateChart
      {...shared}
      max={max}
      draw={(scale) => (
        <>
          {shown.map(({ rate, text }) => (
            <Labeled key={`${rate} ${text}`} scale={scale} at={rate} text={text} className={css.threshold} />
          ))}
          {tracks.map(({ name, burnRate }, at) => (
            <path
              key={name}
              className={css.line}
              data-line={at}
              d={linePath(burnRate, midOf(shared.frame, scale), scale.y)}
            />
          ))}
        </>
      )}
      read={(index) => readings(tracks, t("Burn rate"), ({ burnRate }) => burnRate, burnText, index)}
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
