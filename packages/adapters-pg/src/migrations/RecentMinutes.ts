/**
 * Recent minutes of an indicator, which are read before those between `read_to` and them. Servers of the version before read on from
 * `read_to` as if there were none, which reads them again.
 */
export const recentMinutes: ReadonlyArray<string> = [
  `ALTER TABLE indicator_polls
  ADD COLUMN recent_from bigint,
  ADD COLUMN recent_to bigint,
  ADD COLUMN history_failures integer NOT NULL DEFAULT 0,
  ADD COLUMN history_problem text`,
]
