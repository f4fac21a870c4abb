import { healthy } from "../alert-methods/AlertMethodExamples.ts"
import { hiddenAlertMethod } from "../definitions/DefinitionExamples.ts"
import { delivery } from "../deliveries/DeliveryExamples.ts"
import type { OperationExample } from "../frame/OpenApiDocument.ts"
import { slo } from "../slos/SloExamples.ts"

export const searchSlos: OperationExample = {
  parameters: { search: "latency", project: "default", limit: 20 },
  response: {
    data: [slo],
    links: { self: "/api/console/slos?limit=20&cursor=&search=latency&project=default" },
  },
}

export const listConsoleAlertMethods: OperationExample = {
  parameters: { limit: 20 },
  response: {
    data: [
      {
        definition: hiddenAlertMethod,
        state: "healthy",
        health: healthy,
        latestDelivery: delivery,
      },
    ],
    links: { self: "/api/console/alertmethods?limit=20&cursor=" },
  },
}
