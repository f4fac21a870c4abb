import { Migrations } from "@tocsin/adapters-pg"

/**
 * The reads across organizations that were reviewed, by a part of their text: each finds rows without locking them, and
 * statements of one organization each follow, or it gives a metric of the whole server.
 */
const reviewedReads: ReadonlyArray<string> = [
  // Statuses that are due (SloStorePg).
  "SELECT organization, project, name FROM slos WHERE due_at <= ",
  // Metrics of the server (SloStorePg, AlertStorePg).
  "SELECT due_at FROM slos WHERE due_at <= ",
  "SELECT count(*)::integer AS count FROM alerts WHERE resolved_at IS NULL",
  // The credentials with a client ID (CredentialStorePg).
  "FROM credentials WHERE client_id = ",
  // The project with a status page (StatusPageRows).
  "FROM status_pages WHERE slug = ",
  // Status pages whose subscribers are told what is new, and the subscription of a link (StatusPageSubscriptionStorePg).
  "FROM status_page_audiences WHERE (due_at <= ",
  "SELECT organization, id FROM status_page_subscriptions WHERE token_hash = ",
  // Reports that are due (ReportStorePg).
  "SELECT organization, project, slo AS name FROM report_schedules WHERE due_at <= ",
  // Organizations with times of a clock that was ahead (SetBackTimes).
  "SELECT DISTINCT organization FROM ",
  // SLOs whose counts are to be converted (CountConversion).
  "FROM slos WHERE (count_rows = 'objective' OR copied_to IS NOT NULL)",
  // A metric of the server (IndicatorStorePg).
  "SELECT count(*)::integer AS count FROM indicator_polls p WHERE (p.read_to = 0 OR p.recent IS NOT NULL)",
  // Servers with due polls (IndicatorStorePg).
  "FROM indicator_servers s CROSS JOIN LATERAL ( SELECT due_at FROM indicator_polls WHERE organization = s.organization",
  // Organizations with due backfills (BackfillStorePg).
  "SELECT organization FROM ( SELECT DISTINCT ON (organization) organization, due_at FROM indicator_replays WHERE due_at <= ",
  // Rows whose retention has ended (Retention).
  "SELECT organization, id,subject FROM alerts AS old WHERE resolved_at <= ",
  "SELECT organization, key FROM alert_receipts AS old WHERE expires_at <= ",
  "SELECT organization, policy,subject FROM rate_limit_windows AS old WHERE (expires_at <= ",
  // Deletions in the history of definitions whose time is over (DefinitionHistoryPg).
  "FROM definition_revisions WHERE outcome = 'deleted' AND at < ",
  // Organizations whose queue a process has to look at, and those that it owns (QueueStatements).
  "SELECT organization FROM queue_owners WHERE owner IS NULL AND next_due_at <= ",
  "SELECT organization, epoch FROM queue_owners WHERE owner = ",
  // Bulk resends whose next batch may be taken (BulkResendStorePg).
  "SELECT organization, id FROM bulk_resends WHERE (next_step_at <= ",
  // Incidents for which alerts are looked for (IncidentStorePg).
  "FROM incidents WHERE grouping_at IS NOT NULL AND (grouping_at <= ",
  // The operator's view of a pause of everything (DeliveryQueuePg).
  "FROM delivery_queue WHERE sending IS NOT NULL",
  // Secrets of another master key (SealedSecrets).
  "FROM definitions WHERE sealing_key_id < ",
  "FROM organization_signing_keys WHERE sealing_key_id < ",
  "FROM status_page_subscriptions WHERE sealing_key_id < ",
]

/** The tables with an `organization`. */
const organizationTables: ReadonlySet<string> = new Set([
  ...Migrations.migrations
    .flat()
    .flatMap(
      (statement) => /CREATE (?:UNLOGGED )?TABLE (\w+) \(\s+organization text/.exec(statement)?.[1] ?? [],
    ),
  // The names that count_hours and count_days are given.
  "objective_hours",
  "objective_days",
])

/**
 * Why Citus would reject a statement on the data of organizations, or run it on several nodes; empty: neither.
 *
 * Each table must be restricted to the organization of a parameter, or to that of another table, and all these parameters
 * must have one value.
 */
export const refusalsOf = (statement: string, parameters: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const text = normalized(statement)
  if (!isChecked(text)) return []
  const tables = tablesOf(text)
  const refusals: Array<string> = []
  if (/\bctid\b/i.test(text)) refusals.push("ctid is of one node")
  if (/advisory/i.test(text)) refusals.push("advisory locks are of one node; lock a row")
  const assigned = text.split(/\bDO UPDATE SET\b/i)[1]
  if (/\bRETURNING\b.*\b(?:now_ms|clock_ms)\(/i.test(text)) {
    refusals.push("RETURNING may not call a function that is not immutable; pass the value")
  }
  if (
    assigned !== undefined &&
    /\b(?:now_ms|clock_ms|now|clock_timestamp|random|gen_random_uuid)\(/i.test(assigned)
  ) {
    refusals.push("DO UPDATE SET may not call a function that is not immutable; pass the value")
  }
  if (/\b(?:CASE|coalesce\()[^;]*\b(?:now_ms|clock_ms)\(/i.test(text)) {
    refusals.push("CASE and COALESCE may not call a function that is not immutable; pass the value")
  }
  const isWriting =
    /\b(?:INSERT INTO|DELETE FROM|UPDATE (?!OF\b|SKIP\b|SET\b|\))|FOR (?:NO KEY )?UPDATE|FOR (?:KEY )?SHARE)/i.test(
      text,
    )
  const isReviewed = reviewedReads.some((part) => text.includes(part))
  if (isReviewed) {
    if (isWriting) refusals.push("a reviewed read may neither write nor lock")
    return refusals
  }
  const named = namedOrganizations(text, parameters)
  const restricted = text.match(/\borganization = (?:\$\d+|\w+\.organization)/g)?.length ?? 0
  const inserted = text.match(/\bINSERT INTO \w+/gi)?.length ?? 0
  if (restricted + inserted < tables.length) {
    refusals.push(`${tables.length} tables, but ${restricted + inserted} restricted to an organization`)
  }
  if (named.size !== 1) refusals.push(`names ${named.size} organizations instead of one`)
  return refusals
}

/** Whether a statement must run on one node: it is checked, and no reviewed read. */
export const isOfOneOrganization = (statement: string): boolean => {
  const text = normalized(statement)
  return isChecked(text) && !reviewedReads.some((part) => text.includes(part))
}

const normalized = (statement: string): string =>
  statement
    .replaceAll(/--[^\n]*/g, " ")
    .replaceAll('"', "")
    .replaceAll(/\s+/g, " ")
    .trim()

const tablesOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\b(?:FROM|JOIN|UPDATE|INTO|USING) (\w+)/gi)].flatMap(([, name = ""]) =>
    organizationTables.has(name) ? [name] : [],
  )

/** Statements of the tests themselves are blocks. */
const isChecked = (text: string): boolean => !text.startsWith("DO $$") && tablesOf(text).length > 0

/** The values of the parameters that `organization` is compared with, or that are inserted into it. */
const namedOrganizations = (text: string, parameters: ReadonlyArray<unknown>): ReadonlySet<unknown> => {
  const numbers = [...text.matchAll(/\borganization = \$(\d+)/g)].map(([, n]) => Number(n))
  const [, columns = "", values = ""] =
    /\bINSERT INTO \w+(?: AS \w+)? ?\(([^)]*)\) ?VALUES (.*)/i.exec(text) ?? []
  const column = columns.split(",").findIndex((name) => name.trim() === "organization")
  for (const row of column < 0 ? [] : rowsOf(values)) {
    const number = /^\$(\d+)$/.exec(row[column] ?? "")?.[1]
    if (number !== undefined) numbers.push(Number(number))
  }
  const [, selectedColumns = "", selected] =
    /\bINSERT INTO \w+(?: AS \w+)? ?\(([^)]*)\) ?SELECT (?:DISTINCT )?\$(\d+)/i.exec(text) ?? []
  if (selected !== undefined && /^\s*organization\b/.test(selectedColumns)) numbers.push(Number(selected))
  return new Set(numbers.map((number) => parameters[number - 1]))
}

/** The rows of `VALUES (…), (…)`, up to what follows them. */
const rowsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<Array<string>> = []
  let depth = 0
  let value = ""
  for (const character of text) {
    if (character === ")") depth--
    if (depth === 0 && /[^,()\s]/.test(character)) break
    if (depth === 0 && character === ")") rows.at(-1)?.push(value.trim())
    else if (depth === 1 && character === ",") rows.at(-1)?.push(value.trim())
    if (depth === 0 && character === "(") rows.push([])
    value = depth > 0 && !(depth === 1 && character === ",") ? value + character : ""
    if (character === "(") depth++
  }
  return rows
}
