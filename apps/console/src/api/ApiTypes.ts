// Written from the server's OpenAPI by test/console/api-types.test.ts: run it with -u when the API changes.

/** What the API sends and takes, by name. */
export interface Schemas {
  BulkResendPage: {
    readonly data: ReadonlyArray<Schemas["BulkResend"]>
    readonly links: {
      readonly self: string
      readonly next?: string
    }
  }
  ResendCount: {
    readonly matched: number
    readonly mayMatchMore: boolean
  }
  BulkResend: {
    readonly id: string
    readonly state: "running" | "done" | "cancelled"
    readonly filter: {
      readonly alertMethod?: {
        readonly project: string
        readonly name: string
      }
      readonly from?: string
      readonly to?: string
      readonly states: ReadonlyArray<"exhausted" | "failed" | "delivered">
    }
    readonly matched: number
    readonly mayMatchMore: boolean
    readonly resent: number
    readonly createdAt: string
    readonly endedAt?: string
  }
  ResendRequest: {
    readonly alertMethod?: {
      readonly project: string
      readonly name: string
    }
    readonly from?: string
    readonly to?: string
    readonly states?: ReadonlyArray<"exhausted" | "failed" | "delivered">
    readonly dryRun?: boolean
  }
  ConsoleSession: {
    readonly organization: string
    readonly clientId: string
    readonly role: "viewer" | "editor"
    readonly expiresAt: string
    readonly apiVersion: string
    readonly baseUrl: string
  }
  SignIn: {
    readonly organization: string
    readonly clientId: string
    readonly clientSecret: string
  }
  AlertMethodPage: {
    readonly data: ReadonlyArray<Schemas["ListedAlertMethod"]>
    readonly links: {
      readonly self: string
      readonly next?: string
    }
  }
  ListedAlertMethod: {
    readonly definition: Schemas["AlertMethodDefinition"]
    readonly state: "disabled" | "paused" | "failing" | "unused" | "healthy"
    readonly health: Schemas["AlertMethodHealth"]
    readonly latestDelivery?: Schemas["Delivery"]
  }
  Delivery: {
    readonly id: string
    readonly alertMethod: {
      readonly project: string
      readonly name: string
    }
    readonly state: "pending" | "sending" | "delivered" | "exhausted" | "failed"
    readonly event: "alert.triggered" | "alert.resolved" | "no_data.detected" | "test"
    readonly alertId: string
    readonly slo: {
      readonly project: string
      readonly name: string
    }
    readonly attempt: number
    readonly createdAt: string
    readonly nextAttemptAt?: string
    readonly settledAt?: string
  }
  AlertMethodHealth: {
    readonly isDisabled: boolean
    readonly disabledAt?: string
    readonly disabledBecause?: "gone" | "failing"
    readonly failures: number
    readonly failingSince?: string
    readonly lastSuccessAt?: string
    readonly circuitOpenUntil?: string
    readonly isPaused: boolean
    readonly sending: number
    readonly isAllPaused: boolean
  }
  AlertMethodDefinition: {
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
        readonly url?: string
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
  Slo: {
    readonly project: Schemas["NamedObject"]
    readonly service: Schemas["NamedObject"]
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
  Composite: {
    readonly target: number
    readonly burnRateCondition?: {
      readonly value: number
      readonly op: "gt" | "gte"
    }
    readonly burnRate?: number
    readonly errorBudgetRemaining?: number
    readonly errorBudgetRemainingPercentage?: number
    readonly reliability?: number
  }
  Objective: {
    readonly name: string
    readonly displayName: string
    readonly target: number
    readonly burnRate?: number
    readonly errorBudgetRemaining?: number
    readonly errorBudgetRemainingPercentage?: number
    readonly reliability?: number
    readonly sliType: "Ratio" | "Composite"
    readonly counts?: {
      readonly good: number
      readonly total: number
    }
  }
  NamedObject: {
    readonly name: string
    readonly displayName: string
    readonly labels?: {
      readonly [key: string]: ReadonlyArray<string>
    }
  }
  SigningKey: {
    readonly keyId: string
    readonly algorithm: "ed25519"
    readonly publicKeyPem: string
    readonly state: "next" | "active" | "retired"
    readonly activeFrom: string
  }
  SigningKeys: {
    readonly keys: ReadonlyArray<Schemas["SigningKey"]>
  }
  DeliveryLog: {
    readonly id: string
    readonly alertMethod: {
      readonly project: string
      readonly name: string
    }
    readonly state: "pending" | "sending" | "delivered" | "exhausted" | "failed"
    readonly event: "alert.triggered" | "alert.resolved" | "no_data.detected" | "test"
    readonly alertId: string
    readonly slo: {
      readonly project: string
      readonly name: string
    }
    readonly attempt: number
    readonly createdAt: string
    readonly nextAttemptAt?: string
    readonly settledAt?: string
    readonly attempts: ReadonlyArray<Schemas["Attempt"]>
  }
  Attempt: {
    readonly number: number
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
    readonly answer?: string
  }
  DeliveryPage: {
    readonly data: ReadonlyArray<Schemas["Delivery"]>
    readonly links: {
      readonly self: string
      readonly next?: string
    }
  }
  AlertmanagerReceipt: {
    readonly alerts: ReadonlyArray<{
      readonly fingerprint?: string
      readonly outcome: "triggered" | "resolved" | "unchanged" | "unknown" | "refused"
      readonly alertId?: string
      readonly deliveries?: ReadonlyArray<{
        readonly id: string
        readonly alertMethod: {
          readonly project: string
          readonly name: string
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
  AlertmanagerGroup: {
    readonly version: "4"
    readonly alerts: ReadonlyArray<{
      readonly status: "firing" | "resolved"
      readonly labels: {
        readonly [key: string]: string
      }
      readonly annotations?: {
        readonly [key: string]: string
      }
      readonly startsAt: string
      readonly endsAt?: string
      readonly generatorURL?: string
      readonly fingerprint: string
    }>
    readonly truncatedAlerts?: number
    readonly groupKey?: string
    readonly status?: "firing" | "resolved"
    readonly receiver?: string
    readonly groupLabels?: {
      readonly [key: string]: string
    }
    readonly commonLabels?: {
      readonly [key: string]: string
    }
    readonly commonAnnotations?: {
      readonly [key: string]: string
    }
    readonly externalURL?: string
  }
  Alert: {
    readonly apiVersion: string
    readonly kind: "Alert"
    readonly metadata: {
      readonly name: string
      readonly project: string
    }
    readonly spec: {
      readonly status: "triggered" | "resolved" | "canceled"
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
      readonly alertMethods: ReadonlyArray<{
        readonly project: string
        readonly name: string
      }>
      readonly isSilenced?: true
      readonly triggeredAt: string
      readonly triggeredMetricAt?: string
      readonly resolvedAt?: string
      readonly resolvedMetricAt?: string
    }
  }
  AlertReceipt: {
    readonly alertId: string
    readonly deliveries: ReadonlyArray<{
      readonly id: string
      readonly alertMethod: {
        readonly project: string
        readonly name: string
      }
    }>
  }
  AlertRequest: {
    readonly status: "triggered" | "resolved"
    readonly slo: {
      readonly project: string
      readonly name: string
    }
    readonly objective?: string
    readonly alertPolicy?: {
      readonly project: string
      readonly name: string
    }
    readonly alertMethods?: ReadonlyArray<{
      readonly project: string
      readonly name: string
    }>
    readonly severity?: "Low" | "Medium" | "High"
    readonly conditions?: ReadonlyArray<string>
    readonly alertId?: string
    readonly at?: string
  }
  AlertMethodTest: {
    readonly message: "Test completed successfully!" | "Test failed"
    readonly detail?: string
    readonly attempt: Schemas["Attempt"]
    readonly request?: {
      readonly method: "POST"
      readonly headers: ReadonlyArray<{
        readonly name: string
        readonly value: string
      }>
      readonly body: string
    }
  }
  AlertMethodPreview: {
    readonly body: string
    readonly headers: ReadonlyArray<{
      readonly name: string
      readonly value: string
    }>
    readonly signatureBase: string
  }
  Definition:
    | Schemas["ProjectDefinition"]
    | Schemas["ServiceDefinition"]
    | Schemas["SloDefinition"]
    | Schemas["AlertPolicyDefinition"]
    | Schemas["AlertMethodDefinition"]
    | Schemas["AlertSilenceDefinition"]
  AlertSilenceDefinition: {
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
      readonly alertPolicy?: {
        readonly name: string
        readonly project?: string
      }
      readonly period: {
        readonly startTime?: string
        readonly endTime?: string
        readonly duration?: string
      }
    }
  }
  AlertPolicyDefinition: {
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
      readonly coolDown?: string
      readonly conditions: ReadonlyArray<{
        readonly measurement:
          "averageBurnRate" | "burnedBudget" | "timeToBurnBudget" | "timeToBurnEntireBudget" | "budgetDrop"
        readonly value: number | string
        readonly op?: "gt" | "gte" | "lt" | "lte"
        readonly alertingWindow?: string
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
  SloDefinition: {
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
              readonly startTime: string
              readonly timeZone: string
            }
          }
      >
      readonly objectives: ReadonlyArray<{
        readonly name?: string
        readonly displayName?: string
        readonly target: number
        readonly timeSliceTarget?: number
        readonly composite?: {
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
      readonly composite?: {
        readonly target: number
        readonly burnRateCondition?: {
          readonly value: number
          readonly op: "gt" | "gte"
        }
      }
      readonly alertPolicies?: ReadonlyArray<string>
      readonly indicator?: {
        readonly prometheus: {
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
          readonly alertAfter?: string
        }
      }
    }
  }
  ServiceDefinition: {
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
  ProjectDefinition: {
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
  Applied: {
    readonly data: ReadonlyArray<{
      readonly kind: "Project" | "Service" | "SLO" | "AlertPolicy" | "AlertMethod" | "AlertSilence"
      readonly project?: string
      readonly name: string
      readonly outcome: "created" | "updated" | "unchanged"
    }>
  }
  IndicatorState: {
    readonly readTo?: string
    readonly succeededAt?: string
    readonly failures: number
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
      readonly at: string
    }
  }
  SloSeries: {
    readonly from: string
    readonly to: string
    readonly step: "1m" | "5m" | "15m" | "1h"
    readonly objectives: ReadonlyArray<{
      readonly name: string
      readonly counts?: {
        readonly good: ReadonlyArray<number | null>
        readonly total: ReadonlyArray<number | null>
      }
      readonly errorBudgetRemainingPercentage: ReadonlyArray<number | null>
    }>
    readonly composite?: {
      readonly errorBudgetRemainingPercentage: ReadonlyArray<number | null>
    }
  }
  SloPage: {
    readonly data: ReadonlyArray<Schemas["Slo"]>
    readonly links: {
      readonly self: string
      readonly next?: string
    }
  }
  PublicKey: {
    readonly keyId: string
    readonly algorithm: "ed25519"
    readonly publicKeyPem: string
  }
}

/** Each call of the API, by method and path. */
export interface Calls {
  "POST /api/accessToken": {
    path: {}
    query: {}
    headers: {}
    body: undefined
    answer: {
      readonly access_token: string
      readonly token_type: "Bearer"
      readonly expires_in: 3600
    }
  }
  "GET /api/notifications/v1/webhook-http-signature/public-key": {
    path: {}
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["PublicKey"]
  }
  "GET /api/notifications/v1/webhook-http-signature/public-keys": {
    path: {}
    query: {}
    headers: {}
    body: undefined
    answer: {
      readonly keys: ReadonlyArray<{
        readonly keyId: string
        readonly algorithm: "ed25519"
        readonly publicKeyPem: string
        readonly state: "next" | "active" | "retired"
      }>
    }
  }
  "GET /api/v2/slos": {
    path: {}
    query: { limit?: number; cursor?: string }
    headers: {}
    body: undefined
    answer: Schemas["SloPage"]
  }
  "GET /api/v2/slos/{sloName}": {
    path: { sloName: string }
    query: { fields?: "counts"; from?: string; to?: string }
    headers: { project: string }
    body: undefined
    answer: Schemas["Slo"]
  }
  "POST /api/slos/{sloName}/counts": {
    path: { sloName: string }
    query: {}
    headers: { project: string }
    body: ReadonlyArray<{
      readonly objective: string
      readonly at: string
      readonly good: number
      readonly total: number
    }>
    answer: undefined
  }
  "POST /api/counts": {
    path: {}
    query: {}
    headers: {}
    body: ReadonlyArray<{
      readonly project: string
      readonly slo: string
      readonly objective: string
      readonly at: string
      readonly good: number
      readonly total: number
    }>
    answer: undefined
  }
  "GET /api/slos/{sloName}/series": {
    path: { sloName: string }
    query: { from: string; to: string; step?: "1m" | "5m" | "15m" | "1h" }
    headers: { project: string }
    body: undefined
    answer: Schemas["SloSeries"]
  }
  "GET /api/slos/{sloName}/indicator": {
    path: { sloName: string }
    query: {}
    headers: { project: string }
    body: undefined
    answer: Schemas["IndicatorState"]
  }
  "PUT /api/apply": {
    path: {}
    query: { dry_run?: "true" | "false" }
    headers: {}
    body: Schemas["Definition"] | ReadonlyArray<Schemas["Definition"]>
    answer: Schemas["Applied"]
  }
  "DELETE /api/delete": {
    path: {}
    query: { dry_run?: "true" | "false" }
    headers: {}
    body: Schemas["Definition"] | ReadonlyArray<Schemas["Definition"]>
    answer: undefined
  }
  "GET /api/get/{kind}": {
    path: { kind: string }
    query: {
      name?: ReadonlyArray<string>
      labels?: string
      slo?: ReadonlyArray<string>
      objective?: ReadonlyArray<string>
      alertPolicy?: ReadonlyArray<string>
      state?: ReadonlyArray<"triggered" | "resolved" | "canceled">
      from?: string
      to?: string
      order?: "newest"
      limit?: number
      cursor?: string
    }
    headers: { project?: string }
    body: undefined
    answer: ReadonlyArray<Schemas["Definition"]>
  }
  "DELETE /api/delete/{kind}": {
    path: { kind: string }
    query: { dry_run?: "true" | "false"; name: ReadonlyArray<string> }
    headers: { project?: string }
    body: undefined
    answer: undefined
  }
  "POST /api/alertmethods/preview": {
    path: {}
    query: {}
    headers: {}
    body: Schemas["Definition"]
    answer: Schemas["AlertMethodPreview"]
  }
  "POST /api/alertmethods/{name}/test": {
    path: { name: string }
    query: {}
    headers: { project?: string }
    body: undefined
    answer: Schemas["AlertMethodTest"]
  }
  "GET /api/alertmethods/{name}/health": {
    path: { name: string }
    query: {}
    headers: { project?: string }
    body: undefined
    answer: Schemas["AlertMethodHealth"]
  }
  "POST /api/alertmethods/{name}/enable": {
    path: { name: string }
    query: {}
    headers: { project?: string }
    body: undefined
    answer: Schemas["AlertMethodHealth"]
  }
  "POST /api/alertmethods/{name}/pause": {
    path: { name: string }
    query: {}
    headers: { project?: string }
    body: undefined
    answer: Schemas["AlertMethodHealth"]
  }
  "POST /api/alertmethods/{name}/resume": {
    path: { name: string }
    query: {}
    headers: { project?: string }
    body: undefined
    answer: Schemas["AlertMethodHealth"]
  }
  "POST /api/alerts": {
    path: {}
    query: {}
    headers: { "idempotency-key"?: string }
    body: Schemas["AlertRequest"]
    answer: Schemas["AlertReceipt"]
  }
  "GET /api/get/alert": {
    path: {}
    query: {
      name?: ReadonlyArray<string>
      slo?: ReadonlyArray<string>
      objective?: ReadonlyArray<string>
      alertPolicy?: ReadonlyArray<string>
      state?: ReadonlyArray<"triggered" | "resolved" | "canceled">
      from?: string
      to?: string
      order?: "newest"
      limit?: number
      cursor?: string
    }
    headers: { project?: string }
    body: undefined
    answer: ReadonlyArray<Schemas["Alert"]>
  }
  "POST /api/alertmanager": {
    path: {}
    query: {}
    headers: {}
    body: Schemas["AlertmanagerGroup"]
    answer: Schemas["AlertmanagerReceipt"]
  }
  "GET /api/deliveries": {
    path: {}
    query: {
      limit?: number
      cursor?: string
      project?: string
      alertMethod?: string
      state?: ReadonlyArray<"pending" | "sending" | "delivered" | "exhausted" | "failed">
      event?: ReadonlyArray<"alert.triggered" | "alert.resolved" | "no_data.detected">
      alertId?: string
      from?: string
      to?: string
    }
    headers: {}
    body: undefined
    answer: Schemas["DeliveryPage"]
  }
  "GET /api/deliveries/{id}": {
    path: { id: string }
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["DeliveryLog"]
  }
  "POST /api/deliveries/{id}/resend": {
    path: { id: string }
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["Delivery"]
  }
  "GET /api/signingkeys": {
    path: {}
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["SigningKeys"]
  }
  "POST /api/signingkeys/rotate": {
    path: {}
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["SigningKey"]
  }
  "GET /api/console/slos": {
    path: {}
    query: { limit?: number; cursor?: string; search?: string; project?: string; service?: string }
    headers: {}
    body: undefined
    answer: Schemas["SloPage"]
  }
  "GET /api/console/alertmethods": {
    path: {}
    query: { limit?: number; cursor?: string; project?: string }
    headers: {}
    body: undefined
    answer: Schemas["AlertMethodPage"]
  }
  "POST /api/console/session": {
    path: {}
    query: {}
    headers: {}
    body: Schemas["SignIn"]
    answer: Schemas["ConsoleSession"]
  }
  "GET /api/console/session": {
    path: {}
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["ConsoleSession"]
  }
  "DELETE /api/console/session": {
    path: {}
    query: {}
    headers: {}
    body: undefined
    answer: undefined
  }
  "POST /api/deliveries/resend": {
    path: {}
    query: {}
    headers: {}
    body: Schemas["ResendRequest"]
    answer: Schemas["ResendCount"] | Schemas["BulkResend"]
  }
  "GET /api/resends": {
    path: {}
    query: { limit?: number; cursor?: string }
    headers: {}
    body: undefined
    answer: Schemas["BulkResendPage"]
  }
  "GET /api/resends/{id}": {
    path: { id: string }
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["BulkResend"]
  }
  "POST /api/resends/{id}/cancel": {
    path: { id: string }
    query: {}
    headers: {}
    body: undefined
    answer: Schemas["BulkResend"]
  }
}
