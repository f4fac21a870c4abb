import type { Alert } from "../alerting/Alert.ts"
import { durationText } from "../alert-policy/ConditionText.ts"
import { tidy } from "../codec/Decimal.ts"
import { normalDuration } from "../codec/Duration.ts"
import { percentText } from "../codec/PercentText.ts"
import type { LoggedDelivery } from "../delivery/DeliveryLog.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"
import { isoTimestampText } from "../template/VariableText.ts"
import type { IncidentEntry } from "./Incident.ts"
import { type Postmortem, postmortemAlertsMax, type UsedBudget } from "./ReadPostmortem.ts"

/** Writes a post-mortem as Markdown (CommonMark with the tables of GitHub). Texts of users show as they were written. */
export const postmortemToMarkdown = (postmortem: Postmortem): string => {
  const { incident, now, alerts, budgets, deliveries, hasMoreDeliveries } = postmortem
  const { startedAt, resolvedAt } = incident
  const summary: ReadonlyArray<readonly [string, string]> = [
    ["Severity", incident.severity],
    ["Status", incident.status],
    ["Owner", incident.owner ?? "none"],
    ["Services", incident.services.map(projectKeyText).join(", ") || "none"],
    ["Started", isoTimestampText(startedAt)],
    ["Resolved", resolvedAt === undefined ? "not yet" : isoTimestampText(resolvedAt)],
    ["Duration", lengthText((resolvedAt ?? now) - startedAt)],
    ["Alerts", `${incident.alertCount}`],
    ["Incident ID", incident.id],
    ["As of", isoTimestampText(now)],
  ]
  const openTasks = postmortem.entries.flatMap((each) => (each.kind === "task" && !each.isDone ? [each] : []))
  const missing = Math.min(incident.alertCount, postmortemAlertsMax) - alerts.length
  return (
    [
      `# Post-mortem: ${inline(incident.title)}`,
      factList(summary),
      "## Timeline",
      timeline(postmortem) || "Nothing happened yet.",
      "## Error budget",
      budgets.length === 0
        ? "No SLO of the alerts is stored."
        : table(["SLO", "Objective", "Target", "Good", "Total", "Error budget used"], budgets.map(budgetRow)),
      ...chartSection(postmortem),
      "## Alerts",
      ...(incident.alertCount === 0 ? ["The incident has no alerts."] : []),
      ...alerts.flatMap(alertSection),
      ...(missing > 0 ? [`Alerts that are no longer stored: ${missing}.`] : []),
      ...(incident.alertCount > postmortemAlertsMax
        ? [`Only the first ${postmortemAlertsMax} of ${incident.alertCount} alerts are described.`]
        : []),
      "## Notifications",
      deliveries.length === 0
        ? "No notification was sent, or none is stored any more."
        : table(
            ["Delivery", "Alert method", "Event", "Status", "Response", "Time", "Signing key"],
            deliveries.map(deliveryRow),
          ),
      ...(hasMoreDeliveries ? ["There are more notifications."] : []),
      "## Open tasks",
      openTasks.length === 0 ? "None." : openTasks.map(({ text }) => `- [ ] ${inline(text)}`).join("\n"),
    ].join("\n\n") + "\n"
  )
}

interface Event {
  readonly at: number
  readonly text: string
}

const timeline = ({ incident, entries, alerts }: Postmortem): string => {
  const events: ReadonlyArray<Event> = [
    { at: incident.createdAt, text: `Incident created by ${inline(incident.createdBy)}` },
    ...alerts.flatMap(alertEvents),
    ...entries.map((entry) => ({ at: entry.at, text: entryText(entry) })),
  ]
  // Of the same time, in the order above.
  return events
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, text }) => `- ${isoTimestampText(at)}: ${text}`)
    .join("\n")
}

const alertEvents = (alert: Alert): ReadonlyArray<Event> => {
  const { id, status, triggeredAt, resolvedAt, acknowledgement, isSilenced } = alert
  const name = `${inline(alertTitle(alert))} (${inline(id)})`
  return [
    { at: triggeredAt, text: `Alert triggered${isSilenced === true ? ", silenced" : ""}: ${name}` },
    ...(acknowledgement === undefined
      ? []
      : [
          {
            at: acknowledgement.at,
            text: `Alert acknowledged by ${inline(acknowledgement.by)}: ${name}${
              acknowledgement.note === undefined ? "" : `. ${inline(acknowledgement.note)}`
            }`,
          },
        ]),
    ...(resolvedAt === undefined ? [] : [{ at: resolvedAt, text: `Alert ${status}: ${name}` }]),
  ]
}

const entryText = (entry: IncidentEntry): string => {
  const by = entry.author === undefined ? "" : ` (${inline(entry.author)})`
  switch (entry.kind) {
    case "note":
      return `${inline(entry.text)}${by}`
    case "task":
      return `Task${entry.isDone ? ", done" : ""}: ${inline(entry.text)}${by}`
    case "link":
      return `[${inline(entry.title ?? entry.url)}](<${linkTarget(entry.url)}>)${by}`
    case "post":
      return `Posted as ${entry.status}: ${inline(entry.text)}${by}`
    case "alerts_added":
      return `Alerts added: ${entry.alerts.map(inline).join(", ")}${by}`
    case "alerts_removed":
      return `Alerts removed: ${entry.alerts.map(inline).join(", ")}${by}`
    case "status_changed":
      return `Status changed from ${entry.from} to ${entry.to}${by}`
    case "owner_changed":
      return `Owner changed from ${inline(entry.from ?? "none")} to ${inline(entry.to ?? "none")}${by}`
  }
}

const alertTitle = ({ subject, displayNames, anomaly }: Alert): string => {
  const policy = displayNames?.alertPolicy ?? subject.alertPolicy?.name
  const cause = policy ?? (anomaly === undefined ? "external alert" : "no data")
  return `${cause} on ${projectKeyText(subject.slo)}${subject.objective === undefined ? "" : `, ${subject.objective}`}`
}

const alertSection = (alert: Alert): ReadonlyArray<string> => {
  const { id, severity, status, conditions, evidence } = alert
  const facts: ReadonlyArray<readonly [string, string]> = [
    ["Alert ID", id],
    ["SLO", projectKeyText(alert.subject.slo)],
    ...(alert.subject.objective === undefined ? [] : [["Objective", alert.subject.objective] as const]),
    ...(severity === undefined ? [] : [["Severity", severity] as const]),
    ["Status", status],
    ...conditions.map((condition) => ["Condition", condition] as const),
  ]
  const rows = (evidence?.groups ?? [])
    .flat()
    .map(({ condition, isMet, detail, range, events }) => [
      condition,
      isMet ? "yes" : "no",
      detail,
      `${isoTimestampText(range.from)} to ${isoTimestampText(range.to)}`,
      `${events.good} of ${events.total}`,
    ])
  return [
    `### ${inline(alertTitle(alert))}`,
    factList(facts),
    ...(evidence === undefined || rows.length === 0
      ? []
      : [
          `Measured when the alert triggered, with a target of ${percentText(evidence.target, shownDigits)}:`,
          table(["Condition", "Met", "Measured", "Range", "Good events"], rows),
        ]),
  ]
}

const budgetRow = ({ slo, objective, target, counted, share }: UsedBudget): ReadonlyArray<string> => [
  projectKeyText(slo),
  objective ?? "composite",
  percentText(target, shownDigits),
  `${tidy(counted.good)}`,
  `${tidy(counted.total)}`,
  share === undefined ? "none" : percentText(share, shownDigits),
]

/** The burn rates as bars of text, which every viewer of Markdown shows. */
const chartSection = ({
  incident,
  budgets,
  chart: { from, stepMs, count },
}: Postmortem): ReadonlyArray<string> => {
  const names = budgets.map(({ slo, objective }) => `${projectKeyText(slo)} ${objective ?? "composite"}`)
  const width = Math.max(0, ...names.map(({ length }) => length))
  const start = Math.min(count - 1, Math.max(0, Math.floor((incident.startedAt - from) / stepMs)))
  const lines = budgets.flatMap(({ burnRates }, index) => {
    const known = burnRates.filter((rate) => rate !== undefined)
    if (known.length === 0) return []
    const most = Math.max(...known)
    const bars = burnRates.map((rate) => (rate === undefined ? " " : barOf(rate, most))).join("")
    return [
      `${(names[index] ?? "").padEnd(width)} ${bars} ${rateText(Math.min(...known))} to ${rateText(most)}`,
    ]
  })
  if (lines.length === 0) return []
  const range = `${isoTimestampText(from)} to ${isoTimestampText(from + count * stepMs)}`
  return [
    "### Burn rates",
    `From ${range}, in steps of ${lengthText(stepMs)}. The highest bar of a line is its highest burn rate; a gap has no events. ▼ is the start of the incident.`,
    ["```text", `${" ".repeat(width + 1 + start)}▼`, ...lines, "```"].join("\n"),
  ]
}

/** The lowest bar is 0. */
const barOf = (rate: number, most: number): string =>
  "▁▂▃▄▅▆▇█".charAt(most === 0 ? 0 : Math.ceil((rate / most) * 7))

const rateText = (rate: number): string => `${tidy(Number(rate.toPrecision(3)))}×`

const deliveryRow = ({ delivery, attempts }: LoggedDelivery): ReadonlyArray<string> => {
  const { notification, alertMethod, state, createdAt } = delivery
  // The proof is the first response with success.
  const attempt = attempts.find(({ status = 0 }) => status >= 200 && status < 300) ?? attempts.at(-1)
  return [
    notification.id,
    projectKeyText(alertMethod),
    notification.event,
    state,
    attempt === undefined ? "" : `${attempt.status ?? attempt.reason ?? ""}`,
    isoTimestampText(attempt?.startedAt ?? createdAt),
    attempt?.sent?.keyId ?? "",
  ]
}

const factList = (facts: ReadonlyArray<readonly [name: string, value: string]>): string =>
  facts.map(([name, value]) => `- **${name}:** ${inline(value)}`).join("\n")

const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [
    row(header),
    row(header.map(() => "---")),
    ...rows.map((cells) => row(cells.map((cell) => inline(cell)))),
  ].join("\n")

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const shownDigits = 5

const lengthText = (ms: number): string => {
  const whole = Math.floor(Math.max(0, ms) / 1_000) * 1_000
  return durationText({ ms: whole, text: normalDuration(whole) })
}

/** A text in one line in which nothing is Markdown or HTML. */
const inline = (text: string): string =>
  text
    .trim()
    .replaceAll(/[\\`*_[\]<>&|~#!]/g, String.raw`\$&`)
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ")
    // At the start of a line, it would begin a list.
    .replace(/^([+-])(?= |$)/, String.raw`\$1`)
    .replace(/^(\d+)([.)])(?= |$)/, String.raw`$1\$2`)

const linkTarget = (url: string): string => url.replaceAll("<", "%3C").replaceAll(">", "%3E")
