import type { Forwarded } from "../receiver/ForwardNotification.ts"
import type { ReceivedNotification } from "../receiver/NotificationReceiver.ts"

/** The covered components, the result of the verification, and the body. */
export const notificationText = ({
  method,
  authority,
  path,
  headers,
  outcome,
  forwarded,
}: ReceivedNotification): string => {
  const covered = [
    ["@method", method],
    ["@authority", authority],
    ["@path", path],
    ["content-digest", headers["content-digest"] ?? "(absent)"],
    ["content-type", headers["content-type"] ?? "(absent)"],
  ] as const
  const event = headers["notification-event"] ?? "?"
  const attempt = headers["notification-attempt"] ?? "?"
  const lines = [
    `Notification ${headers["notification-id"] ?? "without an id"}: ${event}, attempt ${attempt}`,
    ...covered.map(([component, value]) => `  ${`"${component}":`.padEnd(18)} ${value}`),
    `  Signature-Input:   ${headers["signature-input"] ?? "(absent)"}`,
  ]
  if (!outcome.isValid) {
    const hint = outcome.reason.startsWith("key_unknown")
      ? "; check that --url is the server that sent the notification"
      : ""
    return terminalText([...lines, `  ✗ NOT VERIFIED, ${outcome.reason}${hint}`].join("\n"))
  }
  const body = JSON.stringify(outcome.notification.json(), undefined, 2).replaceAll("\n", "\n  ")
  const verified = [...lines, "  ✓ digest verified", "  ✓ signature verified", `  ${body}`]
  return terminalText(
    [...verified, ...(forwarded === undefined ? [] : [forwardedText(forwarded)])].join("\n"),
  )
}

const forwardedText = ({ url, status, reason }: Forwarded): string => {
  if (reason === undefined) return `  → ${url} responded with ${status}`
  const hint = reason.includes("ECONNREFUSED") ? "; nothing listens there: start your receiver" : ""
  return `  ✗ ${url} did not respond: ${reason}${hint}`
}

/**
 * Untrusted text without control characters, which could change the terminal's content or send keys: they are replaced
 * with `�`, except line breaks and tabs.
 */
export const terminalText = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- it replaces control characters
  text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")

/** Text for people, with times to the second. */
export const textToSeconds = (text: string): string =>
  text.replaceAll(/(\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z\b/g, "$1Z")
