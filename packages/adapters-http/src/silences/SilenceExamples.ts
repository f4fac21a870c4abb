import type { OperationExample } from "@tocsin/api/openapi"
import { alertSilence } from "../definitions/DefinitionExamples.ts"

export const previewSilence: OperationExample = {
  request: {
    ...alertSilence,
    metadata: { name: "saturday-maintenance", project: "default" },
    spec: {
      slo: "checkout-latency",
      recurrence: {
        startTime: "2026-01-01 02:00:00",
        timeZone: "Europe/Berlin",
        rrule: "FREQ=WEEKLY;BYDAY=SA;UNTIL=20260215T000000Z",
        duration: "2h",
      },
    },
  },
  response: {
    slos: [{ project: "default", name: "checkout-latency" }],
    hasMoreSlos: false,
    alerts: [],
    hasMoreAlerts: false,
    periods: [
      { startTime: "2026-01-31T01:00:00.000Z", endTime: "2026-01-31T03:00:00.000Z" },
      { startTime: "2026-02-07T01:00:00.000Z", endTime: "2026-02-07T03:00:00.000Z" },
      { startTime: "2026-02-14T01:00:00.000Z", endTime: "2026-02-14T03:00:00.000Z" },
    ],
    warnings: [],
  },
}
