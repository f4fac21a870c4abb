/**
 * Every limit, with its unit in its name.
 *
 * Schemas, the OpenAPI text, messages, documentation and tests read these constants; none is written twice.
 */
export const Limits = {
  /** Longest description of a definition, in characters. Source: spec/definitions §2. */
  descriptionMaxCharacters: 1050,
  /** Longest name of an alert method, project, service or alert policy. Source: spec/definitions §3. */
  nameMaxCharacters: 253,
  /** Longest name of an SLO or objective, since `sloName` is at most 63. Source: spec/status-api §8. */
  sloNameMaxCharacters: 63,
  /** Longest display name. Source: spec/definitions §3. */
  displayNameMaxCharacters: 253,
  /** Longest value of an annotation. Source: spec/definitions §5. */
  annotationValueMaxCharacters: 1050,
  /** Longest name part of an annotation's key. Source: spec/definitions §5. */
  annotationKeyNameMaxCharacters: 63,
  /** Longest DNS prefix of an annotation's key. Source: spec/definitions §5. */
  annotationKeyPrefixMaxCharacters: 253,
  /** Longest key of a label. Source: spec/definitions §5. */
  labelKeyMaxCharacters: 63,
  /** Longest value of a label. Source: spec/definitions §5. */
  labelValueMaxCharacters: 200,
  /** Most entries of any list or map in a definition that has no limit of its own. Source: spec/definitions §7. */
  definitionEntriesMax: 100,
  /** Most definitions in one request. Source: spec/definitions §9. */
  definitionsMax: 1_000,
  /** Objects that name one object which a store reads: more than one request can delete. Source: spec/definitions §11. */
  referrersReadMax: 2_000,
  /** Most issues in one response. Source: spec/definitions §7. */
  issuesMax: 1_000,
  /** Deepest nesting of lists and maps in a YAML document. Source: spec/definitions §9. */
  yamlDepthMax: 64,
  /** Most words, signs, blanks and line breaks in one text of YAML. Source: spec/definitions §9. */
  yamlTokensMax: 200_000,
  /** Most aliases in one YAML document, each of which repeats what its anchor marks. Source: spec/definitions §9. */
  yamlAliasesMax: 100,
  /** Shortest cool-down of an alert policy, in milliseconds, and the default. Source: spec/alerting §1. */
  coolDownMinMs: 300_000,
  /** Shortest alerting window of a condition, in milliseconds. Source: spec/alerting §1. */
  alertingWindowMinMs: 300_000,
  /** Longest alerting window of a condition, in milliseconds. Source: spec/alerting §1. */
  alertingWindowMaxMs: 7 * 86_400_000,
  /** Shortest rolling time window of an SLO, in milliseconds. Source: spec/slos §1. */
  rollingWindowMinMs: 300_000,
  /** Longest rolling time window of an SLO, in milliseconds. Source: spec/slos §1. */
  rollingWindowMaxMs: 31 * 86_400_000,
  /** Longest calendar window of an SLO, in days. Source: spec/slos §5. */
  calendarWindowMaxDays: 366,
  /** Longest name of a time zone. Source: spec/slos §5. */
  timeZoneMaxCharacters: 64,
  /** Largest burn rate that a composite's condition can name. Source: spec/slos §8. */
  burnRateConditionMax: 1_000,
  /** Shortest time without counts after which a no-data alert can fire, in milliseconds. Source: spec/definitions §1. */
  noDataAlertAfterMinMs: 300_000,
  /** Longest time without counts after which a no-data alert can fire, in milliseconds. Source: spec/definitions §1. */
  noDataAlertAfterMaxMs: 31 * 86_400_000,
  /** Most custom headers of one alert method. Source: spec/alert-methods §4. */
  customHeadersMax: 10,
  /** Longest name of a custom header. Source: spec/alert-methods §5. */
  customHeaderNameMaxCharacters: 128,
  /** Longest value of a custom header. Source: spec/alert-methods §6. */
  customHeaderValueMaxCharacters: 4096,
  /** Most bytes of all custom headers of one alert method, names and values. Source: spec/alert-methods §6. */
  customHeadersMaxBytes: 16 * 1024,
  /** Longest webhook URL, as given and as normalised. Source: spec/delivery §11. */
  webhookUrlMaxCharacters: 2048,
  /** Largest template, in bytes of UTF-8. Source: spec/templates §10. */
  templateMaxBytes: 64 * 1024,
  /** Deepest nesting of objects and arrays in a template, as common receivers accept. Source: spec/templates §4. */
  templateMaxDepth: 64,
  /** Most issues that one template, or one list of template fields, is answered with. Source: spec/templates §4. */
  templateIssuesMax: 100,
  /** Largest rendered body, in bytes of UTF-8. Source: spec/templates §10. */
  renderedBodyMaxBytes: 256 * 1024,

  /** Time to establish a connection, in milliseconds. Source: spec/delivery §4. */
  connectTimeoutMs: 5_000,
  /** One deadline over name look-up, connect, TLS, head and body, in milliseconds. Source: spec/delivery §4. */
  deliveryDeadlineMs: 15_000,
  /** Most bytes of an answer's body that are read. Source: spec/delivery §4. */
  responseBodyReadMaxBytes: 64 * 1024,
  /** Most bytes of an answer's body that are kept. Source: spec/delivery §4. */
  responseBodyKeptMaxBytes: 4 * 1024,
  /** Most bytes of an answer's status line and header fields. Source: spec/delivery §4. */
  responseHeadMaxBytes: 16 * 1024,
  /** Time for looking up a name, in milliseconds. Source: spec/delivery §4. */
  lookupTimeoutMs: 5_000,
  /** Age beyond which an open connection to a receiver is not used again, in milliseconds. Source: spec/delivery §4. */
  connectionMaxAgeMs: 60_000,
  /** How long an unused connection to a receiver is kept, in milliseconds; under 4 s. Source: spec/delivery §4. */
  connectionIdleMaxMs: 3_500,
  /** Connections to one origin at once. Source: spec/delivery §4. */
  connectionsPerOriginMax: 64,
  /** Unused connections kept over all origins. Source: spec/delivery §4. */
  idleConnectionsMax: 256,
  /** Waits before each attempt of a delivery, in seconds; the first is at once. Source: spec/delivery §5. */
  retryDelaysSeconds: [0, 5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400],
  /** How far a wait may stray from its nominal length, as a fraction. Source: spec/delivery §5. */
  retryJitterFraction: 0.2,
  /** The longest wait that `Retry-After` can ask for, in seconds. Source: spec/delivery §5. */
  retryAfterMaxSeconds: 86_400,
  /** Time without a success after which a failing method is disabled, in milliseconds. Source: spec/delivery §9. */
  failingMethodMaxMs: 5 * 86_400_000,
  /** Failed attempts in a row before a failing method may be disabled. Source: spec/delivery §9. */
  failingMethodMinAttempts: 20,
  /** Shortest time between two tests of one method, in milliseconds. Source: spec/delivery §15. */
  testIntervalMs: 5_000,
  /** Deliveries of one endpoint under way at once. Source: spec/delivery §8. */
  endpointInFlightMax: 5,
  /** Failures in a row that open an endpoint's breaker. Source: spec/delivery §10. */
  breakerFailuresMax: 5,
  /** How long a breaker stays open at first, in milliseconds; each failed probe doubles it. Source: spec/delivery §10. */
  breakerOpenMinMs: 30_000,
  /** The longest that a breaker stays open before its next probe, in milliseconds. Source: spec/delivery §10. */
  breakerOpenMaxMs: 300_000,
  /** The share of the claims that is kept for first attempts while any are due. Source: spec/delivery §8. */
  firstAttemptShare: 0.5,
  /** How long a claim holds unless renewed, in milliseconds; longer than an attempt can take. Source: spec/delivery §7. */
  deliveryLeaseMs: 30_000,
  /** Deliveries that one process has under way at once. Source: spec/delivery §8. */
  deliveriesInFlightMax: 256,
  /** Deliveries of one organization that one process has under way at once. Source: spec/delivery §8. */
  organizationInFlightMax: 128,
  /** Most deliveries settled in one step. Source: spec/delivery §7. */
  settleBatchMax: 500,
  /** The longest that a process waits before it looks for due deliveries, in milliseconds. Source: spec/delivery §7. */
  dispatchPollMaxMs: 1_000,
  /** The wait after a fault of our own before a delivery is tried again, in milliseconds. Source: spec/delivery §5. */
  senderFaultDelayMs: 30_000,
  /** The first wait before a store that failed is called again, in milliseconds; it doubles each time. */
  storeRetryMinMs: 100,
  /** The longest wait before a store that failed is called again, in milliseconds. */
  storeRetryMaxMs: 5_000,
  /** Alert methods whose compiled templates a process keeps. Source: spec/delivery §7. */
  preparedMethodsMax: 1_000,
  /** Deliveries that are not settled, the newest, among which the latest of alert methods are looked for. Source: spec/console §4. */
  unsettledActivityMax: 1_000,
  /** Attempts of one delivery that the log keeps, the latest. Source: spec/delivery §14. */
  attemptsKeptMax: 50,
  /** Bulk resends of one organization that run at once. Source: spec/resends §5. */
  bulkResendsRunningMax: 5,
  /** Most deliveries that one step of a bulk resend makes due. Source: spec/resends §3. */
  bulkResendBatchMax: 500,
  /** Most settled deliveries that a count, or one step of a bulk resend, reads. Source: spec/resends §2. */
  bulkResendReadMax: 10_000,
  /** Time between two looks for bulk resends to go on with, in milliseconds. Source: spec/resends §3. */
  bulkResendPollMs: 1_000,
  /** The longest that a bulk resend waits for its latest batch to be tried, in milliseconds. Source: spec/resends §3. */
  bulkResendWaitMaxMs: 10_000,
  /** Bulk resends that have ended which the memory store keeps, the latest. Source: spec/resends §3. */
  endedBulkResendsInMemoryMax: 1_000,
  /** How long a database keeps settled deliveries, attempts and resolved alerts, in milliseconds. Source: spec/delivery §14. */
  historyRetentionMs: 31 * 86_400_000,
  /** Settled deliveries that the memory queue keeps, the latest. Source: spec/delivery §7. */
  settledDeliveriesInMemoryMax: 10_000,
  /** Resolved alerts that the memory store keeps, the latest. Source: spec/delivery §7. */
  resolvedAlertsInMemoryMax: 10_000,
  /** Idempotency records that the memory store keeps, the latest. Source: spec/alerting §8. */
  idempotencyKeysInMemoryMax: 10_000,
  /** Longest ID that an outside evaluator gives an alert. Source: spec/alerting §7. */
  alertIdMaxCharacters: 253,
  /** Most conditions of one alert. Source: spec/alerting §7. */
  alertConditionsMax: 100,
  /** Longest text of one condition of an alert. Source: spec/alerting §7. */
  alertConditionMaxCharacters: 1050,
  /**
   * How far ahead of the server's clock the time of an alert from outside may be, and its end before its begin, in
   * milliseconds. Source: spec/alerting §9.
   */
  alertMaxAheadMs: 300_000,
  /** Most alerts of one group of Alertmanager. Source: spec/alertmanager §1. */
  alertsPerGroupMax: 1_000,
  /** Most alert methods that one alert notifies. Source: spec/alerting §7. */
  alertMethodsPerAlertMax: 100,

  /** Age of `created` beyond which a receiver refuses, in seconds. Source: spec/signatures §9. */
  signatureMaxAgeSeconds: 300,
  /** How far `created` may lie ahead of the receiver's clock, in seconds. Source: spec/signatures §9. */
  signatureMaxAheadSeconds: 60,
  /** Most labels that a verifier reads in `Signature-Input`. Source: spec/signatures §10. */
  signatureLabelsMax: 8,
  /** Most covered components that a verifier reads of one signature. Source: spec/signatures §10. */
  signatureComponentsMax: 32,
  /** Most bytes of one signature header that a verifier reads. Source: spec/signatures §10. */
  signatureHeaderMaxBytes: 8 * 1024,
  /** Most bytes of all header lines of one request that a verifier reads. Source: spec/signatures §10. */
  receivedHeadersMaxBytes: 64 * 1024,
  /** Most header lines of one request that a verifier reads. Source: spec/signatures §10. */
  receivedHeaderLinesMax: 500,
  /** How long a receiver may keep the public key, in seconds. Source: spec/signatures §5. */
  publicKeyMaxAgeSeconds: 300,
  /** Shortest time between two fetches for an unknown `keyid`, in milliseconds. Source: spec/signatures §10. */
  publicKeyRefetchMinMs: 30_000,
  /** Shortest time between two fetches of the public keys after one that failed, in milliseconds. Source: spec/signatures §10. */
  publicKeyRetryMinMs: 1_000,
  /** Deadline of one fetch of the public keys, in milliseconds. Source: spec/signatures §10. */
  publicKeyFetchDeadlineMs: 5_000,
  /** Most bytes of an answer with public keys that are read. Source: spec/signatures §10. */
  publicKeyAnswerMaxBytes: 64 * 1024,
  /** Signatures that the replay guard in memory remembers; beyond it the oldest is forgotten. Source: spec/signatures §11. */
  replayGuardMaxEntries: 100_000,
  /**
   * How long a new signing key is published before it signs, in seconds: longer than receivers (300 s) and the
   * processes of the service (30 s) keep what they know, with room for clocks that differ. Source: spec/signatures §7.
   */
  signingKeyOverlapSeconds: 600,
  /** How long a retired signing key stays listed, in seconds. Source: spec/signatures §7. */
  signingKeyRetiredListedSeconds: 86_400,
  /** How long a process keeps the signing keys that it has read, in milliseconds. Source: spec/signatures §5. */
  signingKeyCacheMs: 30_000,

  /** Lifetime of an access token, in seconds. Source: spec/access §2. */
  accessTokenLifetimeSeconds: 3_600,
  /** Largest page, and the default. Source: spec/status-api §6. */
  pageSizeMax: 500,
  /** Longest range of `from` and `to`, in days. Source: spec/status-api §9. */
  dataRangeMaxDays: 7,
  /** How far back the events of the burn rate reach, in milliseconds. Source: spec/slos §3. */
  burnRateLookbackMs: 3_600_000,
  /** How old counts may be when they arrive, in milliseconds. */
  countsMaxAgeMs: 31 * 86_400_000,
  /** How long counts are kept unless the operator says otherwise, in days. Source: spec/counts §3. */
  countsRetentionDays: 400,
  /** The least of it: the longest rolling window and the longest alerting window before it. Source: spec/counts §3. */
  countsRetentionMinDays: 39,
  /** The most of it, in days. Source: spec/counts §3. */
  countsRetentionMaxDays: 3_660,
  /** How far ahead of the server's clock counts may be, in milliseconds. Source: spec/counts §1. */
  countsMaxAheadMs: 300_000,
  /** Most components that the composite objectives of one SLO have together. Source: spec/slos §6. */
  componentsMax: 300,
  /** Most alert policies of one SLO. Source: spec/alerting §1. */
  alertPoliciesPerSloMax: 30,
  /** Most alerts that one transaction of an evaluation changes. Source: spec/alerting §3. */
  alertChangesAtOnceMax: 100,
  /** Most conditions of one alert policy. Source: spec/alerting §1. */
  conditionsPerPolicyMax: 10,
  /** Most entries of one list of counts. Source: spec/counts §1. */
  countsPerRequestMax: 10_000,
  /** Time between two looks for statuses that are due, in milliseconds. Source: spec/slos §9. */
  statusPollMs: 1_000,
  /** How long a process that computes a status keeps the others from it, in milliseconds. Source: spec/slos §9. */
  statusLeaseMs: 10_000,
  /** Most statuses that are read and written together. Source: spec/slos §9. */
  statusBatchMax: 100,
  /** Most batches of statuses that a process computes side by side. Source: spec/slos §9. */
  statusBatchesAtOnce: 4,
  /** The longest time until a status that could not be computed is tried again, in milliseconds. Source: spec/slos §9. */
  statusRetryMaxMs: 600_000,
  /** How long data must be missing before the no-data alert fires, in milliseconds. Source: spec/alerting §5. */
  noDataConfirmationMs: 60_000,
  /** Longest expression of an indicator. Source: spec/data-sources §1. */
  promqlMaxCharacters: 10_000,
  /** How long after its end a minute is read from an indicator's server, in milliseconds. Source: spec/data-sources §1. */
  indicatorSettleMs: 15_000,
  /** How far back minutes are read again, as values may come late, in milliseconds. Source: spec/data-sources §2. */
  indicatorOverlapMs: 300_000,
  /** Most minutes that are new in one part of an indicator. Source: spec/data-sources §1. */
  indicatorPartMaxMinutes: 1_440,
  /** One deadline over a query of an indicator, in milliseconds. Source: spec/data-sources §1. */
  indicatorDeadlineMs: 15_000,
  /** Evaluation timeout sent to the metric server with each query, in milliseconds. */
  indicatorEvaluationMs: 12_000,
  /** Most bytes of the answer to a query of an indicator. Source: spec/data-sources §3. */
  indicatorAnswerMaxBytes: 256 * 1024,
  /** The first wait before a metrics server that failed is queried again, in milliseconds; it doubles each time. */
  indicatorRetryMinMs: 60_000,
  /** The longest wait before a metrics server that failed is queried again, in milliseconds. */
  indicatorRetryMaxMs: 300_000,
  /** Time between two looks for indicators that are due, in milliseconds. Source: spec/data-sources §2. */
  indicatorPollMs: 1_000,
  /** Batches of indicators, each of one organization and server, that one process reads at once. Source: spec/data-sources §4. */
  indicatorBatchesAtOnce: 32,
  /** Batches of one organization among them. Source: spec/data-sources §4. */
  indicatorBatchesPerOrganizationAtOnce: 8,
  /** SLOs of one batch that are read at once. Source: spec/data-sources §4. */
  indicatorsPerBatchAtOnce: 5,
  /** Most SLOs of one batch. Source: spec/data-sources §4. */
  indicatorBatchMax: 25,
  /** How long a claim of an indicator holds, in milliseconds: longer than a batch can take. Source: spec/data-sources §1. */
  indicatorLeaseMs: 120_000,
  /** Requests to the list of SLOs per second and organization. Source: spec/rate-limits §1. */
  listSlosPerSecond: 10,
  /** Most points of a series. Source: spec/console §5. */
  seriesPointsMax: 700,
  /** Series per second and organization. Source: spec/console §5. */
  seriesPerSecond: 10,
  /** Searches for SLOs per second and organization. Source: spec/console §4. */
  searchSlosPerSecond: 10,
  /** Reads of one SLO per second and organization, by default. Source: spec/rate-limits §1. */
  findSloPerSecond: 100,
  /** The most that an operator can set it to: the times of as many requests are kept. Source: spec/rate-limits §1. */
  findSloPerSecondMax: 10_000,
  /** Requests to the access token per window and organization. Source: spec/rate-limits §1. */
  accessTokenPerWindow: 1,
  /** The window of the access token's limit, in milliseconds. Source: spec/rate-limits §1. */
  accessTokenWindowMs: 3_000,
  /** Requests for a token without good credentials per window, organization and address. Source: spec/rate-limits §1. */
  failedCredentialsPerWindow: 5,
  /** Largest request body, in bytes. Source: spec/errors §2. */
  requestBodyMaxBytes: 1024 * 1024,
  /** How long an `Idempotency-Key` is remembered, in milliseconds. Source: spec/alerting §8. */
  idempotencyKeyLifetimeMs: 86_400_000,
  /** Longest `Idempotency-Key`. Source: spec/alerting §8. */
  idempotencyKeyMaxCharacters: 255,
  /** How long a process keeps a credential that it has read, in milliseconds. Source: spec/access §4. */
  credentialCacheMs: 4_000,
  /** Longest client id. Source: spec/access §4. */
  clientIdMaxCharacters: 128,
  /** Shortest client secret that is given rather than generated. Source: spec/access §4. */
  clientSecretMinCharacters: 16,
  /** Entropy of a generated client secret, in bits. Source: spec/access §4. */
  clientSecretBits: 256,
  /** How long somebody stays signed in to the web console, in seconds. Source: spec/console §1. */
  sessionLifetimeSeconds: 12 * 3_600,
} as const
