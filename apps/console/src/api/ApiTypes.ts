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
  "/api/apply": {}
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
  "/api/definitions/{kind}/{name}/warnings": {}
  "/api/definitions/convert": {}
  "/api/definitions/deleted": {}
  "/api/delete/{kind}": {}
  "/api/deliveries": {}
  "/api/deliveries/{id}": {}
  "/api/deliveries/{id}/resend": {}
  "/api/deliveries/resend": {}
  "/api/get/{kind}": {}
  "/api/get/alert": {}
  "/api/indicators/backtest": {
    post: {
      requestBody: { content: { "application/json": components["schemas"]["IndicatorBacktestRequest"] } }
      responses: { 200: { content: { "application/json": components["schemas"]["IndicatorBacktest"] } } }
    }
  }
  "/api/indicators/test": {}
  "/api/notifications/v1/webhook-http-signature/public-keys": {}
  "/api/objects/v1/slos/move": {}
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
  "/api/unsupported": {}
  "/api/v2/slos": {}
  "/api/v2/slos/{sloName}": {}
}
export interface components {
  schemas: {
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
  }
}
