import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { TestSchema } from "@tocsin/adapters-http/internal/alert-methods/AlertMethodSchema"
import { readResponse } from "../client/ApiClient.ts"
import { type ClientFlags, isJson } from "../client/ClientConfig.ts"
import { ApiCommand, callApi, type CommandContext, CommandFailed } from "./CommandContext.ts"

export const testCommand = (context: CommandContext): ApiCommand =>
  new ApiCommand("test")
    .summary("send a test notification")
    .description("Send a test notification with sample values through an alert method, and print the result.")
    .argument("<name>", "name of the alert method")
    .projectFlag()
    .outputFlag()
    .organizationFlag()
    .urlFlag()
    .examples("  $ tocsin test on-call -p shop")
    .action((name: string, flags: TestFlags) => context.run(test(name, flags, context)))

interface TestFlags extends ClientFlags {
  readonly project: string
}

const test = (name: string, flags: TestFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const response = yield* callApi(flags, context, {
      method: "POST",
      path: `/api/alertmethods/${encodeURIComponent(name)}/test`,
      headers: { project: flags.project },
    })
    const { message, detail } = yield* readResponse(TestSchema, response)
    if (isJson(flags)) yield* Console.log(response)
    else if (detail === undefined) yield* Console.log(message)
    if (detail !== undefined) return yield* new CommandFailed({ message: `${message}: ${detail}` })
  })
