// Generated from the server's OpenAPI document by `npm run console:types`. Do not edit.

export interface paths {
  "/api/alertmethods/{name}/enable": {}
  "/api/alertmethods/{name}/health": {}
  "/api/alertmethods/{name}/pause": {}
  "/api/alertmethods/{name}/resume": {}
  "/api/alertmethods/{name}/test": {}
  "/api/alertmethods/preview": {}
  "/api/alertmethods/test": {}
  "/api/alerts/{id}/acknowledge": {}
  "/api/alerts/held": {}
  "/api/alertsilences/preview": {}
  "/api/apply": {
    put: {
      parameters: { query?: { dry_run?: "true" | "false" } }
      requestBody: {
        content: {
          "application/json":
            | components["schemas"]["Definition"]
            | components["schemas"]["AnnotationDefinition"]
            | (components["schemas"]["Definition"] | components["schemas"]["AnnotationDefinition"])[]
          "application/yaml":
            | components["schemas"]["Definition"]
            | components["schemas"]["AnnotationDefinition"]
            | (components["schemas"]["Definition"] | components["schemas"]["AnnotationDefinition"])[]
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
  "/api/budget-adjustments/changes": {}
  "/api/budget-adjustments/preview": {}
  "/api/console/alertmethods": {
    get: {
      parameters: { query?: { cursor?: string; limit?: number; project?: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["AlertMethodPage"] } } }
    }
  }
  "/api/console/datasources/{name}/names": {
    get: {
      parameters: {
        query?: { label?: string; metric?: string; search?: string }
        header?: { project?: string }
        path: { name: string }
      }
      responses: { 200: { content: { "application/json": components["schemas"]["MetricNames"] } } }
    }
  }
  "/api/console/deliveries/{id}/request": {
    get: {
      parameters: { path: { id: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["DeliveryRequest"] } } }
    }
  }
  "/api/console/overview": {
    get: { responses: { 200: { content: { "application/json": components["schemas"]["Overview"] } } } }
  }
  "/api/console/rows": {
    get: {
      parameters: { query?: { cursor?: string; part?: "urgent" } }
      responses: { 200: { content: { "application/json": components["schemas"]["SloRowList"] } } }
    }
  }
  "/api/console/session": {
    get: {
      responses: {
        200: { content: { "application/json": components["schemas"]["ConsoleSession"] } }
        204: {}
      }
    }
    post: {
      requestBody: { content: { "application/json": components["schemas"]["SignIn"] } }
      responses: { 200: { content: { "application/json": components["schemas"]["ConsoleSession"] } } }
    }
    delete: { responses: { 204: {} } }
  }
  "/api/console/session/link": {
    post: {
      requestBody: { content: { "application/json": components["schemas"]["SignInLink"] } }
      responses: { 200: { content: { "application/json": components["schemas"]["ConsoleSession"] } } }
    }
  }
  "/api/console/silences": {
    get: {
      parameters: {
        query?: { cursor?: string; limit?: number; name?: string; project?: string; slo?: string }
      }
      responses: { 200: { content: { "application/json": components["schemas"]["SilencePage"] } } }
    }
  }
  "/api/console/slos": {
    get: {
      parameters: {
        query?: { cursor?: string; limit?: number; project?: string; search?: string; service?: string }
      }
      responses: { 200: { content: { "application/json": components["schemas"]["SloPage"] } } }
    }
  }
  "/api/console/status": {
    get: { responses: { 200: { content: { "application/json": components["schemas"]["ConsoleStatus"] } } } }
  }
  "/api/console/trends": {
    get: {
      parameters: { query?: { slo?: string[] } }
      responses: { 200: { content: { "application/json": components["schemas"]["SloTrendList"] } } }
    }
  }
  "/api/credentials": {}
  "/api/credentials/{clientId}": {}
  "/api/credentials/{clientId}/disable": {}
  "/api/credentials/{clientId}/rotate": {}
  "/api/datasources": {}
  "/api/datasources/{name}": {}
  "/api/datasources/{name}/test": {}
  "/api/datasources/test": {}
  "/api/definitions/{kind}/{name}/history": {}
  "/api/definitions/{kind}/{name}/history/{id}": {}
  "/api/definitions/{kind}/{name}/warnings": {
    get: {
      parameters: { header?: { project?: string }; path: { kind: string; name: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["Warnings"] } } }
    }
  }
  "/api/definitions/convert": {
    post: {
      parameters: {
        query?: { data_source?: string; project?: string; prometheus_url?: string; service?: string }
      }
      requestBody: { content: { "application/json": unknown; "application/yaml": unknown } }
      responses: {
        200: {
          content: {
            "application/json": components["schemas"]["Converted"]
            "application/yaml": components["schemas"]["Converted"]
          }
        }
      }
    }
  }
  "/api/definitions/deleted": {}
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
  "/api/deliveries": {}
  "/api/deliveries/{id}": {}
  "/api/deliveries/{id}/resend": {}
  "/api/deliveries/resend": {}
  "/api/get/{kind}": {
    get: {
      parameters: {
        query?: {
          labels?: string
          name?: string[]
          service_name?: string[]
          slo?: string
          slo_project?: string
        }
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
  "/api/get/alert": {}
  "/api/indicators/backtest": {
    post: {
      requestBody: { content: { "application/json": components["schemas"]["IndicatorBacktestRequest"] } }
      responses: { 200: { content: { "application/json": components["schemas"]["IndicatorBacktest"] } } }
    }
  }
  "/api/indicators/test": {}
  "/api/notifications/v1/webhook-http-signature/public-keys": {
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              keys: {
                algorithm: "ed25519"
                keyId: string
                publicKeyPem: string
                state: "next" | "active" | "retired"
              }[]
              organization?: string
            }
          }
        }
      }
    }
  }
  "/api/objects/v1/slos/move": {
    post: {
      requestBody: { content: { "application/json": components["schemas"]["MoveSlos"] } }
      responses: { 204: {} }
    }
  }
  "/api/reports": {}
  "/api/reports/{id}": {}
  "/api/reports/{id}/signature": {}
  "/api/resends": {}
  "/api/resends/{id}/cancel": {}
  "/api/signingkeys": {}
  "/api/signingkeys/rotate": {}
  "/api/slos/{sloName}/annotations": {}
  "/api/slos/{sloName}/annotations/{id}": {}
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
  "/api/slos/{sloName}/forecast": {}
  "/api/slos/{sloName}/indicator": {}
  "/api/slos/{sloName}/indicator/replay": {}
  "/api/slos/{sloName}/indicator/replay/resume": {}
  "/api/slos/{sloName}/proposals": {
    get: {
      parameters: { header: { project: string }; path: { sloName: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["TargetProposals"] } } }
    }
  }
  "/api/slos/{sloName}/series": {}
  "/api/unsupported": {
    get: {
      parameters: { header?: { project?: string } }
      responses: { 200: { content: { "application/json": components["schemas"]["Unsupported"] } } }
    }
  }
  "/api/v2/slos": {}
  "/api/v2/slos/{sloName}": {}
}
export interface components {
  schemas: {
    AgentDefinition: {
      apiVersion: string
      kind: "Agent"
      manifestSrc?: unknown
      metadata: {
        annotations?: { [key: string]: string }
        displayName?: string
        name: string
        project: string
      }
      organization?: unknown
      spec: {
        amazonPrometheus?: unknown
        appDynamics?: unknown
        atlas?: unknown
        azureMonitor?: unknown
        azurePrometheus?: unknown
        bigQuery?: unknown
        cloudWatch?: unknown
        coralogix?: unknown
        dash0?: unknown
        datadog?: unknown
        description?: string
        dynatrace?: unknown
        elasticsearch?: unknown
        gcm?: unknown
        generic?: unknown
        grafanaLoki?: unknown
        graphite?: unknown
        historicalDataRetrieval?: {
          defaultDuration: { unit: "Minute" | "Hour" | "Day"; value: number }
          maxDuration: { unit: "Minute" | "Hour" | "Day"; value: number }
          minimumAgentVersion?: unknown
        }
        honeycomb?: unknown
        influxdb?: unknown
        instana?: unknown
        interval?: unknown
        jitter?: unknown
        lightstep?: unknown
        logCollectionEnabled?: boolean
        logicMonitor?: unknown
        newRelic?: unknown
        opentsdb?: unknown
        pingdom?: unknown
        prometheus?: { step?: number; url: string }
        queryDelay?: { minimumAgentVersion?: unknown; unit: "Second" | "Minute"; value: number }
        redshift?: unknown
        releaseChannel?: "stable" | "beta" | "alpha"
        sourceOf?: unknown
        splunk?: unknown
        splunkObservability?: unknown
        sumoLogic?: unknown
        thousandEyes?: unknown
        timeout?: unknown
      }
      status?: unknown
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
      status?: unknown
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
                fewerThan: {
                  events?: number
                  minUsual?: number
                  ofUsual?: number
                  per: string
                  weeks?: number
                }
                lastsFor?: string
              }
            | (
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
              )
          )[]
        }[]
        conditions?: (
          | {
              fewerThan: { events?: number; minUsual?: number; ofUsual?: number; per: string; weeks?: number }
              lastsFor?: string
            }
          | (
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
            )
        )[]
        coolDown?: string
        description?: string
        renotify?: { atMost: number; every: string }
        severity: "Low" | "Medium" | "High"
        sreWorkbook?: "page" | "ticket"
        then?: { after: string; alertMethods: { metadata: { name: string; project?: string } }[] }[]
      }
      status?: unknown
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
        recurrence?: { duration: string; rrule: string; startTime: string; timeZone: string }
        slo?: string
        sloLabels?: string
      }
      status?: unknown
    }
    AnnotationDefinition: {
      apiVersion: string
      kind: "Annotation"
      manifestSrc?: unknown
      metadata: { labels?: { [key: string]: string[] }; name: string; project: string }
      organization?: unknown
      spec: {
        category?: "Comment" | "ReviewNote"
        createdBy?: unknown
        description: string
        endTime?: string
        objectiveName?: string
        slo: string
        startTime: string
      }
      status?: unknown
    }
    AnnotationRequest: {
      from?: string
      kind: "deployment" | "incident" | "note" | "review"
      labels?: { [key: string]: string[] }
      objective?: string
      text?: string
      title: string
      to?: string
      url?: string
    }
    Applied: {
      data: {
        after?: components["schemas"]["Definition"]
        before?: components["schemas"]["Definition"]
        kind: string
        name: string
        outcome: "created" | "updated" | "unchanged"
        project?: string
      }[]
      warnings: components["schemas"]["Warning"][]
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
        project?: string
      }
      organization?: unknown
      spec: {
        description?: string
        duration?: string
        filters?: { slos: { name: string; project: string }[] }
        firstEventStart?: string
        period?: { duration?: string; endTime?: string; startTime: string }
        reason?: string
        recurrence?: { duration: string; rrule: string; startTime: string; timeZone: string }
        rrule?: string
        set?: { good: number; total: number }
        sloLabels?: string
        slos?: { name: string; project?: string }[]
      }
      status?: unknown
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
      role: "viewer" | "editor" | "admin"
    }
    ConsoleStatus: { activeAlerts: number; version?: string }
    Converted: {
      definitions: Record<string, never>[]
      isComplete: boolean
      notes: { document: number; message: string; path: string }[]
      warnings: components["schemas"]["Warning"][]
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
            tokenUrl: string
          }
          queryDelay?: string
          tenant?: string
          tls?: { ca?: string; certificate?: string; key?: string }
          url: string
        }
      }
      status?: unknown
    }
    Definition:
      | components["schemas"]["ProjectDefinition"]
      | components["schemas"]["ServiceDefinition"]
      | components["schemas"]["SloDefinition"]
      | components["schemas"]["AlertPolicyDefinition"]
      | components["schemas"]["AlertMethodDefinition"]
      | components["schemas"]["AlertSilenceDefinition"]
      | components["schemas"]["DataSourceDefinition"]
      | components["schemas"]["BudgetAdjustmentDefinition"]
      | components["schemas"]["ReportDefinition"]
      | components["schemas"]["AgentDefinition"]
      | components["schemas"]["DirectDefinition"]
    Delivery: {
      alertId?: string
      alertMethod: { name: string; project: string }
      attempt: number
      attemptsUsed: number
      createdAt: string
      event: "alert.triggered" | "alert.resolved" | "no_data.detected" | "silence.ending" | "test"
      id: string
      nextAttemptAt?: string
      settledAt?: string
      slo: { displayName?: string; name: string; project: string }
      state: "pending" | "sending" | "delivered" | "exhausted" | "failed"
    }
    DeliveryRequest: {
      attempts: {
        headers: { name: string; value: string }[]
        isBodyAsSent: boolean
        number: number
        signatureBase: string
      }[]
      body?: string
      bodyState: "as_sent" | "changed" | "link_hidden" | "method_deleted" | "too_large" | "unknown"
      contentDigest?: string
      method: "POST"
    }
    DirectDefinition: {
      apiVersion: string
      kind: "Direct"
      manifestSrc?: unknown
      metadata: {
        annotations?: { [key: string]: string }
        displayName?: string
        name: string
        project: string
      }
      organization?: unknown
      spec: {
        amazonPrometheus?: unknown
        appDynamics?: unknown
        atlas?: unknown
        azureMonitor?: unknown
        azurePrometheus?: unknown
        bigQuery?: unknown
        cloudWatch?: unknown
        coralogix?: unknown
        dash0?: unknown
        datadog?: unknown
        description?: string
        dynatrace?: unknown
        elasticsearch?: unknown
        gcm?: unknown
        generic?: unknown
        grafanaLoki?: unknown
        graphite?: unknown
        historicalDataRetrieval?: {
          defaultDuration: { unit: "Minute" | "Hour" | "Day"; value: number }
          maxDuration: { unit: "Minute" | "Hour" | "Day"; value: number }
          minimumAgentVersion?: unknown
        }
        honeycomb?: unknown
        influxdb?: unknown
        instana?: unknown
        interval?: unknown
        jitter?: unknown
        lightstep?: unknown
        logCollectionEnabled?: boolean
        logicMonitor?: unknown
        newRelic?: unknown
        opentsdb?: unknown
        pingdom?: unknown
        prometheus?: { step?: number; url: string }
        queryDelay?: { minimumAgentVersion?: unknown; unit: "Second" | "Minute"; value: number }
        redshift?: unknown
        releaseChannel?: "stable" | "beta" | "alpha"
        sourceOf?: unknown
        splunk?: unknown
        splunkObservability?: unknown
        sumoLogic?: unknown
        thousandEyes?: unknown
        timeout?: unknown
      }
      status?: unknown
    }
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
          held?: { detail: string; reason: "past_changed" | "counts_old" | "source_behind" }
          isMet: boolean
          name?: string
        }[]
      }[]
      to: string
      warnings: components["schemas"]["Warning"][]
    }
    IndicatorBacktest: {
      backtests: components["schemas"]["Backtest"][]
      minutesWithCounts: number
      problem?: {
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
          | "bad_above_total"
      }
    }
    IndicatorBacktestRequest: {
      definition: components["schemas"]["SloDefinition"]
      policies: { alertPolicy?: string; definition?: components["schemas"]["AlertPolicyDefinition"] }[]
    }
    ListedAlertMethod: {
      definition: components["schemas"]["AlertMethodDefinition"]
      health: components["schemas"]["AlertMethodHealth"]
      latestDelivery?: components["schemas"]["Delivery"]
      state: "disabled" | "paused" | "failing" | "unused" | "healthy"
    }
    ListedSilence: {
      alertPolicy?: { name: string; project: string }
      displayName?: string
      endTime?: string
      isRecurring: boolean
      name: string
      project: string
      startTime?: string
      state: "active" | "scheduled" | "ended"
    }
    MetricNames: {
      isComplete: boolean
      names: string[]
      problem?: {
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
    }
    MoveSlos: {
      detachAlertPolicies?: boolean
      newProject?: string
      oldProject: string
      service?: string
      sloNames: string[]
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
    Overview: {
      alertMethods: {
        alertMethod: { name: string; project: string }
        failures: number
        state: "disabled" | "paused" | "failing" | "unused" | "healthy"
      }[]
      alerts: {
        acknowledged: number
        newest: {
          acknowledgedBy?: string
          id: string
          isNoData: boolean
          isSilenced: boolean
          objective?: string
          objectiveDisplayName?: string
          severity?: "Low" | "Medium" | "High"
          slo: { name: string; project: string }
          sloDisplayName: string
          triggeredAt: string
        }[]
        open: number
      }
      closing: {
        burnRate?: number
        displayName?: string
        endsAt: string
        errorBudgetRemainingPercentage?: number
        name?: string
        reliability?: number
        slo: { name: string; project: string }
        sloDisplayName: string
        state: "breached" | "atRisk" | "healthy" | "noData"
        target: number
      }[]
      exhausting: {
        burnRate?: number
        displayName?: string
        errorBudgetRemainingPercentage?: number
        exhaustedAt: string
        name?: string
        reliability?: number
        slo: { name: string; project: string }
        sloDisplayName: string
        state: "breached" | "atRisk" | "healthy" | "noData"
        target: number
      }[]
      fastestBurns: components["schemas"]["OverviewObjective"][]
      hasMoreSlos: boolean
      lowestBudgets: components["schemas"]["OverviewObjective"][]
      services: {
        openAlerts: number
        project: { displayName?: string; name: string }
        service: { displayName?: string; name: string }
        state: "breached" | "atRisk" | "healthy" | "noData"
        states: { atRisk: number; breached: number; healthy: number; noData: number }
      }[]
      sources: {
        at: string
        detail: string
        firstSlo: { name: string; project: string }
        isUnavailable: boolean
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
          | "bad_above_total"
        server: string
        slos: number
      }[]
      states: { atRisk: number; breached: number; healthy: number; noData: number }
      troubledMethods: number
      withoutData: { displayName: string; slo: { name: string; project: string } }[]
    }
    OverviewObjective: {
      burnRate?: number
      displayName?: string
      errorBudgetRemainingPercentage?: number
      name?: string
      reliability?: number
      slo: { name: string; project: string }
      sloDisplayName: string
      state: "breached" | "atRisk" | "healthy" | "noData"
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
      spec?: {
        createdAt?: unknown
        createdBy?: unknown
        description?: string
        statusPage?: {
          components?: { displayName?: string; service: string }[]
          description?: string
          slug: string
          title?: string
        }
      }
      status?: unknown
    }
    Report: {
      adjustments: {
        author?: string
        from: string
        minutes: number
        name: string
        project: string
        reason: string
        set?: { good: number; total: number }
        to: string
      }[]
      alerts: {
        alertPolicy?: { name: string; project: string }
        anomaly?: "NoData"
        conditions: string[]
        id: string
        objective?: string
        reason?: "policy_changed" | "slo_changed" | "window_ended" | "detached" | "deleted"
        resolvedAt?: string
        severity?: "Low" | "Medium" | "High"
        status: "triggered" | "resolved" | "canceled"
        triggeredAt: string
      }[]
      budgetingMethod: "Occurrences" | "Timeslices"
      composite?: {
        errorBudget: number
        errorBudgetRemaining?: number
        errorBudgetRemainingPercentage?: number
        good?: number
        reliability?: number
        target: number
        total?: number
      }
      createdAt: string
      displayName: string
      hasMoreAdjustments: boolean
      hasMoreAlerts: boolean
      id: string
      objectives: {
        displayName: string
        errorBudget: number
        errorBudgetRemaining?: number
        errorBudgetRemainingPercentage?: number
        good?: number
        name: string
        reliability?: number
        target: number
        total?: number
      }[]
      organization: string
      period: { from: string; to: string }
      project: string
      service: string
      slo: string
      timeWindow:
        | { count: number; isRolling: boolean; period?: unknown; unit: "Minute" | "Hour" | "Day" }
        | {
            calendar: { startTime: string; timeZone: string }
            count: number
            isRolling?: boolean
            period?: unknown
            unit: "Day" | "Week" | "Month" | "Quarter" | "Year"
          }
      window: { from: string; to: string }
    }
    ReportDefinition: {
      apiVersion: string
      kind: "Report"
      manifestSrc?: unknown
      metadata: { displayName?: string; name: string }
      organization?: unknown
      spec: {
        createdAt?: unknown
        createdBy?: unknown
        errorBudgetStatus?: unknown
        filters?: {
          labels?: { [key: string]: string[] }
          projects?: string[]
          projectScope?: "selected" | "all"
          services?: { name: string; project: string }[]
          slos?: { name: string; project: string }[]
        }
        reliabilityRollup?: {
          customHierarchy?: {
            children?: {
              children?: {
                children?: {
                  children?: {
                    children?: {
                      children?: {
                        children?: {
                          children?: unknown[]
                          displayName: string
                          slos?: { displayName?: string; name: string; project: string }[]
                        }[]
                        displayName: string
                        slos?: { displayName?: string; name: string; project: string }[]
                      }[]
                      displayName: string
                      slos?: { displayName?: string; name: string; project: string }[]
                    }[]
                    displayName: string
                    slos?: { displayName?: string; name: string; project: string }[]
                  }[]
                  displayName: string
                  slos?: { displayName?: string; name: string; project: string }[]
                }[]
                displayName: string
                slos?: { displayName?: string; name: string; project: string }[]
              }[]
              displayName: string
              slos?: { displayName?: string; name: string; project: string }[]
            }[]
            displayName: string
            slos?: { displayName?: string; name: string; project: string }[]
          }[]
          timeFrame: {
            calendar?: {
              count?: number
              from?: string
              to?: string
              unit?: "Week" | "Month" | "Quarter" | "Year"
            }
            rolling?: { count: number; unit: "Week" | "Month" | "Quarter" | "Year" }
            timeZone: string
          }
        }
        shared?: boolean
        sloHistory?: {
          timeFrame: {
            calendar?: {
              count?: number
              from?: string
              to?: string
              unit?: "Week" | "Month" | "Quarter" | "Year"
            }
            rolling?: { count: number; unit: "Week" | "Month" | "Quarter" | "Year" }
            timeZone: string
          }
        }
        systemHealthReview?: {
          columns: { displayName?: string; labels: { [key: string]: string[] } }[]
          hideUngrouped?: boolean
          labelRows?: { displayName?: string; labels: { [key: string]: string[] } }[]
          rowGroupBy: "project" | "service" | "label" | "customRows"
          tableHeader?: string
          thresholds: { greenGt: number; redLte: number; showNoData?: boolean }
          timeFrame: {
            snapshot: { dateTime?: string; point: "past" | "latest"; rrule?: string }
            timeZone: string
          }
        }
        updatedAt?: unknown
      }
      status?: unknown
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
      spec?: {
        description?: string
        responsibleUsers?: { id: string }[]
        reviewCycle?: { rrule: string; startTime: string; timeZone: string }
      }
      status?: unknown
    }
    SignIn: { clientId: string; clientSecret: string; organization: string }
    SignInLink: { token: string }
    SilencePage: { data: components["schemas"]["ListedSilence"][]; links: { next?: string; self: string } }
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
          noData?: {
            alertAfter?: string
            alertMethods: { name: string; project?: string }[]
            treatZeroAsNoData?: boolean
          }
        }
        attachments?: { displayName?: string; url: string }[]
        budgetingMethod: "Occurrences" | "Timeslices"
        composite?: { burnRateCondition?: { op: "gt" | "gte"; value: number }; target: number }
        createdAt?: unknown
        createdBy?: unknown
        description?: string
        emptyTimeSlices?: "good" | "ignored" | "lastState"
        indicator?: {
          metricSource?: { kind?: "Agent" | "Direct"; name: string; project?: string }
          otlp?: {
            bad?: { atMost?: number; attributes?: { [key: string]: string | string[] }; metric: string }
            good?: { atMost?: number; attributes?: { [key: string]: string | string[] }; metric: string }
            total?: { atMost?: number; attributes?: { [key: string]: string | string[] }; metric: string }
          }
          prometheus?: {
            bad?: string
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
          absent?: "ignored" | "good" | "bad"
          composite?: {
            aggregation?: "Reliability"
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
          countMetrics?: {
            bad?: {
              amazonPrometheus?: unknown
              appDynamics?: unknown
              atlas?: unknown
              azureMonitor?: unknown
              azurePrometheus?: unknown
              bigQuery?: unknown
              cloudWatch?: unknown
              coralogix?: unknown
              dash0?: unknown
              datadog?: unknown
              dynatrace?: unknown
              elasticsearch?: unknown
              gcm?: unknown
              generic?: unknown
              grafanaLoki?: unknown
              graphite?: unknown
              honeycomb?: unknown
              influxdb?: unknown
              instana?: unknown
              lightstep?: unknown
              logicMonitor?: unknown
              newRelic?: unknown
              opentsdb?: unknown
              pingdom?: unknown
              prometheus?: { promql: string }
              redshift?: unknown
              splunk?: unknown
              splunkObservability?: unknown
              sumoLogic?: unknown
              thousandEyes?: unknown
            }
            good?: {
              amazonPrometheus?: unknown
              appDynamics?: unknown
              atlas?: unknown
              azureMonitor?: unknown
              azurePrometheus?: unknown
              bigQuery?: unknown
              cloudWatch?: unknown
              coralogix?: unknown
              dash0?: unknown
              datadog?: unknown
              dynatrace?: unknown
              elasticsearch?: unknown
              gcm?: unknown
              generic?: unknown
              grafanaLoki?: unknown
              graphite?: unknown
              honeycomb?: unknown
              influxdb?: unknown
              instana?: unknown
              lightstep?: unknown
              logicMonitor?: unknown
              newRelic?: unknown
              opentsdb?: unknown
              pingdom?: unknown
              prometheus?: { promql: string }
              redshift?: unknown
              splunk?: unknown
              splunkObservability?: unknown
              sumoLogic?: unknown
              thousandEyes?: unknown
            }
            goodTotal?: {
              amazonPrometheus?: unknown
              appDynamics?: unknown
              atlas?: unknown
              azureMonitor?: unknown
              azurePrometheus?: unknown
              bigQuery?: unknown
              cloudWatch?: unknown
              coralogix?: unknown
              dash0?: unknown
              datadog?: unknown
              dynatrace?: unknown
              elasticsearch?: unknown
              gcm?: unknown
              generic?: unknown
              grafanaLoki?: unknown
              graphite?: unknown
              honeycomb?: unknown
              influxdb?: unknown
              instana?: unknown
              lightstep?: unknown
              logicMonitor?: unknown
              newRelic?: unknown
              opentsdb?: unknown
              pingdom?: unknown
              prometheus?: { promql: string }
              redshift?: unknown
              splunk?: unknown
              splunkObservability?: unknown
              sumoLogic?: unknown
              thousandEyes?: unknown
            }
            incremental: boolean
            total?: {
              amazonPrometheus?: unknown
              appDynamics?: unknown
              atlas?: unknown
              azureMonitor?: unknown
              azurePrometheus?: unknown
              bigQuery?: unknown
              cloudWatch?: unknown
              coralogix?: unknown
              dash0?: unknown
              datadog?: unknown
              dynatrace?: unknown
              elasticsearch?: unknown
              gcm?: unknown
              generic?: unknown
              grafanaLoki?: unknown
              graphite?: unknown
              honeycomb?: unknown
              influxdb?: unknown
              instana?: unknown
              lightstep?: unknown
              logicMonitor?: unknown
              newRelic?: unknown
              opentsdb?: unknown
              pingdom?: unknown
              prometheus?: { promql: string }
              redshift?: unknown
              splunk?: unknown
              splunkObservability?: unknown
              sumoLogic?: unknown
              thousandEyes?: unknown
            }
          }
          displayName?: string
          name?: string
          op?: "lt" | "lte" | "gt" | "gte"
          primary?: boolean
          rawMetric?: {
            query: {
              amazonPrometheus?: unknown
              appDynamics?: unknown
              atlas?: unknown
              azureMonitor?: unknown
              azurePrometheus?: unknown
              bigQuery?: unknown
              cloudWatch?: unknown
              coralogix?: unknown
              dash0?: unknown
              datadog?: unknown
              dynatrace?: unknown
              elasticsearch?: unknown
              gcm?: unknown
              generic?: unknown
              grafanaLoki?: unknown
              graphite?: unknown
              honeycomb?: unknown
              influxdb?: unknown
              instana?: unknown
              lightstep?: unknown
              logicMonitor?: unknown
              newRelic?: unknown
              opentsdb?: unknown
              pingdom?: unknown
              prometheus?: { promql: string }
              redshift?: unknown
              splunk?: unknown
              splunkObservability?: unknown
              sumoLogic?: unknown
              thousandEyes?: unknown
            }
          }
          target: number
          timeSliceTarget?: number
          value?: number
        }[]
        service: string
        tier?: unknown
        timeWindows: (
          | { count: number; isRolling: boolean; period?: unknown; unit: "Minute" | "Hour" | "Day" }
          | {
              calendar: { startTime: string; timeZone: string }
              count: number
              isRolling?: boolean
              period?: unknown
              unit: "Day" | "Week" | "Month" | "Quarter" | "Year"
            }
        )[]
      }
      status?: unknown
    }
    SloPage: { data: components["schemas"]["Slo"][]; links: { next?: string; self: string } }
    SloRow: {
      displayName?: string
      labels?: { [key: string]: string[] }
      name: string
      objectives: {
        burnRate?: number
        displayName?: string
        errorBudgetRemainingPercentage?: number
        name?: string
        reliability?: number
        target: number
      }[]
      project: string
      service: string
    }
    SloRowList: {
      data: components["schemas"]["SloRow"][]
      links: { next?: string; self: string }
      openAlerts: { acknowledged: number; name: string; open: number; project: string }[]
      projects: { displayName?: string; name: string }[]
      services: { displayName?: string; name: string; project: string }[]
      states?: { atRisk: number; breached: number; healthy: number; noData: number }
    }
    SloTrend: {
      composite?: (number | null)[]
      objectives: { errorBudgetRemaining: (number | null)[]; name: string }[]
      slo: { name: string; project: string }
    }
    SloTrendList: { data: components["schemas"]["SloTrend"][] }
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
    Unsupported: {
      data: { kind: string; name: string; project?: string; reason: string }[]
      hasMore: boolean
    }
    Warning: {
      code:
        | "more_warnings"
        | "notifies_nobody"
        | "unsupported"
        | "foreign_placeholder"
        | "rate_not_count"
        | "range_not_one_minute"
        | "counter_without_increase"
        | "ratio_not_count"
        | "increase_of_increase"
        | "no_series"
        | "several_series"
        | "good_above_total"
        | "unreachable_condition"
        | "window_too_short"
        | "sparse_time_slices"
      message: string
      path: string
      suggestion?: string
    }
    Warnings: { warnings: components["schemas"]["Warning"][] }
  }
}
