import type { Incident } from "../../src/incident/Incident.ts"

/** An open incident without alerts, with some changes. */
export const anIncident = (changes: Partial<Incident> = {}): Incident => ({
  id: "019c0ec6-5588-7fd0-bf98-c03a8b8f0000",
  title: "Checkout is slow",
  severity: "major",
  status: "investigating",
  services: [{ project: "shop", name: "checkout" }],
  startedAt: 1_000,
  groupAlertsWithinMinutes: 0,
  lastAlertAt: 1_000,
  alerts: [],
  alertCount: 0,
  openTaskCount: 0,
  entryCount: 0,
  revision: 1,
  createdAt: 1_000,
  createdBy: "ana",
  updatedAt: 1_000,
  updatedBy: "ana",
  ...changes,
})
