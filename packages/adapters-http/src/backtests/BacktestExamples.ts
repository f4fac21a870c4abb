import type { OperationExample } from "../frame/OpenApiDocument.ts"

export const backtestPolicy: OperationExample = {
  parameters: { project: "default", sloName: "checkout-latency" },
  request: {
    definition: {
      apiVersion: "tocsin/v1alpha",
      kind: "AlertPolicy",
      metadata: { name: "fast-burn", project: "default" },
      spec: {
        severity: "High",
        conditions: [
          { measurement: "averageBurnRate", value: 14.4, alertingWindow: "1h" },
          { measurement: "averageBurnRate", value: 14.4, alertingWindow: "5m" },
        ],
      },
    },
    from: "2026-01-23T12:00:00Z",
    to: "2026-01-30T12:00:00Z",
  },
  response: {
    from: "2026-01-23T12:00:00.000Z",
    to: "2026-01-30T12:00:00.000Z",
    alertCount: 1,
    alertsPerMonth: 4.285714285714286,
    objectives: [{ name: "fast", alertCount: 1, burned: 0.25 }],
    alerts: [
      {
        objective: "fast",
        triggeredAt: "2026-01-27T08:14:00.000Z",
        closedAt: "2026-01-27T08:42:00.000Z",
        burnedAtTrigger: 0.131,
        burnedAtEnd: 0.208,
      },
    ],
  },
}
