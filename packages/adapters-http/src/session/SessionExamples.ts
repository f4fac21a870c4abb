import type { OperationExample } from "@tocsin/api/openapi"

const session = {
  organization: "acme",
  clientId: "d3dbf3c4558dc7ea69f959d7888148",
  role: "editor",
  expiresAt: "2026-01-31T00:00:05.000Z",
  apiVersion: "tocsin/v1alpha",
  baseUrl: "https://slo.example.com",
}

const parameters = { "x-tocsin-console": "1" }

export const openSession: OperationExample = {
  parameters,
  request: {
    organization: "acme",
    clientId: "d3dbf3c4558dc7ea69f959d7888148",
    clientSecret: "jv8Xb2d0sQ3hYt6kLr1nWz4cEa7uGm9p",
  },
  response: session,
}

export const openSessionByLink: OperationExample = {
  parameters,
  request: { token: "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJqdGkiOiJ4In0.c2lnbmF0dXJl" },
  response: session,
}

export const findSession: OperationExample = { response: session }

export const closeSession: OperationExample = { parameters }
