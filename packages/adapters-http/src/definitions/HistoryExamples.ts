import type { OperationExample } from "@tocsin/api/openapi"

const service = (displayName: string) => ({
  apiVersion: "tocsin/v1alpha",
  kind: "Service",
  metadata: { name: "checkout", project: "default", displayName },
  spec: {},
})

const updated = {
  id: "57",
  at: "2026-01-30T12:00:00Z",
  author: "ci",
  outcome: "updated",
  changesSecrets: false,
}

export const listRevisions: OperationExample = {
  parameters: { kind: "services", name: "checkout", project: "default", limit: 2 },
  response: {
    data: [
      updated,
      { id: "12", at: "2026-01-12T09:30:00Z", author: "sre", outcome: "created", changesSecrets: false },
    ],
    links: { self: "/api/definitions/services/checkout/history?limit=2&cursor=" },
  },
}

export const findRevision: OperationExample = {
  parameters: { kind: "services", name: "checkout", id: "57", project: "default" },
  response: { ...updated, definition: service("Checkout"), previous: service("Check-out") },
}

export const listDeletedDefinitions: OperationExample = {
  parameters: { project: "default", kind: "services" },
  response: {
    data: [
      {
        kind: "Service",
        project: "default",
        name: "checkout",
        id: "61",
        at: "2026-01-31T08:15:00Z",
        author: "sre",
        outcome: "deleted",
        changesSecrets: false,
      },
    ],
    links: { self: "/api/definitions/deleted?limit=500&cursor=&kind=services" },
  },
}
