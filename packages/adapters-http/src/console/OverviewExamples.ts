import type { OperationExample } from "@tocsin/api/openapi"

const slo = { project: "default", name: "checkout-latency" }

const status = { target: 0.99, reliability: 0.9985, errorBudgetRemainingPercentage: 0.15, burnRate: 3 }

const objective = {
  slo,
  sloDisplayName: "Checkout latency",
  state: "atRisk",
  name: "fast",
  displayName: "Faster than 300 ms",
  ...status,
}

const row = {
  project: "default",
  service: "checkout",
  name: "checkout-latency",
  displayName: "Checkout latency",
  labels: { env: ["prod"] },
  objectives: [{ name: "fast", displayName: "Faster than 300 ms", ...status }],
}

export const listSloRows: OperationExample = {
  response: {
    data: [row],
    projects: [{ name: "default" }],
    services: [{ project: "default", name: "checkout", displayName: "Checkout" }],
    openAlerts: [{ ...slo, open: 1, acknowledged: 0 }],
    links: { self: "/api/console/rows?cursor=" },
  },
}

export const readOverview: OperationExample = {
  response: {
    states: { breached: 0, atRisk: 1, healthy: 0, noData: 0 },
    hasMoreSlos: false,
    lowestBudgets: [objective],
    fastestBurns: [objective],
    exhausting: [{ ...objective, exhaustedAt: "2026-02-01T06:30:00.000Z" }],
    closing: [],
    alerts: {
      open: 1,
      acknowledged: 0,
      newest: [
        {
          id: "019c0ec6-5626-7686-9f50-fbdfa420778b",
          slo,
          sloDisplayName: "Checkout latency",
          objective: "fast",
          objectiveDisplayName: "Faster than 300 ms",
          severity: "High",
          isNoData: false,
          isSilenced: false,
          triggeredAt: "2026-01-30T12:00:00.000Z",
        },
      ],
    },
    alertMethods: [{ alertMethod: { project: "default", name: "on-call" }, state: "failing", failures: 3 }],
    troubledMethods: 1,
    sources: [],
    withoutData: [],
    services: [
      {
        project: { name: "default" },
        service: { name: "checkout", displayName: "Checkout" },
        state: "atRisk",
        states: { breached: 0, atRisk: 1, healthy: 0, noData: 0 },
        openAlerts: 1,
      },
    ],
  },
}

export const readTrends: OperationExample = {
  parameters: { slo: ["default/checkout-latency"] },
  response: {
    data: [
      {
        slo,
        objectives: [
          {
            name: "fast",
            errorBudgetRemaining: Array.from({ length: 30 }, (_, index) =>
              index < 2 ? null : 1 - index / 35,
            ),
          },
        ],
      },
    ],
  },
}
