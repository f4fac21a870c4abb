import type { IncidentEntry } from "@tocsin/api"
import type { Alert } from "../alerts/Alert.ts"
import type { AlertEvent } from "../alerts/AlertEvents.ts"
import { shownName } from "../components/ObjectName.ts"
import { labelOf } from "../components/StatusBadge.tsx"
import { ownerText } from "../incidents/Incident.ts"
import { t } from "../language/Text.tsx"

/** The timeline of an incident, the latest first: its entries, and what happened to its alerts since the earliest that is loaded. */
export const incidentEvents = (
  entries: ReadonlyArray<IncidentEntry>,
  alerts: ReadonlyArray<Alert>,
  areAllLoaded: boolean,
): ReadonlyArray<AlertEvent> => {
  const earliest = entries.at(-1)?.at ?? ""
  return [
    ...entries.map(eventOfEntry),
    ...alerts.flatMap(eventsOfAlert).filter(({ at }) => areAllLoaded || at >= earliest),
  ].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
}

const eventsOfAlert = ({ id, slo: key, triggeredAt, acknowledgement, resolvedAt, status }: Alert) => {
  const slo = shownName(key)
  const href = `/alerts/${encodeURIComponent(id)}`
  const ended =
    status === "canceled" ? t("Alert canceled: {slo}", { slo }) : t("Alert resolved: {slo}", { slo })
  const by = acknowledgement?.by
  const events: ReadonlyArray<Omit<AlertEvent, "at"> & { readonly at: string | undefined }> = [
    { at: triggeredAt, kind: "triggered", title: t("Alert triggered: {slo}", { slo }) },
    {
      at: acknowledgement?.at,
      kind: "person",
      title: t("Alert acknowledged by {by}: {slo}", { by, slo }),
      detail: acknowledgement?.note ?? "",
    },
    { at: resolvedAt, kind: "ended", title: ended },
  ]
  return events.flatMap(({ at, ...event }) => (at === undefined ? [] : [{ ...event, at, href }]))
}

const eventOfEntry = (entry: IncidentEntry): AlertEvent => {
  const by = entry.author === undefined ? t("automatically") : t("by {by}", { by: entry.author })
  const event = (kind: AlertEvent["kind"], title: string, detail = by) => ({
    at: entry.at,
    kind,
    title,
    detail,
  })
  switch (entry.kind) {
    case "note":
      return event("person", t("Note"), `${entry.text}\n${by}`)
    case "task":
      return event("person", t("Task"), `${entry.text}\n${by}`)
    case "link":
      return { ...event("person", entry.title ?? entry.url), href: entry.url }
    case "post":
      return event("sent", t("Post: {status}", { status: labelOf(entry.status) }), `${entry.text}\n${by}`)
    case "alerts_added":
      return event(
        "triggered",
        t("{count, plural, one {# alert added} other {# alerts added}}", { count: entry.alerts.length }),
      )
    case "alerts_removed":
      return event(
        "ended",
        t("{count, plural, one {# alert removed} other {# alerts removed}}", { count: entry.alerts.length }),
      )
    case "status_changed":
      return event(
        entry.to === "resolved" ? "ended" : "person",
        t("Status: {status}", { status: labelOf(entry.to) }),
      )
    case "owner_changed":
      return event("person", ownerText({ owner: entry.to }))
  }
}
