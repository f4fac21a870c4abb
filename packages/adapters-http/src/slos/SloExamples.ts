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
