import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { defaultUrl } from "../client/ClientConfig.ts"
import {
  contextFilePath,
  decodeContext,
  findContext,
  readContextFile,
  withContextStored,
  writeContextFile,
} from "../client/ContextFile.ts"
import { tableText } from "../terminal/Table.ts"
import { standardOutput } from "../terminal/Terminal.ts"
import { ApiCommand, type CommandContext, CommandFailed } from "./CommandContext.ts"

/** The commands that read and change the context file. */
export const contextCommands = (context: CommandContext): ReadonlyArray<ApiCommand> => [
  new ApiCommand("get-contexts")
    .summary("list contexts")
    .description("List the contexts of the file. An asterisk marks the current one. No secret is printed.")
    .action(() => context.run(list(context))),
  new ApiCommand("current-context")
    .summary("print the name of the current context")
    .description("Print the name of the current context: TOCSIN_CONTEXT, or else the one that was selected.")
    .action(() => context.run(printCurrent(context))),
  new ApiCommand("use-context")
    .summary("select a context")
    .description("Select the context that commands use.")
    .argument("<name>", "name of the context")
    .examples("  $ tocsin config use-context production")
    .action((name: string) => context.run(use(name, context))),
  new ApiCommand("set-context")
    .summary("create or change a context")
    .description(
      "Create a context, or change fields of one. The client secret is read from TOCSIN_CLIENT_SECRET, if that is set. Nothing is checked; `tocsin login` checks the credential first.",
    )
    .argument("<name>", "name of the context")
    .option("--url <url>", "URL of the server")
    .option("--organization <id>", "organization")
    .option("--client-id <id>", "client ID")
    .examples("  $ tocsin config set-context production --url https://tocsin.example.com --organization acme")
    .action((name: string, flags: SetFlags) => context.run(set(name, flags, context))),
  new ApiCommand("delete-context")
    .summary("delete a context")
    .description("Delete a context from the file. The credential remains valid.")
    .argument("<name>", "name of the context")
    .action((name: string) => context.run(remove(name, context))),
]

interface SetFlags {
  readonly url?: string
  readonly organization?: string
  readonly clientId?: string
}

const list = ({ environment }: CommandContext) =>
  Effect.gen(function* () {
    const { contexts, currentContext } = yield* readContextFile(environment)
    const current = environment["TOCSIN_CONTEXT"] || currentContext
    if (contexts.length === 0)
      return yield* Console.error(
        `${contextFilePath(environment)} has no contexts. Create one with \`tocsin login\`.`,
      )
    const header = ["CURRENT", "NAME", "URL", "ORGANIZATION", "CLIENT ID"]
    const rows = contexts.map(({ name, url, organization, clientId }) => [
      name === current ? "*" : "",
      name,
      url ?? defaultUrl,
      organization ?? "",
      clientId ?? "",
    ])
    yield* Effect.sync(() => process.stdout.write(tableText(header, rows, standardOutput(environment).width)))
  })

const printCurrent = ({ environment }: CommandContext) =>
  Effect.gen(function* () {
    const file = yield* readContextFile(environment)
    const name = environment["TOCSIN_CONTEXT"] || file.currentContext
    if (name === undefined)
      return yield* new CommandFailed({
        message: "no context is selected; select one with `tocsin config use-context`",
      })
    yield* Effect.fromResult(findContext(file, name, environment))
    yield* Console.log(name)
  })

const use = (name: string, { environment }: CommandContext) =>
  Effect.gen(function* () {
    const file = yield* readContextFile(environment)
    yield* Effect.fromResult(findContext(file, name, environment))
    yield* writeContextFile({ ...file, currentContext: name }, environment)
    yield* Console.log(`Selected context ${name}`)
    const overriding = environment["TOCSIN_CONTEXT"]
    if (overriding && overriding !== name)
      yield* Console.error(`TOCSIN_CONTEXT is set, so commands use context ${overriding}.`)
  })

const set = (name: string, flags: SetFlags, { environment }: CommandContext) =>
  Effect.gen(function* () {
    const file = yield* readContextFile(environment)
    const known = file.contexts.find((each) => each.name === name)
    const clientSecret = environment["TOCSIN_CLIENT_SECRET"] || undefined
    const hasMoved = flags.url !== undefined && flags.url !== (known?.url ?? defaultUrl)
    if (hasMoved && known?.clientSecret !== undefined && clientSecret === undefined)
      return yield* new CommandFailed({
        message: `context ${name} has the client secret of another server; set TOCSIN_CLIENT_SECRET, or use \`tocsin login\``,
      })
    const stored = yield* Effect.fromResult(
      decodeContext({ ...known, name, ...flags, ...(clientSecret !== undefined && { clientSecret }) }),
    )
    yield* writeContextFile(withContextStored(file, stored), environment)
    yield* Console.log(`${known === undefined ? "Created" : "Changed"} context ${name}`)
  })

const remove = (name: string, { environment }: CommandContext) =>
  Effect.gen(function* () {
    const file = yield* readContextFile(environment)
    yield* Effect.fromResult(findContext(file, name, environment))
    const contexts = file.contexts.filter((each) => each.name !== name)
    const { currentContext, ...rest } = file
    const isCurrent = currentContext === name
    yield* writeContextFile(
      { ...rest, contexts, ...(!isCurrent && currentContext !== undefined && { currentContext }) },
      environment,
    )
    yield* Console.log(`Deleted context ${name}`)
    if (isCurrent) yield* Console.error("No context is selected now.")
  })
