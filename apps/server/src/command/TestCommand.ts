import { Args, Command } from "@effect/cli"
import { Console, Data, Effect } from "effect"
import type { Environment } from "../ServerConfig.ts"
import { apiClient, clientOptions, jsonOption, projectOption } from "./ClientOptions.ts"

/** `tocsin test`: sends a test notification of an alert method. Source: contract section 5.2; decision 0309. */
export const testCommand = (environment: Environment) =>
  Command.make(
    "test",
    { ...clientOptions, project: projectOption, json: jsonOption, name: Args.text({ name: "name" }) },
    ({ name, project, json, ...flags }) =>
      Effect.gen(function* () {
        const client = yield* apiClient(flags, environment)
        const answer = yield* client.call({
          method: "POST",
          path: `/api/alertmethods/${encodeURIComponent(name)}/test`,
          headers: { project },
        })
        const { message, detail } = JSON.parse(answer) as {
          readonly message: string
          readonly detail?: string
        }
        if (json) yield* Console.log(answer)
        else if (detail === undefined) yield* Console.log(message)
        if (detail !== undefined) return yield* new TestFailed({ reason: `${message}: ${detail}` })
      }),
  ).pipe(Command.withDescription("Send a test notification of an alert method and say how it went."))

/** The test of an alert method failed. */
export class TestFailed extends Data.TaggedError("TestFailed")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}
