/**
 * The table of bulk resends, and the indexes by which they read the settled deliveries.
 *
 * A bulk resend reads in the order of `created_at`, then `id`, which no delivery ever changes: so each is met once,
 * however often it is settled. Only the few that were not delivered have indexes for it; those that were are read by
 * `settled_deliveries_by_time`.
 */
export const migration0003: ReadonlyArray<string> = [
  `CREATE TABLE bulk_resends (
  organization text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- JSON as the domain has it.
  filter text NOT NULL,
  created_at bigint NOT NULL,
  matched integer NOT NULL,
  may_match_more boolean NOT NULL,
  resent integer NOT NULL DEFAULT 0,
  state text COLLATE "C" NOT NULL,
  ended_at bigint,
  -- The last delivery that was read; null before the first.
  read_created_at bigint,
  read_id text COLLATE "C",
  -- The IDs of the latest batch, and when it became due.
  batch text[] NOT NULL DEFAULT '{}',
  batch_at bigint,
  -- When its next step may be taken; null once it has ended.
  look_at bigint,
  PRIMARY KEY (organization, id),
  CHECK ((state = 'running') = (look_at IS NOT NULL)),
  CHECK ((state = 'running') = (ended_at IS NULL)),
  CHECK ((read_created_at IS NULL) = (read_id IS NULL))
)`,
  `CREATE INDEX bulk_resends_look ON bulk_resends (look_at) WHERE look_at IS NOT NULL`,
  `CREATE INDEX bulk_resends_ended ON bulk_resends (ended_at) WHERE ended_at IS NOT NULL`,
  `CREATE INDEX settled_deliveries_to_resend ON settled_deliveries (organization, created_at, id)
  WHERE state <> 'delivered'`,
  `CREATE INDEX settled_deliveries_to_resend_by_method
  ON settled_deliveries (organization, project, name, created_at, id) WHERE state <> 'delivered'`,
]
