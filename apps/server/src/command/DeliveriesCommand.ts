import { Command, Option as Flag } from "commander"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readAnswer } from "../client/ApiClient.ts"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { callAsOperator } from "../client/OperatorClient.ts"
import {
  apiClient,
  type CommandContext,
  jsonFlag,
  organizationFlag,
  projectFlag,
  urlFlag,
} from "./CommandContext.ts"
import { resendCommands } from "./ResendCommands.ts"

/** `tocsin deliveries`: pauses, resumes and resends what is sent. Source: decisions 0311 and 0604. */
export const deliveriesCommand = (context: CommandContext): Command => {
  const command = new Command("deliveries")
    .summary("pause, resume or resend deliveries")
    .description(
      "Pause or resume the deliveries of an alert method, or of the whole server; resend what was not delivered.",
    )
    .addCommand(
      pausing("pause", context)
        .summary("let nothing more be sent; what comes in waits")
        .description("Let nothing more be sent: what comes in waits, and what is being sent is finished."),
    )
    .addCommand(
      pausing("resume", context)
        .summary("send again, beginning with what waits")
        .description("Send again, beginning with what waits."),
    )
  for (const each of resendCommands(context)) command.addCommand(each)
  return command
}

/** Neither an alert method nor `--all` is given, or both. */
export class ScopeIsUnclear extends Data.TaggedError("ScopeIsUnclear") {
  override get message(): string {
    return "name an alert method, or give --all for every delivery of the server"
  }
}

interface DeliveriesFlags extends ClientFlags {
  readonly project: string
  readonly all?: boolean
  readonly json?: boolean
}

type Verb = "pause" | "resume"

const pausing = (verb: Verb, context: CommandContext): Command =>
  new Command(verb)
    .argument("[name]", "name of the alert method")
    .addOption(projectFlag())
    .addOption(new Flag("--all", "every delivery of the server; needs TOCSIN_MASTER_KEY"))
    .addOption(jsonFlag())
    .addOption(organizationFlag())
    .addOption(urlFlag())
    .addHelpText("after", `\nExample:\n  $ tocsin deliveries ${verb} on-call -p shop`)
    .action((name: string | undefined, flags: DeliveriesFlags) =>
      context.run(setPaused(verb, name, flags, context)),
    )

const PauseState = Schema.Struct({ sending: Schema.Finite })

const setPaused = (verb: Verb, name: string | undefined, flags: DeliveriesFlags, context: CommandContext) =>
  Effect.gen(function* () {
    if ((name === undefined) !== (flags.all === true)) return yield* new ScopeIsUnclear()
    const answer = yield* name === undefined
      ? callAsOperator(flags, context.environment, {
          method: "POST",
          path: `/api/operator/deliveries/${verb}`,
        })
      : Effect.flatMap(apiClient(flags, context), (client) =>
          client.call({
            method: "POST",
            path: `/api/alertmethods/${encodeURIComponent(name)}/${verb}`,
            headers: { project: flags.project },
          }),
        )
    if (flags.json === true) return yield* Console.log(answer)
    const { sending } = yield* readAnswer(PauseState, answer)
    const what = name === undefined ? "All deliveries" : `AlertMethod ${flags.project}/${name}`
    yield* Console.log(`${what} ${verb}d; being sent: ${sending}`)
  })
