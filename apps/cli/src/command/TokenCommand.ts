import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { ApiCommand, apiClient, type CommandContext } from "./CommandContext.ts"

export const tokenCommand = (context: CommandContext): ApiCommand =>
  new ApiCommand("token")
    .summary("print an access token")
    .description(
      "Print an access token for use with curl and other tools. The token is cached until it expires.",
    )
    .organizationFlag()
    .urlFlag()
    .examples('  $ curl -H "Authorization: Bearer $(tocsin token)" -H "Organization: acme" …')
    .action((flags: ClientFlags) =>
      context.run(
        Effect.flatMap(apiClient(flags, context), ({ accessToken }) =>
          Effect.flatMap(accessToken, Console.log),
        ),
      ),
    )
