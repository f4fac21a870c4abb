import { addStates, type MinuteStates } from "@tocsin/domain/adapter"
import { minuteMs } from "@tocsin/domain/codec"
import { carriedStateMaxMs } from "@tocsin/domain/limits"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** The literal of the column `states` for a row that starts at `at`, in Unix milliseconds. */
export const statesToText = (states: MinuteStates | undefined, at: number): string | null => {
  if (states === undefined) return null
  const { counted, carriedBad, events } = states
  const minuteOf = (instant: number): number => (instant - at) / minuteMs
  const ofEvents =
    events === undefined ? [] : [minuteOf(events.firstAt), minuteOf(events.lastAt), events.isLastGood ? 1 : 0]
  return `{${[counted, carriedBad, ...ofEvents].join()}}`
}

/** As `selectStates` returns them: the minutes counted and carried, the first minute with events, and twice the last one and its state. */
export type StatesColumn = readonly [number | null, number | null, number | null, number | null]

export const rowToStates = ([counted, carried, first, lastState]: StatesColumn): MinuteStates => ({
  counted: counted ?? 0,
  carriedBad: carried ?? 0,
  ...(first !== null &&
    lastState !== null && {
      events: {
        firstAt: first * minuteMs,
        lastAt: Math.floor(lastState / 2) * minuteMs,
        isLastGood: lastState % 2 === 1,
      },
    }),
})

/**
 * Selects `objective` and the states of the rows of a table for which a condition holds: `counted`, `carried`, `first` and
 * `last_state`, by objective. Minutes are since 1970. The gap between two rows follows from the last row before with events.
 */
export const selectStates = (sql: SqlClient.SqlClient, table: string, condition: Fragment): Fragment => sql`
  SELECT objective, sum(counted) AS counted, min(first) AS first, max(last_state) AS last_state,
    sum(carried + CASE WHEN first IS NOT NULL AND earlier % 2 = 0
      THEN least(first - earlier / 2 - 1, ${carriedStateMaxMs / minuteMs}::bigint) ELSE 0 END) AS carried
  FROM (
    SELECT *, max(last_state) OVER (
      PARTITION BY objective ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier
    FROM (
      SELECT objective, at, states[1] AS counted, states[2] AS carried,
        at / ${minuteMs}::bigint + states[3] AS first,
        (at / ${minuteMs}::bigint + states[4]) * 2 + states[5] AS last_state
      FROM ${sql(table)} WHERE ${condition} AND states IS NOT NULL
    ) rows
  ) ordered
  GROUP BY objective`

/** Adds up the states of the parts of a range in the order of time. */
export const inOrder = (parts: ReadonlyArray<MinuteStates>): MinuteStates =>
  parts
    .toSorted((a, b) => (a.events?.firstAt ?? 0) - (b.events?.firstAt ?? 0))
    .reduce((earlier, later) => addStates(earlier, later))
