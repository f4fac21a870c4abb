import { alertStatuses, cancelReasons } from "../alerting/Alert.ts"
import { severities } from "../alert-policy/AlertPolicy.ts"
import { type Codec, described, named, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { anyString, boolean, literals, number } from "../codec/Leaves.ts"
import { utcInstant } from "../codec/Instant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { objectName, projectKey } from "../metadata/Metadata.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"
import { budgetingMethods } from "../slo/BudgetingMethod.ts"
import { timeWindow } from "../slo/TimeWindow.ts"
import { reportResults } from "./ReportResult.ts"
import type { SignedDocument } from "./SignDocument.ts"

/** Most alerts that a report lists. */
export const reportAlertsMax = 1_000

/** Most budget adjustments that a report lists. */
export const reportAdjustmentsMax = 1_000

export const reportRange: Codec<MinuteRange, unknown, Readonly<Record<"from" | "to", string>>> = object({
  from: described(utcInstant, "Start (inclusive)"),
  to: described(utcInstant, "End (exclusive)"),
})

/** The fields of a measured objective. */
export const measured = {
  target: number({}),
  reliability: exactOptional(described(number({}), "Share of good events or minutes, from 0 to 1")),
  errorBudget: described(number({}), "The whole error budget of the period, in seconds"),
  errorBudgetRemaining: exactOptional(
    described(number({}), "In seconds; negative if the budget is overspent"),
  ),
  errorBudgetRemainingPercentage: exactOptional(
    described(
      number({}),
      "Fraction of the error budget remaining: 1 is the full budget, negative is overspent",
    ),
  ),
  good: exactOptional(described(number({}), "Good events, or good minutes")),
  total: exactOptional(described(number({}), "All events, or all minutes")),
  coverage: exactOptional(
    described(
      number({}),
      "Share of the minutes of the period that are covered by counts, at the interval at which they arrive, or that count without counts by the definition, from 0 to 1, without excluded minutes; absent in reports of earlier versions",
    ),
  ),
  result: exactOptional(
    described(
      literals(reportResults),
      "insufficient_data: without data, or reliable enough but with a coverage below minCoverage; absent in reports of earlier versions",
    ),
  ),
}

const reportObjective = object({ name: anyString, displayName: anyString, ...measured })

const reportAlert = object({
  id: anyString,
  objective: exactOptional(anyString),
  alertPolicy: exactOptional(projectKey(objectName)),
  severity: exactOptional(literals(severities)),
  status: literals(alertStatuses),
  reason: exactOptional(described(literals(cancelReasons), "Why the alert was canceled")),
  anomaly: exactOptional(described(literals(["NoData"]), "Present on an alert about missing data")),
  conditions: list(anyString),
  triggeredAt: utcInstant,
  resolvedAt: exactOptional(described(utcInstant, "When the alert resolved or was canceled")),
})

/** An alert of the period, as it was when the report was created. */
export type ReportAlert = TypeOf<typeof reportAlert>

/** The fields of a budget adjustment of a report. */
export const reportAdjustment = {
  project: anyString,
  name: anyString,
  reason: anyString,
  author: exactOptional(described(anyString, "Client ID of the credential that last changed the adjustment")),
  from: described(utcInstant, "Start of the first minute of the period that is adjusted"),
  to: described(utcInstant, "End of the last minute of the period that is adjusted"),
  minutes: described(number({}), "Minutes of the period that are adjusted"),
  set: exactOptional(
    described(
      object({ good: number({}), total: number({}) }),
      "What is counted in each minute; absent if the minutes are excluded",
    ),
  ),
}

const listedAdjustment = object(reportAdjustment)

/** A budget adjustment that changed minutes of the period of a report. */
export type ReportAdjustment = TypeOf<typeof listedAdjustment>

/** The document that is signed and never changes. */
export const reportDocument = named(
  object({
    id: anyString,
    organization: anyString,
    project: anyString,
    service: anyString,
    slo: anyString,
    displayName: anyString,
    budgetingMethod: literals(budgetingMethods),
    timeWindow,
    period: described(reportRange, "The period that the report is about"),
    window: described(
      reportRange,
      "What the objectives are measured over: the period; in reports of earlier versions, the time window that ends with the period",
    ),
    minCoverage: exactOptional(
      described(
        number({}),
        "The coverage that an objective must have to be met; absent in reports of earlier versions",
      ),
    ),
    createdAt: utcInstant,
    objectives: list(reportObjective),
    composite: exactOptional(described(object(measured), "The legacy composite over all objectives")),
    alerts: described(
      list(reportAlert, { max: reportAlertsMax }),
      "Alerts that triggered in the period, earliest first",
    ),
    hasMoreAlerts: described(boolean, `Whether only the latest ${reportAlertsMax} alerts are listed`),
    adjustments: described(
      list(listedAdjustment, { max: reportAdjustmentsMax }),
      "The budget adjustments that are included in the figures, by project and name",
    ),
    hasMoreAdjustments: described(
      boolean,
      `Whether only the first ${reportAdjustmentsMax} adjustments are listed`,
    ),
  }),
  "Report",
)

/** What was true of an SLO over a period, at the time when the report was created. */
export type ReportDocument = TypeOf<typeof reportDocument>

/** A measured objective or composite of a report. */
export type ReportMeasurement = NonNullable<ReportDocument["composite"]>

/** What reports are listed by. */
export interface ReportSummary {
  /** A UUIDv7. */
  readonly id: string
  /** The SLO that the report is about, which may have been deleted since. */
  readonly slo: ProjectKey
  /** The minutes that the report is about. */
  readonly period: MinuteRange
  /** In Unix milliseconds. */
  readonly createdAt: number
}

/** A report as it is stored: a signed `ReportDocument`. */
export interface Report extends ReportSummary, SignedDocument {}
