import type { OperationExample } from "@tocsin/api/openapi"

const ofSlo = { project: "default", sloName: "checkout-latency" }

export const slo = {
  project: { name: "default", displayName: "default" },
  service: { name: "checkout", displayName: "Checkout" },
  name: "checkout-latency",
  displayName: "checkout-latency",
  description: "",
  objectives: [
    {
      name: "fast",
      displayName: "Faster than 300 ms",
      target: 0.99,
      burnRate: 3,
      errorBudgetRemaining: 18144,
      errorBudgetRemainingPercentage: 0.75,
      reliability: 0.9975,
      sliType: "Ratio",
    },
  ],
  createdAt: "2026-01-02T09:30:00.000Z",
  labels: { env: ["prod"] },
  budgetingMethod: "Occurrences",
}

export const exportSloMetrics: OperationExample = {
  parameters: { labels: "env" },
  response:
    "# HELP tocsin_slo_objective_target Target of the objective, 0 to 1.\n" +
    "# TYPE tocsin_slo_objective_target gauge\n" +
    'tocsin_slo_objective_target{project="default",service="checkout",slo="checkout-latency",objective="fast",label_env="prod"} 0.99\n',
}

export const listSlos: OperationExample = {
  parameters: { limit: 100 },
  response: { data: [slo], links: { self: "/api/v2/slos?limit=100&cursor=" } },
}

export const findSlo: OperationExample = { parameters: ofSlo, response: slo }

const sloV1 = { ...slo, project: "default", service: "checkout" }

export const listSlosV1: OperationExample = {
  parameters: { limit: 100 },
  response: { data: [sloV1], links: { self: "/api/v1/slos?limit=100&cursor=" } },
}

export const findSloV1: OperationExample = { parameters: ofSlo, response: sloV1 }

export const findIndicator: OperationExample = {
  parameters: { project: "default", sloName: "checkout-availability" },
  response: {
    readTo: "2026-01-30T11:58:00.000Z",
    succeededAt: "2026-01-30T11:58:31.240Z",
    failures: 1,
    problem: {
      reason: "connect_timeout",
      detail: "The connection was not established in time.",
      at: "2026-01-30T11:59:31.502Z",
    },
  },
}

/** An SLO that need not be stored. */
export const proposedSlo = {
  apiVersion: "tocsin/v1alpha",
  kind: "SLO",
  metadata: { name: "checkout", project: "default" },
  spec: {
    service: "web-shop",
    budgetingMethod: "Occurrences",
    timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
    objectives: [{ name: "taken", target: 0.995 }],
    indicator: {
      prometheus: {
        url: "https://prometheus.example.com",
        good: 'sum(increase(orders_total{code!~"5.."}[1m]))',
        total: "sum(increase(orders_total[1m]))",
      },
    },
  },
}

export const testIndicator: OperationExample = {
  request: {
    definition: proposedSlo,
  },
  response: {
    from: "2026-01-30T11:00:00.000Z",
    to: "2026-01-30T12:00:00.000Z",
    stepMinutes: 1,
    counts: [{ timestamp: "2026-01-30T11:59:00.000Z", good: 118, total: 120 }],
    warnings: [],
  },
}
