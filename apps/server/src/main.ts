import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Clock from "effect/Clock"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import type { CommandContext, CommandFailure } from "@tocsin/cli/command/CommandContext"
import { withSecretFiles } from "@tocsin/cli/config/SecretVariables"
import { tocsin } from "@tocsin/cli/Tocsin"
import { serverCommands } from "./command/ServerCommands.ts"
import { formatLogLine, lineLogger, type LogFormat } from "./terminal/LogFormat.ts"
import { withSourcePositions } from "./terminal/SourcePositions.ts"
import { terminalText } from "@tocsin/cli/terminal/TerminalText"

/** Prints the message of a failure, unless it is empty, or all details of a defect; in a log of JSON, as a line of it. */
const report = (cause: Cause.Cause<CommandFailure>, logFormat: LogFormat): Effect.Effect<void> => {
  const error = Option.match(Cause.findErrorOption(cause), {
    onSome: ({ message, help = [] }) =>
      process.stderr.isTTY ? [message, ...help.map((page) => `Help: ${page}`)].join("\n") : message,
    onNone: () => `internal error\n${withSourcePositions(Cause.pretty(cause))}`,
  })
  if (error === "") return Effect.void
  return logFormat === "text"
    ? Console.error(terminalText(`tocsin: ${error}`))
    : Effect.map(Clock.currentTimeMillis, (at) => {
        const line = { at, level: "fatal", message: "Tocsin cannot run", fields: { error } }
        process.stderr.write(formatLogLine("json", line))
      })
}

interface RunOptions {
  readonly interruptedCode: number
  readonly errorCode?: number
  readonly logFormat?: LogFormat
}

/**
 * Runs an effect as the main program: SIGINT and SIGTERM interrupt it, and its exit sets the exit code. A second signal
 * exits at once.
 */
const runMain = (
  work: Effect.Effect<void, CommandFailure>,
  { interruptedCode, errorCode = 1, logFormat = "text" }: RunOptions,
): void => {
  let exitCode: number | undefined
  let isEnding = false
  const exitIfEnding = (_: NodeJS.Signals, signal: number): void => {
    // 128 + the signal, as in shells.
    if (isEnding) process.exit(128 + signal)
    isEnding = true
  }
  process.on("SIGINT", exitIfEnding).on("SIGTERM", exitIfEnding)
  NodeRuntime.runMain(
    work.pipe(
      Effect.tapError((failure) => Effect.sync(() => void (exitCode = failure.exitCode))),
      Effect.tapCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.void : report(cause, logFormat))),
      Effect.provide(Logger.layer([lineLogger(logFormat, (line) => process.stderr.write(line))])),
    ),
    {
      disableErrorReporting: true,
      teardown: (exit, onExit) => {
        isEnding = true
        if (Exit.isSuccess(exit)) return onExit(0)
        if (Cause.hasInterruptsOnly(exit.cause)) return onExit(interruptedCode)
        onExit(exitCode ?? errorCode)
      },
    },
  )
}

/** When the output is closed, for example by `head`, a command exits. A server keeps running. */
const onOutputError = (isServer: boolean): void => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (isServer) return
      if (code !== "EPIPE") process.stderr.write(`tocsin: cannot write the output (${code})\n`)
      process.exit(code === "EPIPE" ? 0 : 1)
    })
  }
}

// Node.js prints what nothing catches after this.
process.on("uncaughtExceptionMonitor", (error) => {
  if (typeof error.stack === "string") error.stack = withSourcePositions(error.stack)
})

const args = process.argv.slice(2)
const environment = withSecretFiles(process.env)
const operatorAccess = Effect.promise(async () =>
  (await import("./store/OperatorKey.ts")).operatorAccess(environment),
)
const context: CommandContext = {
  environment,
  givenEnvironment: process.env,
  // 128 + SIGINT, as in shells, so that a script stops after an interrupted command.
  run: (work, options) => {
    onOutputError(false)
    runMain(work, { interruptedCode: 130, ...options })
  },
  runUntilStopped: (work, logFormat) => {
    onOutputError(true)
    runMain(work, { interruptedCode: 0, ...(logFormat !== undefined && { logFormat }) })
  },
  operator: {
    hasMasterKey: Effect.flatMap(operatorAccess, ({ hasMasterKey }) => hasMasterKey),
    token: Effect.flatMap(operatorAccess, ({ token }) => token),
  },
}
// The bundle is a script, which cannot wait at its top level.
void tocsin(context, serverCommands, args).then((program) => program.parse(args, { from: "user" }))
