/** The tables of the installation that an export contains, in the order of an import. */
export const installationTables = [
  "sealing_keys",
  "signing_keys",
  "public_keys",
  "signing_key_owners",
  "queue_pauses",
] as const

/** The tables of organizations that an export contains. A table comes after those that its foreign keys reference. */
export const organizationTables = [
  "organizations",
  "definitions",
  "definition_references",
  "unsupported_documents",
  "definition_change_records",
  "definition_changes",
  "definition_revisions",
  "slos",
  "count_hours",
  "count_days",
  "slo_hours",
  "slo_days",
  "indicator_polls",
  "annotations",
  "indicator_replays",
  "indicator_replay_hours",
  "indicator_servers",
  "pushed_indicators",
  "pushed_metrics",
  "pushed_series",
  "pushed_minutes",
  "report_schedules",
  "reports",
  "reviews",
  "alert_subjects",
  "alerts",
  "alert_receipts",
  "incident_counts",
  "incidents",
  "incident_services",
  "incident_alerts",
  "incident_entries",
  "silence_notices",
  "notifications",
  "notification_sizes",
  "deliveries",
  "delivery_attempts",
  "delivery_queue",
  "queue_owners",
  "endpoints",
  "bulk_resends",
  "credentials",
  "closed_sessions",
  "status_pages",
  "status_page_subscriptions",
  "status_page_audiences",
  "status_page_announcements",
  "organization_signing_keys",
  "organization_public_keys",
] as const

/** The tables that an export leaves out, and why. */
export const omittedTables = {
  schema_migrations: "describes the schema of the database itself",
  data_imports: "the progress of an import into the database itself",
  queue_processes: "the processes that run",
  count_conversion: "the process that converts counts",
  delivery_wakes: "hints to the processes that run; another process reads the queue itself",
  rate_limit_windows: "the requests of the last seconds",
} as const

/** Values that replace those of the database: the processes that own queues do not run on the other database. */
export const replacedColumns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // Due at once: the first server takes each queue, which frees what was in flight, and decides when it is due.
  queue_owners: { owner: "NULL", next_due_at: "0" },
}
