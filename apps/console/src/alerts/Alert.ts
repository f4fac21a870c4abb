import type { Schemas } from "../api/ApiTypes.ts"
import { readDocuments } from "../api/Definitions.ts"
import { type Resource, useResource } from "../api/Resource.ts"
import { pollMs } from "../shell/Poll.ts"

/** An alert, as the API tells it. */
export type Alert = Schemas["Alert"]

/** Which alerts to read: of one SLO of a project, or all. */
interface AlertFilter {
  readonly project?: string
  readonly slo?: string
}

/** The alerts that are open, kept up to date by themselves; the latest first. */
export const useOpenAlerts = (filter: AlertFilter): Resource<ReadonlyArray<Alert>> =>
  useResource(
    `open-alerts/${JSON.stringify(filter)}`,
    async (signal) => latestFirst(await readDocuments("alerts", { ...filter, state: "triggered" }, signal)),
    pollMs,
  )

/** The alerts of the latest days that are over; the latest first. */
export const usePastAlerts = (filter: AlertFilter, days: number): Resource<ReadonlyArray<Alert>> =>
  useResource(
    `past-alerts/${days}/${JSON.stringify(filter)}`,
    async (signal) => {
      const from = new Date(Date.now() - days * 86_400_000).toISOString()
      const query = { ...filter, state: ["resolved", "canceled"] as const, from }
      return latestFirst(await readDocuments("alerts", query, signal))
    },
    5 * pollMs,
  )

const latestFirst = (alerts: ReadonlyArray<Alert>): ReadonlyArray<Alert> =>
  alerts.toSorted((a, b) => (a.spec.triggeredAt < b.spec.triggeredAt ? 1 : -1))

/** Whether an alert is open. */
export const isOpen = ({ spec }: Alert): boolean => spec.status === "triggered"

/** What is to know of an alert beside its conditions; absent when there is nothing. */
export const remarkOf = ({ spec }: Alert): string | undefined => {
  if (spec.reason !== undefined) return canceledBecause[spec.reason]
  return spec.isHeldBack === true ? "It rang nobody, because of a silence." : undefined
}

const canceledBecause: Readonly<Record<NonNullable<Alert["spec"]["reason"]>, string>> = {
  policy_changed: "It was canceled, because its alert policy was changed.",
  slo_changed: "It was canceled, because its SLO was changed.",
  window_ended: "It was canceled, because the window of its SLO ended.",
  detached: "It was canceled, because its SLO does not name its alert policy any more.",
  deleted: "It was canceled, because what it was about was deleted.",
}

/** From the trigger to the end, or until now. */
export const lengthText = ({ spec }: Alert, now = Date.now()): string => {
  const end = spec.resolvedAt === undefined ? now : Date.parse(spec.resolvedAt)
  const minutes = Math.max(0, Math.round((end - Date.parse(spec.triggeredAt)) / 60_000))
  if (minutes < 1) return "under a minute"
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
