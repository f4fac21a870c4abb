/**
 * Counts in one row per SLO and hour, and per SLO and day, for SLOs of databases that are created from here on. The rows of the others
 * are per objective (`count_hours`, `count_days`), as servers of the version before know no others, and are rewritten once none of those
 * servers runs. A database is new while nothing was created in it and no server has started with it (`packedMinutes`).
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
  `-- Which rows hold the counts of the SLO: "objective"; "copying", where those are complete, and some days also have rows of the SLO,
-- equal to them; "clearing", where those of the SLO are complete, and others may be left; or "slo".
ALTER TABLE slos ADD COLUMN count_rows text COLLATE "C" NOT NULL DEFAULT 'objective'`,
  `-- The latest hour with a row in slo_hours: it is in no day yet.
ALTER TABLE slos ADD COLUMN open_hour bigint`,
  `CREATE INDEX slos_count_rows ON slos (organization, project, name) WHERE count_rows <> 'slo'`,
  `-- The version of the schema that the process knows; null before this one.
ALTER TABLE queue_processes ADD COLUMN schema_version integer`,
  `DO $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM organizations
    UNION ALL SELECT FROM credentials
    UNION ALL SELECT FROM sealing_keys
    UNION ALL SELECT FROM public_keys
    UNION ALL SELECT FROM queue_processes
  ) THEN
    ALTER TABLE slos ALTER COLUMN count_rows SET DEFAULT 'slo';
  END IF;
END $$`,
]
