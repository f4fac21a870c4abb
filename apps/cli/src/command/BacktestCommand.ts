import { type Backtest, backtests } from "@tocsin/api"
import { percentText } from "@tocsin/domain/codec"
import * as Effect from "effect/Effect"
import { isJson } from "../client/ClientConfig.ts"
import { progressOutput, withProgress } from "../terminal/Progress.ts"
import { CommandFailed, printJson, resourceClient } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import { readDefinitions } from "./DefinitionFiles.ts"
import { client, project, text } from "./Flags.ts"

export const backtestCommand = work(
  {
    summary: "show which alerts a policy would have triggered",
    description:
      "Evaluate an alert policy over the past counts of an SLO, and print the alerts that it would have triggered. Nothing is stored or sent.",
    arguments: { slo: "name of the SLO" },
    flags: {
      policy: text("<name>", "alert policy of the project"),
      file: text(
        "<file>",
        "YAML or JSON file with an alert policy, which need not be applied; - reads stdin",
        "f",
      ),
      objective: text("<name>", "objective of the SLO (default: all)"),
      from: text("<date-time>", "start of the range, in UTC (default: 31 days before its end)"),
      to: text("<date-time>", "end of the range, in UTC (default: now)"),
      ...project,
      ...client,
    },
    examples:
      "  # A stored policy\n  $ tocsin backtest checkout-latency --policy fast-burn\n\n  # A proposed policy\n  $ tocsin backtest checkout-latency -f policy.yaml --from 2026-01-01T00:00:00Z",
  },
  (given, context) =>
    Effect.gen(function* () {
      const { slo, policy, file, objective, from, to, project } = given
      if ((policy === undefined) === (file === undefined))
        return yield* new CommandFailed({ message: "specify either --policy or --file" })
      const definitions = file === undefined ? [] : yield* readDefinitions({ file: [file] }, project)
      if (definitions.length > 1)
        return yield* new CommandFailed({ message: `${file}: must have one definition` })
      const api = yield* resourceClient(backtests, given, context)
      const progress = isJson(given) ? undefined : progressOutput(context.environment)
      const backtest = yield* withProgress(progress, "Evaluating the past counts", () =>
        api.backtestPolicy({
          sloName: slo,
          project,
          body: { alertPolicy: policy, definition: definitions[0], objective, from, to },
        }),
      )
      yield* printJson(given, backtest, textOf)
    }),
)

const textOf = ({ from, to, alertCount, alertsPerMonth, alerts }: Backtest): string => {
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
