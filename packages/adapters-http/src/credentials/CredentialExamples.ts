import type { OperationExample } from "@tocsin/api/openapi"

const credential = {
  organization: "acme",
  clientId: "d3dbf3c4558dc7ea69f959d7888148",
  role: "editor",
  isDisabled: false,
  createdAt: "2026-01-30T12:00:00.000Z",
}

const clientSecret = "jv8Xb2d0sQ3hYt6kLr1nWz4cEa7uGm9pQe5rTy8uIo0"

const parameters = { clientId: credential.clientId }

export const listCredentials: OperationExample = {
  response: { data: [{ ...credential, lastUsedAt: "2026-01-31T08:15:00.000Z" }] },
}

export const createCredential: OperationExample = {
  request: { role: "editor" },
  response: { ...credential, clientSecret },
}

export const rotateCredential: OperationExample = {
  parameters,
  request: { previousFor: "24h" },
  response: { ...credential, previousSecretExpiresAt: "2026-02-01T12:00:00.000Z", clientSecret },
}

export const oneCredential: OperationExample = { parameters }
