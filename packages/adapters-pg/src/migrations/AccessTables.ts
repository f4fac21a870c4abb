/** Credentials, rate limits, and the keys of the instance. */
export const accessTables: ReadonlyArray<string> = [
  `CREATE TABLE credentials (
  organization text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  role text NOT NULL,
  secret_hash text NOT NULL,
  is_disabled boolean NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (organization, client_id)
)`,
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
  -- Numbers the keys. Unique, so that of two rotations that started from the same newest key only one succeeds.
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
