import type { Schemas } from "../api/Client.ts"
import { type AlertQuery, useAlerts } from "../api/Definitions.ts"
import { pollMs } from "../api/Queries.ts"

/** An alert. */
export type Alert = Schemas["Alert"]

/** Selects the alerts of one SLO; all alerts by default. */
type AlertFilter = Pick<AlertQuery, "project" | "slo">

/** The active alerts that triggered last, at most `activeAlertsMax`. */
export const useActiveAlerts = (filter: AlertFilter) =>
  useAlerts({ ...filter, state: ["triggered"], limit: activeAlertsMax }, pollMs)

const activeAlertsMax = 200

/** The resolved and canceled alerts of the last days, page by page. */
export const usePastAlerts = (filter: AlertFilter, days: number, pageSize: number) =>
  useAlerts({ ...filter, state: ["resolved", "canceled"], days, limit: pageSize }, 5 * pollMs)

/** Why an alert was canceled or not sent. */
export const remarkOf = ({ spec: { reason, isSilenced } }: Alert): string | undefined =>
  reason === undefined
    ? isSilenced === true
      ? "Silenced: no notifications were sent."
      : undefined
    : `Canceled: ${cancelReasons[reason]}`

const cancelReasons: Readonly<Record<NonNullable<Alert["spec"]["reason"]>, string>> = {
  policy_changed: "its alert policy was changed.",
  slo_changed: "its SLO was changed.",
  window_ended: "the time window of its SLO ended.",
  detached: "its alert policy was removed from the SLO.",
  deleted: "its SLO or alert policy was deleted. No notification was sent.",
}

/** The time from the trigger to the resolution, or until now. */
export const durationText = ({ spec }: Alert, now: number): string => {
  const end = spec.resolvedAt === undefined ? now : Date.parse(spec.resolvedAt)
  const minutes = Math.max(0, Math.round((end - Date.parse(spec.triggeredAt)) / 60_000))
  if (minutes < 1) return "under a minute"
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
