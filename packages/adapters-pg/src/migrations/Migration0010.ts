/** Counts have a revision of their own, so that a status which was computed from fewer can be written. */
export const migration0010: ReadonlyArray<string> = [
  `ALTER TABLE slos ADD COLUMN counts_revision bigint NOT NULL DEFAULT 0`,
]
