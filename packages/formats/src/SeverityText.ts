import { severities } from "@tocsin/domain"
import type { Severity } from "@tocsin/domain/alerting"

/**
 * Maps common severities in any letter case: ours, `page`, `critical`, `warning`, `ticket`, `info`, `sev1`, `p2`, …
 */
export const severityOfText = (word: string): Severity | undefined => {
  const lower = word.trim().toLowerCase()
  const same = severities.find((each) => each.toLowerCase() === lower)
  if (same !== undefined) return same
  return severities.find((each) => words[each].test(lower))
}

const words: Readonly<Record<Severity, RegExp>> = {
  Low: /^(?:info|information|informational|minor|notice|none|debug|(?:sev|p|s)-?[45])$/,
  Medium: /^(?:warning|warn|moderate|major|ticket|error|(?:sev|p|s)-?[23])$/,
  High: /^(?:page|critical|crit|urgent|fatal|emergency|blocker|(?:sev|p|s)-?[01])$/,
}
