/**
 * The tables of alerts and of the delivery queue.
 *
 * `deliveries` holds what is not settled, and little else: the row is the entry of the queue. What is settled goes to
 * tables that are partitioned by time, appended to, and dropped by partition.
 *
 * A claim looks at endpoints, not at deliveries: at those whose `look_at` has come. Whoever makes something due has an
 * endpoint looked at: within the row's lock (claim, settle), or by a wake, which needs no lock and so makes nobody who
 * rings the same alert method wait.
 */
export const migration0002: ReadonlyArray<string> = [
  `CREATE SEQUENCE alert_positions`,
  `CREATE TABLE alerts (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  alert text NOT NULL,
  -- When it was written as resolved; null while it is open.
  resolved_at bigint,
  -- Grows with each write: the latest alert of a subject has the greatest.
  position bigint NOT NULL DEFAULT nextval('alert_positions'),
  PRIMARY KEY (organization, id)
)`,
  `CREATE INDEX alerts_by_subject ON alerts (organization, subject, position DESC)`,
  `CREATE INDEX alerts_by_project ON alerts (organization, project, id)`,
  `CREATE INDEX alerts_resolved ON alerts (resolved_at) WHERE resolved_at IS NOT NULL`,
  `-- What a request with an Idempotency-Key was answered.
CREATE TABLE alert_receipts (
  organization text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  receipt text NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (organization, key)
)`,
  `CREATE INDEX alert_receipts_expiry ON alert_receipts (expires_at)`,
  `-- The deliveries that are pending (claim_id is null) or being sent.
CREATE TABLE deliveries (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  notification text NOT NULL,
  attempt integer NOT NULL,
  spent integer NOT NULL,
  is_later boolean NOT NULL GENERATED ALWAYS AS (attempt > 0) STORED,
  created_at bigint NOT NULL,
  due_at bigint NOT NULL,
  claim_id uuid,
  lease_until bigint,
  -- The receiver of its endpoint when it was claimed last.
  receiver integer,
  PRIMARY KEY (organization, id),
  CHECK ((claim_id IS NULL) = (lease_until IS NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX deliveries_pending ON deliveries (organization, project, name, is_later, due_at) WHERE claim_id IS NULL`,
  `CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE lease_until IS NOT NULL`,
  `CREATE INDEX deliveries_by_time ON deliveries (organization, created_at)`,
  `CREATE TABLE settled_deliveries (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  notification text NOT NULL,
  state text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  spent integer NOT NULL,
  created_at bigint NOT NULL,
  due_at bigint NOT NULL,
  settled_at bigint NOT NULL,
  PRIMARY KEY (organization, id, settled_at)
) PARTITION BY RANGE (settled_at)`,
  `CREATE INDEX settled_deliveries_by_method ON settled_deliveries (organization, project, name, id)`,
  `CREATE INDEX settled_deliveries_by_time ON settled_deliveries (organization, created_at)`,
  `CREATE INDEX settled_deliveries_not_delivered ON settled_deliveries (organization, id) WHERE state <> 'delivered'`,
  `-- The log: one row an attempt, by when it was written.
CREATE TABLE delivery_attempts (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  at bigint NOT NULL,
  attempt text NOT NULL,
  PRIMARY KEY (organization, id, number, at)
) PARTITION BY RANGE (at)`,
  `-- One row an endpoint that ever had a delivery. The health is JSON as the domain has it; the columns behind it are what
-- a claim needs of it.
CREATE TABLE endpoints (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- Counts the URLs that the alert method has had.
  receiver integer NOT NULL DEFAULT 0,
  health text NOT NULL,
  is_disabled boolean NOT NULL,
  open_until bigint,
  in_flight_max integer NOT NULL,
  in_flight integer NOT NULL,
  is_paused boolean NOT NULL DEFAULT false,
  -- When a claim must look for due deliveries; null: when something happens.
  look_at bigint,
  PRIMARY KEY (organization, project, name)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX endpoints_look ON endpoints (look_at) WHERE look_at IS NOT NULL`,
  `-- Endpoints that must be looked at, written with the deliveries that are due and read by the next claim.
CREATE TABLE endpoint_wakes (
  position bigint GENERATED ALWAYS AS IDENTITY,
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX endpoint_wakes_position ON endpoint_wakes (position)`,
  `-- While a row stands here, nothing is claimed at all.
CREATE TABLE queue_pauses (
  paused_at bigint NOT NULL
)`,
]
