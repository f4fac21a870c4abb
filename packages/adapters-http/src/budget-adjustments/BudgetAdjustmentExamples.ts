import type { OperationExample } from "@tocsin/api/openapi"

const adjustment = {
  apiVersion: "tocsin/v1alpha",
  kind: "BudgetAdjustment",
  metadata: { name: "data-center-move", project: "default" },
  spec: {
    reason: "The data center moved on Friday night; announced to customers.",
    slos: [{ name: "checkout-latency", project: "default" }],
    period: { startTime: "2026-01-30T22:00:00+01:00", duration: "1h30m" },
  },
}

const effects = {
  isPartial: false,
  objectives: [
    {
      project: "default",
      slo: "checkout-latency",
      objective: "fast",
      before: {
        burnRate: 0.4,
        errorBudgetRemaining: 2419.2,
        errorBudgetRemainingPercentage: 0.1,
        reliability: 0.991,
      },
      after: {
        burnRate: 0.4,
        errorBudgetRemaining: 12096,
        errorBudgetRemainingPercentage: 0.5,
        reliability: 0.995,
      },
    },
  ],
}

export const previewBudgetAdjustments: OperationExample = {
  request: adjustment,
  response: { ...effects, warnings: [] },
}

export const listBudgetChanges: OperationExample = {
  parameters: { project: "default", name: "data-center-move", limit: 20 },
  response: {
    data: [
      {
        id: "019c1234-5678-7abc-8def-0123456789ab",
        at: "2026-01-31T09:00:00.000Z",
        author: "sre",
        adjustments: [{ outcome: "created", definition: adjustment }],
        effects,
      },
    ],
    links: { self: "/api/budget-adjustments/changes?limit=20&cursor=&project=default&name=data-center-move" },
  },
}
