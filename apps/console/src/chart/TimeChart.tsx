import { Button, Group } from "@mantine/core"
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useId,
  useLayoutEffect,
  useState,
} from "react"
import css from "./TimeChart.module.css"
import { timeTicks, valueTicks } from "./Ticks.ts"

/** Maps data to pixels. */
export interface Scale {
  readonly x: (time: number) => number
  readonly y: (value: number) => number
  /** The bottom edge of the plot. */
  readonly bottom: number
  /** The width of one step. */
  readonly step: number
}

/** The data of a chart. */
export interface TimeChartProps {
  /** The heading and the accessible name. */
  readonly label: string
  /** The start of each step in Unix milliseconds, ascending. */
  readonly times: ReadonlyArray<number>
  readonly stepMs: number
  readonly from: number
  readonly to: number
  readonly min: number
  readonly max: number
  readonly formatValue: (value: number) => string
  /** Renders the data as SVG. */
  readonly draw: (scale: Scale) => ReactNode
  /** The values of a step by its index. */
  readonly read: (index: number) => ReadonlyArray<readonly [name: string, value: string]>
}

/**
 * A time series chart that is read with the pointer, the arrow keys or as a table.
 *
 * The values at the cursor are a live region below the plot, so that reading needs neither color nor sight.
 */
export const TimeChart = (props: TimeChartProps) => {
  const { label, times, stepMs, from, to, min, max, formatValue, draw, read } = props
  const { ref, width } = useWidth()
  const [cursor, setCursor] = useState<number>()
  const [isTable, setIsTable] = useState(false)
  const clipId = useId()
  const at = cursor !== undefined && cursor in times ? cursor : undefined

  const plot = { left: 58, right: Math.max(60, width - 8), top: 8, bottom: height - 24 }
  const scale: Scale = {
    x: (time) => plot.left + ((time - from) / (to - from)) * (plot.right - plot.left),
    y: (value) => plot.bottom - ((value - min) / (max - min || 1)) * (plot.bottom - plot.top),
    bottom: plot.bottom,
    step: (stepMs / (to - from)) * (plot.right - plot.left),
  }
  const point = (event: PointerEvent<SVGSVGElement>): void => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left
    const time = from + ((x - plot.left) / (plot.right - plot.left)) * (to - from)
    setCursor(Math.min(times.length - 1, Math.max(0, Math.floor((time - from) / stepMs))))
  }
  const move = (event: KeyboardEvent): void => {
    const next = movedTo(event.key, at, times.length)
    if (next === undefined) return
    event.preventDefault()
    setCursor(next)
  }

  return (
    <figure className={css.chart}>
      <figcaption>
        <Group justify="space-between" gap="xs">
          <h3>{label}</h3>
          <Button
            variant="subtle"
            size="compact-sm"
            aria-pressed={isTable}
            onClick={() => setIsTable(!isTable)}
          >
            {isTable ? "Show chart" : "Show table"}
          </Button>
        </Group>
      </figcaption>
      {isTable ? (
        <ChartTable {...props} />
      ) : (
        <>
          <div ref={ref} className={css.plot}>
            {width > 0 && (
              <svg
                width={width}
                height={height}
                role="img"
                aria-label={`${label}. Use the arrow keys to read values.`}
                tabIndex={0}
                onPointerMove={point}
                onPointerDown={point}
                onPointerLeave={() => setCursor(undefined)}
                onKeyDown={move}
                onBlur={() => setCursor(undefined)}
              >
                <clipPath id={clipId}>
                  <rect
                    x={plot.left}
                    y={plot.top - 2}
                    width={plot.right - plot.left}
                    height={plot.bottom - plot.top + 4}
                  />
                </clipPath>
                {valueTicks(min, max).map((value) => (
                  <g key={value}>
                    <line
                      className={css.grid}
                      x1={plot.left}
                      x2={plot.right}
                      y1={scale.y(value)}
                      y2={scale.y(value)}
                    />
                    <text className={css.tick} x={plot.left - 8} y={scale.y(value) + 4} textAnchor="end">
                      {formatValue(value)}
                    </text>
                  </g>
                ))}
                {timeTicks(from, to, Math.max(2, Math.floor(width / 110))).map(({ time, text }) => (
                  <text
                    key={time}
                    className={css.tick}
                    x={scale.x(time)}
                    y={height - 6}
                    textAnchor={scale.x(time) > plot.right - 24 ? "end" : "middle"}
                  >
                    {text}
                  </text>
                ))}
                <g clipPath={`url(#${clipId})`}>{draw(scale)}</g>
                {at !== undefined && (
                  <line
                    className={css.cursor}
                    x1={scale.x((times[at] ?? 0) + stepMs / 2)}
                    x2={scale.x((times[at] ?? 0) + stepMs / 2)}
                    y1={plot.top}
                    y2={plot.bottom}
                  />
                )}
              </svg>
            )}
          </div>
          <Group className={css.reading ?? ""} gap="2px 18px" aria-live="polite">
            {at === undefined ? (
              <span className="dim">Hover over the chart or use the arrow keys to read values.</span>
            ) : (
              <>
                <strong>{stepTime.format(times[at])}</strong>
                {read(at).map(([name, value]) => (
                  <span key={name}>
                    <span className="dim">{name}</span> {value}
                  </span>
                ))}
              </>
            )}
          </Group>
        </>
      )}
    </figure>
  )
}

const height = 200

const stepTime = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
})

const ChartTable = ({ label, times, read }: TimeChartProps) => {
  const columns = times.length === 0 ? [] : read(0).map(([name]) => name)
  return (
    <div className={css.table} tabIndex={0} role="region" aria-label={`${label} (table)`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {columns.map((name) => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times
            .map((time, at) => (
              <tr key={time}>
                <th scope="row">{stepTime.format(time)}</th>
                {read(at).map(([name, value]) => (
                  <td key={name} className="number">
                    {value}
                  </td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </div>
  )
}

/** The index that a key moves the cursor to. */
const movedTo = (key: string, at: number | undefined, count: number): number | undefined => {
  const last = count - 1
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: Math.max(0, (at ?? count) - 1),
    ArrowRight: Math.min(last, (at ?? last - 1) + 1),
    Home: 0,
    End: last,
  }
  return moves[key]
}

/** The width available to the plot, which is unmounted while the table is shown. */
const useWidth = () => {
  const [element, ref] = useState<HTMLDivElement | null>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (element === null) return
    setWidth(element.clientWidth)
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return { ref, width }
}
