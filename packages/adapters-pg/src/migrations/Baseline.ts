/**
 * The first version of the schema.
 *
 * - Every key starts with the organization, so that a distributed PostgreSQL can shard by it. Keys of signing and of
 *   encryption belong to the instance instead; a distributed PostgreSQL keeps them on every node.
 * - Times are Unix milliseconds.
 * - Text that is sorted or paged through is `COLLATE "C"`: the byte order of UTF-8 is the order of code points.
 */
export const baseline: ReadonlyArray<string> = [
  `-- The clock of the database, in Unix milliseconds: the start of the statement, so that an index serves conditions with it.
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
  RETURN (extract(epoch FROM statement_timestamp()) * 1000)::bigint`,

  `-- Which projects publish a status page, and since when: of several with one slug, the first has it.
CREATE TABLE status_pages (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slug text COLLATE "C" NOT NULL,
  published_at bigint NOT NULL,
  PRIMARY KEY (organization, project)
)`,
  `CREATE INDEX status_pages_slug ON status_pages (slug, published_at)`,

  // Definitions as they were applied, and the references between them.

  `-- One row per organization that ever changed a definition. Changes lock it, so that those of one organization run one
-- after the other; the revision becomes the version of the definitions that the change writes.
CREATE TABLE organizations (
  organization text COLLATE "C" PRIMARY KEY,
  revision bigint NOT NULL,
  -- Of all definition_revisions.
  history_bytes bigint NOT NULL DEFAULT 0
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
  `-- The target of a reference need not exist, so only the referrer is a foreign key. A silence by labels refers to an entry of
-- \`labels\` instead of the name of an SLO.
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
  `-- What is kept of changes of definitions of a kind.
CREATE TABLE definition_change_records (
  organization text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- JSON in the domain's form.
  record text NOT NULL,
  PRIMARY KEY (organization, kind, id)
)`,
  `-- The definitions that the records are about.
CREATE TABLE definition_changes (
  organization text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- Of the record.
  id text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization, kind, project, name, id)
)`,
  `-- The latest changes of each definition, also of deleted ones. The definition that a row is of need not exist.
CREATE TABLE definition_revisions (
  organization text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- The revision of the organization that the change made.
  number bigint NOT NULL,
  at bigint NOT NULL,
  -- The client ID of the credential.
  author text COLLATE "C",
  outcome text COLLATE "C" NOT NULL,
  changes_secrets boolean NOT NULL,
  -- The project that a moved SLO was of.
  moved_from text COLLATE "C",
  -- JSON as the API returns it, with secrets hidden.
  definition text NOT NULL,
  -- How much of the organization's quota it takes.
  bytes integer NOT NULL,
  PRIMARY KEY (organization, kind, project, name, number)
)`,
  `CREATE INDEX definition_revisions_by_number ON definition_revisions (organization, number)`,
  `CREATE INDEX definition_revisions_deleted ON definition_revisions (organization, number, kind, project, name)
  WHERE outcome = 'deleted'`,
  `CREATE INDEX definition_revisions_deleted_at ON definition_revisions (at) WHERE outcome = 'deleted'`,

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
  -- The end of the latest minute that counts have changed in the past since the status was written.
  past_counts_to bigint,
  -- The header traceparent of what recorded counts since the status was written, if it had one.
  counts_traceparent text COLLATE "C",
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
  -- Null if the latest query did not fail because of the server.
  unavailable_since bigint,
  due_at bigint NOT NULL,
  PRIMARY KEY (organization, project, slo),
  FOREIGN KEY (organization, project, slo) REFERENCES slos ON DELETE CASCADE
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0)`,
  `-- A claim looks up the first due poll of each organization and server, and then takes what is due of a few of them. It
-- reads as many entries as there are organizations and servers, plus those that it claims.
CREATE INDEX indicator_polls_due ON indicator_polls (organization, server, due_at)`,
  `CREATE INDEX indicator_polls_failed ON indicator_polls (organization, project, slo) WHERE problem IS NOT NULL`,
  `-- What happened to or around SLOs.
CREATE TABLE annotations (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- When it began.
  at bigint NOT NULL,
  -- JSON in the domain's form.
  annotation text NOT NULL,
  PRIMARY KEY (organization, project, slo, id),
  FOREIGN KEY (organization, project, slo) REFERENCES slos ON DELETE CASCADE
)`,
  `CREATE INDEX annotations_by_slo ON annotations (organization, project, slo, at, id)`,
  `CREATE INDEX annotations_by_id ON annotations (organization, id, project, slo)`,
  `CREATE INDEX annotations_by_time ON annotations (at)`,
  `-- One row per SLO with an indicator that had a replay: the latest one, and when to take its next step; null once it has ended.
CREATE TABLE indicator_replays (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  -- Grows with each start.
  run integer NOT NULL,
  from_at bigint NOT NULL,
  to_at bigint NOT NULL,
  state text COLLATE "C" NOT NULL,
  reason text COLLATE "C",
  read_to bigint NOT NULL,
  first_at bigint,
  failures integer NOT NULL,
  -- JSON in the domain's form.
  problem text,
  started_at bigint NOT NULL,
  read_at bigint NOT NULL,
  ended_at bigint,
  due_at bigint,
  PRIMARY KEY (organization, project, slo),
  FOREIGN KEY (organization, project, slo) REFERENCES indicator_polls ON DELETE CASCADE,
  CHECK ((state = 'running') = (due_at IS NOT NULL)),
  CHECK ((state = 'running') = (ended_at IS NULL))
)`,
  `CREATE INDEX indicator_replays_due ON indicator_replays (organization, due_at) WHERE due_at IS NOT NULL`,
  `-- What a replay has read: one row per objective and hour, as in count_hours, until the replay is complete.
CREATE TABLE indicator_replay_hours (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  objective text COLLATE "C" NOT NULL,
  minute_good double precision[] NOT NULL,
  minute_total double precision[] NOT NULL,
  PRIMARY KEY (organization, project, slo, at, objective),
  FOREIGN KEY (organization, project, slo) REFERENCES indicator_replays ON DELETE CASCADE
)`,
  `-- The servers that the indicators of an organization are read from; changed together with its definitions.
CREATE TABLE indicator_servers (
  organization text COLLATE "C" NOT NULL,
  server text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization, server)
)`,

  // Metrics that are pushed, and what must be remembered of them to count their next points.

  `-- One row per SLO with an indicator whose metrics are pushed.
CREATE TABLE pushed_indicators (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  -- JSON in the domain's form, and the objectives that are not composite.
  indicator text NOT NULL,
  objectives text[] NOT NULL,
  -- When the indicator was defined, and when points for it last arrived.
  since bigint NOT NULL,
  received_at bigint,
  PRIMARY KEY (organization, project, slo),
  FOREIGN KEY (organization, project, slo) REFERENCES slos ON DELETE CASCADE
)`,
  `-- The metrics of an indicator.
CREATE TABLE pushed_metrics (
  organization text COLLATE "C" NOT NULL,
  metric text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization, metric, project, slo),
  FOREIGN KEY (organization, project, slo) REFERENCES pushed_indicators ON DELETE CASCADE
)`,
  `CREATE INDEX pushed_metrics_by_slo ON pushed_metrics (organization, project, slo)`,
  `-- The series that count for an SLO, each with the part of its events.
CREATE TABLE pushed_series (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  series text COLLATE "C" NOT NULL,
  -- The end of the latest point.
  at bigint NOT NULL,
  -- JSON in the domain's form.
  state text NOT NULL,
  PRIMARY KEY (organization, project, slo, series),
  FOREIGN KEY (organization, project, slo) REFERENCES pushed_indicators ON DELETE CASCADE
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`,
  `-- The events that were pushed for a minute, as far back as they can still change.
CREATE TABLE pushed_minutes (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  good double precision NOT NULL,
  bad double precision NOT NULL,
  total double precision NOT NULL,
  PRIMARY KEY (organization, project, slo, at),
  FOREIGN KEY (organization, project, slo) REFERENCES pushed_indicators ON DELETE CASCADE
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`,

  // Reports, and when the next one of each SLO is made.

  `-- One row per SLO definition.
CREATE TABLE report_schedules (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  -- The period of the next report.
  period_from bigint NOT NULL,
  period_to bigint NOT NULL,
  due_at bigint NOT NULL,
  PRIMARY KEY (organization, project, slo),
  FOREIGN KEY (organization, project, slo) REFERENCES slos ON DELETE CASCADE
)`,
  `CREATE INDEX report_schedules_due ON report_schedules (due_at)`,
  `-- Rows are only inserted, and stay when the SLO is deleted.
CREATE TABLE reports (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  period_from bigint NOT NULL,
  period_to bigint NOT NULL,
  created_at bigint NOT NULL,
  -- The JSON text that was signed, byte for byte.
  document text NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  -- Base64.
  signature text NOT NULL,
  PRIMARY KEY (organization, id)
)`,
  `CREATE INDEX reports_by_period ON reports (organization, period_from, id)`,
  `CREATE INDEX reports_by_project ON reports (organization, project, period_from, id)`,
  `CREATE INDEX reports_by_slo ON reports (organization, slo, period_from, id)`,

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
  service text COLLATE "C",
  -- The threshold of the objective, where its SLI is a metric.
  objective_value double precision,
  severity text COLLATE "C",
  status text COLLATE "C" NOT NULL,
  triggered_at bigint NOT NULL,
  -- When it was resolved or canceled; while it is open, greater than any time.
  active_to bigint NOT NULL DEFAULT 9007199254740991,
  -- When the alert was written as resolved or canceled; null while it is open. Retention counts from here.
  resolved_at bigint,
  -- Numbers the alerts of a subject as they trigger: the latest has the greatest.
  position bigint NOT NULL,
  -- JSON in the domain's form; the columns above are what alerts are listed by.
  alert text NOT NULL,
  PRIMARY KEY (organization, id)
)`,
  `CREATE INDEX alerts_by_subject ON alerts (organization, subject, position DESC)`,
  `CREATE INDEX alerts_by_project ON alerts (organization, project, triggered_at, id)`,
  `CREATE INDEX alerts_by_slo ON alerts (organization, slo, triggered_at, id)`,
  `CREATE INDEX alerts_by_objective ON alerts (organization, objective, triggered_at, id) WHERE objective IS NOT NULL`,
  `CREATE INDEX alerts_by_objective_value ON alerts (organization, objective_value, triggered_at, id)
WHERE objective_value IS NOT NULL`,
  `CREATE INDEX alerts_by_policy ON alerts (organization, alert_policy, triggered_at, id) WHERE alert_policy IS NOT NULL`,
  `CREATE INDEX alerts_by_service ON alerts (organization, service, triggered_at, id) WHERE service IS NOT NULL`,
  `CREATE INDEX alerts_by_severity ON alerts (organization, severity, triggered_at, id) WHERE severity IS NOT NULL`,
  `CREATE INDEX alerts_by_status ON alerts (organization, status, triggered_at, id)`,
  `CREATE INDEX alerts_by_time ON alerts (organization, triggered_at, id)`,
  `CREATE INDEX alerts_by_end ON alerts (organization, active_to)`,
  `CREATE INDEX alerts_open ON alerts (organization) WHERE resolved_at IS NULL`,
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

  `-- When the notice before the end of a silence is due: one row per silence with one ahead.
CREATE TABLE silence_notices (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  due_at bigint NOT NULL,
  PRIMARY KEY (organization, project, name)
)`,
  `CREATE INDEX silence_notices_due ON silence_notices (due_at)`,

  // Deliveries: what is delivered, the queue, the attempts, and the health of endpoints.
  //
  // Notifications, deliveries and attempts are only inserted. Their partitions, one for each day of `created_at`, which all
  // three have in common, are dropped after the retention. `delivery_queue` has a row for each delivery that is not
  // settled: a small table that is updated and vacuumed all the time.
  //
  // One process at a time owns the queue of an organization, and keeps its endpoints and next deliveries in memory. A claim
  // writes the owner's epoch to the row; the higher epoch of the next owner frees all claims of an earlier one at once.

  `-- The content of a notification, which all deliveries of one event share.
CREATE TABLE notifications (
  organization text COLLATE "C" NOT NULL,
  -- The ID of the first of its deliveries.
  id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  -- JSON in the domain's form.
  content text NOT NULL,
  PRIMARY KEY (organization, id, created_at)
) PARTITION BY RANGE (created_at)`,
  `-- How many bytes of notifications an organization stores. Several rows for each partition, so that alerts that are stored
-- at the same time seldom wait for one another.
CREATE TABLE notification_sizes (
  organization text COLLATE "C" NOT NULL,
  -- The start of the partition.
  at bigint NOT NULL,
  stripe smallint NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (organization, at, stripe)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX notification_sizes_by_time ON notification_sizes (at)`,
  `CREATE TABLE deliveries (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  -- The alert method.
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  notification text COLLATE "C" NOT NULL,
  -- Of the notification: what deliveries are listed by.
  event text COLLATE "C" NOT NULL,
  alert_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization, id, created_at)
) PARTITION BY RANGE (created_at)`,
  `CREATE INDEX deliveries_by_method ON deliveries (organization, project, name, id)`,
  `CREATE INDEX deliveries_by_time ON deliveries (organization, created_at, id)`,
  `CREATE INDEX deliveries_by_alert ON deliveries (organization, alert_id, id)`,
  `-- One row per attempt.
CREATE TABLE delivery_attempts (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- Of the delivery.
  created_at bigint NOT NULL,
  number integer NOT NULL,
  -- JSON in the domain's form.
  attempt text NOT NULL,
  -- The attempts of the retry schedule that had been used after this one.
  attempts_used integer NOT NULL,
  -- The state that settled the delivery, and when; null when another attempt was to follow. The latest attempt of a
  -- delivery that is not in the queue has both.
  state text COLLATE "C",
  settled_at bigint,
  PRIMARY KEY (organization, id, number, created_at),
  CHECK ((state IS NULL) = (settled_at IS NULL))
) PARTITION BY RANGE (created_at)`,
  `-- Bulk resends read in the order of created_at, then id, which no delivery ever changes: each is read once, however
-- often it is settled. The delivered ones, which are many, are read by deliveries_by_time.
CREATE INDEX delivery_attempts_not_delivered ON delivery_attempts (organization, created_at, id)
  WHERE state IN ('exhausted', 'failed')`,
  `-- Lists read in the order of the IDs.
CREATE INDEX delivery_attempts_not_delivered_by_id ON delivery_attempts (organization, id)
  WHERE state IN ('exhausted', 'failed')`,
  `-- The deliveries that are not settled. Claiming changes no indexed column, so the new version of the row stays on its page.
-- Statistics change by the second, so vacuum and analyze go by numbers of rows instead of shares of the table.
--
-- No index starts with the organization alone: while an old snapshot is held, the planner would read it, past all dead
-- entries of the organization, instead of looking up the rows by their IDs or in the order in which they are due.
CREATE TABLE delivery_queue (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- The endpoints of an organization are those between 'organization ' and 'organization!'.
  endpoint text COLLATE "C" NOT NULL GENERATED ALWAYS AS (organization || ' ' || project || '/' || name) STORED,
  notification text COLLATE "C" NOT NULL,
  -- False until the first attempt has failed.
  is_retry boolean NOT NULL,
  due_at bigint NOT NULL,
  -- When due_at was decided: a time in the future means that the clock was set back since.
  scheduled_at bigint NOT NULL,
  -- The number of the latest attempt, 0 before the first.
  attempt integer NOT NULL,
  -- How many attempts of the retry schedule have been used.
  attempts_used integer NOT NULL,
  -- The epoch of the owner that claimed it; null while it is pending.
  sending bigint,
  PRIMARY KEY (id, organization)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX delivery_queue_due ON delivery_queue (endpoint, is_retry, due_at, id)`,
  `-- Endpoints whose queue, pause or health has changed other than by their owner: inserted with the change, which waits for
-- nobody, and deleted when the owner has read the endpoint.
CREATE TABLE delivery_wakes (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  at bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX delivery_wakes_by_organization ON delivery_wakes (organization, at)`,
  `CREATE INDEX delivery_wakes_by_time ON delivery_wakes (at)`,
  `-- One row per organization that ever had a delivery: the process that owns its queue.
CREATE TABLE queue_owners (
  organization text COLLATE "C" PRIMARY KEY,
  owner text COLLATE "C",
  -- Grows with each take, and with nothing else.
  epoch bigint NOT NULL,
  -- Without an owner: when the first delivery is due; null when there is none.
  next_due_at bigint
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX queue_owners_due ON queue_owners (next_due_at) WHERE owner IS NULL AND next_due_at IS NOT NULL`,
  `CREATE INDEX queue_owners_by_owner ON queue_owners (owner) WHERE owner IS NOT NULL`,
  `-- One row per process that delivers; after alive_until, others take over what it owns.
CREATE TABLE queue_processes (
  id text COLLATE "C" PRIMARY KEY,
  alive_until bigint NOT NULL
)`,
  `-- One row per alert method that ever had an attempt or was paused.
CREATE TABLE endpoints (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- Grows with each change of the alert method's URL: an attempt that was claimed under an earlier generation does not
  -- change the health.
  generation integer NOT NULL DEFAULT 0,
  -- JSON in the domain's form.
  health text NOT NULL,
  is_paused boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization, project, name)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX endpoints_paused ON endpoints (organization) WHERE is_paused`,
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
  -- The secret before the latest rotation, which works until then.
  previous_hash text,
  previous_until bigint,
  last_used_at bigint,
  PRIMARY KEY (organization, client_id)
)`,
  `CREATE INDEX credentials_client ON credentials (client_id, created_at, organization)`,
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
  `-- The public part of every signing key of the server that there ever was: what it has signed can be verified after it was
-- deleted.
CREATE TABLE public_keys (
  key_id text COLLATE "C" PRIMARY KEY,
  public_key bytea NOT NULL
)`,
  `-- Keys that sign for an organization instead of those of the server.
CREATE TABLE organization_signing_keys (
  organization text COLLATE "C" NOT NULL,
  -- Numbers the keys of an organization. Two keys that were added to the same ones have the same number.
  position bigint NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  public_key bytea NOT NULL,
  -- The private key, encrypted, and the key that encrypted it.
  sealed bytea NOT NULL,
  sealing_key_id text NOT NULL,
  created_at bigint NOT NULL,
  active_from bigint NOT NULL,
  -- When the server's key signs for the organization again.
  ends_at bigint,
  PRIMARY KEY (organization, position),
  UNIQUE (organization, key_id)
)`,
  `CREATE INDEX organization_signing_keys_by_sealing_key ON organization_signing_keys (sealing_key_id)`,
  `-- The public part of every signing key of an organization that there ever was.
CREATE TABLE organization_public_keys (
  organization text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  public_key bytea NOT NULL,
  PRIMARY KEY (organization, key_id)
)`,
  `-- The organizations that ever had signing keys, on every node of a distributed PostgreSQL: each process reads them all to
-- know for which organizations it need not look for keys.
CREATE TABLE signing_key_owners (
  owner text COLLATE "C" PRIMARY KEY
)`,
  `-- The keys that secrets in this database may be encrypted with. Each has encrypted a known text, so that a process can
-- check its master keys at start.
CREATE TABLE sealing_keys (
  key_id text COLLATE "C" PRIMARY KEY,
  sealed bytea NOT NULL
)`,
  `-- How far an export has been imported: at most one row. No server starts before the import is complete.
CREATE TABLE data_imports (
  export_id text COLLATE "C" PRIMARY KEY,
  -- The chunks that are stored.
  chunks integer NOT NULL,
  is_complete boolean NOT NULL
)`,
]
