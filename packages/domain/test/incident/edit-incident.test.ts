import * as fc from "fast-check"
import * as Result from "effect/Result"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { type Edit, editIncident } from "../../src/incident/EditIncident.ts"
import {
  type Incident,
  incidentAlertsMax,
  incidentEntriesMax,
  incidentStatuses,
} from "../../src/incident/Incident.ts"
import { groupingIncidentsMax } from "../../src/incident/IncidentStore.ts"
import { anIncident } from "./AnIncident.ts"

const nobody = { groupedBy: new Map<string, string>(), grouping: 0 }
const author = { by: "ana", now: 5_000 }

const edited = (incident: Incident, edit: Edit) => editIncident(incident, edit, nobody, author)

const issueOf = (incident: Incident, edit: Edit) => {
  const result = edited(incident, edit)
  return Result.isFailure(result) && result.failure._tag === "IncidentIsInvalid"
    ? result.failure.issues.map(({ path, code }) => `${path} ${code}`)
    : []
}

describe("an edit of an incident", () => {
  it("stays within the bounds of alerts and of the timeline", () => {
    const alerts = Array.from({ length: incidentAlertsMax }, (_, index) => `${index}`)
    const full = anIncident({ alerts, alertCount: alerts.length, entryCount: incidentEntriesMax })
    expect(issueOf(full, { addAlerts: [{ id: "new", triggeredAt: 1 }] })).toEqual(["alerts too_many"])
    expect(issueOf(full, { addAlerts: [{ id: "7", triggeredAt: 1 }] })).toEqual([])
    expect(issueOf(full, { entry: { kind: "note", text: "full" } })).toEqual([" too_many"])
    // A change is made and recorded even then.
    expect(Result.getOrThrow(edited(full, { status: "resolved" }))).toMatchObject({
      incident: { status: "resolved", resolvedAt: 5_000, entryCount: incidentEntriesMax + 1 },
      entries: [{ id: `${incidentEntriesMax + 1}`, kind: "status_changed" }],
    })
    const fuller = { ...full, entryCount: 2 * incidentEntriesMax }
    expect(Result.getOrThrow(edited(fuller, { status: "resolved" }))).toMatchObject({
      incident: { status: "resolved", entryCount: 2 * incidentEntriesMax, revision: 2 },
      entries: [],
    })
  })

  it("spec/incidents §4: starts to group alerts while fewer than 100 other open incidents do", () => {
    const among = (grouping: number, before: Incident, edit: Edit) =>
      editIncident(before, edit, { ...nobody, grouping }, { by: "ana", now: 5_000 })
    const isRejected = (grouping: number, before: Incident, edit: Edit) =>
      Result.isFailure(among(grouping, before, edit))
    const start = { groupAlertsWithinMinutes: 5 }
    expect(among(groupingIncidentsMax, anIncident(), start)).toMatchObject({
      failure: {
        issues: [
          {
            path: "groupAlertsWithinMinutes",
            code: "too_many",
            message:
              "100 open incidents already add alerts automatically: resolve one of them, or set groupAlertsWithinMinutes to 0 in the same request",
          },
        ],
      },
    })
    expect(isRejected(groupingIncidentsMax - 1, anIncident(), start)).toBe(false)
    expect(isRejected(groupingIncidentsMax, anIncident(), { title: "Other" })).toBe(false)
    expect(isRejected(groupingIncidentsMax, anIncident({ ...start, revision: 0 }), {})).toBe(true)
    expect(isRejected(groupingIncidentsMax, anIncident(start), { groupAlertsWithinMinutes: 9 })).toBe(false)
    const resolved = anIncident({ ...start, status: "resolved", resolvedAt: 4_000 })
    expect(isRejected(groupingIncidentsMax, resolved, { status: "monitoring" })).toBe(true)
    expect(isRejected(groupingIncidentsMax, resolved, { title: "Other" })).toBe(false)
    const opened = { status: "monitoring", groupAlertsWithinMinutes: 0 } as const
    expect(isRejected(groupingIncidentsMax, resolved, opened)).toBe(false)
  })

  it("sets when the incident was resolved once", () => {
    const resolved = Result.getOrThrow(edited(anIncident(), { status: "resolved" })).incident
    const again = editIncident(resolved, { status: "resolved", title: "Other" }, nobody, {
      by: "ana",
      now: 9_000,
    })
    expect(Result.getOrThrow(again).incident.resolvedAt).toBe(5_000)
    expect(issueOf(resolved, { startedAt: 5_001 })).toEqual(["startedAt out_of_range"])
    const opened = Result.getOrThrow(edited(resolved, { status: "monitoring" })).incident
    expect(opened).not.toHaveProperty("resolvedAt")
  })

  it("spec/incidents §4: groups alerts around its start until it has an alert, then around the latest one", () => {
    const lastAlertAt = (incident: Incident, edit: Edit) =>
      Result.getOrThrow(edited(incident, edit)).incident.lastAlertAt
    expect(lastAlertAt(anIncident(), { startedAt: 500 })).toBe(500)
    expect(lastAlertAt(anIncident(), { addAlerts: [{ id: "a", triggeredAt: 300 }] })).toBe(300)
    const one = anIncident({ alerts: ["a"], alertCount: 1, lastAlertAt: 300 })
    expect(lastAlertAt(one, { startedAt: 500 })).toBe(300)
    expect(lastAlertAt(one, { addAlerts: [{ id: "b", triggeredAt: 200 }] })).toBe(300)
    expect(lastAlertAt(one, { removeAlert: "a" })).toBe(1_000)
  })

  it("numbers the entries without gaps, and changes the revision exactly when something changes", () => {
    const edits = fc.array(
      fc.record<Edit>(
        {
          status: fc.constantFrom(...incidentStatuses),
          owner: fc.constantFrom("", "ana", "bob"),
          title: fc.constantFrom("a", "b"),
          addAlerts: fc.array(fc.record({ id: fc.constantFrom("1", "2"), triggeredAt: fc.nat(9) }), {
            maxLength: 1,
          }),
          removeAlert: fc.constantFrom("1", "2"),
          entry: fc.constant({ kind: "note", text: "note" } as const),
        },
        { requiredKeys: [] },
      ),
    )
    fc.assert(
      fc.property(edits, (all) => {
        let incident = anIncident()
        const ids: Array<string> = []
        for (const edit of all) {
          const change = Result.getOrThrow(edited(incident, edit))
          ids.push(...change.entries.map(({ id }) => id))
          const { revision: before, ...was } = incident
          const { revision, ...is } = change.incident
          const isSame = JSON.stringify(was) === JSON.stringify(is)
          if (isSame) expect(revision).toBe(before)
          if (change.entries.length > 0) expect(revision).toBe(before + 1)
          expect(change.incident.alertCount).toBe(change.incident.alerts.length)
          expect(change.incident.resolvedAt !== undefined).toBe(change.incident.status === "resolved")
          incident = change.incident
        }
        expect(ids).toEqual(ids.map((_, index) => `${index + 1}`))
        expect(incident.entryCount).toBe(ids.length)
      }),
    )
  })
})
