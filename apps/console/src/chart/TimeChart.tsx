import { ActionIcon, Button, Group } from "@mantine/core"
import {
  type KeyboardEvent,
  memo,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react"
import { Download } from "../components/Icon.tsx"
import { t } from "../language/Text.tsx"
import { type ChartStore, useChartState, useChartStore } from "./ChartStore.ts"
import { ChartTable } from "./ChartTable.tsx"
import { Reading } from "./Reading.tsx"
import { saveChart } from "./SaveChart.ts"
import { type Frame, type Plot, type Scale, scaleOf, stepAt, stepsBetween, stepsOf, timeAt } from "./Scale.ts"
import { timeTicks, valueTicks } from "./Ticks.ts"
import css from "./TimeChart.module.css"
import { rangeTimeText, stepTimeText } from "./TimeText.ts"

/** The data of a chart. */
export interface TimeChartProps {
  /** The heading and the accessible name. */
  readonly label: string
  readonly frame: Frame
  readonly min: number
  readonly max: number
  readonly formatValue: (value: number) => string
  /** Renders the data as SVG. */
  readonly draw: (scale: Scale) => ReactNode
  /** The values of a step by its index. */
  readonly read: (index: number) => ReadonlyArray<readonly [name: string, value: string]>
  /** What the line of values has while nothing is read. */
  readonly hint?: string
  /** Explains what is drawn. */
  readonly legend?: ReactNode
  /** What the drawing alone would leave out, as a part of its accessible name. */
  readonly note?: string | undefined
  /** Controls beside the heading. */
  readonly aside?: ReactNode
  /** What the chart is of, for the file that is saved. */
  readonly subject: string
  /** A key asked for what can be done with the selection. */
  readonly onAct: () => void
}

/**
 * A time series chart that is read with the pointer, the keyboard or as a table, together with the other charts of its
 * `ChartStoreContext`.
 *
 * The values at the cursor are text above the plot, so that reading needs neither color nor sight.
 */
export const TimeChart = (props: TimeChartProps) => {
  const { label, frame, legend, aside, subject } = props
  const [isTable, setIsTable] = useState(false)
  const svg = useRef<SVGSVGElement>(null)
  const fileName = `${subject} ${label}`.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-")
  return (
    <figure className={css.chart}>
      <figcaption>
        <Group justify="space-between" gap="xs">
          <h3>{label}</h3>
          <Group gap="2xs">
            {aside}
            <Button
              variant="subtle"
              size="compact-sm"
              aria-pressed={isTable}
              onClick={() => setIsTable(!isTable)}
            >
              {isTable ? t("Show chart") : t("Show table")}
            </Button>
            {!isTable && (
              <ActionIcon
                variant="subtle"
                size="sm"
                aria-label={t("Download {chart} as PNG", { chart: label })}
                title={t("Download as PNG")}
                onClick={() =>
                  svg.current === null
                    ? undefined
                    : void saveChart(svg.current, {
                        title: `${subject}: ${label}`,
                        subtitle: rangeTimeText(frame.from, frame.to),
                        fileName: `${fileName}.png`,
                      })
                }
              >
                <Download />
              </ActionIcon>
            )}
          </Group>
        </Group>
        {!isTable && <CursorReading {...props} />}
      </figcaption>
      {isTable ? (
        <ChartTable label={label} head={t("Time")} rows={rowsOf(props)} />
      ) : (
        <ChartPlot {...props} svg={svg} />
      )}
      {legend !== undefined && <p className={css.legend}>{legend}</p>}
    </figure>
  )
}

/** The latest step first. */
const rowsOf = ({ frame, read }: TimeChartProps) =>
  Array.from({ length: stepsOf(frame) }, (_, index) => ({
    name: stepTimeText(frame.from + index * frame.stepMs, frame.stepMs),
    values: read(index),
  })).toReversed()

/** The values at the cursor. Of linked charts only the one that is used announces them. */
const CursorReading = ({ label, frame, read, hint }: TimeChartProps) => {
  const cursor = useChartState((state) => state.cursor ?? state.pinned)
  const isUsed = useChartState((state) => state.chart === label)
  const index = cursor === undefined ? 0 : stepAt(frame, cursor)
  return (
    <Reading
      place={cursor === undefined ? undefined : stepTimeText(frame.from + index * frame.stepMs, frame.stepMs)}
      values={() => read(index)}
      hint={hint}
      isAnnounced={isUsed}
    />
  )
}

const height = 200

const plotOf = (width: number): Plot => ({
  left: 62,
  right: Math.max(64, width - 8),
  top: 10,
  bottom: height - 24,
})

const ChartPlot = (props: TimeChartProps & { readonly svg: RefObject<SVGSVGElement | null> }) => {
  const { label, frame, min, max, note, svg, onAct } = props
  const { ref, width } = useWidth()
  const store = useChartStore()
  const plot = plotOf(width)
  const scale = scaleOf(frame, min, max, plot)
  return (
    <div ref={ref} className={css.plot}>
      {width > 0 && (
        <svg
          ref={svg}
          width={width}
          height={height}
          role="img"
          aria-label={[
            t("{chart}. Use the arrow keys to read values, with Shift to select a range.", { chart: label }),
            ...(note === undefined ? [] : [note]),
          ].join(" ")}
          tabIndex={0}
          onKeyDown={(event) => press(event, store, label, frame, onAct)}
          onFocus={() => store.set({ chart: label })}
          onBlur={() => store.set({ chart: undefined, cursor: undefined })}
          {...pointing(store, label, frame, plot)}
        >
          <Drawing {...props} width={width} />
          <Selection scale={scale} />
          <Cursor frame={frame} scale={scale} />
        </svg>
      )}
    </div>
  )
}

/** How far the pointer moves, in pixels, before it draws a selection. */
const dragMinPx = 4

const pointing = (store: ChartStore, label: string, frame: Frame, plot: Plot) => {
  const at = (event: PointerEvent<SVGSVGElement>): { readonly x: number; readonly time: number } => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left
    return { x, time: timeAt(frame, plot, Math.min(Math.max(x, plot.left), plot.right)) }
  }
  const stepStart = (time: number): number => frame.from + stepAt(frame, time) * frame.stepMs
  return {
    onPointerDown: (event: PointerEvent<SVGSVGElement>): void => {
      if (event.button !== 0) return
      const { x, time } = at(event)
      event.currentTarget.setPointerCapture(event.pointerId)
      drag = { x, time, isDrawn: false }
      store.set({ chart: label, cursor: stepStart(time) })
    },
    onPointerMove: (event: PointerEvent<SVGSVGElement>): void => {
      const { x, time } = at(event)
      if (drag !== undefined && (drag.isDrawn || Math.abs(x - drag.x) >= dragMinPx)) {
        drag.isDrawn = true
        store.set({ selection: stepsBetween(frame, drag.time, time), isSelecting: true, pinned: undefined })
      }
      store.set({ chart: label, cursor: stepStart(time) })
    },
    onPointerUp: (event: PointerEvent<SVGSVGElement>): void => {
      if (drag === undefined) return
      const { time } = at(event)
      if (drag.isDrawn) store.set({ isSelecting: false })
      else store.set({ selection: undefined, pinned: stepStart(time) })
      drag = undefined
    },
    onPointerCancel: (): void => {
      if (drag?.isDrawn) store.set({ isSelecting: false, selection: undefined })
      drag = undefined
    },
    onPointerLeave: (): void => {
      if (drag === undefined) store.set({ cursor: undefined, chart: undefined })
    },
  }
}

/** One pointer draws at a time. */
let drag: { readonly x: number; readonly time: number; isDrawn: boolean } | undefined

const press = (
  event: KeyboardEvent,
  store: ChartStore,
  label: string,
  frame: Frame,
  onAct: () => void,
): void => {
  const { cursor, pinned, selection } = store.get()
  const from = cursor ?? pinned
  const index = from === undefined ? undefined : stepAt(frame, from)
  if (event.key === "Escape") {
    store.set({ selection: undefined, pinned: undefined, cursor: undefined })
    return
  }
  if (event.key === "Enter") {
    event.preventDefault()
    if (selection === undefined && from !== undefined) store.set({ pinned: from })
    if (selection !== undefined || from !== undefined) onAct()
    return
  }
  const next = movedTo(event.key, index, stepsOf(frame))
  if (next === undefined) return
  event.preventDefault()
  const time = frame.from + next * frame.stepMs
  if (event.shiftKey) {
    const anchor = selectionAnchor !== undefined && selection !== undefined ? selectionAnchor : (from ?? time)
    selectionAnchor = anchor
    store.set({ selection: stepsBetween(frame, anchor, time), isSelecting: false })
  } else selectionAnchor = undefined
  store.set({ chart: label, cursor: time })
}

/** Where a selection by keyboard began. */
let selectionAnchor: number | undefined

/** The index that a key moves the cursor to. */
const movedTo = (key: string, at: number | undefined, count: number): number | undefined => {
  const last = count - 1
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: Math.max(0, (at ?? count) - 1),
    ArrowRight: Math.min(last, (at ?? last - 1) + 1),
    PageUp: Math.max(0, (at ?? count) - 10),
    PageDown: Math.min(last, (at ?? last) + 10),
    Home: 0,
    End: last,
  }
  return moves[key]
}

/** The axes and the data. They are drawn again only when these or the size change. */
const Drawing = memo(function Drawing({
  frame,
  min,
  max,
  formatValue,
  draw,
  width,
}: TimeChartProps & { readonly width: number }) {
  const clipId = useId()
  const plot = plotOf(width)
  const scale = scaleOf(frame, min, max, plot)
  return (
    <>
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
          <line className={css.grid} x1={plot.left} x2={plot.right} y1={scale.y(value)} y2={scale.y(value)} />
          <text className={css.tick} x={plot.left - 8} y={scale.y(value) + 4} textAnchor="end">
            {formatValue(value)}
          </text>
        </g>
      ))}
      {timeTicks(frame.from, frame.until, Math.max(3, Math.floor(width / 110))).map(({ time, text }) => (
        <text
          key={time}
          className={css.tick}
          x={scale.x(time)}
          y={height - 6}
          textAnchor={scale.x(time) > plot.right - 28 ? "end" : "middle"}
        >
          {text}
        </text>
      ))}
      <g clipPath={`url(#${clipId})`}>{draw(scale)}</g>
    </>
  )
})

const Cursor = ({ frame, scale }: { readonly frame: Frame; readonly scale: Scale }) => {
  const cursor = useChartState((state) => state.cursor)
  const pinned = useChartState((state) => state.pinned)
  const line = (time: number, isPinned: boolean) => {
    const x = scale.x(frame.from + (stepAt(frame, time) + 0.5) * frame.stepMs)
    return (
      <line
        className={css.cursor}
        data-pinned={isPinned || undefined}
        data-aside
        x1={x}
        x2={x}
        y1={scale.top}
        y2={scale.bottom}
      />
    )
  }
  return (
    <>
      {pinned !== undefined && line(pinned, true)}
      {cursor !== undefined && cursor !== pinned && line(cursor, false)}
    </>
  )
}

const Selection = ({ scale }: { readonly scale: Scale }) => {
  const selection = useChartState((state) => state.selection)
  if (selection === undefined) return null
  const start = Math.max(scale.x(selection.from), scale.left)
  const end = Math.min(scale.x(selection.to), scale.right)
  if (end <= start) return null
  return (
    <rect
      className={css.selection}
      data-aside
      x={start}
      y={scale.top}
      width={end - start}
      height={scale.bottom - scale.top}
    />
  )
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
