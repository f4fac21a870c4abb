import { NodeRuntime } from "@effect/platform-node"
import { Cause, Console, Effect, Option } from "effect"
import type { CommandFailure } from "./command/CommandContext.ts"
import { tocsin } from "./Tocsin.ts"

/** Prints what a command failed with, for a person, and where it is our fault all there is to know. */
const report = (cause: Cause.Cause<CommandFailure>): Effect.Effect<void> =>
  Option.match(Cause.failureOption(cause), {
    onSome: ({ message }) => Console.error(`tocsin: ${message}`),
    onNone: () => Console.error(`tocsin: something went wrong on our side\n${Cause.pretty(cause)}`),
  })

const run = (work: Effect.Effect<void, CommandFailure>): void =>
  NodeRuntime.runMain(
    Effect.tapErrorCause(work, (cause) => (Cause.isInterruptedOnly(cause) ? Effect.void : report(cause))),
    { disableErrorReporting: true },
  )

tocsin({ environment: process.env, run }).parse()
