import type { AlertDocument } from "@tocsin/api"
import type { DefinitionKey } from "../api/Definitions.ts"
import { durationText } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"

/** What an alert is about. */
type Named = DefinitionKey & { readonly displayName?: string }

/** An alert. Times are date-times of RFC 3339. */
export interface Alert {
  readonly id: string
  readonly status: (typeof alertStatuses)[number]
  /** Why it was canceled. */
  readonly reason?: Exclude<AlertDocument["spec"]["resolutionReason"], "AlertResolved">
  readonly slo: Named
  readonly objective?: string | undefined
  /** The display name of the objective, or its name. */
  readonly objectiveName?: string | undefined
  readonly alertPolicy?: Named | undefined
  readonly severity?: AlertDocument["spec"]["severity"]
  /** One text per condition. */
  readonly conditions: ReadonlyArray<string>
  /** The lowest burn rate that its conditions require; 1 if they require none. */
  readonly burnRate: number
  /** Those that were notified. */
  readonly alertMethods: ReadonlyArray<DefinitionKey>
  readonly acknowledgement?: AlertDocument["spec"]["acknowledgement"] | undefined
  readonly isSilenced: boolean
  /** The conditions that were met, as the alert policy had them then. */
  readonly policyConditions: AlertDocument["spec"]["conditions"]
  /** What was measured when it triggered; absent for alerts of earlier versions and of other systems. */
  readonly evidence?: AlertDocument["spec"]["evidence"]
  /** It is about missing data. */
  readonly isAnomaly: boolean
  readonly triggeredAt: string
  readonly resolvedAt?: string | undefined
  /** The latest minutes with counts then. */
  readonly triggeredMetricAt?: string | undefined
  readonly resolvedMetricAt?: string | undefined
}

/** Reads a document. */
export const alertOf = ({ metadata, spec }: AlertDocument): Alert => ({
  id: metadata.name,
  status: statuses[spec.status],
  reason: spec.resolutionReason === "AlertResolved" ? undefined : spec.resolutionReason,
  slo: spec.slo,
  objective: spec.objective?.name,
  objectiveName: spec.objective?.displayName ?? spec.objective?.name,
  alertPolicy: spec.alertPolicy,
  severity: spec.severity,
  conditions: spec.conditionTexts,
  burnRate: lowestBurnRate(spec.conditions),
  alertMethods: spec.alertMethods,
  acknowledgement: spec.acknowledgement,
  isSilenced: spec.isSilenced ?? false,
  policyConditions: spec.conditions,
  evidence: spec.evidence,
  isAnomaly: spec.anomaly !== undefined,
  triggeredAt: spec.triggeredClockTime,
  resolvedAt: spec.resolvedClockTime,
  triggeredMetricAt: spec.triggeredMetricTime,
  resolvedMetricAt: spec.resolvedMetricTime,
})

const lowestBurnRate = (conditions: AlertDocument["spec"]["conditions"]): number => {
  const rates = conditions.flatMap(({ measurement, value }) =>
    measurement === "averageBurnRate" && typeof value === "number" ? [value] : [],
  )
  return rates.length === 0 ? 1 : Math.max(Math.min(...rates), 1)
}

/** The statuses of alerts, in the order of filters. */
export const alertStatuses = ["triggered", "resolved", "canceled"] as const

/** The most severe first. */
export const severities = ["High", "Medium", "Low"] as const

/** A severity as a word. */
export const severityName = (severity: NonNullable<Alert["severity"]>): string =>
  ({ Low: t("Low"), Medium: t("Medium"), High: t("High") })[severity]

const statuses = { Triggered: "triggered", Resolved: "resolved", Canceled: "canceled" } as const

/** Whether it is open and nobody has taken charge of it. */
export const isUnacknowledged = ({ status, acknowledgement }: Alert): boolean =>
  status === "triggered" && acknowledgement === undefined

/** The time from the trigger to the resolution, or until now. */
export const alertDuration = ({ triggeredAt, resolvedAt }: Alert, now: number): string =>
  durationText((resolvedAt === undefined ? now : Date.parse(resolvedAt)) - Date.parse(triggeredAt))

/** Why an alert was canceled, as a clause. */
export const cancelReason = (reason: NonNullable<Alert["reason"]>): string =>
  ({
    AlertCanceledAlertPolicyHasChanged: t("its alert policy was changed."),
    AlertCanceledSLOHasChanged: t("its SLO was changed."),
    AlertCanceledNewCalendarAlignedTimeWindow: t("the time window of its SLO ended."),
    AlertCanceledAlertPolicyDetached: t("its alert policy was removed from the SLO."),
    AlertCanceledObjectDeleted: t("its SLO or alert policy was deleted. No notification was sent."),
  })[reason]
