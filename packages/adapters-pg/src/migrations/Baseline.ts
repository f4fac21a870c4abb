/**
 * The ID of the alert within the JSON of a notification, up to its first quote.
 *
 * Indexes find the deliveries of an alert by it. A query must use this very expression to be served by them.
 */
export const alertIdInNotification = `(split_part(split_part(notification, '"alertId":"', 2), '"', 1) COLLATE "C")`

/**
 * The first version of the schema.
 *
 * - Every key starts with the organization, so that a distributed PostgreSQL can shard by it. Keys of signing and of
 *   encryption belong to the instance instead; a distributed PostgreSQL keeps them on every node.
 * - Times are Unix milliseconds.
 * - Text that is sorted or paged through is `COLLATE "C"`: the byte order of UTF-8 is the order of code points.
 */
export const baseline: ReadonlyArray<string> = [
  // The two clocks that statements read, in Unix milliseconds. Every time in the schema is one of theirs.

  `-- The start of the statement: for conditions, which an index can then serve.
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
  RETURN (extract(epoch FROM statement_timestamp()) * 1000)::bigint`,
  `-- This very moment: for decisions that must not be older than a lock that the statement waited for.
CREATE FUNCTION clock_ms() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL SAFE
  RETURN (extract(epoch FROM clock_timestamp()) * 1000)::bigint`,

  // Definitions as they were applied, and the references between them.

  `-- One row per organization that ever changed a definition. Changes lock it, so that those of one organization run one
-- after the other; the revision becomes the version of the definitions that the change writes.
CREATE TABLE organizations (
  organization text COLLATE "C" PRIMARY KEY,
  revision bigint NOT NULL
)`,
  `CREATE TABLE definitions (
  organization text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- JSON in the domain's form, without the secrets.
  definition text NOT NULL,
  -- Each label key alone, and each key with each of its values, as JSON arrays of one or two strings.
  labels text[] NOT NULL,
  -- The secrets of an alert method, encrypted, and the key that encrypted them.
  sealed bytea,
  sealing_key_id text,
  version bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (organization, kind, project, name),
  CHECK ((sealed IS NULL) = (sealing_key_id IS NULL))
)`,
  `CREATE INDEX definitions_by_name ON definitions (organization, kind, name, project)`,
  `CREATE INDEX definitions_by_label ON definitions USING gin (labels)`,
  `CREATE INDEX definitions_by_sealing_key ON definitions (sealing_key_id) WHERE sealing_key_id IS NOT NULL`,
  `-- The target of a reference need not exist, so only the referrer is a foreign key.
CREATE TABLE definition_references (
  organization text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  to_kind text COLLATE "C" NOT NULL,
  to_project text COLLATE "C" NOT NULL,
  to_name text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization, kind, project, name, to_kind, to_project, to_name),
  FOREIGN KEY (organization, kind, project, name) REFERENCES definitions ON DELETE CASCADE
)`,
  `CREATE INDEX definition_references_by_target
  ON definition_references (organization, to_kind, to_project, to_name, kind, project, name)`,

  // The records of SLOs, their counts, and how far their indicators have been read.
  //
  // An objective is named by its name; the legacy composite over all objectives of an SLO is named `''`.

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
  `-- A claim looks up the first due poll of each organization and server, and then takes what is due of a few of them. It
-- reads as many entries as there are organizations and servers, plus those that it claims.
CREATE INDEX indicator_polls_due ON indicator_polls (organization, server, due_at)`,
  `-- The servers that the indicators of an organization are read from; changed together with its definitions.
CREATE TABLE indicator_servers (
  organization text COLLATE "C" NOT NULL,
  server text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization, server)
)`,

  // Alerts, and the receipts that make requests with an `Idempotency-Key` repeatable.

  `-- One row per subject with alerts. A change locks it, so that those of one subject run one after the other.
CREATE TABLE alert_subjects (
  organization text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization, subject)
) WITH (fillfactor = 70)`,
  `CREATE TABLE alerts (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- What the alert is about: at most one alert per subject is open.
  subject text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  objective text COLLATE "C",
  alert_policy text COLLATE "C",
  status text COLLATE "C" NOT NULL,
  triggered_at bigint NOT NULL,
  -- When the alert was written as resolved or canceled; null while it is open. Retention counts from here.
  resolved_at bigint,
  -- Numbers the alerts of a subject as they trigger: the latest has the greatest.
  position bigint NOT NULL,
  -- JSON in the domain's form; the columns above are what alerts are listed by.
  alert text NOT NULL,
  PRIMARY KEY (organization, id)
)`,
  `CREATE INDEX alerts_by_subject ON alerts (organization, subject, position DESC)`,
  `CREATE INDEX alerts_by_project ON alerts (organization, project, id)`,
  `CREATE INDEX alerts_by_slo ON alerts (organization, slo, id)`,
  `CREATE INDEX alerts_by_objective ON alerts (organization, objective, id) WHERE objective IS NOT NULL`,
  `CREATE INDEX alerts_by_policy ON alerts (organization, alert_policy, id) WHERE alert_policy IS NOT NULL`,
  `CREATE INDEX alerts_by_status ON alerts (organization, status, id)`,
  `CREATE INDEX alerts_by_time ON alerts (organization, triggered_at)`,
  `CREATE INDEX alerts_resolved ON alerts (resolved_at) WHERE resolved_at IS NOT NULL`,
  `-- The response to each request that had an Idempotency-Key, and the fingerprint of the request.
CREATE TABLE alert_receipts (
  organization text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  receipt text NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (organization, key)
)`,
  `CREATE INDEX alert_receipts_expiry ON alert_receipts (expires_at)`,

  // The delivery queue, the delivery log, the health of endpoints, and bulk resends.
  //
  // `deliveries` is the queue and holds what is not settled: a small table that is updated and vacuumed all the time.
  // Settled deliveries and attempts go to append-only tables, whose daily partitions are dropped after the retention.
  //
  // A claim starts from endpoints, not from deliveries: from those whose `next_check_at` has passed. Claiming and settling
  // write it, as they lock the endpoint anyway. Everything else that makes a delivery due inserts into `endpoint_wakeups`,
  // which takes no lock, so that alerts with the same alert method never wait for one another.

  `-- The deliveries that are pending (claim_id is null) or being sent. Its statistics change by the second, so vacuum and
-- analyze go by numbers of rows instead of shares of the table.
CREATE TABLE deliveries (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- The alert method.
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- JSON in the domain's form.
  notification text NOT NULL,
  -- The number of the latest attempt, 0 before the first.
  attempt integer NOT NULL,
  -- How many attempts of the retry schedule have been used.
  attempts_used integer NOT NULL,
  is_retry boolean NOT NULL GENERATED ALWAYS AS (attempt > 0) STORED,
  created_at bigint NOT NULL,
  due_at bigint NOT NULL,
  claim_id uuid,
  lease_expires_at bigint,
  -- The endpoint's generation at the latest claim.
  endpoint_generation integer,
  PRIMARY KEY (organization, id),
  CHECK ((claim_id IS NULL) = (lease_expires_at IS NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX deliveries_pending ON deliveries (organization, project, name, is_retry, due_at) WHERE claim_id IS NULL`,
  `CREATE INDEX deliveries_leased ON deliveries (lease_expires_at) WHERE lease_expires_at IS NOT NULL`,
  `CREATE INDEX deliveries_by_time ON deliveries (organization, created_at)`,
  `CREATE INDEX deliveries_by_alert ON deliveries (organization, ${alertIdInNotification}, id)`,
  `CREATE TABLE settled_deliveries (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  notification text NOT NULL,
  state text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  attempts_used integer NOT NULL,
  created_at bigint NOT NULL,
  due_at bigint NOT NULL,
  settled_at bigint NOT NULL,
  PRIMARY KEY (organization, id, settled_at)
) PARTITION BY RANGE (settled_at)`,
  `CREATE INDEX settled_deliveries_by_method ON settled_deliveries (organization, project, name, id)`,
  `CREATE INDEX settled_deliveries_by_time ON settled_deliveries (organization, created_at)`,
  `CREATE INDEX settled_deliveries_by_alert ON settled_deliveries (organization, ${alertIdInNotification}, id)`,
  `CREATE INDEX settled_deliveries_not_delivered ON settled_deliveries (organization, id) WHERE state <> 'delivered'`,
  `-- Bulk resends read in the order of created_at, then id, which no delivery ever changes: each delivery is read once,
-- however often it is settled. Only the few that were not delivered have indexes in that order; the delivered ones are
-- read by settled_deliveries_by_time.
CREATE INDEX settled_deliveries_to_resend ON settled_deliveries (organization, created_at, id)
  WHERE state <> 'delivered'`,
  `CREATE INDEX settled_deliveries_to_resend_by_method
  ON settled_deliveries (organization, project, name, created_at, id) WHERE state <> 'delivered'`,
  `-- One row per attempt; at: when it was written.
CREATE TABLE delivery_attempts (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  at bigint NOT NULL,
  -- JSON in the domain's form.
  attempt text NOT NULL,
  PRIMARY KEY (organization, id, number, at)
) PARTITION BY RANGE (at)`,
  `-- One row per alert method that ever had a delivery or was paused.
CREATE TABLE endpoints (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- Grows with each change of the alert method's URL: an attempt that was claimed under an earlier generation does not
  -- change the health.
  generation integer NOT NULL DEFAULT 0,
  -- JSON in the domain's form. The next three columns are what a claim needs of it.
  health text NOT NULL,
  is_disabled boolean NOT NULL,
  circuit_open_until bigint,
  in_flight_max integer NOT NULL,
  in_flight integer NOT NULL,
  is_paused boolean NOT NULL DEFAULT false,
  -- When a claim must look for due deliveries; null: after the next wake-up, settlement or resume.
  next_check_at bigint,
  PRIMARY KEY (organization, project, name)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX endpoints_next_check ON endpoints (next_check_at) WHERE next_check_at IS NOT NULL`,
  `-- Endpoints with new due deliveries: inserted together with those deliveries, consumed by the next claim.
CREATE TABLE endpoint_wakeups (
  position bigint GENERATED ALWAYS AS IDENTITY,
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX endpoint_wakeups_by_position ON endpoint_wakeups (position)`,
  `-- While it has a row, nothing is claimed for any organization.
CREATE TABLE queue_pauses (
  paused_at bigint NOT NULL
)`,
  `CREATE TABLE bulk_resends (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- JSON in the domain's form.
  filter text NOT NULL,
  created_at bigint NOT NULL,
  matched integer NOT NULL,
  may_match_more boolean NOT NULL,
  resent integer NOT NULL DEFAULT 0,
  state text COLLATE "C" NOT NULL,
  ended_at bigint,
  -- The last delivery that was read; null before the first.
  cursor_created_at bigint,
  cursor_id text COLLATE "C",
  -- The IDs of the latest batch, and when they became due.
  batch text[] NOT NULL DEFAULT '{}',
  batch_at bigint,
  -- When the next batch may be taken; null once the bulk resend has ended.
  next_step_at bigint,
  PRIMARY KEY (organization, id),
  CHECK ((state = 'running') = (next_step_at IS NOT NULL)),
  CHECK ((state = 'running') = (ended_at IS NULL)),
  CHECK ((cursor_created_at IS NULL) = (cursor_id IS NULL))
)`,
  `CREATE INDEX bulk_resends_next_step ON bulk_resends (next_step_at) WHERE next_step_at IS NOT NULL`,
  `CREATE INDEX bulk_resends_running ON bulk_resends (organization) WHERE state = 'running'`,
  `CREATE INDEX bulk_resends_ended ON bulk_resends (ended_at) WHERE ended_at IS NOT NULL`,

  // Credentials, closed sessions, rate limits, and the keys of the instance.

  `CREATE TABLE credentials (
  organization text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  role text NOT NULL,
  secret_hash text NOT NULL,
  is_disabled boolean NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (organization, client_id)
)`,
  `-- Sessions of the web console that were signed out of before they expire.
CREATE TABLE closed_sessions (
  organization text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (organization, session_id)
)`,
  `CREATE INDEX closed_sessions_expiry ON closed_sessions (expires_at)`,
  `-- Sliding windows of a few seconds. Unlogged: a crash of the database empties them, which costs less than logging every
-- request.
CREATE UNLOGGED TABLE rate_limit_windows (
  organization text COLLATE "C" NOT NULL,
  policy text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  -- When each request in the window was accepted, oldest first.
  accepted bigint[] NOT NULL,
  -- The latest decision, and when it was made.
  is_accepted boolean NOT NULL,
  decided_at bigint NOT NULL,
  -- When the last request leaves the window.
  expires_at bigint NOT NULL,
  PRIMARY KEY (organization, policy, subject)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0)`,
  `CREATE TABLE signing_keys (
  key_id text COLLATE "C" PRIMARY KEY,
  -- Numbers the keys.
  position bigint NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  -- The private key, encrypted, and the key that encrypted it.
  sealed bytea NOT NULL,
  sealing_key_id text NOT NULL,
  created_at bigint NOT NULL,
  active_from bigint NOT NULL
)`,
  `-- The keys that secrets in this database may be encrypted with. Each has encrypted a known text, so that a process can
-- check its master keys at start.
CREATE TABLE sealing_keys (
  key_id text COLLATE "C" PRIMARY KEY,
  sealed bytea NOT NULL
)`,
]
