import type { OperationExample } from "@tocsin/api/openapi"

const parameters = { project: "default", sloName: "checkout-availability" }

const replay = {
  from: "2026-01-01T00:00:00.000Z",
  to: "2026-01-08T00:00:00.000Z",
  state: "running",
  percent: 0,
  readTo: "2026-01-01T00:00:00.000Z",
  failures: 0,
  startedAt: "2026-01-30T12:00:05.039Z",
}

const canceled = {
  ...replay,
  state: "canceled",
  reason: "requested",
  percent: 57,
  readTo: "2026-01-05T00:00:00.000Z",
  firstMinute: "2026-01-01T00:00:00.000Z",
  endedAt: "2026-01-30T12:00:09.481Z",
}

export const startReplay: OperationExample = {
  parameters,
  request: { from: "2026-01-01T00:00:00Z", to: "2026-01-08T00:00:00Z" },
  response: replay,
  status: 202,
}

export const findReplay: OperationExample = {
  parameters,
  response: {
    ...replay,
    percent: 28,
    readTo: "2026-01-03T00:00:00.000Z",
    firstMinute: "2026-01-01T00:00:00.000Z",
    failures: 1,
    problem: {
      reason: "connect_timeout",
      detail: "The connection was not established in time.",
      at: "2026-01-30T12:00:07.502Z",
    },
  },
}

export const cancelReplay: OperationExample = { parameters, response: canceled }

const { reason: _reason, endedAt: _endedAt, ...resumed } = canceled

export const resumeReplay: OperationExample = {
  parameters,
  response: { ...resumed, state: "running" },
  status: 202,
}
