import { call } from "../api/Call.ts"
import { type Resource, useResource } from "../api/Resource.ts"
import { pollMs } from "../shell/Poll.ts"
import type { State } from "../shell/StateChip.tsx"

interface Key {
  readonly project: string
  readonly name: string
}

type Status = "triggered" | "resolved" | "canceled"

/** An alert, as the API tells it. Source: decision 0601. */
export interface Alert {
  readonly metadata: { readonly name: string; readonly project: string }
  readonly spec: {
    readonly status: Status
    readonly slo: Key
    readonly objective?: { readonly name: string }
    readonly alertPolicy?: Key
    readonly severity?: "Low" | "Medium" | "High"
    readonly conditions: ReadonlyArray<string>
    readonly alertMethods: ReadonlyArray<Key>
    readonly triggeredAt: string
    readonly resolvedAt?: string
  }
}

/** Which alerts to read: of one SLO of a project, or all. */
interface AlertFilter {
  readonly project?: string
  readonly slo?: string
}

/** The alerts that are open, kept up to date by themselves; the latest first. */
export const useOpenAlerts = (filter: AlertFilter): Resource<ReadonlyArray<Alert>> =>
  useResource(
    `open-alerts/${JSON.stringify(filter)}`,
    (signal) => read(filter, { state: "triggered" }, signal),
    pollMs,
  )

/** The alerts of the latest days that are over; the latest first. */
export const usePastAlerts = (filter: AlertFilter, days: number): Resource<ReadonlyArray<Alert>> =>
  useResource(
    `past-alerts/${days}/${JSON.stringify(filter)}`,
    (signal) => {
      const from = new Date(Date.now() - days * 86_400_000).toISOString()
      return read(filter, { state: ["resolved", "canceled"], from }, signal)
    },
    5 * pollMs,
  )

const read = async (
  { project = "*", slo }: AlertFilter,
  query: { readonly state: Status | ReadonlyArray<Status>; readonly from?: string },
  signal: AbortSignal,
): Promise<ReadonlyArray<Alert>> => {
  const alerts = await call("GET /api/get/{kind}", {
    path: { kind: "alerts" },
    headers: { project },
    query: { ...query, ...(slo !== undefined && { slo }) },
    signal,
  })
  return (alerts as unknown as ReadonlyArray<Alert>).toSorted((a, b) =>
    a.spec.triggeredAt < b.spec.triggeredAt ? 1 : -1,
  )
}

/** Whether an alert is open. */
export const isOpen = ({ spec }: Alert): boolean => spec.status === "triggered"

/** The state of an alert. */
export const stateOf = ({ spec }: Alert): State => spec.status

/** From the trigger to the end, or until now. */
export const lengthText = ({ spec }: Alert, now = Date.now()): string => {
  const end = spec.resolvedAt === undefined ? now : Date.parse(spec.resolvedAt)
  const minutes = Math.max(0, Math.round((end - Date.parse(spec.triggeredAt)) / 60_000))
  if (minutes < 1) return "under a minute"
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
