import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { apiClient } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import { organization, url } from "./Flags.ts"

export const tokenCommand = work(
  {
    summary: "print an access token",
    description:
      "Print an access token for use with curl and other tools. The token is cached until it expires.",
    flags: { ...organization, ...url },
    examples: '  $ curl -H "Authorization: Bearer $(tocsin token)" -H "Organization: acme" …',
  },
  (flags, context) =>
    Effect.flatMap(apiClient(flags, context), ({ accessToken }) => Effect.flatMap(accessToken, Console.log)),
)
