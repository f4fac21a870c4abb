import { health, productVersion as version } from "@tocsin/api"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { isJson, serverUrl } from "../client/ClientConfig.ts"
import { withContext } from "../client/ContextFile.ts"
import { terminalText } from "../terminal/TerminalText.ts"
import { resourceClient } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import { given, output, url } from "./Flags.ts"

export const versionCommand = work(
  {
    summary: "print the versions of the command line and the server",
    description: "Print the versions of the command line and the server. Needs no credentials.",
    flags: { client: given("print only the version of the command line"), ...output, ...url },
  },
  (flags, context) =>
    Effect.gen(function* () {
      if (flags.client === true)
        return yield* Console.log(isJson(flags) ? JSON.stringify({ client: version }) : `client ${version}`)
      if (!isJson(flags)) yield* Console.log(`client ${version}`)
      const url = serverUrl(flags, yield* withContext(flags, context.environment))
      const server = yield* (yield* resourceClient(health, flags, context)).findHealth({})
      yield* Console.log(
        isJson(flags)
          ? JSON.stringify({ client: version, server: server.version })
          : terminalText(`server ${server.version} (${url})`),
      )
    }),
)
