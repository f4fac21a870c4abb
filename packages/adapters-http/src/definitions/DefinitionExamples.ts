import type { OperationExample } from "@tocsin/api/openapi"

const apiVersion = "tocsin/v1alpha"

const service = { apiVersion, kind: "Service", metadata: { name: "checkout", project: "default" } }

const slo = {
  apiVersion,
  kind: "SLO",
  metadata: { name: "checkout-latency", project: "default" },
  spec: {
    service: "checkout",
    budgetingMethod: "Occurrences",
    timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
    objectives: [{ name: "fast", displayName: "Faster than 300 ms", target: 0.99 }],
    alertPolicies: ["fast-burn"],
  },
}

const sloOfPrometheus = {
  apiVersion,
  kind: "SLO",
  metadata: { name: "checkout-availability", project: "default" },
  spec: {
    service: "checkout",
    budgetingMethod: "Occurrences",
    timeWindows: [
      {
        unit: "Month",
        count: 1,
        isRolling: false,
        calendar: { startTime: "2026-01-01 00:00:00", timeZone: "Europe/Paris" },
      },
    ],
    objectives: [{ name: "available", target: 0.999 }],
    indicator: {
      prometheus: {
        url: "https://prometheus.example.com",
        good: 'sum(increase(http_requests_total{job="checkout", code!~"5.."}[1m]))',
        total: 'sum(increase(http_requests_total{job="checkout"}[1m]))',
      },
    },
  },
}

/** An alert method whose receiver takes a few variables as a flat JSON object. */
const alertMethod = {
  apiVersion,
  kind: "AlertMethod",
  metadata: { name: "on-call", project: "default" },
  spec: {
    webhook: {
      url: "https://hooks.example.com/alerts",
      templateFields: ["slo_name", "severity", "notification_id"],
      headers: [{ name: "Authorization", value: "Bearer 3f9a", isSecret: true }],
    },
  },
}

const alertPolicy = {
  apiVersion,
  kind: "AlertPolicy",
  metadata: { name: "fast-burn", project: "default" },
  spec: {
    severity: "High",
    conditions: [{ measurement: "averageBurnRate", value: 14.4, op: "gte", alertingWindow: "1h" }],
    coolDown: "5m",
    alertMethods: [{ metadata: { name: "on-call" } }],
  },
}

const alertSilence = {
  apiVersion,
  kind: "AlertSilence",
  metadata: { name: "database-upgrade", project: "default" },
  spec: {
    description: "Upgrade of the database",
    slo: "checkout-availability",
    period: { startTime: "2026-01-31T02:00:00Z", duration: "2h" },
  },
}

const dataSource = {
  apiVersion,
  kind: "DataSource",
  metadata: { name: "mimir", project: "default" },
  spec: {
    prometheus: {
      url: "https://mimir.example.com/prometheus",
      basic: { username: "tocsin", password: "7c21e4" },
      tenant: "checkout",
      queryDelay: "1m",
    },
  },
}

export const applyDefinitions: OperationExample = {
  request: [service, alertMethod, alertPolicy, slo, sloOfPrometheus, alertSilence, dataSource],
  response: {
    data: [
      { kind: "Service", project: "default", name: "checkout", outcome: "unchanged" },
      { kind: "AlertMethod", project: "default", name: "on-call", outcome: "updated" },
      { kind: "AlertPolicy", project: "default", name: "fast-burn", outcome: "created" },
      { kind: "SLO", project: "default", name: "checkout-latency", outcome: "created" },
      { kind: "SLO", project: "default", name: "checkout-availability", outcome: "created" },
      { kind: "AlertSilence", project: "default", name: "database-upgrade", outcome: "created" },
      { kind: "DataSource", project: "default", name: "mimir", outcome: "created" },
    ],
    warnings: [],
  },
}

export const deleteDefinitions: OperationExample = {
  request: { apiVersion, kind: "AlertSilence", metadata: { name: "database-upgrade", project: "default" } },
}

export const listDefinitions: OperationExample = {
  parameters: { kind: "slos", project: "default", name: ["checkout-latency"] },
  response: [slo],
}

export const deleteDefinitionsByName: OperationExample = {
  parameters: { kind: "alertsilence", project: "default", name: ["database-upgrade"], dry_run: "true" },
}

export const convertDefinitions: OperationExample = {
  parameters: { data_source: "mimir" },
  request: {
    version: "prometheus/v1",
    service: "web-shop",
    slos: [
      {
        name: "requests",
        objective: 99.9,
        sli: {
          events: {
            error_query: 'sum(rate(http_requests_total{code=~"5.."}[{{.window}}]))',
            total_query: "sum(rate(http_requests_total[{{.window}}]))",
          },
        },
        alerting: { page_alert: { disable: true }, ticket_alert: { disable: true } },
      },
    ],
  },
  response: {
    definitions: [
      {
        apiVersion: "tocsin/v1alpha",
        kind: "SLO",
        metadata: { name: "web-shop-requests", displayName: "requests", project: "default" },
        spec: {
          service: "web-shop",
          budgetingMethod: "Occurrences",
          timeWindows: [{ unit: "Day", count: 30, isRolling: true }],
          objectives: [{ target: 0.999 }],
          indicator: {
            prometheus: {
              dataSource: { name: "mimir" },
              good: '(sum(increase(http_requests_total[1m]))) - ((sum(increase(http_requests_total{code=~"5.."}[1m]))) or vector(0))',
              total: "sum(increase(http_requests_total[1m]))",
            },
          },
        },
      },
    ],
    notes: [
      {
        document: 0,
        path: "service",
        message: "is not in the documents; it must exist when the result is applied",
      },
    ],
    isComplete: true,
    warnings: [],
  },
}

export const listWarnings: OperationExample = {
  parameters: { kind: "alertpolicy", name: "fast-burn", project: "default" },
  response: {
    warnings: [
      {
        path: "spec.alertMethods",
        code: "notifies_nobody",
        message: "is empty, so alerts of this policy notify nobody. Add alert methods",
      },
    ],
  },
}

export const listUnsupported: OperationExample = {
  response: {
    data: [
      {
        kind: "AlertMethod",
        project: "default",
        name: "team-channel",
        reason: "Tocsin sends webhooks only: slack notifies nobody.",
      },
    ],
    hasMore: false,
  },
}
