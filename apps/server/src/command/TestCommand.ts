import { Command } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readResponse } from "../client/ApiClient.ts"
import type { ClientFlags } from "../client/ClientConfig.ts"
import {
  apiClient,
  type CommandContext,
  CommandFailed,
  jsonFlag,
  organizationFlag,
  projectFlag,
  urlFlag,
} from "./CommandContext.ts"

export const testCommand = (context: CommandContext): Command =>
  new Command("test")
    .summary("send a test notification")
    .description("Send a test notification with sample values through an alert method, and print the result.")
    .argument("<name>", "name of the alert method")
    .addOption(projectFlag())
    .addOption(jsonFlag())
    .addOption(organizationFlag())
    .addOption(urlFlag())
    .addHelpText("after", "\nExamples:\n  $ tocsin test on-call -p shop")
    .action((name: string, flags: TestFlags) => context.run(test(name, flags, context)))

const TestResponse = Schema.Struct({ message: Schema.String, detail: Schema.optionalKey(Schema.String) })

interface TestFlags extends ClientFlags {
  readonly project: string
  readonly json?: boolean
}

const test = (name: string, flags: TestFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const client = yield* apiClient(flags, context)
    const response = yield* client.call({
      method: "POST",
      path: `/api/alertmethods/${encodeURIComponent(name)}/test`,
      headers: { project: flags.project },
    })
    const { message, detail } = yield* readResponse(TestResponse, response)
    if (flags.json === true) yield* Console.log(response)
    else if (detail === undefined) yield* Console.log(message)
    if (detail !== undefined) return yield* new CommandFailed({ message: `${message}: ${detail}` })
  })
