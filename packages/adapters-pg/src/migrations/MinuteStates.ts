/**
 * The states of the minutes of SLOs for which minutes without events count: `{counted, carried, first, last, is_last_good}`, with
 * the first and the last minute with events since `at`; without them if there is none. Null where they are not needed.
 */
export const minuteStates: ReadonlyArray<string> = [
  `ALTER TABLE count_hours ADD COLUMN states integer[]`,
  `ALTER TABLE count_days ADD COLUMN states integer[]`,
]
