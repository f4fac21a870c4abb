import { severities } from "../alert-policy/AlertPolicy.ts"
import { stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object, record } from "../codec/Containers.ts"
import { anyString, literals, number } from "../codec/Leaves.ts"
import { type VariableValues, variableValues } from "../template/Variable.ts"
import {
  conditionsText,
  isoTimestampText,
  labelsText,
  severityText,
  sloDetailsLink,
  unixSecondsText,
} from "../template/VariableText.ts"
import { acknowledgeLink } from "./AcknowledgeLink.ts"

/** The kinds of event, as the header `Notification-Event` carries them. */
export const notificationEvents = [
  "alert.triggered",
  "alert.resolved",
  "no_data.detected",
  "silence.ending",
  "status_page.posted",
  "status_page.maintenance_planned",
  "status_page.subscription_requested",
  "test",
] as const

export type NotificationEvent = (typeof notificationEvents)[number]

/** The events of open alerts, which can be acknowledged. */
export const acknowledgedEvents: ReadonlySet<string> = new Set<NotificationEvent>([
  "alert.triggered",
  "no_data.detected",
])

const labels = exactOptional(record(anyString, list(anyString)))

const notificationContent = object({
  event: literals(notificationEvents),
  organization: anyString,
  /** When the event happened, in Unix milliseconds. */
  at: number({}),
  /** Empty for a silence and a test. */
  alertId: anyString,
  severity: exactOptional(literals(severities)),
  /** A description of each condition. */
  conditions: list(anyString),
  /** The name is empty for a silence by labels. */
  slo: object({ project: anyString, name: anyString, displayName: exactOptional(anyString), labels }),
  service: exactOptional(object({ name: anyString, labels })),
  objective: exactOptional(object({ name: anyString, displayName: exactOptional(anyString) })),
  alertPolicy: exactOptional(object({ name: anyString, description: exactOptional(anyString), labels })),
  /** Time without data after which the alert fires, as written in its policy. */
  noDataAlertAfter: exactOptional(anyString),
  anomalyType: exactOptional(anyString),
  /** When the error budget is exhausted at the pace of the last hour, in Unix milliseconds. */
  budgetExhaustedAt: exactOptional(number({})),
  /** The silence that ends soon, and when, in Unix milliseconds. */
  silence: exactOptional(object({ name: anyString, endsAt: number({}) })),
  /** What a status page tells a subscriber, who is no alert method. */
  statusPage: exactOptional(
    object({
      slug: anyString,
      /** The title of the page. */
      title: anyString,
      /** Of what was published; empty for a request to confirm a subscription. All that follows is. */
      id: anyString,
      heading: anyString,
      text: anyString,
      components: list(anyString),
      /** The status of an incident. */
      status: exactOptional(anyString),
      /** When planned maintenance begins and ends, in Unix milliseconds. */
      from: exactOptional(number({})),
      to: exactOptional(number({})),
    }),
  ),
  /** The header `traceparent` of what caused the event (W3C Trace Context): notifications continue its trace. */
  traceparent: exactOptional(anyString),
})

/** One event, as it was when it happened; without secrets. All deliveries of the event share it. */
export type NotificationContent = TypeOf<typeof notificationContent>

/**
 * One event for one alert method.
 *
 * The body is rendered for each attempt, with the current alert method.
 */
export interface Notification extends NotificationContent {
  /** A UUIDv7, which is also the ID of the delivery; the same for every attempt. */
  readonly id: string
}

/** The stored form of the content of a notification. */
export const storedNotificationContent = stored(notificationContent, [])

/**
 * The values of all variables for a notification (spec/templates §8). Variables that do not apply are empty; an omitted
 * display name is the name. `baseUrl` is the URL of the console, and `acknowledgeToken` that of a link that acknowledges the
 * alert.
 */
export const notificationValues = (
  notification: Notification,
  baseUrl: string,
  acknowledgeToken?: string,
): VariableValues => {
  const { slo, service, objective, alertPolicy, conditions, silence } = notification
  return variableValues({
    organization: notification.organization,
    project_name: slo.project,
    service_name: service?.name ?? "",
    service_labels_text: labelsText(service?.labels ?? {}),
    slo_name: slo.name,
    slo_display_name: slo.displayName ?? slo.name,
    slo_labels_text: labelsText(slo.labels ?? {}),
    slo_details_link: slo.name === "" ? "" : sloDetailsLink(baseUrl, slo.project, slo.name),
    objective_name: objective?.name ?? "",
    objective_display_name: objective?.displayName ?? objective?.name ?? "",
    alert_policy_name: alertPolicy?.name ?? "",
    alert_policy_description: alertPolicy?.description ?? "",
    alert_policy_labels_text: labelsText(alertPolicy?.labels ?? {}),
    alert_policy_conditions: conditions,
    alert_policy_conditions_text: conditionsText(conditions),
    severity: severityText(notification.severity ?? ""),
    alert_id: notification.alertId,
    acknowledge_link: acknowledgeToken === undefined ? "" : acknowledgeLink(baseUrl, acknowledgeToken),
    alert_status: alertStatusTexts[notification.event],
    notification_id: notification.id,
    timestamp: unixSecondsText(notification.at),
    iso_timestamp: isoTimestampText(notification.at),
    no_data_alert_after: notification.noDataAlertAfter ?? "",
    anomaly_type: notification.anomalyType ?? "",
    budget_exhausted_at:
      notification.budgetExhaustedAt === undefined ? "" : isoTimestampText(notification.budgetExhaustedAt),
    silence_name: silence?.name ?? "",
    silence_ends_at: silence === undefined ? "" : isoTimestampText(silence.endsAt),
  })
}

/** The values of `$alert_status`. */
const alertStatusTexts: Readonly<Record<NotificationEvent, string>> = {
  "alert.triggered": "triggered",
  "alert.resolved": "resolved",
  "no_data.detected": "triggered",
  "silence.ending": "silence_ending",
  "status_page.posted": "",
  "status_page.maintenance_planned": "",
  "status_page.subscription_requested": "",
  test: "test",
}

/** The size of the stored form, in bytes of UTF-8. */
export const contentBytes = (content: NotificationContent): number =>
  encoder.encode(storedNotificationContent.write(content).json).length

const encoder = new TextEncoder()
