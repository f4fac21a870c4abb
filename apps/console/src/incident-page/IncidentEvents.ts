import type { IncidentEntry } from "@tocsin/api"
import type { Alert } from "../alerts/Alert.ts"
import type { AlertEvent } from "../alerts/AlertEvents.ts"
import { shownName } from "../components/ObjectName.ts"
import { labelOf } from "../components/StatusBadge.tsx"
import { t } from "../language/Text.tsx"

/**
 * The timeline of an incident, the latest first: its entries, and what happened to its alerts since the earliest of them, or at any
 * time once all entries are loaded.
 */
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

const eventsOfAlert = ({ id, slo, triggeredAt, acknowledgement, resolvedAt, status }: Alert) => {
  const name = shownName(slo)
  const href = `/alerts/${encodeURIComponent(id)}`
  const events: ReadonlyArray<AlertEvent> = [
    { at: triggeredAt, kind: "triggered", title: t("Alert triggered: {slo}", { slo: name }), href },
    ...(acknowledgement === undefined
      ? []
      : [
          {
            at: acknowledgement.at,
            kind: "person" as const,
            title: t("Alert acknowledged by {by}: {slo}", { by: acknowledgement.by, slo: name }),
            detail: acknowledgement.note ?? "",
            href,
          },
        ]),
    ...(resolvedAt === undefined
      ? []
      : [
          {
            at: resolvedAt,
            kind: "ended" as const,
            title:
              status === "canceled"
                ? t("Alert canceled: {slo}", { slo: name })
                : t("Alert resolved: {slo}", { slo: name }),
            href,
          },
        ]),
  ]
  return events
}

const eventOfEntry = (entry: IncidentEntry): AlertEvent => {
  const { at, author } = entry
  const by = author === undefined ? t("Added automatically") : t("by {by}", { by: author })
  switch (entry.kind) {
    case "note":
      return { at, kind: "person", title: t("Note {by}", { by }), detail: entry.text }
    case "task":
      return { at, kind: "person", title: t("Task {by}", { by }), detail: entry.text }
    case "link":
      return { at, kind: "person", title: entry.title ?? entry.url, detail: by, href: entry.url }
    case "post": {
      const title = t("Post: {status}", { status: labelOf(entry.status) })
      return { at, kind: "sent", title, detail: `${entry.text}\n${by}` }
    }
    case "alerts_added": {
      const title = t("{count, plural, one {# alert added} other {# alerts added}}", {
        count: entry.alerts.length,
      })
      return { at, kind: "triggered", title, detail: by }
    }
    case "alerts_removed": {
      const title = t("{count, plural, one {# alert removed} other {# alerts removed}}", {
        count: entry.alerts.length,
      })
      return { at, kind: "ended", title, detail: by }
    }
    case "status_changed":
      return {
        at,
        kind: entry.to === "resolved" ? "ended" : "person",
        title: t("Status: {status}", { status: labelOf(entry.to) }),
        detail: by,
      }
    case "owner_changed":
      return {
        at,
        kind: "person",
        title: entry.to === undefined ? t("Owner removed") : t("Owner: {owner}", { owner: entry.to }),
        detail: by,
      }
  }
}
