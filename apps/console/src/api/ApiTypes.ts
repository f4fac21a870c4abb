// Generated from the server's OpenAPI document by `npm run console:types`. Do not edit.

export interface paths {
  "/api/v2/slos/{sloName}": {
    get: {
      parameters: {
        query?: { fields?: "counts"; from?: string; to?: string }
        header: { project: string }
        path: { sloName: string }
      }
      responses: { 200: { content: { "application/json": components["schemas"]["Slo"] } } }
    }
  }
  "/api/slos/{sloName}/series": {
    get: {
      parameters: {
        query: { from: string; to: string; step?: "1m" | "5m" | "15m" | "1h" }
        header: { project: string }
        path: { sloName: string }
      }
      responses: { 200: { content: { "application/json": components["schemas"]["SloSeries"] } } }
    }
  }
  "/api/apply": {
    put: {
      parameters: { query?: { dry_run?: "true" | "false" } }
      requestBody: {
        content: {
          "application/json": components["schemas"]["Definition"] | components["schemas"]["Definition"][]
        }
      }
      responses: { 200: { content: { "application/json": components["schemas"]["Applied"] } } }
    }
  }
  "/api/get/{kind}": {
    get: {
      parameters: {
        query?: {
          name?: string | string[]
          labels?: string
          slo?: string | string[]
          objective?: string | string[]
          alertPolicy?: string | string[]
          state?: ("triggered" | "resolved" | "canceled") | ("triggered" | "resolved" | "canceled")[]
          from?: string
          to?: string
          order?: "newest"
          limit?: number
          cursor?: string
        }
        header?: { project?: string }
        path: { kind: string }
      }
      responses: { 200: { content: { "application/json": components["schemas"]["Definition"][] } } }
    }
  }
  "/api/delete/{kind}": {
    delete: {
      parameters: {
        query: { dry_run?: "true" | "false"; name: string | string[] }
        header?: { project?: string }
        path: { kind: string }
      }
      responses: { 204: {} }
    }
  }
  "/api/alertmethods/preview": {
    post: {
      requestBody: { content: { "application/json": components["schemas"]["Definition"] } }
      responses: { 200: { content: { "application/json": components["schemas"]["AlertMethodPreview"] } } }
    }
  }
  "/api/alertmethods/{name}/test": {
    post: {
      parameters: { header?: { project?: string }; path: { name: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["AlertMethodTest"] } } }
    }
  }
  "/api/alertmethods/{name}/health": {
    get: {
      parameters: { header?: { project?: string }; path: { name: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["AlertMethodHealth"] } } }
    }
  }
  "/api/alertmethods/{name}/enable": {
    post: {
      parameters: { header?: { project?: string }; path: { name: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["AlertMethodHealth"] } } }
    }
  }
  "/api/alertmethods/{name}/pause": {
    post: {
      parameters: { header?: { project?: string }; path: { name: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["AlertMethodHealth"] } } }
    }
  }
  "/api/alertmethods/{name}/resume": {
    post: {
      parameters: { header?: { project?: string }; path: { name: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["AlertMethodHealth"] } } }
    }
  }
  "/api/deliveries": {
    get: {
      parameters: {
        query?: {
          limit?: number
          cursor?: string
          project?: string
          alertMethod?: string
          state?:
            | ("pending" | "sending" | "delivered" | "exhausted" | "failed")
            | ("pending" | "sending" | "delivered" | "exhausted" | "failed")[]
          event?:
            | ("alert.triggered" | "alert.resolved" | "no_data.detected")
            | ("alert.triggered" | "alert.resolved" | "no_data.detected")[]
          alertId?: string
          from?: string
          to?: string
        }
      }
      responses: { 200: { content: { "application/json": components["schemas"]["DeliveryPage"] } } }
    }
  }
  "/api/deliveries/{id}": {
    get: {
      parameters: { path: { id: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["DeliveryLog"] } } }
    }
  }
  "/api/deliveries/{id}/resend": {
    post: {
      parameters: { path: { id: string } }
      responses: { 202: { content: { "application/json": components["schemas"]["Delivery"] } } }
    }
  }
  "/api/signingkeys": {
    get: { responses: { 200: { content: { "application/json": components["schemas"]["SigningKeys"] } } } }
  }
  "/api/signingkeys/rotate": {
    post: { responses: { 200: { content: { "application/json": components["schemas"]["SigningKey"] } } } }
  }
  "/api/console/slos": {
    get: {
      parameters: {
        query?: { limit?: number; cursor?: string; search?: string; project?: string; service?: string }
      }
      responses: { 200: { content: { "application/json": components["schemas"]["SloPage"] } } }
    }
  }
  "/api/console/alertmethods": {
    get: {
      parameters: { query?: { limit?: number; cursor?: string; project?: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["AlertMethodPage"] } } }
    }
  }
  "/api/console/session": {
    get: { responses: { 200: { content: { "application/json": components["schemas"]["ConsoleSession"] } } } }
    post: {
      requestBody: { content: { "application/json": components["schemas"]["SignIn"] } }
      responses: { 200: { content: { "application/json": components["schemas"]["ConsoleSession"] } } }
    }
    delete: { responses: { 204: {} } }
  }
}
export interface components {
  schemas: {
    Alert: {
      apiVersion: string
      /** @enum {string} */ kind: "Alert"
      metadata: { name: string; project: string }
      spec: {
        /** @enum {string} */ status: "triggered" | "resolved" | "canceled"
        /** @enum {string} */ reason?:
          "policy_changed" | "slo_changed" | "window_ended" | "detached" | "deleted"
        slo: { project: string; name: string }
        objective?: { name: string }
        alertPolicy?: { project: string; name: string }
        anomaly?: { /** @enum {string} */ type: "NoData"; alertAfter: string }
        /** @enum {string} */ severity?: "Low" | "Medium" | "High"
        conditions: string[]
        alertMethods: { project: string; name: string }[]
        /** @enum {boolean} */ isSilenced?: true
        /** Format: date-time */ triggeredAt: string
        /** Format: date-time */ triggeredMetricAt?: string
        /** Format: date-time */ resolvedAt?: string
        /** Format: date-time */ resolvedMetricAt?: string
      }
    }
    AlertMethodDefinition: {
      apiVersion: string
      /** @enum {string} */ kind: "AlertMethod"
      metadata: {
        name: string
        displayName?: string
        project: string
        annotations?: { [key: string]: string }
      }
      spec: {
        description?: string
        webhook: {
          url?: string
          template?: string
          templateFields?: string[]
          headers?: { name: string; value: string; isSecret?: boolean }[]
          sendResolution?: boolean
        }
      }
    }
    AlertMethodHealth: {
      isDisabled: boolean
      /** Format: date-time */ disabledAt?: string
      /** @enum {string} */ disabledBecause?: "gone" | "failing"
      failures: number
      /** Format: date-time */ failingSince?: string
      /** Format: date-time */ lastSuccessAt?: string
      /** Format: date-time */ circuitOpenUntil?: string
      isPaused: boolean
      sending: number
      isAllPaused: boolean
    }
    AlertMethodPage: {
      data: components["schemas"]["ListedAlertMethod"][]
      links: { self: string; next?: string }
    }
    AlertMethodPreview: { body: string; headers: { name: string; value: string }[]; signatureBase: string }
    AlertMethodTest: {
      /** @enum {string} */ message: "Test completed successfully!" | "Test failed"
      detail?: string
      attempt: components["schemas"]["Attempt"]
      request?: {
        /** @enum {string} */ method: "POST"
        headers: { name: string; value: string }[]
        body: string
      }
    }
    AlertPolicyDefinition: {
      apiVersion: string
      /** @enum {string} */ kind: "AlertPolicy"
      metadata: {
        name: string
        displayName?: string
        project: string
        labels?: { [key: string]: string[] }
        annotations?: { [key: string]: string }
      }
      spec: {
        description?: string
        /** @enum {string} */ severity: "Low" | "Medium" | "High"
        coolDown?: string
        conditions: {
          /** @enum {string} */ measurement:
            "averageBurnRate" | "burnedBudget" | "timeToBurnBudget" | "timeToBurnEntireBudget" | "budgetDrop"
          value: number | string
          /** @enum {string} */ op?: "gt" | "gte" | "lt" | "lte"
          alertingWindow?: string
          lastsFor?: string
        }[]
        alertMethods?: { metadata: { name: string; project?: string } }[]
      }
    }
    AlertSilenceDefinition: {
      apiVersion: string
      /** @enum {string} */ kind: "AlertSilence"
      metadata: {
        name: string
        displayName?: string
        project: string
        annotations?: { [key: string]: string }
      }
      spec: {
        description?: string
        slo: string & unknown
        alertPolicy?: { name: string; project?: string }
        period: { startTime?: string; endTime?: string; duration?: string }
      }
    }
    Applied: {
      data: {
        /** @enum {string} */ kind:
          "Project" | "Service" | "SLO" | "AlertPolicy" | "AlertMethod" | "AlertSilence"
        project?: string
        name: string
        /** @enum {string} */ outcome: "created" | "updated" | "unchanged"
      }[]
    }
    Attempt: {
      number: number
      /** Format: date-time */ startedAt: string
      durationMs: number
      connectMs?: number
      headMs?: number
      status?: number
      /** @enum {string} */ reason?:
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
      detail?: string
      answer?: string
    }
    Composite: {
      target: number
      burnRateCondition?: { value: number; /** @enum {string} */ op: "gt" | "gte" }
      burnRate?: number
      errorBudgetRemaining?: number
      errorBudgetRemainingPercentage?: number
      reliability?: number
    }
    ConsoleSession: {
      organization: string
      clientId: string
      /** @enum {string} */ role: "viewer" | "editor"
      /** Format: date-time */ expiresAt: string
      apiVersion: string
      baseUrl: string
    }
    Definition:
      | components["schemas"]["ProjectDefinition"]
      | components["schemas"]["ServiceDefinition"]
      | components["schemas"]["SloDefinition"]
      | components["schemas"]["AlertPolicyDefinition"]
      | components["schemas"]["AlertMethodDefinition"]
      | components["schemas"]["AlertSilenceDefinition"]
    Delivery: {
      id: string
      alertMethod: { name: string; project: string }
      /** @enum {string} */ state: "pending" | "sending" | "delivered" | "exhausted" | "failed"
      /** @enum {string} */ event: "alert.triggered" | "alert.resolved" | "no_data.detected" | "test"
      alertId: string
      slo: { name: string; project: string }
      attempt: number
      /** Format: date-time */ createdAt: string
      /** Format: date-time */ nextAttemptAt?: string
      /** Format: date-time */ settledAt?: string
    }
    DeliveryLog: {
      id: string
      alertMethod: { name: string; project: string }
      /** @enum {string} */ state: "pending" | "sending" | "delivered" | "exhausted" | "failed"
      /** @enum {string} */ event: "alert.triggered" | "alert.resolved" | "no_data.detected" | "test"
      alertId: string
      slo: { name: string; project: string }
      attempt: number
      /** Format: date-time */ createdAt: string
      /** Format: date-time */ nextAttemptAt?: string
      /** Format: date-time */ settledAt?: string
      attempts: components["schemas"]["Attempt"][]
    }
    DeliveryPage: { data: components["schemas"]["Delivery"][]; links: { self: string; next?: string } }
    ListedAlertMethod: {
      definition: components["schemas"]["AlertMethodDefinition"]
      /** @enum {string} */ state: "disabled" | "paused" | "failing" | "unused" | "healthy"
      health: components["schemas"]["AlertMethodHealth"]
      latestDelivery?: components["schemas"]["Delivery"]
    }
    NamedObject: { name: string; displayName: string; labels?: { [key: string]: string[] } }
    Objective: {
      name: string
      displayName: string
      target: number
      burnRate?: number
      errorBudgetRemaining?: number
      errorBudgetRemainingPercentage?: number
      reliability?: number
      /** @enum {string} */ sliType: "Ratio" | "Composite"
      counts?: { good: number; total: number }
    }
    ProjectDefinition: {
      apiVersion: string
      /** @enum {string} */ kind: "Project"
      metadata: {
        name: string
        displayName?: string
        labels?: { [key: string]: string[] }
        annotations?: { [key: string]: string }
      }
      spec?: { description?: string }
    }
    ServiceDefinition: {
      apiVersion: string
      /** @enum {string} */ kind: "Service"
      metadata: {
        name: string
        displayName?: string
        project: string
        labels?: { [key: string]: string[] }
        annotations?: { [key: string]: string }
      }
      spec?: { description?: string }
    }
    SignIn: { organization: string; clientId: string; clientSecret: string }
    SigningKey: {
      keyId: string
      /** @enum {string} */ algorithm: "ed25519"
      publicKeyPem: string
      /** @enum {string} */ state: "next" | "active" | "retired"
      /** Format: date-time */ activeFrom: string
    }
    SigningKeys: { keys: components["schemas"]["SigningKey"][] }
    Slo: {
      project: components["schemas"]["NamedObject"]
      service: components["schemas"]["NamedObject"]
      name: string
      displayName: string
      description: string
      objectives: components["schemas"]["Objective"][]
      /** Format: date-time */ createdAt: string
      composite?: components["schemas"]["Composite"]
      labels?: { [key: string]: string[] }
      annotations?: { [key: string]: string }
      /** @enum {string} */ budgetingMethod: "Occurrences" | "Timeslices"
    }
    SloDefinition: {
      apiVersion: string
      /** @enum {string} */ kind: "SLO"
      metadata: {
        name: string
        displayName?: string
        project: string
        labels?: { [key: string]: string[] }
        annotations?: { [key: string]: string }
      }
      spec: {
        description?: string
        service: string & unknown
        /** @enum {string} */ budgetingMethod: "Occurrences" | "Timeslices"
        timeWindows: (
          | {
              /** @enum {string} */ unit: "Minute" | "Hour" | "Day"
              count: number
              /** @enum {boolean} */ isRolling: true
            }
          | {
              /** @enum {string} */ unit: "Day" | "Week" | "Month" | "Quarter" | "Year"
              count: number
              /** @enum {boolean} */ isRolling?: false
              calendar: { startTime: string; timeZone: string }
            }
        )[]
        objectives: {
          name?: string
          displayName?: string
          target: number
          timeSliceTarget?: number
          composite?: {
            maxDelay: string
            components: {
              objectives: {
                project?: string
                slo: string
                objective: string
                weight: number
                /** @enum {string} */ whenDelayed: "CountAsGood" | "CountAsBad" | "Ignore"
              }[]
            }
          }
        }[]
        composite?: {
          target: number
          burnRateCondition?: { value: number; /** @enum {string} */ op: "gt" | "gte" }
        }
        alertPolicies?: string[]
        indicator?: { prometheus: { url: string; good: string; total: string } }
        anomalyConfig?: {
          noData?: { alertMethods: { name: string; project?: string }[]; alertAfter?: string }
        }
      }
    }
    SloPage: { data: components["schemas"]["Slo"][]; links: { self: string; next?: string } }
    SloSeries: {
      /** Format: date-time */ from: string
      /** Format: date-time */ to: string
      /** @enum {string} */ step: "1m" | "5m" | "15m" | "1h"
      objectives: {
        name: string
        counts?: { good: (number | null)[]; total: (number | null)[] }
        errorBudgetRemainingPercentage: (number | null)[]
      }[]
      composite?: { errorBudgetRemainingPercentage: (number | null)[] }
    }
  }
}
