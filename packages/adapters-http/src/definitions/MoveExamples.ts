import type { OperationExample } from "../frame/OpenApiDocument.ts"

export const moveSlos: OperationExample = {
  request: {
    sloNames: ["checkout-latency"],
    oldProject: "default",
    newProject: "payments",
    service: "checkout",
    detachAlertPolicies: true,
  },
}
