import { Command, Option as Flag } from "commander"
import * as Effect from "effect/Effect"
import type { CommandContext } from "@tocsin/cli/command/CommandContext"
import { contextCommands } from "@tocsin/cli/command/ContextCommands"

export const configCommand = (context: CommandContext): Command => {
  const command = new Command("config")
    .summary("configure the server, or the command line")
    .description(
      "Check and show the configuration of `tocsin serve`, or choose the server and credential that commands use: a context. Makes no connections.",
    )
    .addCommand(
      new Command("check")
        .summary("report problems of the configuration")
        .description("Report everything that is wrong with the environment variables of `tocsin serve`.")
        .action(() => context.run(Effect.flatMap(report, ({ checkConfig }) => checkConfig(context)))),
    )
    .addCommand(
      new Command("show")
        .summary("print every setting")
        .description(
          "Print every setting of `tocsin serve`, with its value and source. Secrets are printed as [hidden].",
        )
        .addOption(
          new Flag("-o, --output <format>", "output format").choices(["table", "json"]).default("table"),
        )
        .action((flags: { readonly output: "table" | "json" }) =>
          context.run(Effect.flatMap(report, ({ showConfig }) => showConfig(flags.output, context))),
        ),
    )
  for (const [name, make] of Object.entries(contextCommands)) command.addCommand(make(context).name(name))
  return command
}

/** Loaded when it is needed: the commands of contexts do without the server. */
const report = Effect.promise(() => import("../config/ConfigReport.ts"))
