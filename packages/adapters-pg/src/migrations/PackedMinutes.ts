/**
 * The minutes of an hour as `packHour` writes them, for SLOs of databases that are created from here on. Servers of the version before
 * know only `minute_good` and `minute_total`, so that the SLOs of existing databases keep those until a later version.
 */
export const packedMinutes: ReadonlyArray<string> = [
  `ALTER TABLE count_hours ADD COLUMN packed bytea`,
  `ALTER TABLE count_hours ALTER COLUMN minute_good DROP NOT NULL`,
  `ALTER TABLE count_hours ALTER COLUMN minute_total DROP NOT NULL`,
  `ALTER TABLE slos ADD COLUMN packs_counts boolean NOT NULL DEFAULT false`,
  `DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM organizations) THEN
    ALTER TABLE slos ALTER COLUMN packs_counts SET DEFAULT true;
  END IF;
END $$`,
]
