import type { OperationExample } from "@tocsin/api/openapi"

const slo = { project: "default", sloName: "checkout-latency" }

const request = {
  kind: "deployment",
  title: "checkout 4.2.0",
  url: "https://ci.example.com/deployments/8213",
  from: "2026-01-30T11:52:00Z",
  to: "2026-01-30T11:57:00Z",
}

const annotation = {
  id: "deploy-8213",
  ...request,
  from: "2026-01-30T11:52:00.000Z",
  to: "2026-01-30T11:57:00.000Z",
  author: "ci",
  createdAt: "2026-01-30T11:57:02.318Z",
}

export const createAnnotation: OperationExample = {
  parameters: slo,
  request,
  response: { ...annotation, id: "019c1234-5678-7abc-8def-0123456789ab" },
}

export const putAnnotation: OperationExample = {
  parameters: { ...slo, id: "deploy-8213" },
  request,
  response: annotation,
}

export const deleteAnnotation: OperationExample = { parameters: { ...slo, id: "deploy-8213" } }

export const listAnnotations: OperationExample = {
  parameters: { ...slo, from: "2026-01-30T00:00:00Z", to: "2026-01-31T00:00:00Z" },
  response: {
    from: "2026-01-30T00:00:00.000Z",
    to: "2026-01-31T00:00:00.000Z",
    isPartial: false,
    annotations: [
      {
        kind: "alert",
        id: "019c1233-0d5e-7c4b-9a55-6d3b2f0e7a11",
        title: "fast-burn",
        objective: "fast",
        status: "resolved",
        from: "2026-01-30T11:58:00.000Z",
        to: "2026-01-30T12:16:00.000Z",
      },
      annotation,
    ],
  },
}
