import { describe, expect, it } from "vitest"
import { alertToDocument } from "../../src/alerts/AlertDocuments.ts"
import { alertDocument } from "@tocsin/api"
import { cancelReasons } from "@tocsin/domain"
import type { Alert } from "@tocsin/domain/alerting"
import * as Schema from "effect/Schema"

const noon = Date.parse("2026-01-30T12:00:00Z")

const alert: Alert = {
  id: "019c0ec6-5626-7686-9f50-fbdfa420778b",
  subject: {
    slo: { project: "shop", name: "checkout" },
    objective: "fast",
    alertPolicy: { project: "shop", name: "fast-burn" },
  },
  status: "resolved",
  severity: "High",
  conditions: ["Entire error budget would be exhausted in 3 days and this condition lasts for 10 minutes"],
  policyConditions: [
    { measurement: "averageBurnRate", value: 2, op: "gte", alertingWindow: "1h" },
    {
      measurement: "timeToBurnEntireBudget",
      value: "72h",
      op: "lte",
      lastsFor: "10m",
      metSince: noon - 660_000,
    },
  ],
  coolDown: "5m",
  service: "web",
  objectiveValue: 0.5,
  displayNames: { slo: "Checkout", service: "Web", objective: "Fast", alertPolicy: "Fast burn" },
  definedAt: 0,
  alertMethods: [{ project: "shop", name: "hook" }],
  triggeredAt: noon,
  triggeredMetricAt: noon - 60_000,
  resolvedAt: noon + 600_000,
  resolvedMetricAt: noon + 540_000,
}

const specOf = (each: Alert) => (alertToDocument(each, "n9/v1alpha") as { readonly spec: object }).spec

describe("the document of an alert", () => {
  it("spec/clients §7: has what the alert recorded when it triggered, in the fields of the public clients", () => {
    expect(alertToDocument(alert, "n9/v1alpha")).toEqual({
      apiVersion: "n9/v1alpha",
      kind: "Alert",
      metadata: { name: alert.id, project: "shop" },
      spec: {
        alertPolicy: { name: "fast-burn", displayName: "Fast burn", project: "shop" },
        slo: { name: "checkout", displayName: "Checkout", project: "shop" },
        service: { name: "web", displayName: "Web", project: "shop" },
        objective: { name: "fast", displayName: "Fast", value: 0.5 },
        severity: "High",
        status: "Resolved",
        triggeredMetricTime: "2026-01-30T11:59:00.000Z",
        triggeredClockTime: "2026-01-30T12:00:00.000Z",
        resolvedMetricTime: "2026-01-30T12:09:00.000Z",
        resolvedClockTime: "2026-01-30T12:10:00.000Z",
        resolutionReason: "AlertResolved",
        coolDown: "5m",
        conditions: [
          { measurement: "averageBurnRate", value: 2, op: "gte", alertingWindow: "1h" },
          {
            measurement: "timeToBurnEntireBudget",
            value: "72h",
            op: "lte",
            lastsFor: "10m",
            status: {
              firstMetMetricTime: "2026-01-30T11:49:00.000Z",
              lastsForMetMetricTime: "2026-01-30T11:59:00.000Z",
            },
          },
        ],
        conditionTexts: alert.conditions,
        alertMethods: [{ project: "shop", name: "hook" }],
      },
    })
  })

  it("spec/clients §7: says why it was closed, and what the schema allows", () => {
    const { resolvedAt: _, resolvedMetricAt: _at, ...open } = alert
    const triggered: Alert = { ...open, status: "triggered" }
    expect(specOf(triggered)).not.toHaveProperty("resolutionReason")
    const reasons = cancelReasons.map((reason) => specOf({ ...alert, status: "canceled", reason }))
    expect(reasons).toMatchObject([
      { status: "Canceled", resolutionReason: "AlertCanceledAlertPolicyHasChanged" },
      { resolutionReason: "AlertCanceledSLOHasChanged" },
      { resolutionReason: "AlertCanceledNewCalendarAlignedTimeWindow" },
      { resolutionReason: "AlertCanceledAlertPolicyDetached" },
      { resolutionReason: "AlertCanceledObjectDeleted" },
    ])
    for (const each of [alert, triggered, { ...alert, isSilenced: true }]) {
      const document = alertToDocument(each, "n9/v1alpha")
      expect(Schema.decodeUnknownSync(alertDocument)(document, { onExcessProperty: "error" })).toEqual(
        document,
      )
    }
  })
})
