/** What alerts are listed by, beside their JSON: filled in for the alerts of before. */
export const migration0005: ReadonlyArray<string> = [
  `ALTER TABLE alerts
  ADD COLUMN slo text COLLATE "C",
  ADD COLUMN objective text COLLATE "C",
  ADD COLUMN alert_policy text COLLATE "C",
  ADD COLUMN status text COLLATE "C",
  ADD COLUMN triggered_at bigint`,
  `UPDATE alerts a SET
  slo = j.alert #>> '{subject,slo,name}', objective = j.alert #>> '{subject,objective}',
  alert_policy = j.alert #>> '{subject,alertPolicy,name}', status = j.alert ->> 'status',
  triggered_at = (j.alert ->> 'triggeredAt')::numeric::bigint
FROM (SELECT organization, id, alert::json AS alert FROM alerts) j
WHERE a.organization = j.organization AND a.id = j.id`,
  `ALTER TABLE alerts
  ALTER COLUMN slo SET NOT NULL, ALTER COLUMN status SET NOT NULL, ALTER COLUMN triggered_at SET NOT NULL`,
  `CREATE INDEX alerts_by_slo ON alerts (organization, slo, id)`,
  `CREATE INDEX alerts_by_objective ON alerts (organization, objective, id) WHERE objective IS NOT NULL`,
  `CREATE INDEX alerts_by_policy ON alerts (organization, alert_policy, id) WHERE alert_policy IS NOT NULL`,
  `CREATE INDEX alerts_by_status ON alerts (organization, status, id)`,
  `CREATE INDEX alerts_by_time ON alerts (organization, triggered_at)`,
]
