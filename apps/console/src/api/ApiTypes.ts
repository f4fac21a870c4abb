// Written from the server's OpenAPI by test/console/api-types.test.ts: run it with -u when the API changes.

/** What the API sends and takes, by name. */
export interface Schemas {
  PublicKey: {
    /** RFC 7638 thumbprint; keyid in Signature-Input */
    readonly keyId: string
    readonly algorithm: "ed25519"
    readonly publicKeyPem: string
  }
  SloPage: {
    readonly data: ReadonlyArray<Schemas["Slo"]>
    /** Relative, with limit and cursor */
    readonly links: {
      readonly self: string
      /** Only when more exist */
      readonly next?: string
    }
  }
  Slo: {
    readonly project: Schemas["NamedObject"]
    readonly service: Schemas["NamedObject"]
    /** At most 63 characters */
    readonly name: string
    readonly displayName: string
    readonly description: string
    readonly objectives: ReadonlyArray<Schemas["Objective"]>
    readonly createdAt: string
    readonly composite?: Schemas["Composite"]
    readonly labels?: {
      readonly [key: string]: ReadonlyArray<string>
    }
    readonly annotations?: {
      readonly [key: string]: string
    }
    readonly budgetingMethod: "Occurrences" | "Timeslices"
  }
  NamedObject: {
    readonly name: string
    readonly displayName: string
    readonly labels?: {
      readonly [key: string]: ReadonlyArray<string>
    }
  }
  /** Metrics without data are left out */
  Objective: {
    readonly name: string
    readonly displayName: string
    readonly target: number
    /** 1 spends exactly the budget over the window; over the last hour */
    readonly burnRate?: number
    /** In seconds; below 0 when overspent */
    readonly errorBudgetRemaining?: number
    /** A fraction of the budget: 1 is all of it, 0 none */
    readonly errorBudgetRemainingPercentage?: number
    /** The good share of the window's events, minutes or weighted minutes, 0 to 1 */
    readonly reliability?: number
    /** Ratio: good events over total; Composite: over objectives of other SLOs */
    readonly sliType: "Ratio" | "Composite"
    readonly counts?: {
      readonly good: number
      readonly total: number
    }
  }
  /** Only of an SLO that has one */
  Composite: {
    readonly target: number
    readonly burnRateCondition?: {
      readonly value: number
      readonly op: "gt" | "gte"
    }
    /** 1 spends exactly the budget over the window; over the last hour */
    readonly burnRate?: number
    /** In seconds; below 0 when overspent */
    readonly errorBudgetRemaining?: number
    /** A fraction of the budget: 1 is all of it, 0 none */
    readonly errorBudgetRemainingPercentage?: number
    /** The good share of the window's events, minutes or weighted minutes, 0 to 1 */
    readonly reliability?: number
  }
  /** Every list has one value a step */
  SloSeries: {
    /** The start of the first step */
    readonly from: string
    /** The end of the last step */
    readonly to: string
    readonly step: "1m" | "5m" | "15m" | "1h"
    readonly objectives: ReadonlyArray<{
      readonly name: string
      /** The events of each step, null where none were counted; not of composite objectives */
      readonly counts?: {
        readonly good: ReadonlyArray<number | null>
        readonly total: ReadonlyArray<number | null>
      }
      /** What fraction of the error budget was left at the end of each step; null without data */
      readonly errorBudgetRemainingPercentage: ReadonlyArray<number | null>
    }>
    readonly composite?: {
      /** What fraction of the error budget was left at the end of each step; null without data */
      readonly errorBudgetRemainingPercentage: ReadonlyArray<number | null>
    }
  }
  IndicatorState: {
    /** Every minute before is read; absent until the first was */
    readonly readTo?: string
    /** When reading succeeded last */
    readonly succeededAt?: string
    /** How often in a row reading has failed */
    readonly failures: number
    /** What was wrong when it was tried last */
    readonly problem?: {
      readonly reason:
        | "dns_not_found"
        | "dns_timeout"
        | "address_blocked"
        | "connect_refused"
        | "connect_timeout"
        | "tls_invalid"
        | "connection_reset"
        | "timeout"
        | "answer_invalid"
        | "answer_too_large"
        | "redirect_refused"
        | "http_status"
        | "query_invalid"
        | "query_failed"
        | "several_series"
        | "reader_unavailable"
        | "value_invalid"
        | "good_missing"
        | "good_above_total"
      readonly detail: string
      /** When it was tried */
      readonly at: string
    }
  }
  Definition:
    | Schemas["ProjectDefinition"]
    | Schemas["ServiceDefinition"]
    | Schemas["SloDefinition"]
    | Schemas["AlertPolicyDefinition"]
    | Schemas["AlertMethodDefinition"]
    | Schemas["AlertSilenceDefinition"]
  ProjectDefinition: {
    /** <vendor_prefix>/v1alpha */
    readonly apiVersion: string
    readonly kind: "Project"
    readonly metadata: {
      readonly name: string
      readonly displayName?: string
      readonly labels?: {
        readonly [key: string]: ReadonlyArray<string>
      }
      readonly annotations?: {
        readonly [key: string]: string
      }
    }
    readonly spec?: {
      readonly description?: string
    }
  }
  ServiceDefinition: {
    /** <vendor_prefix>/v1alpha */
    readonly apiVersion: string
    readonly kind: "Service"
    readonly metadata: {
      readonly name: string
      readonly displayName?: string
      readonly project: string
      readonly labels?: {
        readonly [key: string]: ReadonlyArray<string>
      }
      readonly annotations?: {
        readonly [key: string]: string
      }
    }
    readonly spec?: {
      readonly description?: string
    }
  }
  SloDefinition: {
    /** <vendor_prefix>/v1alpha */
    readonly apiVersion: string
    readonly kind: "SLO"
    readonly metadata: {
      readonly name: string
      readonly displayName?: string
      readonly project: string
      readonly labels?: {
        readonly [key: string]: ReadonlyArray<string>
      }
      readonly annotations?: {
        readonly [key: string]: string
      }
    }
    readonly spec: {
      readonly description?: string
      readonly service: string
      readonly budgetingMethod: "Occurrences" | "Timeslices"
      /** Exactly one */
      readonly timeWindows: ReadonlyArray<
        | {
            readonly unit: "Minute" | "Hour" | "Day"
            readonly count: number
            readonly isRolling: true
          }
        | {
            readonly unit: "Day" | "Week" | "Month" | "Quarter" | "Year"
            readonly count: number
            readonly isRolling?: false
            readonly calendar: {
              /** As 2026-01-01 00:00:00, on a whole minute */
              readonly startTime: string
              readonly timeZone: string
            }
          }
      >
      /** Names are unique */
      readonly objectives: ReadonlyArray<{
        readonly name?: string
        readonly displayName?: string
        /** 0 ≤ target < 1 */
        readonly target: number
        /** The good share that makes a minute good, 0 < t ≤ 1; with Timeslices, and only then */
        readonly timeSliceTarget?: number
        /** Over objectives of other SLOs, at most 300 in all of an SLO; with Occurrences */
        readonly composite?: {
          /** A duration such as 90s, 5m or 1h30m */
          readonly maxDelay: string
          readonly components: {
            readonly objectives: ReadonlyArray<{
              readonly project?: string
              readonly slo: string
              readonly objective: string
              readonly weight: number
              readonly whenDelayed: "CountAsGood" | "CountAsBad" | "Ignore"
            }>
          }
        }
      }>
      /** The older form, over all objectives; burnRateCondition with Occurrences, and only then */
      readonly composite?: {
        /** 0 ≤ target < 1 */
        readonly target: number
        readonly burnRateCondition?: {
          readonly value: number
          readonly op: "gt" | "gte"
        }
      }
      /** Alert policies of the same project */
      readonly alertPolicies?: ReadonlyArray<string>
      readonly indicator?: {
        readonly prometheus: {
          /** Where the paths of the Prometheus server begin */
          readonly url: string
          readonly good: string
          readonly total: string
        }
      }
      readonly anomalyConfig?: {
        readonly noData?: {
          readonly alertMethods: ReadonlyArray<{
            readonly name: string
            readonly project?: string
          }>
          /** A duration such as 90s, 5m or 1h30m */
          readonly alertAfter?: string
        }
      }
    }
  }
  AlertPolicyDefinition: {
    /** <vendor_prefix>/v1alpha */
    readonly apiVersion: string
    readonly kind: "AlertPolicy"
    readonly metadata: {
      readonly name: string
      readonly displayName?: string
      readonly project: string
      readonly labels?: {
        readonly [key: string]: ReadonlyArray<string>
      }
      readonly annotations?: {
        readonly [key: string]: string
      }
    }
    readonly spec: {
      readonly description?: string
      readonly severity: "Low" | "Medium" | "High"
      /** A duration such as 90s, 5m or 1h30m */
      readonly coolDown?: string
      readonly conditions: ReadonlyArray<{
        readonly measurement:
          "averageBurnRate" | "burnedBudget" | "timeToBurnBudget" | "timeToBurnEntireBudget" | "budgetDrop"
        readonly value: number | string
        readonly op?: "gt" | "gte" | "lt" | "lte"
        /** A duration such as 90s, 5m or 1h30m */
        readonly alertingWindow?: string
        /** A duration such as 90s, 5m or 1h30m */
        readonly lastsFor?: string
      }>
      readonly alertMethods?: ReadonlyArray<{
        readonly metadata: {
          readonly name: string
          readonly project?: string
        }
      }>
    }
  }
  AlertMethodDefinition: {
    /** <vendor_prefix>/v1alpha */
    readonly apiVersion: string
    readonly kind: "AlertMethod"
    readonly metadata: {
      readonly name: string
      readonly displayName?: string
      readonly project: string
      readonly annotations?: {
        readonly [key: string]: string
      }
    }
    readonly spec: {
      readonly description?: string
      readonly webhook: {
        /** Begins with https://. Reads back as [hidden], which keeps what is stored, as leaving it out does */
        readonly url?: string
        /** JSON with variables; this or templateFields */
        readonly template?: string
        readonly templateFields?: ReadonlyArray<string>
        readonly headers?: ReadonlyArray<{
          readonly name: string
          readonly value: string
          readonly isSecret?: boolean
        }>
        readonly sendResolution?: boolean
      }
    }
  }
  AlertSilenceDefinition: {
    /** <vendor_prefix>/v1alpha */
    readonly apiVersion: string
    readonly kind: "AlertSilence"
    readonly metadata: {
      readonly name: string
      readonly displayName?: string
      readonly project: string
      readonly annotations?: {
        readonly [key: string]: string
      }
    }
    readonly spec: {
      readonly description?: string
      readonly slo: string
      /** Absent: every alert policy of the SLO, and its alerts about missing data */
      readonly alertPolicy?: {
        readonly name: string
        readonly project?: string
      }
      /** Exactly one of endTime and duration; without startTime since it was last changed */
      readonly period: {
        /** A date-time of RFC 3339, with any offset */
        readonly startTime?: string
        /** A date-time of RFC 3339, with any offset */
        readonly endTime?: string
        /** A duration such as 90s, 5m or 1h30m */
        readonly duration?: string
      }
    }
  }
  Applied: {
    readonly data: ReadonlyArray<{
      readonly kind: "Project" | "Service" | "SLO" | "AlertPolicy" | "AlertMethod" | "AlertSilence"
      readonly project?: string
      readonly name: string
      readonly outcome: "created" | "updated" | "unchanged"
    }>
  }
  AlertMethodPreview: {
    readonly body: string
    readonly headers: ReadonlyArray<{
      readonly name: string
      readonly value: string
    }>
    readonly signatureBase: string
  }
  AlertMethodTest: {
    readonly message: "Test completed successfully!" | "Test failed"
    /** What is wrong; absent after a success */
    readonly detail?: string
    readonly attempt: Schemas["Attempt"]
    /** What was sent, with secrets hidden; absent when nothing was */
    readonly request?: {
      readonly method: "POST"
      readonly headers: ReadonlyArray<{
        readonly name: string
        readonly value: string
      }>
      readonly body: string
    }
  }
  Attempt: {
    readonly number: number
    /** When it was begun */
    readonly startedAt: string
    readonly durationMs: number
    readonly connectMs?: number
    readonly headMs?: number
    readonly status?: number
    readonly reason?:
      | "dns_not_found"
      | "dns_timeout"
      | "address_blocked"
      | "connect_refused"
      | "connect_timeout"
      | "tls_invalid"
      | "connection_reset"
      | "timeout"
      | "answer_invalid"
      | "redirect_refused"
      | "http_status"
      | "body_too_large"
      | "method_disabled"
      | "method_not_found"
      | "sender_unavailable"
    readonly detail?: string
    /** The beginning of the answer's body, at most 4096 bytes */
    readonly answer?: string
  }
  AlertMethodHealth: {
    readonly isDisabled: boolean
    /** Since when it is disabled */
    readonly disabledAt?: string
    /** It answered 410, or failed for too long */
    readonly disabledBecause?: "gone" | "failing"
    /** Failed attempts since the latest success */
    readonly failures: number
    /** When the first of them ended */
    readonly failingSince?: string
    /** When the latest success was */
    readonly lastSuccessAt?: string
    /** Until when nothing is sent, after failures in a row */
    readonly pausedUntil?: string
    /** An editor paused it */
    readonly isPaused: boolean
    /** How many of its deliveries are being sent */
    readonly sending: number
    /** The operator paused all deliveries */
    readonly isAllPaused: boolean
  }
  AlertRequest: {
    readonly status: "triggered" | "resolved"
    readonly slo: {
      readonly name: string
      readonly project: string
    }
    readonly objective?: string
    readonly alertPolicy?: {
      readonly name: string
      readonly project: string
    }
    /** Instead of those of the policy */
    readonly alertMethods?: ReadonlyArray<{
      readonly name: string
      readonly project: string
    }>
    /** In any letter case */
    readonly severity?: "Low" | "Medium" | "High"
    readonly conditions?: ReadonlyArray<string>
    readonly alertId?: string
    /** When it happened, in UTC; now by default */
    readonly at?: string
  }
  Alert: {
    /** <vendor_prefix>/v1alpha */
    readonly apiVersion: string
    readonly kind: "Alert"
    readonly metadata: {
      /** Its ID */
      readonly name: string
      /** The project of its SLO */
      readonly project: string
    }
    readonly spec: {
      readonly status: "triggered" | "resolved" | "canceled"
      /** Why it was canceled */
      readonly reason?: "policy_changed" | "slo_changed" | "window_ended" | "detached" | "deleted"
      readonly slo: {
        readonly project: string
        readonly name: string
      }
      readonly objective?: {
        readonly name: string
      }
      readonly alertPolicy?: {
        readonly project: string
        readonly name: string
      }
      readonly anomaly?: {
        readonly type: "NoData"
        readonly alertAfter: string
      }
      readonly severity?: "Low" | "Medium" | "High"
      readonly conditions: ReadonlyArray<string>
      /** Those that it rang */
      readonly alertMethods: ReadonlyArray<{
        readonly project: string
        readonly name: string
      }>
      /** It has rung nobody, because of a silence */
      readonly isHeldBack?: true
      /** By the clock */
      readonly triggeredAt: string
      /** The start of the objective's latest minute with counts then */
      readonly triggeredMetricAt?: string
      /** When it resolved or was canceled, by the clock */
      readonly resolvedAt?: string
      /** The start of the objective's latest minute with counts then */
      readonly resolvedMetricAt?: string
    }
  }
  /** Alertmanager's webhook payload, version 4; its other properties are let be */
  AlertmanagerGroup: {
    readonly version: "4"
    readonly alerts: ReadonlyArray<{
      readonly status: "firing" | "resolved"
      /** tocsin_slo names the SLO, tocsin_project its project (default: default), tocsin_objective an objective; tocsin_alert_policy and tocsin_alert_methods (parted by commas) say whom to ring, as name or project/name; severity is one of ours or a common word */
      readonly labels: {
        readonly [key: string]: string
      }
      /** summary and description become the conditions */
      readonly annotations?: {
        readonly [key: string]: string
      }
      readonly startsAt: string
      readonly endsAt?: string
      readonly fingerprint: string
    }>
    readonly truncatedAlerts?: number
  }
  AlertmanagerReceipt: {
    readonly alerts: ReadonlyArray<{
      readonly fingerprint?: string
      /** unchanged: it was so already; unknown: it ended, and was never triggered here; refused: see issues */
      readonly outcome: "triggered" | "resolved" | "unchanged" | "unknown" | "refused"
      readonly alertId?: string
      readonly deliveries?: ReadonlyArray<{
        readonly id: string
        readonly alertMethod: {
          readonly name: string
          readonly project: string
        }
      }>
      readonly issues?: ReadonlyArray<{
        readonly path: string
        readonly code: string
        readonly message: string
      }>
    }>
    readonly truncatedAlerts: number
  }
  DeliveryPage: {
    readonly data: ReadonlyArray<Schemas["Delivery"]>
    readonly links: {
      readonly self: string
      readonly next?: string
    }
  }
  Delivery: {
    /** Also the Notification-Id of every attempt */
    readonly id: string
    readonly alertMethod: {
      readonly name: string
      readonly project: string
    }
    readonly state: "pending" | "sending" | "delivered" | "exhausted" | "failed"
    readonly event: "alert.triggered" | "alert.resolved" | "no_data.detected" | "test"
    readonly alertId: string
    readonly slo: {
      readonly name: string
      readonly project: string
    }
    /** The number of the latest attempt */
    readonly attempt: number
    /** When the event was accepted */
    readonly createdAt: string
    /** While it is pending */
    readonly nextAttemptAt?: string
    /** When it was delivered, exhausted or failed */
    readonly settledAt?: string
  }
  DeliveryLog: {
    /** Also the Notification-Id of every attempt */
    readonly id: string
    readonly alertMethod: {
      readonly name: string
      readonly project: string
    }
    readonly state: "pending" | "sending" | "delivered" | "exhausted" | "failed"
    readonly event: "alert.triggered" | "alert.resolved" | "no_data.detected" | "test"
    readonly alertId: string
    readonly slo: {
      readonly name: string
      readonly project: string
    }
    /** The number of the latest attempt */
    readonly attempt: number
    /** When the event was accepted */
    readonly createdAt: string
    /** While it is pending */
    readonly nextAttemptAt?: string
    /** When it was delivered, exhausted or failed */
    readonly settledAt?: string
    readonly attempts: ReadonlyArray<Schemas["Attempt"]>
  }
  SigningKeys: {
    readonly keys: ReadonlyArray<Schemas["SigningKey"]>
  }
  SigningKey: {
    /** RFC 7638 thumbprint; keyid in Signature-Input */
    readonly keyId: string
    readonly algorithm: "ed25519"
    readonly publicKeyPem: string
    readonly state: "next" | "active" | "retired"
    readonly activeFrom: string
  }
  AlertMethodPage: {
    readonly data: ReadonlyArray<Schemas["ListedAlertMethod"]>
    /** Relative, with limit and cursor */
    readonly links: {
      readonly self: string
      /** Only when more exist */
      readonly next?: string
    }
  }
  ListedAlertMethod: {
    readonly definition: Schemas["AlertMethodDefinition"]
    /** What to know of it first; unused: nothing was sent to its receiver yet */
    readonly state: "disabled" | "paused" | "failing" | "unused" | "healthy"
    readonly health: Schemas["AlertMethodHealth"]
    readonly latestDelivery?: Schemas["Delivery"]
  }
  SignIn: {
    readonly organization: string
    readonly clientId: string
    readonly clientSecret: string
  }
  ConsoleSession: {
    readonly organization: string
    readonly clientId: string
    /** The one that the credential has now */
    readonly role: "viewer" | "editor"
    readonly expiresAt: string
    /** What definitions have as their apiVersion */
    readonly apiVersion: string
    /** Where the service is reached from outside */
    readonly baseUrl: string
  }
  ResendRequest: {
    readonly alertMethod?: {
      readonly name: string
      readonly project: string
    }
    /** Created from then on, in UTC */
    readonly from?: string
    /** Created before then, in UTC */
    readonly to?: string
    /** exhausted and failed by default; what was delivered only where it is named */
    readonly states?: ReadonlyArray<"exhausted" | "failed" | "delivered">
    /** Count, and resend nothing */
    readonly dryRun?: boolean
  }
  BulkResendPage: {
    readonly data: ReadonlyArray<Schemas["BulkResend"]>
    readonly links: {
      readonly self: string
      readonly next?: string
    }
  }
  BulkResend: {
    readonly id: string
    readonly state: "running" | "done" | "cancelled"
    readonly filter: {
      readonly alertMethod?: {
        readonly name: string
        readonly project: string
      }
      /** Created from then on, in UTC */
      readonly from?: string
      /** Created before then, in UTC */
      readonly to?: string
      readonly states: ReadonlyArray<"exhausted" | "failed" | "delivered">
    }
    /** How many settled deliveries it was about */
    readonly matched: number
    /** At least matched: counting ended after 10000 deliveries */
    readonly mayMatchMore: boolean
    /** How many it has made due so far */
    readonly resent: number
    /** When it was asked for: it takes what was settled then */
    readonly createdAt: string
    /** When it was done or cancelled */
    readonly endedAt?: string
  }
}

/** Each call of the API, by method and path. */
export interface Calls {
  /** Generate an access token */
  "POST /api/accessToken": {
    path: {}
    query: {}
    headers: {}
    body: undefined
    answer: {
      readonly access_token: string
      readonly token_type: "Bearer"
      /** In seconds */
      readonly expires_in: 3600
    }
  }
  /** Read the public key that signs now */
  "GET /api/notifications/v1/webhook-http-signature/public-key": {
    path: {}
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["PublicKey"]
  }
  /** Read the public keys that sign, will sign or signed lately */
  "GET /api/notifications/v1/webhook-http-signature/public-keys": {
    path: {}
    query: {}
    headers: {}
    body: undefined
    answer: {
      readonly keys: ReadonlyArray<{
        /** RFC 7638 thumbprint; keyid in Signature-Input */
        readonly keyId: string
        readonly algorithm: "ed25519"
        readonly publicKeyPem: string
        readonly state: "next" | "active" | "retired"
      }>
    }
  }
  /** List SLOs */
  "GET /api/v2/slos": {
    path: {}
    query: { limit?: number; cursor?: string }
    headers: {}
    body: undefined
    answer: Schemas["SloPage"]
  }
  /** Find an SLO by name */
  "GET /api/v2/slos/{sloName}": {
    path: { sloName: string }
    query: { fields?: "counts"; from?: string; to?: string }
    headers: { project: string }
    body: undefined
    answer: Schemas["Slo"]
  }
  /** Record good and total counts of an SLO */
  "POST /api/slos/{sloName}/counts": {
    path: { sloName: string }
    query: {}
    headers: { project: string }
    body: ReadonlyArray<{
      readonly objective: string
      /** The start of a minute, in UTC */
      readonly at: string
      readonly good: number
      readonly total: number
    }>
    answer: undefined
  }
  /** Record good and total counts of several SLOs */
  "POST /api/counts": {
    path: {}
    query: {}
    headers: {}
    body: ReadonlyArray<{
      readonly project: string
      readonly slo: string
      readonly objective: string
      /** The start of a minute, in UTC */
      readonly at: string
      readonly good: number
      readonly total: number
    }>
    answer: undefined
  }
  /** Read what charts of an SLO are drawn from */
  "GET /api/slos/{sloName}/series": {
    path: { sloName: string }
    query: { from: string; to: string; step?: "1m" | "5m" | "15m" | "1h" }
    headers: { project: string }
    body: undefined
    answer: Schemas["SloSeries"]
  }
  /** Tell how far the counts of an SLO's indicator are read */
  "GET /api/slos/{sloName}/indicator": {
    path: { sloName: string }
    query: {}
    headers: { project: string }
    body: undefined
    answer: Schemas["IndicatorState"]
  }
  /** Create or replace definitions */
  "PUT /api/apply": {
    path: {}
    query: { dry_run?: "true" | "false" }
    headers: {}
    body: Schemas["Definition"] | ReadonlyArray<Schemas["Definition"]>
    answer: Schemas["Applied"]
  }
  /** Delete the objects listed */
  "DELETE /api/delete": {
    path: {}
    query: { dry_run?: "true" | "false" }
    headers: {}
    body: Schemas["Definition"] | ReadonlyArray<Schemas["Definition"]>
    answer: undefined
  }
  /** Read the definitions of a kind */
  "GET /api/get/{kind}": {
    path: { kind: string }
    query: {
      name?: string | ReadonlyArray<string>
      labels?: string
      slo?: string | ReadonlyArray<string>
      objective?: string | ReadonlyArray<string>
      alertPolicy?: string | ReadonlyArray<string>
      state?: ("triggered" | "resolved" | "canceled") | ReadonlyArray<"triggered" | "resolved" | "canceled">
      from?: string
      to?: string
      limit?: string
      cursor?: string
    }
    headers: { project?: string }
    body: undefined
    answer: ReadonlyArray<Schemas["Definition"]>
  }
  /** Delete objects by name */
  "DELETE /api/delete/{kind}": {
    path: { kind: string }
    query: { dry_run?: "true" | "false"; name: string | ReadonlyArray<string> }
    headers: { project?: string }
    body: undefined
    answer: undefined
  }
  /** Show what an alert method would send */
  "POST /api/alertmethods/preview": {
    path: {}
    query: {}
    headers: {}
    body:
      | (
          | (
              | ((Schemas["ProjectDefinition"] | Schemas["ServiceDefinition"]) | Schemas["SloDefinition"])
              | Schemas["AlertPolicyDefinition"]
            )
          | Schemas["AlertMethodDefinition"]
        )
      | Schemas["AlertSilenceDefinition"]
    answer: Schemas["AlertMethodPreview"]
  }
  /** Send a test notification */
  "POST /api/alertmethods/{name}/test": {
    path: { name: string }
    query: {}
    headers: { project?: string }
    body: undefined
    answer: Schemas["AlertMethodTest"]
  }
  /** Read how the receiver has answered, and what is paused */
  "GET /api/alertmethods/{name}/health": {
    path: { name: string }
    query: {}
    headers: { project?: string }
    body: undefined
    answer: Schemas["AlertMethodHealth"]
  }
  /** Enable a disabled alert method again */
  "POST /api/alertmethods/{name}/enable": {
    path: { name: string }
    query: {}
    headers: { project?: string }
    body: undefined
    answer: Schemas["AlertMethodHealth"]
  }
  /** Pause the deliveries of an alert method */
  "POST /api/alertmethods/{name}/pause": {
    path: { name: string }
    query: {}
    headers: { project?: string }
    body: undefined
    answer: Schemas["AlertMethodHealth"]
  }
  /** Resume the deliveries of an alert method */
  "POST /api/alertmethods/{name}/resume": {
    path: { name: string }
    query: {}
    headers: { project?: string }
    body: undefined
    answer: Schemas["AlertMethodHealth"]
  }
  /** Trigger or resolve an alert */
  "POST /api/alerts": {
    path: {}
    query: {}
    headers: { "idempotency-key"?: string }
    body: Schemas["AlertRequest"]
    answer: {
      readonly alertId: string
      readonly deliveries: ReadonlyArray<{
        readonly id: string
        readonly alertMethod: {
          readonly name: string
          readonly project: string
        }
      }>
    }
  }
  /** Read alerts */
  "GET /api/get/alert": {
    path: {}
    query: {
      name?: string | ReadonlyArray<string>
      slo?: string | ReadonlyArray<string>
      objective?: string | ReadonlyArray<string>
      alertPolicy?: string | ReadonlyArray<string>
      state?: ("triggered" | "resolved" | "canceled") | ReadonlyArray<"triggered" | "resolved" | "canceled">
      from?: string
      to?: string
      limit?: string
      cursor?: string
    }
    headers: { project?: string }
    body: undefined
    answer: ReadonlyArray<Schemas["Alert"]>
  }
  /** Take a group of alerts from Prometheus Alertmanager */
  "POST /api/alertmanager": {
    path: {}
    query: {}
    headers: {}
    body: Schemas["AlertmanagerGroup"]
    answer: Schemas["AlertmanagerReceipt"]
  }
  /** List deliveries */
  "GET /api/deliveries": {
    path: {}
    query: {
      limit?: string
      cursor?: string
      project?: string
      alertMethod?: string
      state?:
        | ("pending" | "sending" | "delivered" | "exhausted" | "failed")
        | ReadonlyArray<"pending" | "sending" | "delivered" | "exhausted" | "failed">
      event?:
        | ("alert.triggered" | "alert.resolved" | "no_data.detected")
        | ReadonlyArray<"alert.triggered" | "alert.resolved" | "no_data.detected">
      from?: string
      to?: string
    }
    headers: {}
    body: undefined
    answer: Schemas["DeliveryPage"]
  }
  /** Read a delivery with its attempts */
  "GET /api/deliveries/{id}": {
    path: { id: string }
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["DeliveryLog"]
  }
  /** Send a delivery again */
  "POST /api/deliveries/{id}/resend": {
    path: { id: string }
    query: {}
    headers: {}
    body: undefined
    answer: {
      /** Also the Notification-Id of every attempt */
      readonly id: string
      readonly alertMethod: {
        readonly name: string
        readonly project: string
      }
      readonly state: "pending" | "sending" | "delivered" | "exhausted" | "failed"
      readonly event: "alert.triggered" | "alert.resolved" | "no_data.detected" | "test"
      readonly alertId: string
      readonly slo: {
        readonly name: string
        readonly project: string
      }
      /** The number of the latest attempt */
      readonly attempt: number
      /** When the event was accepted */
      readonly createdAt: string
      /** While it is pending */
      readonly nextAttemptAt?: string
      /** When it was delivered, exhausted or failed */
      readonly settledAt?: string
    }
  }
  /** List the keys that sign, will sign or signed lately */
  "GET /api/signingkeys": {
    path: {}
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["SigningKeys"]
  }
  /** Rotate the signing key */
  "POST /api/signingkeys/rotate": {
    path: {}
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["SigningKey"]
  }
  /** Find SLOs */
  "GET /api/console/slos": {
    path: {}
    query: { limit?: number; cursor?: string; search?: string; project?: string; service?: string }
    headers: {}
    body: undefined
    answer: Schemas["SloPage"]
  }
  /** List alert methods with how they are */
  "GET /api/console/alertmethods": {
    path: {}
    query: { limit?: number; cursor?: string; project?: string }
    headers: {}
    body: undefined
    answer: Schemas["AlertMethodPage"]
  }
  /** Sign in to the web console */
  "POST /api/console/session": {
    path: {}
    query: {}
    headers: {}
    body: Schemas["SignIn"]
    answer: Schemas["ConsoleSession"]
  }
  /** Read who is signed in */
  "GET /api/console/session": {
    path: {}
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["ConsoleSession"]
  }
  /** Sign out */
  "DELETE /api/console/session": {
    path: {}
    query: {}
    headers: {}
    body: undefined
    answer: undefined
  }
  /** Send many deliveries again */
  "POST /api/deliveries/resend": {
    path: {}
    query: {}
    headers: {}
    body: Schemas["ResendRequest"]
    answer:
      | {
          /** How many settled deliveries it was about */
          readonly matched: number
          /** At least matched: counting ended after 10000 deliveries */
          readonly mayMatchMore: boolean
        }
      | {
          readonly id: string
          readonly state: "running" | "done" | "cancelled"
          readonly filter: {
            readonly alertMethod?: {
              readonly name: string
              readonly project: string
            }
            /** Created from then on, in UTC */
            readonly from?: string
            /** Created before then, in UTC */
            readonly to?: string
            readonly states: ReadonlyArray<"exhausted" | "failed" | "delivered">
          }
          /** How many settled deliveries it was about */
          readonly matched: number
          /** At least matched: counting ended after 10000 deliveries */
          readonly mayMatchMore: boolean
          /** How many it has made due so far */
          readonly resent: number
          /** When it was asked for: it takes what was settled then */
          readonly createdAt: string
          /** When it was done or cancelled */
          readonly endedAt?: string
        }
  }
  /** List bulk resends */
  "GET /api/resends": {
    path: {}
    query: { limit?: string; cursor?: string }
    headers: {}
    body: undefined
    answer: Schemas["BulkResendPage"]
  }
  /** Read how far a bulk resend is */
  "GET /api/resends/{id}": {
    path: { id: string }
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["BulkResend"]
  }
  /** Cancel a bulk resend */
  "POST /api/resends/{id}/cancel": {
    path: { id: string }
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["BulkResend"]
  }
}
