import { type AlertEvidence, alerts, backtests } from "@tocsin/api"
import { percentText, tidy } from "@tocsin/domain/codec"
import { warningText } from "../client/Warnings.ts"
import { commands, printed } from "./Commands.ts"
import { client, project, required, text } from "./Flags.ts"

const evidenceText = ({
  triggeredAt,
  target,
  isChanged,
  adjustments,
  conditionGroups,
}: AlertEvidence): string => {
  if (conditionGroups.length === 0) return "What was measured when the alert triggered is not stored."
  const now =
    adjustments.length === 0
      ? "with the current counts"
      : `after the adjustment of ${adjustments.map(({ project, name }) => `${project}/${name}`).join(", ")}`
  return [
    `Measured at ${triggeredAt}${target === undefined ? "" : ` for a target of ${percentText(target, 5)}`}:`,
    ...conditionGroups.flatMap(({ conditions }, group) =>
      conditions.flatMap((each) => [
        `  ${conditionGroups.length > 1 ? `group ${group + 1}: ` : ""}${metText(each.isMet)}  ${each.condition} (${each.detail}; ${eventsText(each)}, ${each.from} to ${each.to})`,
        ...(isChanged && each.now !== undefined
          ? [
              `    ${now}: ${each.now.value === undefined ? "" : `${Number(each.now.value.toPrecision(4))}; `}${eventsText(each.now)}`,
            ]
          : []),
      ]),
    ),
  ].join("\n")
}

const eventsText = ({ good, total }: { readonly good: number; readonly total: number }): string =>
  `${tidy(total - good)} of ${tidy(total)} events bad`

export const alertCommand = commands(
  "acknowledge alerts, show evidence, explain alert policies, list held alerts",
  "Acknowledge alerts, show their evidence, explain why alert policies trigger them, and list held alerts. `tocsin get alerts` lists alerts.",
  {
    acknowledge: printed(alerts, "acknowledgeAlert", {
      summary: "acknowledge an open alert",
      description: "Acknowledge an open alert: it is not sent again and does not escalate.",
      arguments: { id: "ID of the alert, as printed by `tocsin get alerts`" },
      flags: { note: text("<text>", "note for other people, shown with the alert"), ...client },
      examples: `  $ tocsin alert acknowledge 0198c2f4-6f00-7a3b-8c1d-2e4f60718293 --note "Rolling back release 41"`,
      request: ({ id, note }) => ({ id, body: { note } }),
      text: ({ metadata, spec: { acknowledgement } }) =>
        `Alert ${metadata.name} acknowledged by ${acknowledgement?.by} at ${acknowledgement?.at}`,
    }),
    evidence: printed(alerts, "readEvidence", {
      summary: "show what was measured when an alert triggered",
      description:
        "Show what each condition of the alert policy measured when an alert triggered, and what the same minutes contain now if later counts or budget adjustments changed them.",
      arguments: { id: "ID of the alert, as printed by `tocsin get alerts`" },
      flags: client,
      examples: "  $ tocsin alert evidence 0198c2f4-6f00-7a3b-8c1d-2e4f60718293",
      text: evidenceText,
    }),
    held: printed(alerts, "listHeldAlerts", {
      summary: "list held alerts",
      description:
        "List held alerts: their conditions are met, but they do not trigger because (a) the conditions are met only through changes to past minutes, such as late counts, (b) the latest counts are too old, or (c) the data source is not fully read yet.",
      arguments: { "slo?": "name of an SLO (default: all SLOs of the project; -p '*' for all projects)" },
      flags: { ...project, ...client },
      examples: "  $ tocsin alert held checkout-latency -p shop\n  $ tocsin alert held -p '*'",
      text: ({ data, hasMore }) =>
        data.length === 0
          ? "No alerts are held."
          : [
              ...data.flatMap(({ slo, objective, alertPolicy, since, detail }) => [
                `${slo.project}/${slo.name}  ${objective ?? "(composite)"}  ${alertPolicy.name}  held since ${since}`,
                `  ${detail}`,
              ]),
              ...(hasMore ? ["More SLOs have held alerts. Select a project or an SLO to list them."] : []),
            ].join("\n"),
    }),
    explain: printed(backtests, "explainPolicy", {
      summary: "show which conditions of an alert policy are met",
      description:
        "Show for each minute and objective of an SLO which conditions of an alert policy are met, and what was measured.",
      arguments: { slo: "name of the SLO" },
      flags: {
        policy: required("<name>", "name of the alert policy"),
        from: text(
          "<date-time>",
          "first minute, in UTC (default: the latest complete minute; for an alert that has just triggered, use `evidence`)",
        ),
        to: text("<date-time>", "end of the last minute, in UTC"),
        ...project,
        ...client,
      },
      examples: "  $ tocsin alert explain checkout-latency --policy fast-burn -p shop",
      request: ({ slo, policy, from, to, project }) => ({
        sloName: slo,
        alertPolicy: policy,
        from,
        to,
        project,
      }),
      text: ({ minutes, warnings }) =>
        [
          ...minutes.flatMap(({ at, objectives }) => [
            at,
            ...objectives.flatMap((objective) => [
              `  ${objective.name ?? "(composite)"}: ${metText(objective.isMet)}${objective.held === undefined ? "" : `, held (${objective.held.detail})`}`,
              ...objective.conditionGroups.flatMap(({ conditions }, group) =>
                conditions.map(
                  ({ condition, isMet, detail }) =>
                    `    ${objective.conditionGroups.length > 1 ? `group ${group + 1}: ` : ""}${metText(isMet)}  ${condition} (${detail})`,
                ),
              ),
            ]),
          ]),
          ...warnings.map((warning) => `Warning: ${warningText(warning)}`),
        ].join("\n"),
    }),
  },
)

const metText = (isMet: boolean): string => (isMet ? "met" : "not met")
