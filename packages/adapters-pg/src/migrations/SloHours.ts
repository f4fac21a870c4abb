/**
 * Counts in one row per SLO and hour, and per SLO and day, for SLOs of databases that are created from here on. The rows of the others
 * are per objective (`count_hours`, `count_days`), as servers of the version before know no others, and may still run.
 *
 * A database is new if all of its migrations up to this one are of one transaction: no server can have found a schema without these rows in
 * it, and servers of the version before refuse to start with them.
 */
export const sloHours: ReadonlyArray<string> = [
  `-- One row per SLO and hour (UTC) with counts: the minutes of all objectives (packSloHour). Partitions are created on demand, and
-- dropped after the retention of counts.
CREATE TABLE slo_hours (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  counts bytea NOT NULL,
  PRIMARY KEY (organization, project, slo, at)
) PARTITION BY RANGE (at)`,
  `-- One row per SLO and day (UTC) with counts in any hour before the open one: the sums of the day, and of its 24 hours (packSums).
CREATE TABLE slo_days (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  sums bytea NOT NULL,
  hours bytea NOT NULL,
  PRIMARY KEY (organization, project, slo, at)
) PARTITION BY RANGE (at)`,
  `-- Which rows hold the counts of the SLO: "objective" (count_hours, count_days) or "slo" (slo_hours, slo_days).
ALTER TABLE slos ADD COLUMN count_rows text COLLATE "C" NOT NULL DEFAULT 'objective'`,
  `-- The latest hour with a row in slo_hours: it is in no day yet.
ALTER TABLE slos ADD COLUMN open_hour bigint`,
  `DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM schema_migrations WHERE xmin <> pg_current_xact_id()::xid) THEN
    ALTER TABLE slos ALTER COLUMN count_rows SET DEFAULT 'slo';
  END IF;
END $$`,
]
