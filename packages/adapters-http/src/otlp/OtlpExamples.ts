import type { OperationExample } from "@tocsin/api/openapi"

export const exportMetrics: OperationExample = {
  request: {
    resourceMetrics: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "checkout" } }] },
        scopeMetrics: [
          {
            metrics: [
              {
                name: "http.server.requests",
                sum: {
                  aggregationTemporality: 1,
                  isMonotonic: true,
                  dataPoints: [
                    {
                      startTimeUnixNano: "1769774340000000000",
                      timeUnixNano: "1769774400000000000",
                      asInt: "1200",
                    },
                  ],
                },
              },
            ],
          },
        ],
      },
    ],
  },
  response: {},
}
