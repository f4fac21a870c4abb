import type { SloForecast } from "@tocsin/api"
import type { Frame, Scale, Values } from "../chart/Scale.ts"
import type { TimeChartProps } from "../chart/TimeChart.tsx"
import { t } from "../language/Text.tsx"
import type { Threshold } from "./BurnThresholds.ts"
import type { Annotation } from "./SloAnnotations.tsx"
import css from "./SloCharts.module.css"
import type { Track } from "./SloSeries.ts"

/** When the error budget is exhausted. */
export type Forecast = SloForecast["objectives"][number]

/** The burn rate over the window of a condition. */
export interface BurnLine {
  /** As in 5m. */
  readonly window: string
  readonly values: Values
  /** From which burn rates on a condition is met, the lowest first. */
  readonly thresholds: ReadonlyArray<number>
  /** What was measured when the alert triggered. */
  readonly measured?: { readonly at: number; readonly value: number } | undefined
}

export interface SloChartsProps extends Pick<TimeChartProps, "frame" | "subject" | "onAct"> {
  /** One objective, or several that are compared. */
  readonly tracks: ReadonlyArray<Track>
  readonly annotations: ReadonlyArray<Annotation>
  readonly thresholds: ReadonlyArray<Threshold>
  /** The burn rates over the windows of conditions, instead of the burn rate over the last hour. */
  readonly burns?: ReadonlyArray<BurnLine>
  readonly forecast: Omit<Forecast, "name"> | undefined
  /** Two charts are beside each other where there is room. */
  readonly isPaired?: boolean
}

/** The properties of each chart. */
export interface ChartProps extends SloChartsProps {
  readonly marks: (scale: Scale) => React.ReactNode
  /** What was under way in a step. */
  readonly annotated: (index: number) => ReadonlyArray<readonly [string, string]>
}

export const textOr = (value: number | null | undefined, text: (value: number) => string): string =>
  value === null || value === undefined ? t("no data") : text(value)

/** The values of one track by what they are, or of several by their names. */
export const readings = (
  tracks: ReadonlyArray<Track>,
  name: string,
  valuesOf: (track: Track) => Values,
  text: (value: number) => string,
  index: number,
): ReadonlyArray<readonly [string, string]> =>
  tracks.map((track) => [tracks.length === 1 ? name : track.label, textOr(valuesOf(track)[index], text)])

/** The middle of a step. */
export const midOf = (frame: Frame, scale: Scale) => (index: number) =>
  scale.x(frame.from + (index + 0.5) * frame.stepMs)

/** The end of a step. */
export const endOf = (frame: Frame, scale: Scale) => (index: number) =>
  scale.x(frame.from + (index + 1) * frame.stepMs)

/** The limit of what a chart draws. */
export const atLeast = (values: Values, least: number): Values =>
  values.map((each) => (each === null ? null : Math.max(each, least)))

/** What a line of a chart is. */
export const LineKey = ({
  className,
  line,
  children,
}: {
  readonly className: string | undefined
  readonly line?: number
  readonly children: string
}) => (
  <span className={css.key}>
    <svg width="26" height="8" aria-hidden="true">
      <path className={className} data-line={line} d="M1 4h24" />
    </svg>{" "}
    {children}
  </span>
)

/** Which line is that of which track, if there are several. */
export const TrackKeys = ({ tracks }: { readonly tracks: ReadonlyArray<Track> }) =>
  tracks.length === 1
    ? null
    : tracks.map(({ name, label }, at) => (
        <LineKey key={name} className={css.lineKey} line={at}>
          {label}
        </LineKey>
      ))

/** A line across the chart with its name. */
export const Labeled = ({
  scale,
  at,
  text,
  className,
}: {
  readonly scale: Scale
  readonly at: number
  readonly text: string
  readonly className: string | undefined
}) => (
  <>
    <line className={className} x1={scale.left} x2={scale.right} y1={scale.y(at)} y2={scale.y(at)} />
    <text className={css.label} x={scale.left + 6} y={scale.y(at) + (scale.y(at) - scale.top < 16 ? 13 : -4)}>
      {text}
    </text>
  </>
)
