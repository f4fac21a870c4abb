import type { Attempt, Delivery } from "@tocsin/api"
import { fixedText } from "../components/NumberFormat.ts"
import type { Status } from "../components/StatusBadge.tsx"
import { t } from "../language/Text.tsx"

export type { Attempt, Delivery } from "@tocsin/api"

/** The kinds of event, in the order of filters. */
export const events: ReadonlyArray<Delivery["event"]> = [
  "alert.triggered",
  "alert.resolved",
  "no_data.detected",
  "silence.ending",
  "status_page.posted",
  "status_page.maintenance_planned",
  "status_page.subscription_requested",
  "test",
]

/** The name of an event. */
export const eventName = (event: Delivery["event"]): string =>
  ({
    "alert.triggered": t("Alert triggered"),
    "alert.resolved": t("Alert resolved"),
    "no_data.detected": t("No data detected"),
    "silence.ending": t("Silence ending"),
    "status_page.posted": t("Status page post"),
    "status_page.maintenance_planned": t("Planned maintenance"),
    "status_page.subscription_requested": t("Subscription requested"),
    test: t("Test"),
  })[event]

type Progress = Pick<Delivery, "state" | "attempt" | "attemptsUsed">

/** Whether a delivery was resent, and its first attempt since has not begun. */
const isResent = ({ state, attempt, attemptsUsed }: Progress): boolean =>
  state === "pending" && attempt > 0 && attemptsUsed === 0

/** The status of a delivery: pending before its first attempt, retrying after one failed, sending once it was resent. */
export const deliveryStatus = (delivery: Progress): Status => {
  if (isResent(delivery)) return "sending"
  return delivery.state === "pending" && delivery.attempt > 0 ? "retrying" : delivery.state
}

/** Whether a resend would change anything: not while it is being sent, and a test is one attempt. */
export const isResendable = (delivery: Progress & Pick<Delivery, "event">): boolean =>
  delivery.event !== "test" && deliveryStatus(delivery) !== "sending"

/** How to fix the cause of a failed attempt. */
export const adviceOf = ({ reason }: Attempt): string | undefined =>
  reason &&
  {
    dns_not_found: t("Check the host name in the URL and its DNS record."),
    dns_timeout: t("Check the name servers of the host name."),
    address_blocked: t("Use a public address, or ask the operator to allow this address range."),
    connect_refused: t("Check that the receiver is running, and check the port and the firewall."),
    connect_timeout: t("Check that the host is up, and check the firewall."),
    tls_invalid: t("Fix the certificate of the receiver."),
    connection_reset: t("Check the log of the receiver."),
    timeout: t("Respond within 15 s. Return 202 first and process the notification later."),
    response_invalid: t("Respond in HTTP/1.1 with at most 16 KiB of headers."),
    redirect_rejected: t("Set the URL of the alert method to the target of the redirect."),
    http_status: t("Check the log of the receiver."),
    body_too_large: t("Shorten the template of the alert method."),
    method_disabled: t("Enable the alert method, then resend the notification."),
    subscription_not_found: t("The subscriber has unsubscribed. Nothing more is sent."),
    mail_rejected: t("Check the address, and the log of the mail server."),
    mail_unavailable: t("Set TOCSIN_SMTP_URL of the server."),
    method_not_found: t("The alert method was deleted. Create it again, then resend the notification."),
    sender_unavailable: t("No action is needed. The delivery is retried and does not lose an attempt."),
  }[reason]

/** What came of an attempt, in a line. */
export const outcomeText = ({ status, reason, detail }: Attempt): string => {
  if (reason === undefined || reason === "http_status")
    return status === undefined ? t("Response") : t("Response status {status}", { status: `${status}` })
  const text = detail ?? reason.replaceAll("_", " ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A duration: 0.4 ms, 120 ms, 1.25 s. */
export const durationText = (ms: number): string =>
  ms < 1
    ? `${fixedText(ms, 1)} ms`
    : ms < 1000
      ? `${Math.round(ms)} ms`
      : `${fixedText(ms / 1000, ms < 10_000 ? 2 : 1)} s`
