import type { OperationExample } from "@tocsin/api/openapi"
import { proposedSlo } from "../slos/SloExamples.ts"

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

export const backtestIndicator: OperationExample = {
  request: {
    definition: proposedSlo,
    policies: [
      {
        definition: {
          apiVersion: "tocsin/v1alpha",
          kind: "AlertPolicy",
          metadata: { name: "page", project: "default" },
          spec: { severity: "High", sreWorkbook: "page" },
        },
      },
    ],
  },
  response: {
    minutesWithCounts: 1_440,
    backtests: [
      {
        from: "2026-01-29T12:00:00.000Z",
        to: "2026-01-30T12:00:00.000Z",
        alertCount: 1,
        alertsPerMonth: 30,
        objectives: [{ name: "taken", alertCount: 1, burned: 0.4 }],
        alerts: [
          {
            objective: "taken",
            triggeredAt: "2026-01-30T08:14:00.000Z",
            closedAt: "2026-01-30T08:42:00.000Z",
            burnedAtTrigger: 0.131,
            burnedAtEnd: 0.42,
          },
        ],
      },
    ],
  },
}

export const explainPolicy: OperationExample = {
  parameters: {
    project: "default",
    sloName: "checkout-latency",
    alertPolicy: "fast-burn",
    from: "2026-01-30T11:59:00Z",
    to: "2026-01-30T12:00:00Z",
  },
  response: {
    from: "2026-01-30T11:59:00.000Z",
    to: "2026-01-30T12:00:00.000Z",
    minutes: [
      {
        at: "2026-01-30T11:59:00.000Z",
        objectives: [
          {
            name: "fast",
            isMet: false,
            conditionGroups: [
              {
                isMet: false,
                conditions: [
                  {
                    condition: "Average burn rate is at least 14.4 over the last 1 hour",
                    isMet: false,
                    reason: "value",
                    detail: "The average burn rate is 3.2; at least 14.4 is required",
                    from: "2026-01-30T11:01:00.000Z",
                    to: "2026-01-30T12:01:00.000Z",
                    good: 59040,
                    total: 60000,
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
    warnings: [],
  },
}

export const proposeTargets: OperationExample = {
  parameters: { project: "default", sloName: "checkout-latency" },
  response: {
    from: "2026-01-02T12:00:00.000Z",
    to: "2026-01-30T12:00:00.000Z",
    objectives: [
      {
        name: "fast",
        target: 0.99,
        proposals: [
          {
            minutes: 10_080,
            windows: 85,
            worst: 0.9874,
            fifthPercentile: 0.9911,
            median: 0.9953,
            metShare: 0.976,
            proposedTarget: 0.99,
          },
          { minutes: 40_320, windows: 1 },
          { minutes: 43_200, windows: 0 },
        ],
      },
    ],
  },
}
