import type { Incident, IncidentSummary } from "@tocsin/api"
import { useQueryClient } from "@tanstack/react-query"
import { useLocation } from "wouter"
import { apiErrorOf, bodyOf, client } from "../api/Client.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { durationText } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"

/** The statuses of incidents, in their usual order. */
export const incidentStatuses = ["investigating", "identified", "monitoring", "resolved"] as const

export type IncidentStatus = Incident["status"]

/** The statuses of open incidents. */
export const openStatuses = incidentStatuses.filter((status) => status !== "resolved")

/** A severity as a word. */
export const incidentSeverityName = (severity: Incident["severity"]): string =>
  ({ critical: t("Critical"), major: t("Major"), minor: t("Minor") })[severity]

/** Who is in charge. */
export const ownerText = ({ owner }: { readonly owner?: string | undefined }): string =>
  owner === undefined ? t("No owner") : t("Owner: {owner}", { owner })

/** The time from the start to the resolution, or until now. */
export const incidentDuration = (
  { startedAt, resolvedAt }: Pick<IncidentSummary, "startedAt" | "resolvedAt">,
  now: number,
): string => durationText((resolvedAt === undefined ? now : Date.parse(resolvedAt)) - Date.parse(startedAt))

/** The page of an incident. */
export const incidentHref = (id: string): string => `/incidents/${encodeURIComponent(id)}`

/** The latest open incidents, at most `limit`; with the ID of an alert, only its incidents. */
export const useOpenIncidents = (limit: number, alert?: string): ReadonlyArray<IncidentSummary> =>
  api.useQuery(
    "get",
    "/api/incidents",
    { params: { query: { status: openStatuses, limit, ...(alert !== undefined && { alert }) } } },
    { refetchInterval: poll(5 * pollMs) },
  ).data?.data ?? []

/** What an incident is opened for. */
export interface IncidentAlert {
  readonly id: string
  /** The display name of its SLO. */
  readonly sloName: string
  readonly severity?: "High" | "Medium" | "Low" | undefined
}

/** Opens the incident of an alert, or shows the one that groups the alert already. */
export const useOpenIncident = () => {
  const [, navigate] = useLocation()
  const queryClient = useQueryClient()
  return async ({ id, sloName, severity }: IncidentAlert): Promise<void> => {
    const created = await createOrFind(id, {
      title: t("Alert on {slo}", { slo: sloName }),
      severity: severity === "High" ? "critical" : severity === "Low" ? "minor" : "major",
      alerts: [id],
    })
    navigate(incidentHref(created.id))
    await queryClient.invalidateQueries()
  }
}

const createOrFind = async (
  alert: string,
  body: { readonly title: string; readonly severity: Incident["severity"]; readonly alerts: Array<string> },
): Promise<IncidentSummary> => {
  try {
    return await bodyOf(client.POST("/api/incidents", { body }))
  } catch (error) {
    // An alert is in one open incident at most.
    if (apiErrorOf(error).status !== 409) throw error
    const { data } = await bodyOf(
      client.GET("/api/incidents", { params: { query: { alert, status: openStatuses, limit: 1 } } }),
    )
    const [found] = data
    if (found === undefined) throw error
    return found
  }
}
