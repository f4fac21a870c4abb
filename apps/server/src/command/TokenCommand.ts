import { Command } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { apiClient, type CommandContext, organizationFlag, urlFlag } from "./CommandContext.ts"

/** `tocsin token`: prints an access token, for `curl` and the like. Source: contract section 5.1. */
export const tokenCommand = (context: CommandContext): Command =>
  new Command("token")
    .summary("print an access token, for curl and the like")
    .description("Print the access token that the commands use; it is kept until it expires.")
    .addOption(organizationFlag())
    .addOption(urlFlag())
    .addHelpText(
      "after",
      '\nExample:\n  $ curl -H "Authorization: Bearer $(tocsin token)" -H "Organization: acme" …',
    )
    .action((flags: ClientFlags) =>
      context.run(
        Effect.flatMap(apiClient(flags, context), ({ accessToken }) =>
          Effect.flatMap(accessToken, Console.log),
        ),
      ),
    )
