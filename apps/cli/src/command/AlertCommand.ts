import { alertDocument, heldAlerts } from "@tocsin/api"
import { ExplainedPolicySchema } from "@tocsin/adapters-http/schemas"
import { warningText, WarningTexts } from "../client/Warnings.ts"
import { Command } from "commander"
import * as Schema from "effect/Schema"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { ApiCommand, type CommandContext, printCall } from "./CommandContext.ts"

export const alertCommand = (context: CommandContext): Command =>
  new Command("alert")
    .summary("acknowledge and explain alerts, list held alerts")
    .description(
      "Acknowledge alerts, explain why alert policies trigger them, and list alerts that are held. `tocsin get alerts` lists alerts.",
    )
    .addCommand(
      new ApiCommand("acknowledge")
        .summary("acknowledge an open alert")
        .description("Acknowledge an open alert: it is not sent again and does not escalate.")
        .argument("<id>", "ID of the alert, as printed by `tocsin get alerts`")
        .option("--note <text>", "what others should know, shown with the alert")
        .clientFlags()
        .examples(
          `  $ tocsin alert acknowledge 0198c2f4-6f00-7a3b-8c1d-2e4f60718293 --note "Rolling back release 41"`,
        )
        .action((id: string, flags: AcknowledgeFlags) => context.run(acknowledge(id, flags, context))),
    )
    .addCommand(
      new ApiCommand("held")
        .summary("list held alerts")
        .description(
          "List the alerts that do not trigger although their conditions are met: because only changes of past minutes, such as late counts, meet them, the latest counts are old, or the data source was not read to the present.",
        )
        .argument("[slo]", "name of an SLO (default: all SLOs of the project; -p '*' for all projects)")
        .projectFlag()
        .clientFlags()
        .examples("  $ tocsin alert held checkout-latency -p shop\n  $ tocsin alert held -p '*'")
        .action((slo: string | undefined, flags: HeldFlags) => context.run(held(slo, flags, context))),
    )
    .addCommand(
      new ApiCommand("explain")
        .summary("show which conditions of an alert policy are met")
        .description(
          "Show for each minute and objective of an SLO which conditions of an alert policy are met, and what was measured.",
        )
        .argument("<slo>", "name of the SLO")
        .requiredOption("--policy <name>", "name of the alert policy")
        .option("--from <date-time>", "first minute, in UTC (default: the latest minute)")
        .option("--to <date-time>", "end of the last minute, in UTC")
        .projectFlag()
        .clientFlags()
        .examples("  $ tocsin alert explain checkout-latency --policy fast-burn -p shop")
        .action((name: string, flags: ExplainFlags) => context.run(explain(name, flags, context))),
    )

interface AcknowledgeFlags extends ClientFlags {
  readonly note?: string
}

const acknowledge = (id: string, flags: AcknowledgeFlags, context: CommandContext) =>
  printCall(
    flags,
    context,
    {
      method: "POST",
      path: `/api/alerts/${encodeURIComponent(id)}/acknowledge`,
      json: { note: flags.note },
    },
    alertDocument,
    ({ metadata, spec: { acknowledgement } }) =>
      `Alert ${metadata.name} acknowledged by ${acknowledgement?.by} at ${acknowledgement?.at}`,
  )

interface HeldFlags extends ClientFlags {
  readonly project: string
}

const held = (slo: string | undefined, flags: HeldFlags, context: CommandContext) =>
  printCall(
    flags,
    context,
    {
      method: "GET",
      path: `/api/alerts/held${slo === undefined ? "" : `?${new URLSearchParams({ slo })}`}`,
      headers: { project: flags.project },
    },
    heldAlerts,
    ({ data, hasMore }) =>
      data.length === 0
        ? "No alerts are held."
        : [
            ...data.flatMap(({ slo, objective, alertPolicy, since, detail }) => [
              `${slo.project}/${slo.name}  ${objective ?? "(composite)"}  ${alertPolicy.name}  held since ${since}`,
              `  ${detail}`,
            ]),
            ...(hasMore ? ["More SLOs have held alerts. Select a project or an SLO to list them."] : []),
          ].join("\n"),
  )

interface ExplainFlags extends ClientFlags {
  readonly project: string
  readonly policy: string
  readonly from?: string
  readonly to?: string
}

const Explained = Schema.Struct({ ...ExplainedPolicySchema.fields, warnings: WarningTexts })

const explain = (name: string, flags: ExplainFlags, context: CommandContext) => {
  const { project, policy, from, to } = flags
  const query = new URLSearchParams({
    alertPolicy: policy,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  })
  const path = `/api/slos/${encodeURIComponent(name)}/explain?${query}`
  return printCall(
    flags,
    context,
    { method: "GET", path, headers: { project } },
    Explained,
    ({ minutes, warnings }) =>
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
  )
}

const metText = (isMet: boolean): string => (isMet ? "met" : "not met")
