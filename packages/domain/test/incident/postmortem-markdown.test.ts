import { alertOf, aNotification } from "@tocsin/testing/fixtures"
import { expect, it } from "@tocsin/testing/vitest"
import type { Postmortem } from "../../src/incident/ReadPostmortem.ts"
import { postmortemToMarkdown } from "../../src/incident/PostmortemMarkdown.ts"
import { anIncident } from "./AnIncident.ts"

const start = Date.UTC(2026, 0, 30, 12)

const whole: Postmortem = {
  incident: anIncident({
    title: "Checkout is slow | *again*",
    status: "resolved",
    owner: "Ana",
    alerts: ["alert-1", "alert-gone"],
    alertCount: 2,
    startedAt: start,
    resolvedAt: start + 5_400_000,
    createdAt: start + 60_000,
  }),
  now: start + 86_400_000,
  entries: [
    { id: "1", at: start + 60_000, author: "ana", kind: "alerts_added", alerts: ["alert-1", "alert-gone"] },
    {
      id: "2",
      at: start + 120_000,
      author: "ana",
      kind: "note",
      text: "1. Rolled back\n<script>alert(1)</script>",
    },
    { id: "3", at: start + 180_000, author: "bob", kind: "task", text: "- Fix the index", isDone: false },
    {
      id: "4",
      at: start + 180_000,
      author: "bob",
      kind: "task",
      text: "Done",
      isDone: true,
      doneAt: start,
      doneBy: "bob",
    },
    {
      id: "5",
      at: start + 240_000,
      author: "bob",
      kind: "link",
      url: "https://wiki.example.com/a_(b)<c>",
      title: "Notes [1]",
    },
    { id: "6", at: start + 300_000, kind: "status_changed", from: "investigating", to: "resolved" },
    { id: "7", at: start + 300_000, author: "ana", kind: "owner_changed", to: "Ana" },
    {
      id: "8",
      at: start + 300_000,
      author: "ana",
      kind: "post",
      text: "Checkout is fast again.",
      status: "resolved",
    },
  ],
  alerts: [
    {
      ...alertOf("alert-1", {
        status: "resolved",
        severity: "High",
        conditions: ["Average burn rate is at least 14.4 over the last 1 hour"],
        triggeredAt: start,
        resolvedAt: start + 3_600_000,
        acknowledgement: { at: start + 600_000, by: "ana", note: "On it" },
      }),
      evidence: {
        target: 0.999,
        groups: [
          [
            {
              condition: "Average burn rate is at least 14.4 over the last 1 hour",
              measurement: "averageBurnRate",
              isMet: true,
              detail: "The average burn rate is 20; at least 14.4 is required",
              value: 20,
              threshold: 14.4,
              range: { from: start - 3_600_000, to: start },
              events: { good: 980, total: 1_000 },
            },
          ],
        ],
      },
    },
  ],
  budgets: [
    {
      slo: { project: "shop", name: "checkout" },
      objective: "good",
      target: 0.999,
      counted: { good: 9_800, total: 10_000 },
      share: 0.0123456789,
      burnRates: [0.5, 0, undefined, 1, 14.4567, 20, 7, 0.01],
    },
    {
      slo: { project: "shop", name: "checkout" },
      target: 0,
      counted: { good: 0, total: 0 },
      burnRates: Array.from({ length: 8 }, () => undefined),
    },
  ],
  chart: { from: start - 3_600_000, stepMs: 1_140_000, count: 8 },
  deliveries: [
    {
      delivery: {
        notification: { ...aNotification("acme", "delivery-1"), event: "alert.triggered" },
        alertMethod: { project: "shop", name: "hook" },
        state: "delivered",
        attempt: 2,
        attemptsUsed: 2,
        createdAt: start,
        dueAt: start,
      },
      attempts: [
        { number: 1, startedAt: start, durationMs: 5, status: 503 },
        {
          number: 2,
          startedAt: start + 5_000,
          durationMs: 5,
          status: 204,
          sent: { created: start / 1_000, keyId: "key_1", contentDigest: "sha-256=:x:", bodyBytes: 5 },
        },
      ],
    },
  ],
  hasMoreDeliveries: true,
}

it("spec/incidents §5: a post-mortem has everything, and shows texts as they were written", async () => {
  await expect(postmortemToMarkdown(whole)).toMatchFileSnapshot("postmortem.txt")
})

it("spec/incidents §5: a post-mortem of an incident without anything says so", async () => {
  const empty: Postmortem = {
    incident: anIncident({ startedAt: start, createdAt: start, services: [] }),
    now: start + 61_000,
    entries: [],
    alerts: [],
    budgets: [],
    chart: { from: start - 3_600_000, stepMs: 120_000, count: 31 },
    deliveries: [],
    hasMoreDeliveries: false,
  }
  await expect(postmortemToMarkdown(empty)).toMatchFileSnapshot("postmortem-empty.txt")
})
