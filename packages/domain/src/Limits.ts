/**
 * Every number of the contract and of the decisions beside it, with its unit in its name.
 *
 * Schemas, the OpenAPI text, messages, documentation and tests read these constants; none is written twice.
 */
export const Limits = {
  /** Longest description of a definition, in characters. Source: contract section 8. */
  descriptionMaxCharacters: 1050,
  /** Longest name of an alert method, project, service or alert policy. Source: decision 0105. */
  nameMaxCharacters: 253,
  /** Longest name of an SLO or objective, since `sloName` is at most 63. Source: contract section 8. */
  sloNameMaxCharacters: 63,
  /** Longest display name. Source: decision 0105. */
  displayNameMaxCharacters: 253,
  /** Longest value of an annotation. Source: decision 0106. */
  annotationValueMaxCharacters: 1050,
  /** Longest name part of an annotation's key. Source: decision 0106. */
  annotationKeyNameMaxCharacters: 63,
  /** Longest DNS prefix of an annotation's key. Source: decision 0106. */
  annotationKeyPrefixMaxCharacters: 253,
  /** Longest key of a label. Source: decision 0506. */
  labelKeyMaxCharacters: 63,
  /** Longest value of a label. Source: decision 0506. */
  labelValueMaxCharacters: 200,
  /** Most entries of any list or map in a definition that has no limit of its own. Source: decision 0111. */
  definitionEntriesMax: 100,
  /** Most definitions in one request. Source: decision 0600. */
  definitionsMax: 1_000,
  /** Objects that name one object which a store reads: more than one request can delete. Source: decision 0600. */
  referrersReadMax: 2_000,
  /** Most issues that one answer tells. Source: decision 0111. */
  issuesMax: 1_000,
  /** Deepest nesting of lists and maps in a YAML document. Source: decision 0600. */
  yamlDepthMax: 64,
  /** Most words, signs, blanks and line breaks in one text of YAML. Source: decision 0600. */
  yamlTokensMax: 200_000,
  /** Most aliases in one YAML document, each of which repeats what its anchor marks. Source: decision 0600. */
  yamlAliasesMax: 100,
  /** Shortest cool-down of an alert policy, in milliseconds, and the default. Source: decision 0602. */
  coolDownMinMs: 300_000,
  /** Shortest alerting window of a condition, in milliseconds. Source: decision 0602. */
  alertingWindowMinMs: 300_000,
  /** Longest alerting window of a condition, in milliseconds. Source: decision 0602. */
  alertingWindowMaxMs: 7 * 86_400_000,
  /** Shortest rolling time window of an SLO, in milliseconds. Source: decision 0602. */
  rollingWindowMinMs: 300_000,
  /** Longest rolling time window of an SLO, in milliseconds. Source: decision 0602. */
  rollingWindowMaxMs: 31 * 86_400_000,
  /** Longest calendar window of an SLO, in days. Source: decision 0518. */
  calendarWindowMaxDays: 366,
  /** Longest name of a time zone. Source: decision 0518. */
  timeZoneMaxCharacters: 64,
  /** Largest burn rate that a composite's condition can name. Source: decision 0520. */
  burnRateConditionMax: 1_000,
  /** Shortest time without counts after which an SLO can ring, in milliseconds. Source: decision 0602. */
  noDataAlertAfterMinMs: 300_000,
  /** Longest time without counts after which an SLO can ring, in milliseconds. Source: decision 0602. */
  noDataAlertAfterMaxMs: 31 * 86_400_000,
  /** Most custom headers of one alert method. Source: decision 0101. */
  customHeadersMax: 10,
  /** Longest name of a custom header. Source: decision 0102. */
  customHeaderNameMaxCharacters: 128,
  /** Longest value of a custom header. Source: decision 0103. */
  customHeaderValueMaxCharacters: 4096,
  /** Most bytes of all custom headers of one alert method, names and values. Source: decision 0103. */
  customHeadersMaxBytes: 16 * 1024,
  /** Longest webhook URL, as given and as normalised. Source: decision 0310. */
  webhookUrlMaxCharacters: 2048,
  /** Largest template, in bytes of UTF-8. Source: decision 0109. */
  templateMaxBytes: 64 * 1024,
  /** Deepest nesting of objects and arrays in a template, as common receivers accept. Source: decision 0204. */
  templateMaxDepth: 64,
  /** Most issues that one template, or one list of template fields, is answered with. Source: decision 0202. */
  templateIssuesMax: 100,
  /** Largest rendered body, in bytes of UTF-8. Source: decision 0109. */
  renderedBodyMaxBytes: 256 * 1024,

  /** Time to establish a connection, in milliseconds. Source: decision 0304. */
  connectTimeoutMs: 5_000,
  /** One deadline over name look-up, connect, TLS, head and body, in milliseconds. Source: decision 0304. */
  deliveryDeadlineMs: 15_000,
  /** Most bytes of an answer's body that are read. Source: decision 0304. */
  responseBodyReadMaxBytes: 64 * 1024,
  /** Most bytes of an answer's body that are kept. Source: decision 0304. */
  responseBodyKeptMaxBytes: 4 * 1024,
  /** Most bytes of an answer's status line and header fields. Source: decision 0304. */
  responseHeadMaxBytes: 16 * 1024,
  /** Time for looking up a name, in milliseconds. Source: decision 0304. */
  lookupTimeoutMs: 5_000,
  /** Age beyond which an open connection to a receiver is not used again, in milliseconds. Source: decision 0304. */
  connectionMaxAgeMs: 60_000,
  /** How long an unused connection to a receiver is kept, in milliseconds; under 4 s. Source: decision 0304. */
  connectionIdleMaxMs: 3_500,
  /** Connections to one origin at once. Source: decision 0304. */
  connectionsPerOriginMax: 64,
  /** Unused connections kept over all origins. Source: decision 0304. */
  idleConnectionsMax: 256,
  /** Waits before each attempt of a delivery, in seconds; the first is at once. Source: decision 0305. */
  retryDelaysSeconds: [0, 5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400],
  /** How far a wait may stray from its nominal length, as a fraction. Source: decision 0305. */
  retryJitterFraction: 0.2,
  /** The longest wait that `Retry-After` can ask for, in seconds. Source: decision 0305. */
  retryAfterMaxSeconds: 86_400,
  /** Time without a success after which a failing method is disabled, in milliseconds. Source: decision 0308. */
  failingMethodMaxMs: 5 * 86_400_000,
  /** Failed attempts in a row before a failing method may be disabled. Source: decision 0308. */
  failingMethodMinAttempts: 20,
  /** Shortest time between two tests of one method, in milliseconds. Source: decision 0309. */
  testIntervalMs: 5_000,
  /** Deliveries of one endpoint under way at once. Source: decision 0308. */
  endpointInFlightMax: 5,
  /** Failures in a row that open an endpoint's breaker. Source: decision 0308. */
  breakerFailuresMax: 5,
  /** How long a breaker stays open at first, in milliseconds; each failed probe doubles it. Source: decision 0308. */
  breakerOpenMinMs: 30_000,
  /** The longest that a breaker stays open before its next probe, in milliseconds. Source: decision 0308. */
  breakerOpenMaxMs: 300_000,
  /** The share of the claims that is kept for first attempts while any are due. Source: decision 0307. */
  firstAttemptShare: 0.5,
  /** How long a claim holds unless renewed, in milliseconds; longer than an attempt can take. Source: decision 0307. */
  deliveryLeaseMs: 30_000,
  /** Deliveries that one process has under way at once. Source: decision 0307. */
  deliveriesInFlightMax: 256,
  /** Deliveries of one organization that one process has under way at once. Source: decision 0307. */
  organizationInFlightMax: 128,
  /** Most deliveries settled in one step. Source: decision 0307. */
  settleBatchMax: 500,
  /** The longest that a process waits before it looks for due deliveries, in milliseconds. Source: decision 0307. */
  dispatchPollMaxMs: 1_000,
  /** The wait after a fault of our own before a delivery is tried again, in milliseconds. Source: decision 0305. */
  senderFaultDelayMs: 30_000,
  /** The first wait before a store that failed is called again, in milliseconds; it doubles each time. */
  storeRetryMinMs: 100,
  /** The longest wait before a store that failed is called again, in milliseconds. */
  storeRetryMaxMs: 5_000,
  /** Alert methods whose compiled templates a process keeps. Source: decision 0307. */
  preparedMethodsMax: 1_000,
  /** Deliveries that are not settled, the newest, among which the latest of alert methods are looked for. Source: decision 0707. */
  unsettledActivityMax: 1_000,
  /** Attempts of one delivery that the log keeps, the latest. Source: decision 0600. */
  attemptsKeptMax: 50,
  /** Bulk resends of one organization that run at once. Source: decision 0313. */
  bulkResendsRunningMax: 5,
  /** Most deliveries that one step of a bulk resend makes due. Source: decision 0311. */
  bulkResendBatchMax: 500,
  /** Most settled deliveries that a count, or one step of a bulk resend, reads. Source: decision 0311. */
  bulkResendReadMax: 10_000,
  /** Time between two looks for bulk resends to go on with, in milliseconds. Source: decision 0311. */
  bulkResendPollMs: 1_000,
  /** The longest that a bulk resend waits for its latest batch to be tried, in milliseconds. Source: decision 0311. */
  bulkResendWaitMaxMs: 10_000,
  /** Bulk resends that have ended which the memory store keeps, the latest. Source: decision 0311. */
  endedBulkResendsInMemoryMax: 1_000,
  /** How long a database keeps settled deliveries, attempts and resolved alerts, in milliseconds. Source: decision 0600. */
  historyRetentionMs: 31 * 86_400_000,
  /** Settled deliveries that the memory queue keeps, the latest. Source: decision 0307. */
  settledDeliveriesInMemoryMax: 10_000,
  /** Resolved alerts that the memory store keeps, the latest. Source: decision 0307. */
  resolvedAlertsInMemoryMax: 10_000,
  /** Idempotency records that the memory store keeps, the latest. Source: decision 0601. */
  idempotencyKeysInMemoryMax: 10_000,
  /** Longest ID that an outside evaluator gives an alert. Source: decision 0601. */
  alertIdMaxCharacters: 253,
  /** Most conditions of one alert. Source: decision 0601. */
  alertConditionsMax: 100,
  /** Longest text of one condition of an alert. Source: decision 0601. */
  alertConditionMaxCharacters: 1050,
  /**
   * How far ahead of the server's clock the time of an alert from outside may be, and its end before its begin, in
   * milliseconds. Source: decision 0622.
   */
  alertMaxAheadMs: 300_000,
  /** Most alerts of one group of Alertmanager. Source: decision 0606. */
  alertsPerGroupMax: 1_000,
  /** Most alert methods that one alert rings. Source: decision 0601. */
  alertMethodsPerAlertMax: 100,

  /** Age of `created` beyond which a receiver refuses, in seconds. Source: decision 0405. */
  signatureMaxAgeSeconds: 300,
  /** How far `created` may lie ahead of the receiver's clock, in seconds. Source: decision 0405. */
  signatureMaxAheadSeconds: 60,
  /** Most labels that a verifier reads in `Signature-Input`. Source: decision 0405. */
  signatureLabelsMax: 8,
  /** Most covered components that a verifier reads of one signature. Source: decision 0405. */
  signatureComponentsMax: 32,
  /** Most bytes of one signature header that a verifier reads. Source: decision 0405. */
  signatureHeaderMaxBytes: 8 * 1024,
  /** Most bytes of all header lines of one request that a verifier reads. Source: decision 0405. */
  receivedHeadersMaxBytes: 64 * 1024,
  /** Most header lines of one request that a verifier reads. Source: decision 0405. */
  receivedHeaderLinesMax: 500,
  /** How long a receiver may keep the public key, in seconds. Source: decision 0401. */
  publicKeyMaxAgeSeconds: 300,
  /** Shortest time between two fetches for an unknown `keyid`, in milliseconds. Source: decision 0405. */
  publicKeyRefetchMinMs: 30_000,
  /** Shortest time between two fetches of the public keys after one that failed, in milliseconds. Source: decision 0405. */
  publicKeyRetryMinMs: 1_000,
  /** Deadline of one fetch of the public keys, in milliseconds. Source: decision 0405. */
  publicKeyFetchDeadlineMs: 5_000,
  /** Most bytes of an answer with public keys that are read. Source: decision 0405. */
  publicKeyAnswerMaxBytes: 64 * 1024,
  /** Signatures that the replay guard in memory remembers; beyond it the oldest is forgotten. Source: decision 0405. */
  replayGuardMaxEntries: 100_000,
  /**
   * How long a new signing key is published before it signs, in seconds: longer than receivers (300 s) and the
   * processes of the service (30 s) keep what they know, with room for clocks that differ. Source: decision 0401.
   */
  signingKeyOverlapSeconds: 600,
  /** How long a retired signing key stays listed, in seconds. Source: decision 0401. */
  signingKeyRetiredListedSeconds: 86_400,
  /** How long a process keeps the signing keys that it has read, in milliseconds. Source: decision 0401. */
  signingKeyCacheMs: 30_000,

  /** Lifetime of an access token, in seconds. Source: contract section 5.1. */
  accessTokenLifetimeSeconds: 3_600,
  /** Largest page, and the default. Source: contract section 8. */
  pageSizeMax: 500,
  /** Longest range of `from` and `to`, in days. Source: contract section 8. */
  dataRangeMaxDays: 7,
  /** How far back the events of the burn rate reach, in milliseconds. Source: decision 0504. */
  burnRateLookbackMs: 3_600_000,
  /** How old counts may be when they arrive, in milliseconds. Source: decision 0603. */
  countsMaxAgeMs: 31 * 86_400_000,
  /** How long counts are kept unless the operator says otherwise, in days. Source: decision 0614. */
  countsRetentionDays: 400,
  /** The least of it: the longest rolling window and the longest alerting window before it. Source: decision 0614. */
  countsRetentionMinDays: 39,
  /** The most of it, in days. Source: decision 0614. */
  countsRetentionMaxDays: 3_660,
  /** How far ahead of the server's clock counts may be, in milliseconds. Source: decision 0603. */
  countsMaxAheadMs: 300_000,
  /** Most components that the composite objectives of one SLO have together. Source: decision 0522. */
  componentsMax: 300,
  /** Most alert policies of one SLO. Source: decision 0616. */
  alertPoliciesPerSloMax: 30,
  /** Most alerts that one transaction of an evaluation changes. Source: decision 0612. */
  alertChangesAtOnceMax: 100,
  /** Most conditions of one alert policy. Source: decision 0616. */
  conditionsPerPolicyMax: 10,
  /** Most entries of one list of counts. Source: decision 0603. */
  countsPerRequestMax: 10_000,
  /** Time between two looks for statuses that are due, in milliseconds. Source: decision 0504. */
  statusPollMs: 1_000,
  /** How long a process that computes a status keeps the others from it, in milliseconds. Source: decision 0521. */
  statusLeaseMs: 10_000,
  /** Most statuses that are read and written together. Source: decision 0504. */
  statusBatchMax: 100,
  /** Most batches of statuses that a process computes side by side. Source: decision 0504. */
  statusBatchesAtOnce: 4,
  /** The longest time until a status that could not be computed is tried again, in milliseconds. Source: decision 0521. */
  statusRetryMaxMs: 600_000,
  /** For how long missing data is seen before it rings, in milliseconds. Source: decision 0620. */
  noDataSeenMs: 60_000,
  /** Longest expression of an indicator. Source: decision 0605. */
  promqlMaxCharacters: 10_000,
  /** How long after its end a minute is read from an indicator's server, in milliseconds. Source: decision 0605. */
  indicatorSettleMs: 15_000,
  /** How far back minutes are read again, as values may come late, in milliseconds. Source: decision 0605. */
  indicatorOverlapMs: 300_000,
  /** Most minutes that are new in one part of an indicator. Source: decision 0605. */
  indicatorPartMaxMinutes: 1_440,
  /** One deadline over a query of an indicator, in milliseconds. Source: decision 0605. */
  indicatorDeadlineMs: 15_000,
  /** What the server is told to take for an expression at most, in milliseconds. Source: decision 0605. */
  indicatorEvaluationMs: 12_000,
  /** Most bytes of the answer to a query of an indicator. Source: decision 0615. */
  indicatorAnswerMaxBytes: 256 * 1024,
  /** The first wait before a metrics server that failed is queried again, in milliseconds; it doubles each time. */
  indicatorRetryMinMs: 60_000,
  /** The longest wait before a metrics server that failed is queried again, in milliseconds. */
  indicatorRetryMaxMs: 300_000,
  /** Time between two looks for indicators that are due, in milliseconds. Source: decision 0605. */
  indicatorPollMs: 1_000,
  /** Batches of indicators, each of one organization and server, that one process reads at once. Source: decision 0617. */
  indicatorBatchesAtOnce: 32,
  /** Batches of one organization among them. Source: decision 0617. */
  indicatorBatchesPerOrganizationAtOnce: 8,
  /** SLOs of one batch that are read at once. Source: decision 0617. */
  indicatorsPerBatchAtOnce: 5,
  /** Most SLOs of one batch. Source: decision 0617. */
  indicatorBatchMax: 25,
  /** How long a claim of an indicator holds, in milliseconds: longer than a batch can take. Source: decision 0605. */
  indicatorLeaseMs: 120_000,
  /** Requests to the list of SLOs per second and organization. Source: contract section 8. */
  listSlosPerSecond: 10,
  /** Most points of a series. Source: decision 0707. */
  seriesPointsMax: 700,
  /** Series per second and organization. Source: decision 0707. */
  seriesPerSecond: 10,
  /** Searches for SLOs per second and organization. Source: decision 0707. */
  searchSlosPerSecond: 10,
  /** Reads of one SLO per second and organization, by default. Source: decision 0513. */
  findSloPerSecond: 100,
  /** The most that an operator can set it to: the times of as many requests are kept. Source: decision 0513. */
  findSloPerSecondMax: 10_000,
  /** Requests to the access token per window and organization. Source: contract section 8. */
  accessTokenPerWindow: 1,
  /** The window of the access token's limit, in milliseconds. Source: contract section 8. */
  accessTokenWindowMs: 3_000,
  /** Requests for a token without good credentials per window, organization and address. Source: decision 0513. */
  failedCredentialsPerWindow: 5,
  /** Largest request body, in bytes. Source: decision 0502. */
  requestBodyMaxBytes: 1024 * 1024,
  /** How long an `Idempotency-Key` is remembered, in milliseconds. Source: decision 0601. */
  idempotencyKeyLifetimeMs: 86_400_000,
  /** Longest `Idempotency-Key`. Source: decision 0601. */
  idempotencyKeyMaxCharacters: 255,
  /** How long a process keeps a credential that it has read, in milliseconds. Source: decision 0701. */
  credentialCacheMs: 4_000,
  /** Longest client id. Source: decision 0701. */
  clientIdMaxCharacters: 128,
  /** Shortest client secret that is given rather than generated. Source: decision 0701. */
  clientSecretMinCharacters: 16,
  /** Entropy of a generated client secret, in bits. Source: decision 0701. */
  clientSecretBits: 256,
  /** How long somebody stays signed in to the web console, in seconds. Source: decision 0704. */
  sessionLifetimeSeconds: 12 * 3_600,
} as const
