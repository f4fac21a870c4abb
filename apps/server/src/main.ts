import { NodeRuntime } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Option } from "effect"
import type { CommandFailure } from "./command/CommandContext.ts"
import { terminalText } from "./TerminalText.ts"
import { tocsin } from "./Tocsin.ts"

/** Prints what a command failed with, for a person, and where it is our fault all there is to know. */
const report = (cause: Cause.Cause<CommandFailure>): Effect.Effect<void> =>
  Option.match(Cause.failureOption(cause), {
    onSome: ({ message }) => Console.error(terminalText(`tocsin: ${message}`)),
    onNone: () =>
      Console.error(terminalText(`tocsin: something went wrong on our side\n${Cause.pretty(cause)}`)),
  })

const runMain = (work: Effect.Effect<void, CommandFailure>, interruptedCode: number): void =>
  NodeRuntime.runMain(
    Effect.tapErrorCause(work, (cause) => (Cause.isInterruptedOnly(cause) ? Effect.void : report(cause))),
    {
      disableErrorReporting: true,
      // It would print on stdout, beside the logger of `tocsin serve`.
      disablePrettyLogger: true,
      teardown: (exit, onExit) => {
        if (Exit.isSuccess(exit)) return onExit(0)
        onExit(Cause.isInterruptedOnly(exit.cause) ? interruptedCode : 1)
      },
    },
  )

/** When nobody reads any more what is printed, as `head` at its end, a command ends. A server goes on without. */
const onUnprintable = (isServer: boolean): void => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (isServer) return
      if (code !== "EPIPE") process.stderr.write(`tocsin: what is printed cannot be written (${code})\n`)
      process.exit(code === "EPIPE" ? 0 : 1)
    })
  }
}

tocsin({
  environment: process.env,
  // As shells count it: what comes after a command that was broken off must not go on.
  run: (work) => {
    onUnprintable(false)
    runMain(work, 130)
  },
  runUntilStopped: (work) => {
    onUnprintable(true)
    runMain(work, 0)
  },
}).parse()
