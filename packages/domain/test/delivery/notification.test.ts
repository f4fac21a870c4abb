import { type Notification, uuidV7 } from "@tocsin/domain/adapter"
import { notificationValues } from "../../src/notification/Notification.ts"
import { formatUuidV7 } from "../../src/notification/UuidV7.ts"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { aNotification } from "@tocsin/testing/fixtures"

const full: Notification = {
  id: "0198c2f4-6f0a-7c55-9b2e-4d6f8091a3b5",
  event: "alert.resolved",
  organization: "acme",
  at: Date.UTC(2026, 0, 30, 12, 0, 0, 999),
  alertId: "alert-7",
  severity: "High",
  conditions: ["Average burn rate is at least 2", "Remaining error budget is less than 50%"],
  slo: {
    project: "shop",
    name: "checkout",
    displayName: "Checkout",
    labels: { env: ["prod", "eu"], team: ["a"] },
  },
  service: { name: "web", labels: { tier: ["gold"] } },
  objective: { name: "good", displayName: "Good" },
  alertPolicy: { name: "fast-burn", description: "Burns fast", labels: { team: ["b"] } },
  noDataAlertAfter: "15m",
  anomalyType: "no_data",
  budgetExhaustedAt: Date.UTC(2026, 1, 2, 8, 30),
}

describe("the values of a notification", () => {
  it("spec/templates §1, spec/templates §8: are those of every variable, in their formats", () => {
    expect(notificationValues(full, "https://tocsin.example.com/")).toEqual({
      organization: "acme",
      project_name: "shop",
      service_name: "web",
      service_labels_text: "tier:gold",
      slo_name: "checkout",
      slo_display_name: "Checkout",
      slo_labels_text: "env:prod, env:eu, team:a",
      slo_details_link: "https://tocsin.example.com/slos/shop/checkout",
      objective_name: "good",
      objective_display_name: "Good",
      experience_name: "good",
      alert_policy_name: "fast-burn",
      alert_policy_description: "Burns fast",
      alert_policy_labels_text: "team:b",
      alert_policy_conditions: ["Average burn rate is at least 2", "Remaining error budget is less than 50%"],
      alert_policy_conditions_text:
        "Average burn rate is at least 2, Remaining error budget is less than 50%",
      severity: "high",
      alert_id: "alert-7",
      acknowledge_link: "",
      alert_status: "resolved",
      notification_id: "0198c2f4-6f0a-7c55-9b2e-4d6f8091a3b5",
      timestamp: "1769774400",
      iso_timestamp: "2026-01-30T12:00:00Z",
      no_data_alert_after: "15m",
      anomaly_type: "no_data",
      budget_exhausted_at: "2026-02-02T08:30:00Z",
      silence_ends_at: "",
      silence_name: "",
    })
  })

  it("spec/templates §8: name a silence that ends soon, its SLO, and no alert", () => {
    const notice = {
      ...aNotification("acme", "id-1"),
      event: "silence.ending",
      alertId: "",
      conditions: ["Silence night ends at 2026-01-30T12:00:00Z"],
      silence: { name: "night", endsAt: Date.UTC(2026, 0, 30, 12) },
    } as const
    const values = notificationValues(notice, "https://tocsin.example.com")
    expect(values).toMatchObject({
      alert_id: "",
      alert_status: "silence_ending",
      alert_policy_conditions_text: "Silence night ends at 2026-01-30T12:00:00Z",
      silence_name: "night",
      silence_ends_at: "2026-01-30T12:00:00Z",
      slo_details_link: "https://tocsin.example.com/slos/shop/checkout",
    })
    const byLabels = { ...notice, slo: { project: "shop", name: "" } }
    expect(notificationValues(byLabels, "https://tocsin.example.com")).toMatchObject({
      project_name: "shop",
      slo_name: "",
      slo_details_link: "",
    })
  })

  it("spec/templates §5: are empty where a variable does not apply", () => {
    const values = notificationValues(aNotification("acme", "id-1"), "https://tocsin.example.com")
    const empty = Object.entries(values).filter(([, value]) => value.length === 0)
    expect(empty.map(([name]) => name).toSorted()).toEqual(
      [
        "acknowledge_link",
        "service_name",
        "service_labels_text",
        "slo_labels_text",
        "objective_name",
        "objective_display_name",
        "experience_name",
        "alert_policy_name",
        "alert_policy_description",
        "alert_policy_labels_text",
        "alert_policy_conditions",
        "alert_policy_conditions_text",
        "severity",
        "no_data_alert_after",
        "anomaly_type",
        "budget_exhausted_at",
        "silence_ends_at",
        "silence_name",
      ].toSorted(),
    )
    expect(values.alert_status).toBe("triggered")
  })

  it("spec/templates §1: a display name that was not given is the name", () => {
    const notification = aNotification("acme", "id-1")
    const objective = { name: "fast" }
    const values = notificationValues({ ...notification, objective }, "https://tocsin.example.com")
    expect(values.slo_display_name).toBe(notification.slo.name)
    expect(values.objective_display_name).toBe("fast")
  })
})

describe("uuidV7", () => {
  it("spec/delivery §2: is a UUID of version 7 that contains its millisecond", () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), random, random, (time, a, b) => {
        const id = formatUuidV7(time, a, b)
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(time)
      }),
    )
    const largest = 1 - 2 ** -53
    expect(formatUuidV7(0, 0, 0)).toBe("00000000-0000-7000-8000-000000000000")
    expect(formatUuidV7(2 ** 48 - 1, largest, largest)).toBe("ffffffff-ffff-7fff-bfff-ffffffffffff")
  })

  it("spec/delivery §2: does not come twice", async () => {
    const ids = await Effect.runPromise(Effect.replicateEffect(uuidV7, 10_000))
    expect(new Set(ids).size).toBe(10_000)
  })
})
