import { Option as Flag } from "commander"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { callAsOperator } from "../client/OperatorClient.ts"
import { ApiCommand, callApi, type CommandContext, CommandFailed, printResponse } from "./CommandContext.ts"
import { resendCommands } from "./ResendCommands.ts"

export const deliveriesCommand = (context: CommandContext): ApiCommand => {
  const command = new ApiCommand("deliveries")
    .summary("pause, resume or resend deliveries")
    .description(
      "Pause or resume the deliveries of an alert method or of the whole server, and resend failed deliveries.",
    )
    .addCommand(
      pausing("pause", context)
        .summary("pause deliveries")
        .description(
          "Pause deliveries. New notifications wait in the queue; attempts in flight are completed.",
        ),
    )
    .addCommand(
      pausing("resume", context)
        .summary("resume deliveries")
        .description("Resume deliveries, starting with those that wait in the queue."),
    )
  for (const each of resendCommands(context)) command.addCommand(each)
  return command
}

interface DeliveriesFlags extends ClientFlags {
  readonly project: string
  readonly all?: boolean
}

type Verb = "pause" | "resume"

const pausing = (verb: Verb, context: CommandContext): ApiCommand =>
  new ApiCommand(verb)
    .argument("[name]", "name of the alert method")
    .projectFlag()
    .addOption(new Flag("--all", "all deliveries of the server; needs the master key"))
    .outputFlag()
    .organizationFlag()
    .urlFlag()
    .examples(
      `  # One alert method\n  $ tocsin deliveries ${verb} on-call -p shop\n\n  # The whole server\n  $ tocsin deliveries ${verb} --all`,
    )
    .action((name: string | undefined, flags: DeliveriesFlags) =>
      context.run(setPaused(verb, name, flags, context)),
    )

const PauseState = Schema.Struct({ inFlight: Schema.Finite })

const setPaused = (verb: Verb, name: string | undefined, flags: DeliveriesFlags, context: CommandContext) =>
  Effect.gen(function* () {
    if ((name === undefined) !== (flags.all === true))
      return yield* new CommandFailed({ message: "specify either an alert method or --all" })
    const response = yield* name === undefined
      ? callAsOperator(flags, context.environment, {
          method: "POST",
          path: `/api/operator/deliveries/${verb}`,
        })
      : callApi(flags, context, {
          method: "POST",
          path: `/api/alertmethods/${encodeURIComponent(name)}/${verb}`,
          headers: { project: flags.project },
        })
    const what = name === undefined ? "All deliveries" : `AlertMethod ${flags.project}/${name}`
    yield* printResponse(
      flags,
      response,
      PauseState,
      ({ inFlight }) => `${what} ${verb}d; in flight: ${inFlight}`,
    )
  })
