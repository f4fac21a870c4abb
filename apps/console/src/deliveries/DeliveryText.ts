import type { Schemas } from "../api/Client.ts"
import type { Status } from "../components/StatusBadge.tsx"

/** A delivery. */
export type Delivery = Schemas["Delivery"]

/** An attempt of a delivery or of a test. */
export type Attempt = Schemas["Attempt"]

/** The name of each event. */
export const eventNames: Readonly<Record<Delivery["event"], string>> = {
  "alert.triggered": "Alert triggered",
  "alert.resolved": "Alert resolved",
  "no_data.detected": "No data detected",
  "silence.ending": "Silence ending",
  test: "Test",
}

/** The status of a delivery: pending before its first attempt, retrying after one failed. */
export const deliveryStatus = ({ state, attempt }: Pick<Delivery, "state" | "attempt">): Status =>
  state === "pending" && attempt > 0 ? "retrying" : state

/** How to fix the cause of a failed attempt. */
export const adviceOf = (attempt: Attempt): string | undefined =>
  attempt.reason === undefined ? undefined : advice[attempt.reason]

const advice: Readonly<Record<NonNullable<Attempt["reason"]>, string>> = {
  dns_not_found: "Check the host name in the URL and its DNS record.",
  dns_timeout: "Check the name servers of the host name.",
  address_blocked: "Use a public address, or ask the operator to allow this address range.",
  connect_refused: "Check that the receiver is running, and check the port and the firewall.",
  connect_timeout: "Check that the host is up, and check the firewall.",
  tls_invalid: "Fix the certificate of the receiver.",
  connection_reset: "Check the log of the receiver.",
  timeout: "Respond within 15 s. Return 202 first and process the notification later.",
  response_invalid: "Respond in HTTP/1.1 with at most 16 KiB of headers.",
  redirect_rejected: "Set the URL of the alert method to the target of the redirect.",
  http_status: "Check the log of the receiver.",
  body_too_large: "Shorten the template of the alert method.",
  method_disabled: "Enable the alert method, then resend the notification.",
  method_not_found: "The alert method was deleted. Create it again, then resend the notification.",
  sender_unavailable: "No action is needed. The delivery is retried and does not lose an attempt.",
}

/** A duration: 0.4 ms, 120 ms, 1.25 s. */
export const durationText = (ms: number): string =>
  ms < 1
    ? `${ms.toFixed(1)} ms`
    : ms < 1000
      ? `${Math.round(ms)} ms`
      : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
