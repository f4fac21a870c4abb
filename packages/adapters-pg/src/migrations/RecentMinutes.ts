/**
 * Minutes of an indicator that are read before those from `read_to` on. Servers of the version before write neither column: `recent_of`
 * is a hash of what `recent` belongs to, so that it is ignored once they have advanced `read_to` or changed the indicator.
 */
export const recentMinutes: ReadonlyArray<string> = [
  `ALTER TABLE indicator_polls ADD COLUMN recent text, ADD COLUMN recent_of bigint`,
]
