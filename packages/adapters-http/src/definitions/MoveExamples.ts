import type { OperationExample } from "@tocsin/api/openapi"

export const moveSlos: OperationExample = {
  request: {
    sloNames: ["checkout-latency"],
    oldProject: "default",
    newProject: "payments",
    service: "checkout",
    detachAlertPolicies: true,
  },
}
