/**
 * The ID of the alert within the JSON of a notification, up to its first quote.
 *
 * Indexes find the deliveries of an alert by it. A query must use this very expression to be served by them.
 */
export const alertIdInNotification = `(split_part(split_part(notification, '"alertId":"', 2), '"', 1) COLLATE "C")`

/**
 * The delivery queue, the delivery log, the health of endpoints, and bulk resends.
 *
 * `deliveries` is the queue and holds what is not settled: a small table that is updated and vacuumed all the time.
 * Settled deliveries and attempts go to append-only tables, whose daily partitions are dropped after the retention.
 *
 * A claim starts from endpoints, not from deliveries: from those whose `next_check_at` has passed. Claiming and settling
 * write it, as they lock the endpoint anyway. Everything else that makes a delivery due inserts into `endpoint_wakeups`,
 * which takes no lock, so that alerts with the same alert method never wait for one another.
 */
export const deliveryTables: ReadonlyArray<string> = [
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
]
