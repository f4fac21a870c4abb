import { call } from "../api/Call.ts"
import type { State } from "../shell/StateChip.tsx"

interface Key {
  readonly project: string
  readonly name: string
}

/** An alert, as the API tells it. Source: decision 0601. */
export interface Alert {
  readonly metadata: { readonly name: string; readonly project: string }
  readonly spec: {
    readonly status: "triggered" | "resolved" | "canceled"
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

/** Reads alerts, of one project or of all, the latest first. */
export const readAlerts = async (project: string, signal: AbortSignal): Promise<ReadonlyArray<Alert>> => {
  const alerts = (await call("GET /api/get/{kind}", {
    path: { kind: "alerts" },
    headers: { project },
    signal,
  })) as unknown as ReadonlyArray<Alert>
  return alerts.toSorted((a, b) => (a.spec.triggeredAt < b.spec.triggeredAt ? 1 : -1))
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
