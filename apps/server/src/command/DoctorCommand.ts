import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { isJson } from "@tocsin/cli/client/ClientConfig"
import { CommandFailed } from "@tocsin/cli/command/CommandContext"
import { work } from "@tocsin/cli/command/Commands"
import { output, text } from "@tocsin/cli/command/Flags"
import { terminalText } from "@tocsin/cli/terminal/TerminalText"
import { diagnose } from "../doctor/Doctor.ts"

export const doctorCommand = work(
  {
    summary: "check the requirements of the server",
    description:
      "Check the configuration of `tocsin serve` and its requirements: the database, its version, permissions, clock and schema, " +
      "the master key, certificates, the data directory and ports. Changes nothing. Each line is ok, warning, failed or " +
      "skipped, with what to do. Exits with 1 if a check failed.",
    flags: {
      connectTo: text(
        "<url>",
        "URL or host of a receiver: also connect to it as deliveries do, without sending a request",
      ),
      ...output,
    },
    examples: "  tocsin doctor\n  tocsin doctor --connect-to https://hooks.example.com -o json",
  },
  (flags, { environment }) =>
    Effect.gen(function* () {
      // What would be logged is in the results.
      const results = yield* Effect.provide(diagnose(environment, flags.connectTo), Logger.layer([]))
      const width = Math.max(...results.map(({ check }) => check.length))
      const lines = results.map(
        ({ status, check, message }) => `${status.padEnd(7)}  ${check.padEnd(width)}  ${message}`,
      )
      const text = isJson(flags) ? JSON.stringify({ data: results }) : terminalText(lines.join("\n"))
      yield* Effect.sync(() => void process.stdout.write(`${text}\n`))
      const failures = results.filter(({ status }) => status === "failed").length
      if (failures > 0)
        return yield* new CommandFailed({
          message: failures === 1 ? "1 check failed" : `${failures} checks failed`,
        })
    }),
)
