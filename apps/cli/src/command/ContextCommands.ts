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
import { type CommandContext, CommandFailed } from "./CommandContext.ts"
import { type MakeCommand, work } from "./Commands.ts"
import { text, type ValuesOf } from "./Flags.ts"

const name = { name: "name of the context" }

const fields = {
  url: text("<url>", "URL of the server"),
  organization: text("<id>", "organization"),
  clientId: text("<id>", "client ID"),
}

/** The commands that read and change the context file, by name. */
export const contextCommands: Readonly<Record<string, MakeCommand>> = {
  "get-contexts": work(
    {
      summary: "list contexts",
      description: "List the contexts of the file. An asterisk marks the current one. No secret is printed.",
      flags: {},
    },
    (_, context) => list(context),
  ),
  "current-context": work(
    {
      summary: "print the name of the current context",
      description:
        "Print the name of the current context: TOCSIN_CONTEXT, or else the one that was selected.",
      flags: {},
    },
    (_, context) => printCurrent(context),
  ),
  "use-context": work(
    {
      summary: "select a context",
      description: "Select the context that commands use.",
      arguments: name,
      flags: {},
      examples: "  $ tocsin config use-context production",
    },
    ({ name }, context) => use(name, context),
  ),
  "set-context": work(
    {
      summary: "create or change a context",
      description:
        "Create a context, or change its fields. The client secret is read from TOCSIN_CLIENT_SECRET, if it is set. The command does not check the credential; `tocsin login` does.",
      arguments: name,
      flags: fields,
      examples:
        "  $ tocsin config set-context production --url https://tocsin.example.com --organization acme",
    },
    ({ name, ...flags }, context) => set(name, flags, context),
  ),
  "delete-context": work(
    {
      summary: "delete a context",
      description: "Delete a context from the file. The credential remains valid.",
      arguments: name,
      flags: {},
    },
    ({ name }, context) => remove(name, context),
  ),
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

const set = (name: string, flags: ValuesOf<typeof fields>, { environment }: CommandContext) =>
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
