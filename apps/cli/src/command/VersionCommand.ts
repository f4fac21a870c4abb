import { productVersion as version } from "@tocsin/api"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readResponse, send } from "../client/ApiClient.ts"
import { type ClientFlags, isJson, serverUrl } from "../client/ClientConfig.ts"
import { withContext } from "../client/ContextFile.ts"
import { terminalText } from "../terminal/TerminalText.ts"
import { ApiCommand, type CommandContext } from "./CommandContext.ts"

export const versionCommand = (context: CommandContext): ApiCommand =>
  new ApiCommand("version")
    .summary("print the versions of the command line and the server")
    .description("Print the versions of the command line and the server. Needs no credentials.")
    .option("--client", "print only the version of the command line")
    .outputFlag()
    .urlFlag()
    .action((flags: VersionFlags) => context.run(printVersions(flags, context)))

interface VersionFlags extends ClientFlags {
  readonly client?: true
}

const printVersions = (flags: VersionFlags, { environment }: CommandContext) =>
  Effect.gen(function* () {
    if (flags.client === true)
      return yield* Console.log(isJson(flags) ? JSON.stringify({ client: version }) : `client ${version}`)
    if (!isJson(flags)) yield* Console.log(`client ${version}`)
    const url = serverUrl(flags, yield* withContext(flags, environment))
    const server = yield* Effect.flatMap(send(url, { method: "GET", path: "/healthz" }), (response) =>
      readResponse(Health, response),
    )
    yield* Console.log(
      isJson(flags)
        ? JSON.stringify({ client: version, server: server.version })
        : terminalText(`server ${server.version} (${url})`),
    )
  })

const Health = Schema.Struct({ version: Schema.String })
