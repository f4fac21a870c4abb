import { percentText } from "@tocsin/domain/codec"
import * as Effect from "effect/Effect"
import { BacktestSchema } from "@tocsin/adapters-http/schemas"
import { type ClientFlags, isJson } from "../client/ClientConfig.ts"
import { progressOutput, withProgress } from "../terminal/Progress.ts"
import { ApiCommand, callApi, type CommandContext, CommandFailed, printResponse } from "./CommandContext.ts"
import { readDefinitions } from "./DefinitionFiles.ts"

export const backtestCommand = (context: CommandContext): ApiCommand =>
  new ApiCommand("backtest")
    .summary("show which alerts a policy would have opened")
    .description(
      "Evaluate an alert policy over the past counts of an SLO, and print the alerts that it would have opened. Nothing is stored or sent.",
    )
    .argument("<slo>", "name of the SLO")
    .option("--policy <name>", "alert policy of the project")
    .option(
      "-f, --file <file>",
      "YAML or JSON file with an alert policy, which need not be applied; - reads stdin",
    )
    .option("--objective <name>", "objective of the SLO (default: all)")
    .option("--from <date-time>", "start of the range, in UTC (default: 31 days before its end)")
    .option("--to <date-time>", "end of the range, in UTC (default: now)")
    .projectFlag()
    .outputFlag()
    .organizationFlag()
    .urlFlag()
    .examples(
      "  # A stored policy\n  $ tocsin backtest checkout-latency --policy fast-burn\n\n  # A proposed one\n  $ tocsin backtest checkout-latency -f policy.yaml --from 2026-01-01T00:00:00Z",
    )
    .action((name: string, flags: BacktestFlags) => context.run(backtest(name, flags, context)))

interface BacktestFlags extends ClientFlags {
  readonly project: string
  readonly policy?: string
  readonly file?: string
  readonly objective?: string
  readonly from?: string
  readonly to?: string
}

const backtest = (name: string, flags: BacktestFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { policy, file, objective, from, to } = flags
    if ((policy === undefined) === (file === undefined)) {
      return yield* new CommandFailed({ message: "specify either --policy or --file" })
    }
    const definitions = file === undefined ? [] : yield* readDefinitions({ file: [file] }, flags.project)
    if (definitions.length > 1) {
      return yield* new CommandFailed({ message: `${file}: must have one definition` })
    }
    const progress = isJson(flags) ? undefined : progressOutput(context.environment)
    const response = yield* withProgress(progress, "Evaluating the past counts", () =>
      callApi(flags, context, {
        method: "POST",
        path: `/api/slos/${encodeURIComponent(name)}/backtest`,
        headers: { project: flags.project },
        json: { alertPolicy: policy, definition: definitions[0], objective, from, to },
      }),
    )
    yield* printResponse(flags, response, BacktestSchema, textOf)
  })

const textOf = ({ from, to, alertCount, alertsPerMonth, alerts }: typeof BacktestSchema.Type): string => {
  const summary = `${alertCount} alert${alertCount === 1 ? "" : "s"} from ${from} to ${to} (${alertsPerMonth.toFixed(1)} per 30 days)`
  const lines = alerts.map((alert) => {
    const end = alert.closedAt === undefined ? "open" : `${alert.reason ?? "resolved"} ${alert.closedAt}`
    const burned =
      alert.burnedAtTrigger === undefined
        ? ""
        : `  ${percentText(alert.burnedAtTrigger, 3)} burned when triggered`
    return `${alert.triggeredAt}  ${alert.objective ?? "(composite)"}  ${end}${burned}`
  })
  const rest = alertCount - alerts.length
  return [summary, ...lines, ...(rest > 0 ? [`… and ${rest} more`] : [])].join("\n")
}
