import type { OperationExample } from "@tocsin/api/openapi"

const alertId = "019c0ec6-5626-7686-9f50-fbdfa420778b"

const alertMethod = { project: "default", name: "on-call" }

const deliveries = [{ id: "019c0ec6-5626-75ff-9a0e-c0aef4c90f02", alertMethod }]

export const receiveAlert: OperationExample = {
  parameters: { "idempotency-key": "7f3a9c" },
  request: {
    status: "triggered",
    slo: { project: "default", name: "checkout-latency" },
    objective: "fast",
    alertPolicy: { project: "default", name: "fast-burn" },
    conditions: ["The average burn rate of the last hour is at least 14.4"],
    at: "2026-01-30T12:00:00Z",
  },
  status: 202,
  response: { alertId, deliveries },
}

const alert = {
  apiVersion: "tocsin/v1alpha",
  kind: "Alert",
  metadata: { name: alertId, project: "default" },
  spec: {
    alertPolicy: { name: "fast-burn", project: "default" },
    slo: { name: "checkout-latency", project: "default" },
    service: { name: "checkout", project: "default" },
    objective: { name: "fast" },
    severity: "High",
    status: "Triggered",
    triggeredClockTime: "2026-01-30T12:00:00.000Z",
    coolDown: "5m",
    conditions: [],
    conditionTexts: ["The average burn rate of the last hour is at least 14.4"],
    alertMethods: [alertMethod],
  },
}

export const acknowledgeAlert: OperationExample = {
  parameters: { id: alertId },
  request: { note: "Rolling back release 41" },
  response: {
    ...alert,
    spec: {
      ...alert.spec,
      acknowledgement: { by: "sre", at: "2026-01-30T12:04:00.000Z", note: "Rolling back release 41" },
    },
  },
}

export const listAlerts: OperationExample = {
  parameters: { project: "*", state: ["triggered"], limit: 20 },
  response: [alert],
}

export const listHeldAlerts: OperationExample = {
  parameters: { project: "default", slo: "checkout-latency" },
  response: {
    data: [
      {
        slo: { project: "default", name: "checkout-latency" },
        objective: "fast",
        alertPolicy: { project: "default", name: "fast-burn" },
        since: "2026-01-30T12:00:00.000Z",
        reason: "past_changed",
        detail:
          "Changed most recently at 2026-01-30T11:59:30Z: minutes from 2026-01-30T07:00:00Z to 2026-01-30T09:00:00Z. Without the change, the conditions are not met",
      },
    ],
    hasMore: false,
  },
}

export const receiveAlertmanager: OperationExample = {
  request: {
    version: "4",
    groupKey: '{}:{alertname="CheckoutSlow"}',
    truncatedAlerts: 0,
    status: "firing",
    receiver: "tocsin",
    groupLabels: { alertname: "CheckoutSlow" },
    commonLabels: { alertname: "CheckoutSlow" },
    commonAnnotations: {},
    externalURL: "https://alertmanager.example.com",
    alerts: [
      {
        status: "firing",
        labels: {
          alertname: "CheckoutSlow",
          severity: "critical",
          tocsin_slo: "checkout-latency",
          tocsin_alert_methods: "on-call",
        },
        annotations: { summary: "Checkout is slow" },
        startsAt: "2026-01-30T11:58:00Z",
        endsAt: "0001-01-01T00:00:00Z",
        generatorURL: "https://prometheus.example.com/graph",
        fingerprint: "9f1c2d3e4a5b6c7d",
      },
    ],
  },
  response: {
    alerts: [
      {
        fingerprint: "9f1c2d3e4a5b6c7d",
        outcome: "triggered",
        alertId: "9f1c2d3e4a5b6c7d-2026-01-30T11:58:00.000Z",
        deliveries,
      },
    ],
    truncatedAlerts: 0,
  },
}
