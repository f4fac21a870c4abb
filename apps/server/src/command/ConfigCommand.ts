import { Command, Option as Flag } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { decodeServerConfig, describeServerConfig } from "../config/ServerConfig.ts"
import { tableText } from "../terminal/Table.ts"
import { standardOutput } from "../terminal/Terminal.ts"
import type { CommandContext } from "./CommandContext.ts"
import { contextCommands } from "./ContextCommands.ts"

export const configCommand = (context: CommandContext): Command => {
  const command = new Command("config")
    .summary("configure the server, or the command line")
    .description(
      "Check and show the configuration of `tocsin serve`, or choose the server and credential that commands use: a context. Connects to nothing.",
    )
    .addCommand(
      new Command("check")
        .summary("report what is wrong with the configuration")
        .description("Report everything that is wrong with the environment variables of `tocsin serve`.")
        .action(() =>
          context.run(
            Effect.andThen(
              Effect.fromResult(decodeServerConfig(context.environment)),
              Console.log("The configuration is valid."),
            ),
          ),
        ),
    )
    .addCommand(
      new Command("show")
        .summary("print every setting")
        .description(
          "Print every setting of `tocsin serve`, with its value and where it comes from. Secrets are printed as [hidden].",
        )
        .addOption(
          new Flag("-o, --output <format>", "output format").choices(["table", "json"]).default("table"),
        )
        .action((flags: { readonly output: "table" | "json" }) => context.run(show(flags.output, context))),
    )
  for (const each of contextCommands(context)) command.addCommand(each)
  return command
}

const show = (format: "table" | "json", { environment, givenEnvironment }: CommandContext) =>
  Effect.gen(function* () {
    const { isTerminal, width } = standardOutput(environment)
    const settings = yield* Effect.fromResult(describeServerConfig(givenEnvironment, isTerminal))
    const rows = settings.map(({ variable, value = "", from }) => [variable, from, value])
    const text =
      format === "json"
        ? `${JSON.stringify(settings, undefined, 2)}\n`
        : tableText(["SETTING", "FROM", "VALUE"], rows, width)
    yield* Effect.sync(() => void process.stdout.write(text))
  })
