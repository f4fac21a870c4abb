import type { OperationExample } from "@tocsin/api/openapi"
import { slo } from "../slos/SloExamples.ts"

const healthy = {
  isDisabled: false,
  failures: 0,
  lastSuccessAt: "2026-01-30T11:58:02.310Z",
  isPaused: false,
  inFlight: 0,
  isAllPaused: false,
}

export const delivery = {
  id: "019c0eb2-5400-7c1e-8a55-0d1f6f6b2f10",
  alertMethod: { project: "default", name: "on-call" },
  event: "alert.triggered",
  alertId: "019c0ec6-5626-7686-9f50-fbdfa420778b",
  slo: { project: "default", name: "checkout-latency", displayName: "Checkout latency" },
  state: "delivered",
  attempt: 1,
  attemptsUsed: 1,
  createdAt: "2026-01-30T12:00:05.039Z",
  settledAt: "2026-01-30T12:00:05.612Z",
}

export const searchSlos: OperationExample = {
  parameters: { search: "latency", project: "default", limit: 20 },
  response: {
    data: [slo],
    links: { self: "/api/console/slos?limit=20&cursor=&search=latency&project=default" },
  },
}

export const listConsoleAlertMethods: OperationExample = {
  parameters: { limit: 20 },
  response: {
    data: [
      {
        definition: {
          apiVersion: "tocsin/v1alpha",
          kind: "AlertMethod",
          metadata: { name: "on-call", project: "default" },
          spec: {
            webhook: {
              url: "[hidden]",
              templateFields: ["slo_name", "severity", "notification_id"],
              headers: [{ name: "Authorization", value: "[hidden]", isSecret: true }],
            },
          },
        },
        state: "healthy",
        health: healthy,
        latestDelivery: delivery,
      },
    ],
    links: { self: "/api/console/alertmethods?limit=20&cursor=" },
  },
}

export const listConsoleSilences: OperationExample = {
  parameters: { project: "default", limit: 20 },
  response: {
    data: [
      {
        project: "default",
        name: "saturday-maintenance",
        isRecurring: true,
        state: "active",
        startTime: "2026-01-31T01:00:00.000Z",
        endTime: "2026-01-31T03:00:00.000Z",
      },
    ],
    links: { self: "/api/console/silences?limit=20&cursor=&project=default" },
  },
}

export const findConsoleStatus: OperationExample = {
  response: { activeAlerts: 2, version: "l1XcP7mBVvJ0dWZk0gq3Yw" },
}

export const listMetricNames: OperationExample = {
  parameters: { name: "mimir", project: "default", label: "__name__", search: "http" },
  response: { names: ["http_request_duration_seconds_bucket", "http_requests_total"], isComplete: true },
}
