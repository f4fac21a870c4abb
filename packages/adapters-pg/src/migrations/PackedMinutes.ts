/**
 * The minutes of an hour as `packHour` writes them, for SLOs of databases that are created from here on. Servers of the version before
 * know only `minute_good` and `minute_total`, so that the SLOs of existing databases keep those until a later version. A database is new
 * while nothing was created in it and no server has started with it, which stores which master key it has, and its lease.
 */
export const packedMinutes: ReadonlyArray<string> = [
  `ALTER TABLE count_hours ADD COLUMN packed bytea`,
  `ALTER TABLE count_hours ALTER COLUMN minute_good DROP NOT NULL`,
  `ALTER TABLE count_hours ALTER COLUMN minute_total DROP NOT NULL`,
  `ALTER TABLE slos ADD COLUMN packs_counts boolean NOT NULL DEFAULT false`,
  `DO $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM organizations
    UNION ALL SELECT FROM credentials
    UNION ALL SELECT FROM sealing_keys
    UNION ALL SELECT FROM public_keys
    UNION ALL SELECT FROM queue_processes
  ) THEN
    ALTER TABLE slos ALTER COLUMN packs_counts SET DEFAULT true;
  END IF;
END $$`,
]
