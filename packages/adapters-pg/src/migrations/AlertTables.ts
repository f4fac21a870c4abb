/** Alerts, and the receipts that make requests with an `Idempotency-Key` repeatable. */
export const alertTables: ReadonlyArray<string> = [
  `CREATE SEQUENCE alert_positions`,
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
  -- Grows with each write: the latest alert of a subject has the greatest.
  position bigint NOT NULL DEFAULT nextval('alert_positions'),
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
]
