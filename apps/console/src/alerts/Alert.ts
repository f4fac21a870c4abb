import type { Schemas } from "../api/ApiTypes.ts"
import { readNewestAlerts } from "../api/Definitions.ts"
import { type ApiPage, type Pages, usePages } from "../api/Pages.ts"
import { pollMs, type Resource, useResource } from "../api/Resource.ts"

/** An alert, as the API tells it. */
export type Alert = Schemas["Alert"]

/** Which alerts to read: of one SLO of a project, or all. */
interface AlertFilter {
  readonly project?: string
  readonly slo?: string
}

/** The latest of the alerts that are open, at most `openAlertsMax`, kept up to date by themselves. */
export const useOpenAlerts = (filter: AlertFilter): Resource<ApiPage<Alert>> =>
  useResource(
    `open-alerts/${JSON.stringify(filter)}`,
    (signal) => readNewestAlerts({ ...filter, state: "triggered", limit: openAlertsMax }, signal),
    pollMs,
  )

/** How many open alerts are told at once: a page has no use for more. */
const openAlertsMax = 200

/** The alerts of the latest days that are over, page by page, the latest first. */
export const usePastAlerts = (filter: AlertFilter, days: number, pageSize: number): Pages<Alert> =>
  usePages(
    `past-alerts/${days}/${JSON.stringify(filter)}`,
    (cursor, signal) => {
      const from = new Date(Date.now() - days * 86_400_000).toISOString()
      const page = { limit: pageSize, ...(cursor !== undefined && { cursor }) }
      return readNewestAlerts({ ...filter, state: ["resolved", "canceled"], from, ...page }, signal)
    },
    idOf,
    5 * pollMs,
  )

const idOf = ({ metadata }: Alert): string => metadata.name

/** Whether an alert is open. */
export const isOpen = ({ spec }: Alert): boolean => spec.status === "triggered"

/** What is to know of an alert beside its conditions; absent when there is nothing. */
export const remarkOf = ({ spec }: Alert): string | undefined => {
  if (spec.reason !== undefined) return canceledBecause[spec.reason]
  return spec.isSilenced === true ? "It rang nobody, because of a silence." : undefined
}

const canceledBecause: Readonly<Record<NonNullable<Alert["spec"]["reason"]>, string>> = {
  policy_changed: "It was canceled, because its alert policy was changed.",
  slo_changed: "It was canceled, because its SLO was changed.",
  window_ended: "It was canceled, because the window of its SLO ended.",
  detached: "It was canceled, because its SLO does not name its alert policy any more.",
  deleted: "It was canceled, because what it was about was deleted. Nobody is told of that.",
}

/** From the trigger to the end, or until now. */
export const lengthText = ({ spec }: Alert, now: number): string => {
  const end = spec.resolvedAt === undefined ? now : Date.parse(spec.resolvedAt)
  const minutes = Math.max(0, Math.round((end - Date.parse(spec.triggeredAt)) / 60_000))
  if (minutes < 1) return "under a minute"
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
