import type { ReceivedNotification } from "../receiver/NotificationReceiver.ts"
import { terminalText } from "./TerminalText.ts"

/** What a receiver got, as lines for a person: the five covered components, what verifying said, and the body. */
export const notificationText = ({
  method,
  authority,
  path,
  headers,
  outcome,
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
  if (!outcome.isValid) return terminalText([...lines, `  ✗ NOT VERIFIED, ${outcome.reason}`].join("\n"))
  const body = JSON.stringify(outcome.notification.json(), undefined, 2).replaceAll("\n", "\n  ")
  return terminalText([...lines, "  ✓ digest verified", "  ✓ signature verified", `  ${body}`].join("\n"))
}
