/**
 * How far the indicators of SLOs are read. A row comes with the indicator, and goes with it or with the SLO.
 *
 * A claim goes from server to server by the index, and takes of each what is due: it reads as many rows as there are
 * servers, and those that it claims.
 */
export const migration0007: ReadonlyArray<string> = [
  `CREATE TABLE indicator_polls (
  organization text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  slo text COLLATE "C" NOT NULL,
  -- The indicator as JSON, and of its URL what tells servers apart.
  indicator text NOT NULL,
  server text COLLATE "C" NOT NULL,
  read_to bigint NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  succeeded_at bigint,
  -- JSON as the domain has it.
  problem text,
  due_at bigint NOT NULL,
  PRIMARY KEY (organization, project, slo),
  FOREIGN KEY (organization, project, slo) REFERENCES slos ON DELETE CASCADE
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0)`,
  `CREATE INDEX indicator_polls_due ON indicator_polls (server, due_at)`,
]
