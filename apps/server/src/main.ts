import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import type { CommandFailure } from "./command/CommandContext.ts"
import { terminalText } from "./terminal/TerminalText.ts"
import { tocsin } from "./Tocsin.ts"

/** Prints what a command failed with, for a person, and where it is our fault all there is to know. */
const report = (cause: Cause.Cause<CommandFailure>): Effect.Effect<void> =>
  Option.match(Cause.findErrorOption(cause), {
    onSome: ({ message }) => Console.error(terminalText(`tocsin: ${message}`)),
    onNone: () => Console.error(terminalText(`tocsin: internal error\n${Cause.pretty(cause)}`)),
  })

/** Runs an effect as the whole of this process: SIGINT and SIGTERM interrupt it, and its exit is the exit code. */
const runUntilExit = Runtime.makeRunMain(({ fiber, teardown }) => {
  let isStopped = false
  const stop = (): void => {
    isStopped = true
    fiber.interruptUnsafe()
  }
  process.once("SIGINT", stop).once("SIGTERM", stop)
  fiber.addObserver((exit) => {
    process.off("SIGINT", stop).off("SIGTERM", stop)
    teardown(exit, (code) => {
      if (isStopped || code !== 0) process.exit(code)
    })
  })
})

const runMain = (work: Effect.Effect<void, CommandFailure>, interruptedCode: number): void =>
  runUntilExit(
    Effect.tapCause(work, (cause) => (Cause.hasInterruptsOnly(cause) ? Effect.void : report(cause))),
    {
      disableErrorReporting: true,
      teardown: (exit, onExit) => {
        if (Exit.isSuccess(exit)) return onExit(0)
        onExit(Cause.hasInterruptsOnly(exit.cause) ? interruptedCode : 1)
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
