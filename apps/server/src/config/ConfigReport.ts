import type { CommandContext } from "@tocsin/cli/command/CommandContext"
import { tableText } from "@tocsin/cli/terminal/Table"
import { standardOutput } from "@tocsin/cli/terminal/Terminal"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { decodeServerConfig, describeServerConfig } from "./ServerConfig.ts"

/** Fails with every issue of the configuration, or prints that it has none. */
export const checkConfig = ({ environment }: CommandContext) =>
  Effect.andThen(
    Effect.fromResult(decodeServerConfig(environment)),
    Console.log("The configuration is valid."),
  )

/** Prints every setting and where it comes from, without secrets. */
export const showConfig = (format: "table" | "json", { environment, givenEnvironment }: CommandContext) =>
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
