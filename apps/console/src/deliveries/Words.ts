import type { Schemas } from "../api/ApiTypes.ts"
import type { State } from "../shell/StateChip.tsx"

/** A delivery in the log. */
export type Delivery = Schemas["Delivery"]

/** One attempt of a delivery, or of a test. */
export type Attempt = Schemas["Attempt"]

/** The kinds of event in words. Source: decision 0301. */
export const eventNames: Readonly<Record<Delivery["event"], string>> = {
  "alert.triggered": "Alert triggered",
  "alert.resolved": "Alert resolved",
  "no_data.detected": "No data",
  test: "Test",
}

/** The state of a delivery, with the wait between two attempts told apart from that before the first. */
export const stateOf = ({ state, attempt }: Pick<Delivery, "state" | "attempt">): State =>
  state === "pending" && attempt > 0 ? "retrying" : state

/** What to do about a failed attempt. Source: docs/guides/delivery.md. */
export const adviceOf = (attempt: Attempt): string | undefined =>
  attempt.reason === undefined ? undefined : advice[attempt.reason]

const advice: Readonly<Record<NonNullable<Attempt["reason"]>, string>> = {
  dns_not_found: "Check the host of the URL and its DNS record.",
  dns_timeout: "Check the name servers of the host.",
  address_blocked: "Use a public address, or have the operator allow the block.",
  connect_refused: "Start the receiver; check the port and the firewall.",
  connect_timeout: "Check the firewall and whether the host is up.",
  tls_invalid: "Mend the certificate as the detail says.",
  connection_reset: "Look into the receiver's log.",
  timeout: "Answer within 15 s: 202 first, work later.",
  answer_invalid: "Answer in HTTP/1.1, with at most 16 KiB of head.",
  redirect_refused: "Configure the URL that the redirect leads to.",
  http_status: "Look into the receiver's log.",
  body_too_large: "Shorten the template.",
  method_disabled: "Enable the alert method, then resend.",
  method_not_found: "The alert method was deleted.",
  sender_unavailable: "Nothing: it is tried again, and no attempt is lost.",
}

/** A duration as people read it. */
export const durationText = (ms: number): string =>
  ms < 1
    ? `${ms.toFixed(1)} ms`
    : ms < 1000
      ? `${Math.round(ms)} ms`
      : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
