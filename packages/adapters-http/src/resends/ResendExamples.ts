import type { OperationExample } from "@tocsin/api/openapi"

const id = "019c0eb3-3e60-7b64-9d0c-4a2f7c1d9e55"

const resend = {
  id,
  state: "running",
  filter: {
    alertMethod: { project: "default", name: "on-call" },
    states: ["exhausted", "failed"],
    from: "2026-01-30T00:00:00.000Z",
    to: "2026-01-30T12:00:00.000Z",
  },
  matched: 240,
  mayMatchMore: false,
  resent: 100,
  createdAt: "2026-01-30T12:00:05.039Z",
}

export const resendDeliveries: OperationExample = {
  request: {
    alertMethod: { project: "default", name: "on-call" },
    states: ["exhausted", "failed"],
    from: "2026-01-30T00:00:00Z",
    to: "2026-01-30T12:00:00Z",
  },
  status: 202,
  response: resend,
}

export const listResends: OperationExample = {
  parameters: { limit: 20 },
  response: { data: [resend], links: { self: "/api/resends?limit=20&cursor=" } },
}

export const findResend: OperationExample = { parameters: { id }, response: resend }

export const cancelResend: OperationExample = {
  parameters: { id },
  response: { ...resend, state: "canceled", endedAt: "2026-01-30T12:00:09.481Z" },
}
