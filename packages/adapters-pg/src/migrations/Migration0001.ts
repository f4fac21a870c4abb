/**
 * The tables of definitions, SLOs, counts, credentials, limits and signing keys.
 *
 * The organization leads every key, so that a distributed PostgreSQL can shard by it; the keys of signing and of
 * sealing belong to the instance and stand on every node. Times are Unix milliseconds. Text that pages or sorts is
 * `COLLATE "C"`: UTF-8 in the order of bytes is the order of code points.
 *
 * Conditions on the time call `now_ms`, decisions that must not be older than a lock they waited for `clock_ms`.
 */
export const migration0001: ReadonlyArray<string> = [
  `CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
  RETURN (extract(epoch FROM statement_timestamp()) * 1000)::bigint`,
  `CREATE FUNCTION clock_ms() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL SAFE
  RETURN (extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
  `-- One row an organization that ever changed a definition. The row is what changes wait for one another on, and its
-- revision is the version of what they write.
CREATE TABLE organizations (
  organization text COLLATE "C" PRIMARY KEY,
  revision bigint NOT NULL
)`,
  `-- The definition is JSON as the domain has it, without its secrets, which are sealed beside it.
CREATE TABLE definitions (
  organization text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  definition text NOT NULL,
  -- For each label its key alone, and its key with each value: JSON lists of one or two texts.
  labels text[] NOT NULL,
  -- What an SLO record tells of a project or a service, ready as JSON.
  record_json text,
  sealed bytea,
  sealed_key_id text,
  version bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (organization, kind, project, name),
  CHECK ((sealed IS NULL) = (sealed_key_id IS NULL))
)`,
  `CREATE INDEX definitions_by_name ON definitions (organization, kind, name, project)`,
  `CREATE INDEX definitions_by_label ON definitions USING gin (labels)`,
  `CREATE INDEX definitions_by_sealed_key ON definitions (sealed_key_id) WHERE sealed_key_id IS NOT NULL`,
  `-- What each definition names. That something named does not exist is no matter here.
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
  `CREATE INDEX definition_references_to
  ON definition_references (organization, to_kind, to_project, to_name, kind, project, name)`,
  `-- The record of each SLO beside its definition. Statuses are rewritten all the time, so pages keep room for it.
CREATE TABLE slos (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  service text COLLATE "C" NOT NULL,
  tail_json text NOT NULL,
  version bigint NOT NULL,
  counts_revision bigint NOT NULL DEFAULT 0,
  -- When the status must be computed; null: with the next counts.
  due_at bigint,
  PRIMARY KEY (organization, project, name)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX slos_due ON slos (due_at) WHERE due_at IS NOT NULL`,
  `-- The good and total events of each objective by minute, and summed up by hour. Partitions are made when they are
-- needed, and dropped when they are older than counts are kept.
CREATE TABLE count_minutes (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  objective text COLLATE "C" NOT NULL,
  good double precision NOT NULL,
  total double precision NOT NULL,
  PRIMARY KEY (organization, project, slo, at, objective)
) PARTITION BY RANGE (at)`,
  `CREATE TABLE count_hours (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  objective text COLLATE "C" NOT NULL,
  good double precision NOT NULL,
  total double precision NOT NULL,
  PRIMARY KEY (organization, project, slo, at, objective)
) PARTITION BY RANGE (at)`,
  `CREATE TABLE credentials (
  organization text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  role text NOT NULL,
  secret_hash text NOT NULL,
  is_disabled boolean NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (organization, client_id)
)`,
  `-- The accepted requests that still count, oldest first, and what the last request was told. Not logged: after a crash
-- of the database the windows, a few seconds long, begin anew.
CREATE UNLOGGED TABLE rate_windows (
  organization text COLLATE "C" NOT NULL,
  policy text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  accepted bigint[] NOT NULL,
  is_accepted boolean NOT NULL,
  decided_at bigint NOT NULL,
  empty_at bigint NOT NULL,
  PRIMARY KEY (organization, policy, subject)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0)`,
  `CREATE TABLE signing_keys (
  key_id text COLLATE "C" PRIMARY KEY,
  -- Counts the keys; two that are added to the same state would have the same.
  position bigint NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  sealed bytea NOT NULL,
  sealed_key_id text NOT NULL,
  created_at bigint NOT NULL,
  active_from bigint NOT NULL
)`,
  `-- The keys that something stored may be sealed under, each with a text sealed under it.
CREATE TABLE sealing_keys (
  key_id text COLLATE "C" PRIMARY KEY,
  sealed bytea NOT NULL
)`,
]
