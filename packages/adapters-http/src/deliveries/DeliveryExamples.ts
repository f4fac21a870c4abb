import type { OperationExample } from "@tocsin/api/openapi"

const id = "019c0eb2-5400-7c1e-8a55-0d1f6f6b2f10"

const exhausted = {
  id,
  alertMethod: { project: "default", name: "on-call" },
  event: "alert.triggered",
  alertId: "019c0ec6-5626-7686-9f50-fbdfa420778b",
  slo: { project: "default", name: "checkout-latency", displayName: "Checkout latency" },
  state: "exhausted",
  attempt: 1,
  attemptsUsed: 1,
  createdAt: "2026-01-30T12:00:05.039Z",
  settledAt: "2026-01-30T12:00:05.612Z",
}

export const delivery = { ...exhausted, state: "delivered" }

export const listDeliveries: OperationExample = {
  parameters: { state: ["pending", "exhausted"], limit: 20 },
  response: {
    data: [exhausted],
    links: { self: "/api/deliveries?limit=20&cursor=&state=pending&state=exhausted" },
  },
}

export const findDelivery: OperationExample = {
  parameters: { id },
  response: {
    ...exhausted,
    attempts: [
      {
        number: 1,
        startedAt: "2026-01-30T12:00:05.051Z",
        durationMs: 561.3,
        connectMs: 24.8,
        headMs: 560.9,
        status: 400,
        reason: "http_status",
      },
    ],
  },
}

const { settledAt: _, ...pending } = exhausted

export const resendDelivery: OperationExample = {
  parameters: { id },
  response: { ...pending, state: "pending", nextAttemptAt: "2026-01-30T12:15:00.000Z" },
}
