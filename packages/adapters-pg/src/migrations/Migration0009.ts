/**
 * Shares between organizations: a claim of indicators goes from one organization and server to the next by the index,
 * and the bulk resends of an organization that run are counted by another.
 */
export const migration0009: ReadonlyArray<string> = [
  `DROP INDEX indicator_polls_due`,
  `CREATE INDEX indicator_polls_due ON indicator_polls (organization, server, due_at)`,
  `CREATE INDEX bulk_resends_running ON bulk_resends (organization) WHERE state = 'running'`,
]
