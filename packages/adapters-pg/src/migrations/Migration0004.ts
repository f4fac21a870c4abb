/** An array of 60 values of a column, by the minute of the hour; null where there is none. */
const valueByMinute = (column: "good" | "total"): string =>
  Array.from(
    { length: 60 },
    (_, minute) => `max(${column}) FILTER (WHERE mod(at / 60000, 60) = ${minute})`,
  ).join()

/**
 * Counts an hour a row, what is kept for the status of an SLO, and the counts of before carried over.
 *
 * Of the minutes that were there all are good ones: no SLO had a rule by which one could be bad.
 */
export const migration0004: ReadonlyArray<string> = [
  `-- The revision changes with everything that the status is computed from.
ALTER TABLE slos RENAME COLUMN counts_revision TO revision`,
  `ALTER TABLE slos
  -- By which minutes are good or bad: JSON as the domain has it.
  ADD COLUMN slice_rules text NOT NULL DEFAULT '[]',
  -- By objective the start of the latest minute that ever had a count, as JSON.
  ADD COLUMN latest_at text NOT NULL DEFAULT '{}',
  -- What the next evaluation of alerts must know of the last.
  ADD COLUMN evaluation text`,
  `UPDATE slos s SET latest_at = l.latest_at
FROM (
  SELECT organization, project, slo, json_object_agg(objective, at)::text AS latest_at FROM (
    SELECT organization, project, slo, objective, max(at) AS at FROM count_minutes GROUP BY 1, 2, 3, 4
  ) o
  GROUP BY 1, 2, 3
) l
WHERE s.organization = l.organization AND s.project = l.project AND s.name = l.slo`,
  `-- One row an hour of UTC with counts: 60 minutes, null where there is no count, and what they add up to. The objective
-- is '' for the older composite over all of them. The hours of one SLO lie far apart, as those of all SLOs are written
-- together, so that the key holds the sums too: there they lie side by side. Partitions are made when they are needed,
-- and dropped when they are older than counts are kept.
DROP TABLE count_hours`,
  `CREATE TABLE count_hours (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  objective text COLLATE "C" NOT NULL,
  minute_good double precision[] NOT NULL,
  minute_total double precision[] NOT NULL,
  good double precision NOT NULL,
  total double precision NOT NULL,
  minutes integer NOT NULL,
  good_shares double precision NOT NULL,
  good_minutes integer NOT NULL,
  PRIMARY KEY (organization, project, slo, at, objective) INCLUDE (good, total, minutes, good_shares, good_minutes)
) PARTITION BY RANGE (at)`,
  `-- One row a day of UTC with counts: what its hours add up to.
CREATE TABLE count_days (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  objective text COLLATE "C" NOT NULL,
  good double precision NOT NULL,
  total double precision NOT NULL,
  minutes integer NOT NULL,
  good_shares double precision NOT NULL,
  good_minutes integer NOT NULL,
  PRIMARY KEY (organization, project, slo, at, objective) INCLUDE (good, total, minutes, good_shares, good_minutes)
) PARTITION BY RANGE (at)`,
  `-- Day by day, as one partition of minutes after the other is read.
DO $$
DECLARE
  minutes text;
  start bigint;
BEGIN
  FOR minutes IN
    SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'count_minutes'::regclass ORDER BY relname
  LOOP
    start := substr(minutes, length('count_minutes_') + 1)::bigint;
    start := start - mod(start, 2419200000);
    EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF count_hours FOR VALUES FROM (%s) TO (%s)
        WITH (autovacuum_vacuum_scale_factor = 0.05)',
      'count_hours_' || start, start, start + 2419200000);
    EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF count_days FOR VALUES FROM (%s) TO (%s)',
      'count_days_' || start, start, start + 2419200000);
    EXECUTE format($minutes$
      INSERT INTO count_hours
      SELECT organization, project, slo, at - mod(at, 3600000), objective,
        ARRAY[${valueByMinute("good")}],
        ARRAY[${valueByMinute("total")}],
        sum(good), sum(total), count(*) FILTER (WHERE total > 0),
        coalesce(sum(good / nullif(total, 0)), 0), count(*) FILTER (WHERE total > 0)
      FROM %I
      GROUP BY organization, project, slo, at - mod(at, 3600000), objective $minutes$, minutes);
  END LOOP;
END $$`,
  `INSERT INTO count_days
SELECT organization, project, slo, at - mod(at, 86400000), objective,
  sum(good), sum(total), sum(minutes), sum(good_shares), sum(good_minutes)
FROM count_hours
GROUP BY organization, project, slo, at - mod(at, 86400000), objective`,
  `DROP TABLE count_minutes`,
]
