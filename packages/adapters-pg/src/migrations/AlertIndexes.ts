/**
 * Open alerts and canceled ones are few, so that an index of each costs little: `alerts_by_status`, which each alert was added to
 * twice, is no longer needed, nor is `alerts_open`. Most alerts are resolved, and are listed by time.
 *
 * Creating waits for changes of alerts, and dropping for all that reads them, so each is a transaction: in one, both might wait
 * for each other.
 */
export const alertIndexes: ReadonlyArray<string> = [
  `CREATE INDEX alerts_open_by_time ON alerts (organization, triggered_at, id) WHERE resolved_at IS NULL`,
  `CREATE INDEX alerts_canceled ON alerts (organization, triggered_at, id) WHERE status = 'canceled'`,
]

/** Servers of the version before list alerts of one status by time, too. */
export const withoutAlertIndexes: ReadonlyArray<string> = [
  `DROP INDEX alerts_by_status`,
  `DROP INDEX alerts_open`,
]
