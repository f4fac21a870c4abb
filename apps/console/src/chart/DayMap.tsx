import { Button, Group } from "@mantine/core"
import { type KeyboardEvent, type MouseEvent, useLayoutEffect, useState } from "react"
import { t } from "../language/Text.tsx"
import { dayMs } from "../time/Minute.ts"
import { ChartTable } from "./ChartTable.tsx"
import css from "./DayMap.module.css"
import { type DayLevel, dayLevels, monthColumns, placedDays } from "./DayWeeks.ts"
import { Reading } from "./Reading.tsx"
import { utcDayText, utcMonthText, utcWeekdayText } from "./TimeText.ts"

/** The days of a heat map. */
export interface DayMapProps {
  readonly label: string
  /** The start of the first day of UTC, in Unix milliseconds. */
  readonly from: number
  /** A level for each day; null without data. */
  readonly levels: ReadonlyArray<DayLevel | null>
  readonly levelNames: Readonly<Record<DayLevel, string>>
  /** The values of a day by its index. */
  readonly read: (index: number) => ReadonlyArray<readonly [name: string, value: string]>
  readonly onChoose: (from: number, to: number) => void
}

const gap = 3
const cellMin = 15
const cellMax = 24
/** A quarter, however short the history is. */
const weeksMin = 14
const left = 34
const top = 18

/**
 * A calendar of days that is read with the pointer, the arrow keys or as a table. It has as many of the latest weeks as there is
 * room for. Days that burn the budget too fast have a mark, so that nothing depends on color.
 */
export const DayMap = (props: DayMapProps) => {
  const { label, from, levels, levelNames, read, onChoose } = props
  const [isTable, setIsTable] = useState(false)
  const [element, ref] = useState<HTMLDivElement | null>(null)
  const [width, setWidth] = useState(0)
  const [chosen, setChosen] = useState<number>()
  useLayoutEffect(() => {
    if (element === null) return
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])

  const all = placedDays(from, levels.length)
  const columns = (all.at(-1)?.column ?? 0) + 1
  const begun = all[levels.findIndex((level) => level !== null)]?.column ?? columns
  const wanted = Math.min(columns, Math.max(weeksMin, columns - begun))
  const fitting = Math.max(1, Math.floor((width - left) / (cellMin + gap)))
  const weeks = Math.min(wanted, fitting)
  const skipped = columns - weeks
  const cell = Math.min(cellMax, Math.max(cellMin, Math.floor((width - left) / weeks) - gap))
  const shown = all.filter(({ column }) => column >= skipped)
  const first = shown[0]?.index ?? 0
  const last = levels.length - 1
  const at = chosen !== undefined && chosen >= first && chosen <= last ? chosen : undefined
  const x = (column: number): number => left + (column - skipped) * (cell + gap)
  const y = (row: number): number => top + row * (cell + gap)

  const indexAt = (event: MouseEvent<SVGSVGElement>): number | undefined => {
    const box = event.currentTarget.getBoundingClientRect()
    const column = Math.floor((event.clientX - box.left - left) / (cell + gap)) + skipped
    const row = Math.floor((event.clientY - box.top - top) / (cell + gap))
    return shown.find((day) => day.column === column && day.row === row)?.index
  }
  const choose = (index: number | undefined): void => {
    if (index !== undefined) onChoose(from + index * dayMs, from + (index + 1) * dayMs)
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Enter") return choose(at)
    const moves: Readonly<Record<string, number>> = {
      ArrowLeft: -7,
      ArrowRight: 7,
      ArrowUp: -1,
      ArrowDown: 1,
      Home: -levels.length,
      End: levels.length,
    }
    const by = moves[event.key]
    if (by === undefined) return
    event.preventDefault()
    setChosen(at === undefined ? last : Math.min(last, Math.max(first, at + by)))
  }

  return (
    <figure className={css.map}>
      <figcaption>
        <Group justify="space-between" gap="xs">
          <h3>{label}</h3>
          <Button
            variant="subtle"
            size="compact-sm"
            aria-pressed={isTable}
            onClick={() => setIsTable(!isTable)}
          >
            {isTable ? t("Show calendar") : t("Show table")}
          </Button>
        </Group>
        {!isTable && (
          <Reading
            place={at === undefined ? undefined : utcDayText(from + at * dayMs)}
            values={() => read(at ?? 0)}
            hint={t("Days in UTC. Select a day to see it in the charts.")}
          />
        )}
      </figcaption>
      {isTable ? (
        <ChartTable label={label} head={t("Day (UTC)")} rows={rowsOf(props)} />
      ) : (
        <div ref={ref} className={css.plot}>
          {width > 0 && (
            <svg
              width={width}
              height={top + 7 * (cell + gap)}
              role="img"
              aria-label={t("{chart}. Use the arrow keys to read days, and Enter to see one in the charts.", {
                chart: label,
              })}
              tabIndex={0}
              onKeyDown={press}
              onBlur={() => setChosen(undefined)}
              onPointerMove={(event) => setChosen(indexAt(event))}
              onPointerLeave={() => setChosen(undefined)}
              // After a tap, the pointer has left before the click.
              onClick={(event) => choose(indexAt(event))}
            >
              {weekdayRows.map((row) => (
                <text key={row} className={css.tick} x={left - 6} y={y(row) + cell / 2 + 4} textAnchor="end">
                  {utcWeekdayText(mondayMs + row * dayMs)}
                </text>
              ))}
              {monthColumns(from, levels.length)
                .filter(({ column }) => column >= skipped && x(column) < width - 24)
                .map(({ column, time }) => (
                  <text key={time} className={css.tick} x={x(column)} y={12}>
                    {utcMonthText(time)}
                  </text>
                ))}
              {shown.map(({ index, column, row }) => {
                const level = levels[index] ?? "empty"
                return (
                  <g
                    key={index}
                    className={css.day}
                    data-level={level}
                    data-chosen={index === at || undefined}
                  >
                    <rect x={x(column)} y={y(row)} width={cell} height={cell} rx={3} />
                    <Mark level={level} x={x(column)} y={y(row)} cell={cell} />
                  </g>
                )
              })}
            </svg>
          )}
        </div>
      )}
      <p className={css.legend}>
        {dayLevels.map((level) => (
          <span key={level} className={css.key}>
            <svg width={cellMin} height={cellMin} aria-hidden="true">
              <g className={css.day} data-level={level}>
                <rect x={0.5} y={0.5} width={cellMin - 1} height={cellMin - 1} rx={3} />
                <Mark level={level} x={0} y={0} cell={cellMin} />
              </g>
            </svg>{" "}
            {levelNames[level]}
          </span>
        ))}
      </p>
    </figure>
  )
}

/** A stroke through days that burn the budget too fast, and two through those that burn it much too fast. */
const Mark = ({
  level,
  x,
  y,
  cell,
}: {
  readonly level: DayLevel | "empty"
  readonly x: number
  readonly y: number
  readonly cell: number
}) => {
  const inset = cell * 0.3
  const size = cell - 2 * inset
  const up = `M${x + inset} ${y + inset + size}l${size}-${size}`
  if (level === "burned") return <path d={up} />
  if (level === "fast") return <path d={`${up}M${x + inset} ${y + inset}l${size} ${size}`} />
  return null
}

/** The latest day first, without those that have no data. */
const rowsOf = ({ from, levels, read }: DayMapProps) =>
  levels
    .flatMap((level, index) =>
      level === null ? [] : [{ name: utcDayText(from + index * dayMs), values: read(index) }],
    )
    .toReversed()

const weekdayRows = [0, 2, 4]
const mondayMs = Date.UTC(2026, 0, 5)
