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
  "/api/console/alertmethods": {}
  "/api/console/datasources/{name}/names": {}
  "/api/console/deliveries/{id}/request": {}
  "/api/console/overview": {}
  "/api/console/rows": {}
  "/api/console/session": {}
  "/api/console/session/link": {}
  "/api/console/silences": {}
  "/api/console/slos": {}
  "/api/console/status": {}
  "/api/console/trends": {}
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
  "/api/indicators/backtest": {}
  "/api/indicators/test": {}
  "/api/notifications/v1/webhook-http-signature/public-keys": {}
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
  "/api/slos/{sloName}/backtest": {}
  "/api/slos/{sloName}/explain": {}
  "/api/slos/{sloName}/forecast": {}
  "/api/slos/{sloName}/indicator": {}
  "/api/slos/{sloName}/indicator/replay": {}
  "/api/slos/{sloName}/indicator/replay/resume": {}
  "/api/slos/{sloName}/proposals": {}
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
        kind:
          | "Project"
          | "Service"
          | "SLO"
          | "AlertPolicy"
          | "AlertMethod"
          | "AlertSilence"
          | "DataSource"
          | "BudgetAdjustment"
          | "Report"
          | "Agent"
          | "Direct"
          | "Annotation"
          | "UserGroup"
          | "RoleBinding"
          | "DataExport"
        name: string
        outcome: "created" | "updated" | "unchanged"
        project?: string
      }[]
      warnings: components["schemas"]["Warning"][]
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
    MoveSlos: {
      detachAlertPolicies?: boolean
      newProject?: string
      oldProject: string
      service?: string
      sloNames: string[]
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
