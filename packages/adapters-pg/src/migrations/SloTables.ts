/**
 * The records of SLOs, their counts, and how far their indicators have been read.
 *
 * An objective is named by its name; the older composite over all objectives of an SLO is named `''`.
 */
export const sloTables: ReadonlyArray<string> = [
  `-- One row per SLO definition. Each evaluation rewrites the row, so pages keep free space for the new version.
CREATE TABLE slos (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  service text COLLATE "C" NOT NULL,
  -- The metrics of each objective: JSON, an array of pairs of objective and metrics.
  statuses text NOT NULL DEFAULT '{"version":1,"document":[]}',
  -- The name and the display name, in lower case.
  search_text text COLLATE "C" NOT NULL DEFAULT '',
  -- The rules that decide whether a minute is good: JSON in the domain's form.
  slice_rules text NOT NULL DEFAULT '{"version":1,"document":[]}',
  -- By objective, the start of the latest minute that ever had a count: a JSON object.
  latest_at text NOT NULL DEFAULT '{"version":1,"document":{}}',
  -- What the next evaluation of alerts needs to know of the previous one.
  evaluation text,
  -- The version of the definition.
  version bigint NOT NULL,
  -- Grows with each change to what the status is computed from, other than counts.
  revision bigint NOT NULL DEFAULT 0,
  -- Grows with each change of counts, separately: a status computed from fewer counts can still be written.
  counts_revision bigint NOT NULL DEFAULT 0,
  -- When the status must be computed; null: with the next counts.
  due_at bigint,
  PRIMARY KEY (organization, project, name)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX slos_due ON slos (due_at) WHERE due_at IS NOT NULL`,
  `-- One row per objective and hour (UTC) with counts: its 60 minutes, null where there is no count, and their sums.
-- The hours of one SLO are far apart in the table, as the hours of all SLOs are written together. The primary key
-- therefore includes the sums: in the index they are adjacent. Partitions are created on demand, and dropped after the
-- retention of counts.
CREATE TABLE count_hours (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  objective text COLLATE "C" NOT NULL,
  minute_good double precision[] NOT NULL,
  minute_total double precision[] NOT NULL,
  good double precision NOT NULL,
  total double precision NOT NULL,
  -- The minutes with events; the sum of their shares of good events; and those that are good by the slice rules.
  minutes integer NOT NULL,
  good_shares double precision NOT NULL,
  good_minutes integer NOT NULL,
  PRIMARY KEY (organization, project, slo, at, objective) INCLUDE (good, total, minutes, good_shares, good_minutes)
) PARTITION BY RANGE (at)`,
  `-- One row per objective and day (UTC) with counts: the sums of its hours.
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
  `-- One row per SLO with an indicator: how far it has been read, and when to read on.
CREATE TABLE indicator_polls (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  -- JSON in the domain's form, and the part of its URL that identifies the server.
  indicator text NOT NULL,
  server text COLLATE "C" NOT NULL,
  read_to bigint NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  succeeded_at bigint,
  -- JSON in the domain's form.
  problem text,
  due_at bigint NOT NULL,
  PRIMARY KEY (organization, project, slo),
  FOREIGN KEY (organization, project, slo) REFERENCES slos ON DELETE CASCADE
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0)`,
  `-- A claim skips from one organization and server to the next, and takes what is due of each. It reads as many entries
-- as there are organizations and servers, plus those that it claims.
CREATE INDEX indicator_polls_due ON indicator_polls (organization, server, due_at)`,
]
