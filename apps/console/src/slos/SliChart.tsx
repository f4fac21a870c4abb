import { linePath, lowestBelow, percentile, type Values } from "../chart/Scale.ts"
import { TimeChart } from "../chart/TimeChart.tsx"
import { stepTimeText } from "../chart/TimeText.ts"
import { axisShareText, reliabilityText, targetText } from "../components/NumberFormat.ts"
import { t } from "../language/Text.tsx"
import {
  atLeast,
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

/** The SLI of each step and of the time window up to it. */
export const SliChart = ({ tracks, frame, marks, annotated, ...shared }: ChartProps) => {
  const only = tracks.length === 1 ? tracks[0] : undefined
  // A few bad steps do not flatten the others; they are marked at the lower edge.
  const least = Math.min(
    ...tracks.flatMap(({ target, reliability, stepReliability }) => [
      target,
      percentile(reliability, 0) ?? 1,
      percentile(stepReliability, 0.02) ?? 1,
    ]),
  )
  const min = Math.max(0, 1 - Math.max(1e-6, 1.25 * (1 - least)))
  const below = lowestBelow(only?.stepReliability ?? [], min)
  const belowText =
    below.length === 0
      ? undefined
      : t("Below the lower edge; lowest: {sli}", {
          sli: reliabilityText(Math.min(...below.map(({ value }) => value))),
        })
  const inPlot = (values: Values): Values => atLeast(values, min)
  return (
    <TimeChart
      {...shared}
      frame={frame}
      label={t("SLI")}
      min={min}
      max={1}
      formatValue={axisShareText}
      note={belowText}
      draw={(scale) => (
        <>
          {marks(scale)}
          {only === undefined ? (
            tracks.map(({ name, reliability }, at) => (
              <path
                key={name}
                className={css.line}
                data-line={at}
                d={linePath(inPlot(reliability), endOf(frame, scale), scale.y)}
              />
            ))
          ) : (
            <>
              <Labeled
                scale={scale}
                at={only.target}
                text={t("Target {target}", { target: targetText(only.target) })}
                className={css.target}
              />
              <path
                className={css.thin}
                d={linePath(inPlot(only.stepReliability), midOf(frame, scale), scale.y)}
              />
              <path
                className={css.window}
                d={linePath(inPlot(only.reliability), endOf(frame, scale), scale.y)}
              />
              {below.map(({ index, value }) => (
                <path key={index} className={css.below} d={arrowAt(midOf(frame, scale)(index), scale.bottom)}>
                  <title>
                    {t("{time}: {sli}", {
                      time: stepTimeText(frame.from + index * frame.stepMs, frame.stepMs),
                      sli: reliabilityText(value),
                    })}
                  </title>
                </path>
              ))}
            </>
          )}
        </>
      )}
      read={(index) => [
        ...(only === undefined
          ? readings(tracks, "", ({ reliability }) => reliability, reliabilityText, index)
          : [
              [t("Step"), textOr(only.stepReliability[index], reliabilityText)] as const,
              [t("Time window"), textOr(only.reliability[index], reliabilityText)] as const,
            ]),
        ...annotated(index),
      ]}
      legend={
        only === undefined ? (
          <TrackKeys tracks={tracks} />
        ) : (
          <>
            <LineKey className={css.thin}>{t("Each step")}</LineKey>
            <LineKey className={css.window}>{t("Time window up to then")}</LineKey>
            {belowText !== undefined && (
              <span className={css.key}>
                <svg width="12" height="9" aria-hidden="true">
                  <path className={css.below} d={arrowAt(6, 9)} />
                </svg>{" "}
                {belowText}
              </span>
            )}
          </>
        )
      }
    />
  )
}

/** A mark at the lower edge that points beyond it. */
const arrowAt = (x: number, bottom: number): string => `M${(x - 5).toFixed(1)} ${bottom - 8}h10l-5 8z`
