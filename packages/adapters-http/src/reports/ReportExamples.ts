import type { OperationExample } from "@tocsin/api/openapi"
import { currentPublicKey } from "../signing-keys/SigningKeyExamples.ts"

const id = "019c1700-13c0-7a52-9d1e-2f6a1b8c4d07"

const period = { from: "2026-01-01T00:00:00.000Z", to: "2026-02-01T00:00:00.000Z" }

const summary = {
  id,
  project: "default",
  slo: "checkout-latency",
  period,
  createdAt: "2026-02-01T01:00:04.512Z",
}

export const listReports: OperationExample = {
  parameters: { slo: "checkout-latency", limit: 20 },
  response: {
    data: [summary],
    links: { self: "/api/reports?limit=20&cursor=&slo=checkout-latency" },
  },
}

export const createReport: OperationExample = {
  request: {
    project: "default",
    slo: "checkout-latency",
    from: "2026-01-01T00:00:00Z",
    to: "2026-01-30T12:00:00Z",
  },
  status: 201,
  response: {
    ...summary,
    period: { from: "2026-01-01T00:00:00.000Z", to: "2026-01-30T12:00:00.000Z" },
    createdAt: "2026-01-30T12:00:05.112Z",
  },
}

export const findReport: OperationExample = {
  parameters: { id },
  response: {
    ...summary,
    organization: "acme",
    service: "checkout",
    displayName: "Checkout latency",
    budgetingMethod: "Occurrences",
    timeWindow: { unit: "Day", count: 28, isRolling: true },
    window: { from: "2026-01-04T00:00:00.000Z", to: "2026-02-01T00:00:00.000Z" },
    objectives: [
      {
        name: "fast",
        displayName: "fast",
        target: 0.99,
        reliability: 0.995,
        errorBudget: 24_192,
        errorBudgetRemaining: 12_096,
        errorBudgetRemainingPercentage: 0.5,
        good: 39_800,
        total: 40_000,
      },
    ],
    alerts: [
      {
        id: "019c0ec6-5626-7686-9f50-fbdfa420778b",
        objective: "fast",
        alertPolicy: { project: "default", name: "fast-burn" },
        severity: "High",
        status: "resolved",
        conditions: ["Average error budget burn rate ≥ 14.4 over 1 h"],
        triggeredAt: "2026-01-30T12:00:05.030Z",
        resolvedAt: "2026-01-30T12:47:05.011Z",
      },
    ],
    hasMoreAlerts: false,
    adjustments: [
      {
        project: "default",
        name: "database-migration",
        reason: "Planned migration of the database",
        author: "nora",
        from: "2026-01-12T02:00:00.000Z",
        to: "2026-01-12T03:30:00.000Z",
        minutes: 90,
      },
    ],
    hasMoreAdjustments: false,
  },
}

export const findReportSignature: OperationExample = {
  parameters: { id },
  response: {
    ...(currentPublicKey.response as object),
    signature: "Yx0bT0k3B8H6s1mXv4dZQe1m1cJm0c8Q2nN8b6Tt3eKX5r2Jw9aP7uLhE4fVvGqSOy2kDiRzWmCnA1pUoIbBg==",
  },
}
