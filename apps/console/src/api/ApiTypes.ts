// Generated from the server's OpenAPI document by `npm run console:types`. Do not edit.

export interface paths {
  "/api/alertmethods/{name}/enable": {
    post: {
      parameters: { header?: { project?: string }; path: { name: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["AlertMethodHealth"] } } }
    }
  }
  "/api/alertmethods/{name}/health": {
    get: {
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
  "/api/alertmethods/{name}/test": {
    post: {
      parameters: { header?: { project?: string }; path: { name: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["AlertMethodTest"] } } }
    }
  }
  "/api/alertmethods/preview": {
    post: {
      requestBody: {
        content: {
          "application/json": components["schemas"]["AlertMethodDefinition"]
          "application/yaml": components["schemas"]["AlertMethodDefinition"]
        }
      }
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["AlertMethodPreview"]
            "application/yaml": components["schemas"]["AlertMethodPreview"]
          }
        }
      }
    }
  }
  "/api/alerts/{id}/acknowledge": {
    post: {
      parameters: { path: { id: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["Alert"] } } }
    }
  }
  "/api/alertsilences/preview": {
    post: {
      requestBody: {
        content: {
          "application/json": components["schemas"]["AlertSilenceDefinition"]
          "application/yaml": components["schemas"]["AlertSilenceDefinition"]
        }
      }
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["SilencePreview"]
            "application/yaml": components["schemas"]["SilencePreview"]
          }
        }
      }
    }
  }
  "/api/apply": {
    put: {
      parameters: { query?: { dry_run?: "true" | "false" } }
      requestBody: {
        content: {
          "application/json": components["schemas"]["Definition"] | components["schemas"]["Definition"][]
          "application/yaml": components["schemas"]["Definition"] | components["schemas"]["Definition"][]
        }
      }
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Applied"]
            "application/yaml": components["schemas"]["Applied"]
          }
        }
      }
    }
  }
  "/api/console/alertmethods": {
    get: {
      parameters: { query?: { cursor?: string; limit?: number; project?: string } }
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
  "/api/console/slos": {
    get: {
      parameters: {
        query?: { cursor?: string; limit?: number; project?: string; search?: string; service?: string }
      }
      responses: { 200: { content: { "application/json": components["schemas"]["SloPage"] } } }
    }
  }
  "/api/datasources": {
    get: {
      parameters: { query?: { cursor?: string; limit?: number; project?: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["DataSourcePage"] } } }
    }
  }
  "/api/datasources/{name}": {
    get: {
      parameters: { header?: { project?: string }; path: { name: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["DataSourceStatus"] } } }
    }
  }
  "/api/datasources/{name}/test": {
    post: {
      parameters: { header?: { project?: string }; path: { name: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["DataSourceTest"] } } }
    }
  }
  "/api/datasources/test": {
    post: {
      requestBody: { content: { "application/json": components["schemas"]["DataSourceTestRequest"] } }
      responses: { 200: { content: { "application/json": components["schemas"]["DataSourceTest"] } } }
    }
  }
  "/api/delete/{kind}": {
    delete: {
      parameters: {
        query: { dry_run?: "true" | "false"; name: string[] }
        header?: { project?: string }
        path: { kind: string }
      }
      responses: { 204: {} }
    }
  }
  "/api/deliveries": {
    get: {
      parameters: {
        query?: {
          alertId?: string
          alertMethod?: string
          cursor?: string
          event?: ("alert.triggered" | "alert.resolved" | "no_data.detected" | "silence.ending")[]
          from?: string
          limit?: number
          project?: string
          state?: ("pending" | "sending" | "delivered" | "exhausted" | "failed")[]
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
  "/api/get/{kind}": {
    get: {
      parameters: {
        query?: { labels?: string; name?: string[]; service_name?: string[] }
        header?: { project?: string }
        path: { kind: string }
      }
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Definition"][]
            "application/yaml": components["schemas"]["Definition"][]
          }
        }
      }
    }
  }
  "/api/get/alert": {
    get: {
      parameters: {
        query?: {
          alertPolicy?: string[]
          cursor?: string
          from?: string
          limit?: number
          name?: string[]
          objective?: string[]
          order?: "newest"
          resolved?: string
          slo?: string[]
          state?: ("triggered" | "resolved" | "canceled")[]
          to?: string
          triggered?: string
        }
        header?: { project?: string }
      }
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Alert"][]
            "application/yaml": components["schemas"]["Alert"][]
          }
        }
      }
    }
  }
  "/api/reports": {
    get: {
      parameters: {
        query?: {
          cursor?: string
          from?: string
          limit?: number
          project?: string
          slo?: string
          to?: string
        }
      }
      responses: { 200: { content: { "application/json": components["schemas"]["ReportPage"] } } }
    }
  }
  "/api/signingkeys": {
    get: { responses: { 200: { content: { "application/json": components["schemas"]["SigningKeys"] } } } }
    post: { responses: { 200: { content: { "application/json": components["schemas"]["SigningKey"] } } } }
    delete: { responses: { 200: { content: { "application/json": components["schemas"]["SigningKey"] } } } }
  }
  "/api/signingkeys/rotate": {
    post: { responses: { 200: { content: { "application/json": components["schemas"]["SigningKey"] } } } }
  }
  "/api/slos/{sloName}/annotations": {
    get: {
      parameters: {
        query?: { from?: string; to?: string }
        header: { project: string }
        path: { sloName: string }
      }
      responses: { 200: { content: { "application/json": components["schemas"]["AnnotationList"] } } }
    }
    post: {
      parameters: { header: { project: string }; path: { sloName: string } }
      requestBody: { content: { "application/json": components["schemas"]["AnnotationRequest"] } }
      responses: { 201: { content: { "application/json": components["schemas"]["Annotation"] } } }
    }
  }
  "/api/slos/{sloName}/backtest": {
    post: {
      parameters: { header: { project: string }; path: { sloName: string } }
      requestBody: { content: { "application/json": components["schemas"]["BacktestRequest"] } }
      responses: { 200: { content: { "application/json": components["schemas"]["Backtest"] } } }
    }
  }
  "/api/slos/{sloName}/explain": {
    get: {
      parameters: {
        query: { alertPolicy: string; from?: string; to?: string }
        header: { project: string }
        path: { sloName: string }
      }
      responses: { 200: { content: { "application/json": components["schemas"]["ExplainedAlertPolicy"] } } }
    }
  }
  "/api/slos/{sloName}/indicator": {
    get: {
      parameters: { header: { project: string }; path: { sloName: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["IndicatorState"] } } }
    }
  }
  "/api/slos/{sloName}/indicator/replay": {
    get: {
      parameters: { header: { project: string }; path: { sloName: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["Replay"] } } }
    }
    post: {
      parameters: { header: { project: string }; path: { sloName: string } }
      requestBody: { content: { "application/json": components["schemas"]["ReplayRequest"] } }
      responses: { 202: { content: { "application/json": components["schemas"]["Replay"] } } }
    }
    delete: {
      parameters: { header: { project: string }; path: { sloName: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["Replay"] } } }
    }
  }
  "/api/slos/{sloName}/indicator/replay/resume": {
    post: {
      parameters: { header: { project: string }; path: { sloName: string } }
      responses: { 202: { content: { "application/json": components["schemas"]["Replay"] } } }
    }
  }
  "/api/slos/{sloName}/proposals": {
    get: {
      parameters: { header: { project: string }; path: { sloName: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["TargetProposals"] } } }
    }
  }
  "/api/slos/{sloName}/series": {
    get: {
      parameters: {
        query: { from: string; step?: "1m" | "5m" | "15m" | "1h"; to: string }
        header: { project: string }
        path: { sloName: string }
      }
      responses: { 200: { content: { "application/json": components["schemas"]["SloSeries"] } } }
    }
  }
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
}
export interface components {
  schemas: {
    AdjustmentAnnotation: { from: string; id: string; kind: "adjustment"; title: string; to?: string }
    Alert: {
      apiVersion: string
      kind: "Alert"
      metadata: { name: string; project: string }
      spec: {
        acknowledgement?: { at: string; by: string }
        alertMethods: { name: string; project: string }[]
        alertPolicy?: { name: string; project: string }
        anomaly?: { alertAfter: string; type: "NoData" }
        conditions: string[]
        isSilenced?: true
        objective?: { name: string }
        reason?: "policy_changed" | "slo_changed" | "window_ended" | "detached" | "deleted"
        resolvedAt?: string
        resolvedMetricAt?: string
        severity?: "Low" | "Medium" | "High"
        slo: { name: string; project: string }
        status: "triggered" | "resolved" | "canceled"
        triggeredAt: string
        triggeredMetricAt?: string
      }
    }
    AlertAnnotation: {
      from: string
      id: string
      kind: "alert"
      objective?: string
      status: "triggered" | "resolved" | "canceled"
      title: string
      to?: string
    }
    AlertMethodDefinition: {
      apiVersion: string
      kind: "AlertMethod"
      manifestSrc?: unknown
      metadata: {
        annotations?: { [key: string]: string }
        displayName?: string
        name: string
        project: string
      }
      organization?: unknown
      spec: {
        description?: string
        webhook: {
          headers?: { isSecret?: boolean; name: string; value: string }[]
          sendResolution?: boolean
          template?: string
          templateFields?: string[]
          url?: string
        }
      }
    }
    AlertMethodHealth: {
      circuitOpenUntil?: string
      disabledAt?: string
      disabledBecause?: "gone" | "failing"
      failingSince?: string
      failures: number
      inFlight: number
      isAllPaused: boolean
      isDisabled: boolean
      isPaused: boolean
      lastSuccessAt?: string
    }
    AlertMethodPage: {
      data: components["schemas"]["ListedAlertMethod"][]
      links: { next?: string; self: string }
    }
    AlertMethodPreview: { body: string; headers: { name: string; value: string }[]; signatureBase: string }
    AlertMethodTest: {
      attempt: components["schemas"]["Attempt"]
      detail?: string
      message: "Test completed successfully!" | "Test failed"
      request?: { body: string; headers: { name: string; value: string }[]; method: "POST" }
    }
    AlertPolicyDefinition: {
      apiVersion: string
      kind: "AlertPolicy"
      manifestSrc?: unknown
      metadata: {
        annotations?: { [key: string]: string }
        displayName?: string
        labels?: { [key: string]: string[] }
        name: string
        project: string
      }
      organization?: unknown
      spec: {
        alertMethods?: { metadata: { name: string; project?: string } }[]
        conditionGroups?: {
          conditions: (
            | {
                alertingWindow?: string
                lastsFor?: string
                measurement: "averageBurnRate"
                minBadEvents?: number
                minEvents?: number
                op?: "gte"
                value: number
              }
            | {
                lastsFor?: string
                measurement: "burnedBudget"
                minBadEvents?: number
                minEvents?: number
                op?: "gt" | "gte" | "lt" | "lte"
                value: number
              }
            | {
                alertingWindow?: string
                lastsFor?: string
                measurement: "timeToBurnBudget"
                minBadEvents?: number
                minEvents?: number
                op?: "lt"
                value: string
              }
            | {
                alertingWindow?: string
                lastsFor?: string
                measurement: "timeToBurnEntireBudget"
                minBadEvents?: number
                minEvents?: number
                op?: "lte"
                value: string
              }
            | {
                alertingWindow: string
                lastsFor?: string
                measurement: "budgetDrop"
                minBadEvents?: number
                minEvents?: number
                op?: "gte"
                value: number
              }
          )[]
        }[]
        conditions?: (
          | {
              alertingWindow?: string
              lastsFor?: string
              measurement: "averageBurnRate"
              minBadEvents?: number
              minEvents?: number
              op?: "gte"
              value: number
            }
          | {
              lastsFor?: string
              measurement: "burnedBudget"
              minBadEvents?: number
              minEvents?: number
              op?: "gt" | "gte" | "lt" | "lte"
              value: number
            }
          | {
              alertingWindow?: string
              lastsFor?: string
              measurement: "timeToBurnBudget"
              minBadEvents?: number
              minEvents?: number
              op?: "lt"
              value: string
            }
          | {
              alertingWindow?: string
              lastsFor?: string
              measurement: "timeToBurnEntireBudget"
              minBadEvents?: number
              minEvents?: number
              op?: "lte"
              value: string
            }
          | {
              alertingWindow: string
              lastsFor?: string
              measurement: "budgetDrop"
              minBadEvents?: number
              minEvents?: number
              op?: "gte"
              value: number
            }
        )[]
        coolDown?: string
        description?: string
        renotify?: { atMost: number; every: string }
        severity: "Low" | "Medium" | "High"
        sreWorkbook?: "page" | "ticket"
        then?: { after: string; alertMethods: { metadata: { name: string; project?: string } }[] }[]
      }
    }
    AlertSilenceDefinition: {
      apiVersion: string
      kind: "AlertSilence"
      manifestSrc?: unknown
      metadata: {
        annotations?: { [key: string]: string }
        displayName?: string
        name: string
        project: string
      }
      organization?: unknown
      spec: {
        alertPolicy?: { name: string; project?: string }
        description?: string
        notifyBeforeEnd?: { alertMethods: { name: string; project?: string }[]; before: string }
        period?: { duration?: string; endTime?: string; startTime?: string }
        recurrence?: { duration: string; rrule: string; startTime: string & unknown; timeZone: string }
        slo?: string
        sloLabels?: string
      }
    }
    Annotation: {
      author: string
      createdAt: string
      from: string
      id: string
      kind: "deployment" | "incident" | "note"
      text?: string
      title: string
      to?: string
      url?: string
    }
    AnnotationList: {
      annotations: (
        | components["schemas"]["Annotation"]
        | components["schemas"]["AlertAnnotation"]
        | components["schemas"]["AdjustmentAnnotation"]
        | components["schemas"]["GapAnnotation"]
      )[]
      from: string
      isPartial: boolean
      to: string
    }
    AnnotationRequest: {
      from?: string
      kind: "deployment" | "incident" | "note"
      text?: string
      title: string
      to?: string
      url?: string
    }
    Applied: {
      data: {
        after?: components["schemas"]["Definition"]
        before?: components["schemas"]["Definition"]
        kind:
          | "Project"
          | "Service"
          | "SLO"
          | "AlertPolicy"
          | "AlertMethod"
          | "AlertSilence"
          | "DataSource"
          | "BudgetAdjustment"
        name: string
        outcome: "created" | "updated" | "unchanged"
        project?: string
      }[]
    }
    Attempt: {
      connectMs?: number
      detail?: string
      durationMs: number
      headMs?: number
      number: number
      reason?:
        | "dns_not_found"
        | "dns_timeout"
        | "address_blocked"
        | "connect_refused"
        | "connect_timeout"
        | "tls_invalid"
        | "connection_reset"
        | "timeout"
        | "redirect_rejected"
        | "http_status"
        | "response_invalid"
        | "body_too_large"
        | "method_disabled"
        | "method_not_found"
        | "sender_unavailable"
      responseBody?: string
      startedAt: string
      status?: number
    }
    Backtest: {
      alertCount: number
      alerts: {
        burnedAtEnd?: number
        burnedAtTrigger?: number
        closedAt?: string
        objective?: string
        reason?: "policy_changed" | "slo_changed" | "window_ended" | "detached" | "deleted"
        triggeredAt: string
      }[]
      alertsPerMonth: number
      from: string
      objectives: { alertCount: number; burned?: number; name?: string }[]
      to: string
    }
    BacktestRequest: {
      alertPolicy?: string
      definition?: components["schemas"]["AlertPolicyDefinition"]
      from?: string
      objective?: string
      to?: string
    }
    BudgetAdjustmentDefinition: {
      apiVersion: string
      kind: "BudgetAdjustment"
      manifestSrc?: unknown
      metadata: {
        annotations?: { [key: string]: string }
        displayName?: string
        name: string
        project: string
      }
      organization?: unknown
      spec: {
        period?: { duration?: string; endTime?: string; startTime: string }
        reason: string
        recurrence?: { duration: string; rrule: string; startTime: string & unknown; timeZone: string }
        set?: { good: number; total: number }
        sloLabels?: string
        slos?: { name: string; project?: string }[]
      }
    }
    Composite: {
      burnRate?: number
      burnRateCondition?: { op: "gt" | "gte"; value: number }
      errorBudgetRemaining?: number
      errorBudgetRemainingPercentage?: number
      reliability?: number
      target: number
    }
    ConsoleSession: {
      apiVersion: string
      baseUrl: string
      clientId: string
      expiresAt: string
      organization: string
      role: "viewer" | "editor"
    }
    DataSourceDefinition: {
      apiVersion: string
      kind: "DataSource"
      manifestSrc?: unknown
      metadata: {
        annotations?: { [key: string]: string }
        displayName?: string
        name: string
        project: string
      }
      organization?: unknown
      spec: {
        description?: string
        prometheus: {
          basic?: { password: string; username: string }
          bearer?: { token: string }
          headers?: { isSecret?: boolean; name: string; value: string }[]
          oauth2?: {
            audience?: string
            clientId: string
            clientSecret: string
            scopes?: string[]
            tokenUrl: string & unknown
          }
          queryDelay?: string & unknown
          tenant?: string
          tls?: { ca?: string; certificate?: string; key?: string }
          url: string
        }
      }
    }
    DataSourcePage: {
      data: components["schemas"]["DataSourceStatus"][]
      links: { next?: string; self: string }
    }
    DataSourceStatus: {
      affectedSloCount: number
      affectedSlos: { name: string; project: string }[]
      definition: components["schemas"]["DataSourceDefinition"]
      problem?: {
        at: string
        detail: string
        reason:
          | "dns_not_found"
          | "dns_timeout"
          | "address_blocked"
          | "connect_refused"
          | "connect_timeout"
          | "tls_invalid"
          | "connection_reset"
          | "timeout"
          | "redirect_rejected"
          | "http_status"
          | "response_invalid"
          | "response_too_large"
          | "credentials_rejected"
          | "token_unavailable"
          | "query_invalid"
          | "query_failed"
          | "several_series"
          | "labels_missing"
          | "reader_unavailable"
      }
      sloCount: number
      state: "unused" | "available" | "degraded" | "unavailable"
      succeededAt?: string
      unavailableSince?: string
    }
    DataSourceTest: {
      detail?: string
      durationMs: number
      message: "Test completed successfully!" | "Test failed"
      reason?:
        | "dns_not_found"
        | "dns_timeout"
        | "address_blocked"
        | "connect_refused"
        | "connect_timeout"
        | "tls_invalid"
        | "connection_reset"
        | "timeout"
        | "redirect_rejected"
        | "http_status"
        | "response_invalid"
        | "response_too_large"
        | "credentials_rejected"
        | "token_unavailable"
        | "query_invalid"
        | "query_failed"
        | "several_series"
        | "labels_missing"
        | "reader_unavailable"
    }
    DataSourceTestRequest: { definition: components["schemas"]["DataSourceDefinition"] }
    Definition:
      | components["schemas"]["ProjectDefinition"]
      | components["schemas"]["ServiceDefinition"]
      | components["schemas"]["SloDefinition"]
      | components["schemas"]["AlertPolicyDefinition"]
      | components["schemas"]["AlertMethodDefinition"]
      | components["schemas"]["AlertSilenceDefinition"]
      | components["schemas"]["DataSourceDefinition"]
      | components["schemas"]["BudgetAdjustmentDefinition"]
    Delivery: {
      alertId?: string
      alertMethod: { name: string; project: string }
      attempt: number
      createdAt: string
      event: "alert.triggered" | "alert.resolved" | "no_data.detected" | "silence.ending" | "test"
      id: string
      nextAttemptAt?: string
      settledAt?: string
      slo: { name: string; project: string }
      state: "pending" | "sending" | "delivered" | "exhausted" | "failed"
    }
    DeliveryLog: {
      alertId?: string
      alertMethod: { name: string; project: string }
      attempt: number
      attempts: components["schemas"]["Attempt"][]
      createdAt: string
      event: "alert.triggered" | "alert.resolved" | "no_data.detected" | "silence.ending" | "test"
      id: string
      nextAttemptAt?: string
      settledAt?: string
      slo: { name: string; project: string }
      state: "pending" | "sending" | "delivered" | "exhausted" | "failed"
    }
    DeliveryPage: { data: components["schemas"]["Delivery"][]; links: { next?: string; self: string } }
    Error: {
      errors: {
        code?: string
        detail?: string
        source?: { propertyName?: string; propertyValue?: string }
        title: string
      }[]
    }
    ExplainedAlertPolicy: {
      from: string
      minutes: {
        at: string
        objectives: {
          conditionGroups: {
            conditions: {
              condition: string
              detail: string
              from: string
              good: number
              isMet: boolean
              reason?: "no_data" | "value" | "min_events" | "min_bad_events"
              to: string
              total: number
            }[]
            isMet: boolean
          }[]
          isMet: boolean
          name?: string
        }[]
      }[]
      to: string
    }
    GapAnnotation: { from: string; id: string; kind: "gap"; title: string; to?: string }
    IndicatorState: {
      dataSource?: { name: string; project: string }
      failures: number
      problem?: {
        at: string
        detail: string
        reason:
          | "dns_not_found"
          | "dns_timeout"
          | "address_blocked"
          | "connect_refused"
          | "connect_timeout"
          | "tls_invalid"
          | "connection_reset"
          | "timeout"
          | "redirect_rejected"
          | "http_status"
          | "response_invalid"
          | "response_too_large"
          | "credentials_rejected"
          | "token_unavailable"
          | "query_invalid"
          | "query_failed"
          | "several_series"
          | "labels_missing"
          | "reader_unavailable"
          | "groups_rejected"
          | "value_invalid"
          | "good_missing"
          | "good_above_total"
      }
      readTo?: string
      receivedAt?: string
      succeededAt?: string
      unavailableSince?: string
    }
    ListedAlertMethod: {
      definition: components["schemas"]["AlertMethodDefinition"]
      health: components["schemas"]["AlertMethodHealth"]
      latestDelivery?: components["schemas"]["Delivery"]
      state: "disabled" | "paused" | "failing" | "unused" | "healthy"
    }
    NamedObject: { displayName: string; labels?: { [key: string]: string[] }; name: string }
    Objective: {
      burnRate?: number
      counts?: { good: number; total: number }
      displayName: string
      errorBudgetRemaining?: number
      errorBudgetRemainingPercentage?: number
      name: string
      reliability?: number
      sliType: "Ratio" | "Composite"
      target: number
    }
    ProjectDefinition: {
      apiVersion: string
      kind: "Project"
      manifestSrc?: unknown
      metadata: {
        annotations?: { [key: string]: string }
        displayName?: string
        labels?: { [key: string]: string[] }
        name: string
      }
      organization?: unknown
      spec?: { description?: string }
    }
    Replay: {
      endedAt?: string
      failures: number
      firstMinute?: string
      from: string
      percent: number
      problem?: {
        at: string
        detail: string
        reason:
          | "dns_not_found"
          | "dns_timeout"
          | "address_blocked"
          | "connect_refused"
          | "connect_timeout"
          | "tls_invalid"
          | "connection_reset"
          | "timeout"
          | "redirect_rejected"
          | "http_status"
          | "response_invalid"
          | "response_too_large"
          | "credentials_rejected"
          | "token_unavailable"
          | "query_invalid"
          | "query_failed"
          | "several_series"
          | "labels_missing"
          | "reader_unavailable"
          | "groups_rejected"
          | "value_invalid"
          | "good_missing"
          | "good_above_total"
      }
      readTo: string
      reason?: "requested" | "indicator_changed" | "no_values" | "source_unavailable"
      startedAt: string
      state: "running" | "complete" | "canceled" | "failed"
      to: string
    }
    ReplayRequest: { from: string; to: string }
    ReportPage: { data: components["schemas"]["ReportSummary"][]; links: { next?: string; self: string } }
    ReportSummary: {
      createdAt: string
      id: string
      period: { from: string; to: string }
      project: string
      slo: string
    }
    ServiceDefinition: {
      apiVersion: string
      kind: "Service"
      manifestSrc?: unknown
      metadata: {
        annotations?: { [key: string]: string }
        displayName?: string
        labels?: { [key: string]: string[] }
        name: string
        project: string
      }
      organization?: unknown
      spec?: { description?: string }
    }
    SignIn: { clientId: string; clientSecret: string; organization: string }
    SigningKey: {
      activeFrom: string
      activeUntil?: string
      algorithm: "ed25519"
      keyId: string
      publicKeyPem: string
      state: "next" | "active" | "retired"
    }
    SigningKeys: {
      keys: components["schemas"]["SigningKey"][]
      serverKeys: components["schemas"]["SigningKey"][]
      signedBy: "organization" | "server"
    }
    SilencePreview: {
      alerts: components["schemas"]["Alert"][]
      hasMoreAlerts: boolean
      hasMoreSlos: boolean
      periods: { endTime: string; startTime: string }[]
      slos: { displayName?: string; name: string; project: string }[]
    }
    Slo: {
      annotations?: { [key: string]: string }
      budgetingMethod: "Occurrences" | "Timeslices"
      composite?: components["schemas"]["Composite"]
      createdAt: string
      description: string
      displayName: string
      labels?: { [key: string]: string[] }
      name: string
      objectives: components["schemas"]["Objective"][]
      project: components["schemas"]["NamedObject"]
      service: components["schemas"]["NamedObject"]
    }
    SloDefinition: {
      apiVersion: string
      kind: "SLO"
      manifestSrc?: unknown
      metadata: {
        annotations?: { [key: string]: string }
        displayName?: string
        labels?: { [key: string]: string[] }
        name: string
        project: string
      }
      organization?: unknown
      spec: {
        alertPolicies?: string[]
        anomalyConfig?: {
          noData?: { alertAfter?: string; alertMethods: { name: string; project?: string }[] }
        }
        budgetingMethod: "Occurrences" | "Timeslices"
        composite?: { burnRateCondition?: { op: "gt" | "gte"; value: number }; target: number }
        description?: string
        indicator?: {
          otlp?: {
            bad?: { atMost?: number; attributes?: { [key: string]: string | string[] }; metric: string }
            good?: { atMost?: number; attributes?: { [key: string]: string | string[] }; metric: string }
            total?: { atMost?: number; attributes?: { [key: string]: string | string[] }; metric: string }
          }
          prometheus?: {
            dataSource?: { name: string; project?: string }
            good?: string
            groupBy?: string[]
            histogram?: { series: string; type?: "classic" | "native" }
            metric?: string
            total?: string
            url?: string
          }
        }
        objectives: {
          composite?: {
            components: {
              objectives: {
                objective: string
                project?: string
                slo: string
                weight: number
                whenDelayed: "CountAsGood" | "CountAsBad" | "Ignore"
              }[]
            }
            maxDelay: string
          }
          displayName?: string
          name?: string
          op?: "lt" | "lte" | "gt" | "gte"
          target: number
          timeSliceTarget?: number
          value?: number
        }[]
        service: string
        timeWindows: (
          | { count: number; isRolling: true; unit: "Minute" | "Hour" | "Day" }
          | {
              calendar: { startTime: string; timeZone: string }
              count: number
              isRolling?: false
              unit: "Day" | "Week" | "Month" | "Quarter" | "Year"
            }
        )[]
      }
    }
    SloPage: { data: components["schemas"]["Slo"][]; links: { next?: string; self: string } }
    SloSeries: {
      composite?: { errorBudgetRemainingPercentage: (number | null)[] }
      from: string
      objectives: {
        counts?: { good: (number | null)[]; total: (number | null)[] }
        errorBudgetRemainingPercentage: (number | null)[]
        name: string
      }[]
      step: "1m" | "5m" | "15m" | "1h"
      to: string
    }
    TargetProposals: {
      from: string
      objectives: {
        name?: string
        proposals: {
          fifthPercentile?: number
          median?: number
          metShare?: number
          minutes: number
          proposedTarget?: number
          windows: number
          worst?: number
        }[]
        target: number
      }[]
      to: string
    }
  }
}
