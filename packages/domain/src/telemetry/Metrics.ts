import { counter, gauge, histogram } from "./MetricFamily.ts"

/** The buckets of what takes a part of a request, in seconds. */
export const shortBoundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
/** The buckets of what takes up to the longest retry, in seconds. */
const longBoundaries = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 3_600, 21_600, 86_400]

/**
 * The metrics of the domain, as Effect's `Metric`: a host exports them as it likes. Their values are of one process, and
 * since it started, unless their help says otherwise.
 *
 * Names and units follow OpenMetrics. Labels have few values: none is the name of an organization, an SLO or a receiver.
 */
export const metrics = {
  /** `outcome` as in `AttemptOutcome`, `reason` as in `FailureReason`, or empty. */
  deliveryAttempts: counter(
    "tocsin_delivery_attempts_total",
    "Attempts to deliver a notification, by outcome and reason.",
    "outcome",
    "reason",
  ),
  deliveryAttemptDuration: histogram(
    "tocsin_delivery_attempt_duration_seconds",
    "Duration of attempts to deliver a notification.",
    shortBoundaries,
  ),
  /** `state` as in `DeliveryState`, `reason` as in `FailureReason`, or empty. */
  deliveriesSettled: counter(
    "tocsin_deliveries_settled_total",
    "Settled deliveries, by status and by failure reason of the last attempt.",
    "state",
    "reason",
  ),
  deliveryArrival: histogram(
    "tocsin_delivery_arrival_seconds",
    "Time from when a delivery was created until the receiver responded with 2xx. Resent deliveries do not count.",
    longBoundaries,
  ),
  deliveryAttemptsInFlight: gauge(
    "tocsin_delivery_attempts_in_flight",
    "Attempts to deliver a notification that this process makes now.",
  ),
  deliveriesDue: gauge(
    "tocsin_deliveries_due",
    "Deliveries that are due, of the organizations that this process delivers for. Of many for one alert method, only the first are counted.",
  ),
  oldestDueAge: gauge(
    "tocsin_delivery_oldest_due_age_seconds",
    "How long ago the oldest due delivery became due, of the organizations that this process delivers for; 0 if none is due.",
  ),
  /** `state` is `circuit_open`, `disabled` or `paused`. */
  alertMethodsBlocked: gauge(
    "tocsin_alert_methods_blocked",
    "Alert methods with waiting deliveries that are not sent because the circuit is open, or because the method is disabled or paused.",
    "state",
  ),
  circuitsOpened: counter(
    "tocsin_alert_method_circuits_opened_total",
    "How often the circuit of an alert method opened because its receiver failed.",
  ),
  /** `because` as in `EndpointHealth`. */
  alertMethodsDisabled: counter(
    "tocsin_alert_methods_disabled_total",
    "Alert methods that were disabled because of their receivers' responses.",
    "because",
  ),
  deliveriesClaimed: counter("tocsin_deliveries_claimed_total", "Deliveries that this process claimed."),
  deliveriesReleased: counter(
    "tocsin_deliveries_released_total",
    "Claimed deliveries that were given back because the sender could not make the attempt.",
  ),
  leasesLost: counter(
    "tocsin_delivery_leases_lost_total",
    "Attempts that could not be settled because the lease had expired; their notifications are sent again.",
  ),
  /** `source` is `api`, `otlp` or `indicator`. */
  countsRecorded: counter(
    "tocsin_counts_recorded_total",
    "Counts of one objective and minute that were recorded, by source.",
    "source",
  ),
  countsLag: histogram(
    "tocsin_counts_lag_seconds",
    "Age of the latest minute of recorded counts, from its end to when it was recorded, by source.",
    longBoundaries,
    "source",
  ),
  slosToConvert: gauge(
    "tocsin_slos_to_convert",
    "SLOs of all organizations whose counts have the form of an earlier version; a server converts them in the background.",
  ),
  /** `outcome` is `written`, `changed` (something else changed meanwhile) or `failed`. */
  statusRefreshes: counter(
    "tocsin_status_refreshes_total",
    "Statuses of SLOs that were computed in the background, by outcome.",
    "outcome",
  ),
  statusOldestDueAge: gauge(
    "tocsin_status_oldest_due_age_seconds",
    "How long ago the oldest due status of an SLO became due, of all organizations; 0 if none is due.",
  ),
  alertEvaluations: counter("tocsin_alert_evaluations_total", "Evaluations of the alert policies of an SLO."),
  /** `status` as in `Alert`, `source` is `policy` or `external`. */
  alertChanges: counter(
    "tocsin_alert_changes_total",
    "Alerts that changed their status, by new status and by what caused it.",
    "status",
    "source",
  ),
  /** `reason` as in `HoldReason`. */
  alertsHeld: counter(
    "tocsin_alerts_held_total",
    "Number of times that an alert began to be held although its conditions were met, by reason.",
    "reason",
  ),
  alertsOpen: gauge("tocsin_alerts_open", "Open alerts of all organizations."),
  /** `outcome` is `read` or `failed`, `reason` as in `MetricsAreUnavailable`, or empty. */
  indicatorPolls: counter(
    "tocsin_indicator_polls_total",
    "Reads of an indicator from its data source, by outcome and reason.",
    "outcome",
    "reason",
  ),
  indicatorPollDuration: histogram(
    "tocsin_indicator_poll_duration_seconds",
    "Duration of reads of an indicator from its data source.",
    shortBoundaries,
  ),
  /** `part` is `good` or `bad`. */
  indicatorLimited: counter(
    "tocsin_indicator_limited_minutes_total",
    "Minutes of indicators in which a data source had more good or bad events than events in all, and which were limited to all.",
    "part",
  ),
  indicatorLag: histogram(
    "tocsin_indicator_lag_seconds",
    "How far behind the current time an indicator was read to, before each read.",
    longBoundaries,
  ),
  indicatorHistoryBacklog: gauge(
    "tocsin_indicator_history_backlog",
    "SLOs of all organizations whose older minutes are not all read from the data source yet.",
  ),
  tokensIssued: counter("tocsin_access_tokens_issued_total", "Access tokens that were issued."),
  signInsRejected: counter(
    "tocsin_sign_ins_rejected_total",
    "Requests for an access token or a session with a wrong credential.",
  ),
  /** `limit` is the name of the policy, as in the `RateLimit` headers. */
  rateLimited: counter(
    "tocsin_rate_limited_requests_total",
    "Requests that were rejected by a rate limit or a quota.",
    "limit",
  ),
  /** `limit` as of `rateLimited`, `definitions` or `notifications`. */
  organizationsOverQuota: gauge(
    "tocsin_organizations_over_quota",
    "Organizations whose requests a quota or rate limit rejected in the last 5 minutes.",
    "limit",
  ),
  /** `operation` as in the OpenAPI document, `other` without one. */
  httpRequests: counter(
    "tocsin_http_requests_total",
    "Responses, by operation and status.",
    "operation",
    "status",
  ),
  httpRequestDuration: histogram(
    "tocsin_http_request_duration_seconds",
    "Time from the head of a request until its response was made, by operation.",
    shortBoundaries,
    "operation",
  ),
  databaseOperationsInFlight: gauge(
    "tocsin_database_operations_in_flight",
    "Operations of the database that run or wait for a connection. Beyond the size of the pool, they wait.",
  ),
  databasePoolSize: gauge(
    "tocsin_database_pool_size",
    "Maximum number of connections of this process to the database.",
  ),
  databaseQueuePoolSize: gauge(
    "tocsin_database_queue_pool_size",
    "Connections of the pool that only the delivery queue uses, including the one that listens for new deliveries.",
  ),
  databaseWritesWaiting: gauge(
    "tocsin_database_writes_waiting",
    "Write transactions of requests that wait for their organization's turn.",
  ),
  /** `reason` is `full` or `timeout`. */
  databaseWritesRejected: counter(
    "tocsin_database_writes_rejected_total",
    "Write transactions of requests that got no turn, by reason: too many of the organization wait, or the wait was too long.",
    "reason",
  ),
  databaseOperationDuration: histogram(
    "tocsin_database_operation_duration_seconds",
    "Duration of operations of the database, with the wait for a connection, by operation.",
    shortBoundaries,
    "operation",
  ),
  databaseOperationsFailed: counter(
    "tocsin_database_operations_failed_total",
    "Operations that failed because of the database, by operation.",
    "operation",
  ),
  ready: gauge("tocsin_ready", "1 while the server is ready, as /readyz reports; else 0."),
} as const
