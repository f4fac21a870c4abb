import { type ErrorCodeText, errorCodeTexts, failureReasonTexts, warningCodeTexts } from "@tocsin/api"
import { nearestName } from "@tocsin/domain/codec"
import { Command } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { defaultUrl, serverUrl } from "../client/ClientConfig.ts"
import { type CommandContext, CommandFailed } from "./CommandContext.ts"

/** `tocsin help <command…>` prints the help of a command, `tocsin help <topic>` a topic, and `tocsin help <code>` what an error means. */
export const helpCommand = (context: CommandContext, program: Command): Command => {
  program.addHelpText(
    "after",
    `\nTopics of \`tocsin help <topic>\`: ${Object.keys(topics).join(", ")}\n\`tocsin help <code>\` explains the code of an error, or the reason for a failed delivery attempt, such as not_found.`,
  )
  return new Command("help")
    .summary("print the help of a command, topic or error code")
    .description(
      `Print the help of a command or a topic, or the meaning of an error code or of the reason for a failed delivery attempt.\n\nTopics: ${Object.keys(topics).join(", ")}`,
    )
    .argument("[command-or-topic...]", "such as `apply`, `environment` or `not_found`")
    .action((names: ReadonlyArray<string>) =>
      context.run(help(program, names, serverUrl({}, context.environment))),
    )
}

const help = (program: Command, names: ReadonlyArray<string>, url: string) =>
  Effect.gen(function* () {
    const [first = "", ...others] = names
    const topic = topics[first]
    if (topic !== undefined && others.length === 0)
      return yield* Console.log(`${topic}\n\n${moreText(url, `commands/topics#${first}`)}`)
    const isCode = Object.hasOwn(codes, first) && !program.commands.some((each) => each.name() === first)
    if (isCode && others.length === 0) return yield* Console.log(codeText(url, first))
    let command = program
    for (const name of names) {
      const next = command.commands.find((each) => each.name() === name || each.aliases().includes(name))
      if (next === undefined) {
        const known = command.commands.map((each) => each.name())
        const others = [...Object.keys(topics), ...Object.keys(codes)]
        const nearest = nearestName(name, command === program ? [...known, ...others] : known)
        const hint =
          nearest === undefined
            ? "; `tocsin help` lists the commands and topics"
            : `; did you mean ${nearest}?`
        return yield* new CommandFailed({
          message: `no command, topic or error code: ${names.join(" ")}${hint}`,
        })
      }
      command = next
    }
    yield* Effect.sync(() => command.outputHelp())
  })

/** The codes of errors and warnings, and the reasons for failed attempts. */
const codes: Readonly<Record<string, ErrorCodeText>> = {
  ...failureReasonTexts,
  ...errorCodeTexts,
  ...warningCodeTexts,
}

const codeText = (url: string, code: string): string => {
  const { meaning = "", fix = "" } = codes[code] ?? {}
  return `${meaning}\n\n${fix}\n\n${moreText(url, `errors/${code}`)}`
}

/** Every server has the documentation. */
const moreText = (url: string, page: string): string =>
  `More: /help/${page} of a server, such as ${url}/help/${page}`

export const topics: Readonly<Record<string, string>> = {
  environment: `Variables of the commands. A flag takes precedence over its variable, and a variable over the context.

  TOCSIN_URL            URL of the server (default: ${defaultUrl})
  TOCSIN_ORGANIZATION   organization
  TOCSIN_CLIENT_ID      client ID of the credential
  TOCSIN_CLIENT_SECRET  client secret of the credential
  TOCSIN_CONTEXT        name of a context, instead of the selected one
  TOCSIN_CONFIG         file with the contexts
                        (default: $XDG_CONFIG_HOME/tocsin/config.yaml, or ~/.config/tocsin/config.yaml)
  TOCSIN_MASTER_KEY     master key, for the commands of operators
  TOCSIN_DATA_DIR       data directory with the master key, on the machine of the server
  XDG_CACHE_HOME        directory of cached access tokens (default: ~/.cache)
  COLUMNS               width of tables
  NO_COLOR              no color, if set
  FORCE_COLOR           color even if the output is not a terminal, if set`,
  contexts: `A context is a server with a credential. Contexts are stored in a file that only you can read.

  tocsin login                      check a credential, store it as a context, and select it
  tocsin config get-contexts        list contexts
  tocsin config use-context <name>  select a context
  TOCSIN_CONTEXT=<name> tocsin …    use another context once

Variables take precedence over the context. A context's credential is sent only to the context's server: with another
TOCSIN_URL or --url, specify the credential too.`,
  output: `Results are printed to stdout; warnings, notes and errors to stderr.

  -o json    JSON, for scripts: jq, for example
  -o yaml    definitions that \`tocsin apply\` takes
  -o table   a table, the default of \`get\` on a terminal
  -o wide    a table with more columns
  -o name    a line with kind and name for each object
  -o csv     comma-separated values

Each command lists its formats in its help. Control characters in what a server sends are replaced.`,
  "exit-codes": `  0    success
  1    error (message on stderr); for \`diff\`, a difference; for \`wait\`, also a timeout; for \`doctor\`, a failed check
  2    for \`diff\`, an error
  130  interrupted with Ctrl-C; for a second signal, \`serve\` exits immediately with 128 plus the signal number`,
  definitions: `Objects are defined in YAML or JSON files: projects, services, SLOs, alert policies, alert methods, alert
silences, data sources, budget adjustments and others. A file can have several documents, separated by ---.

  apiVersion: tocsin/v1alpha
  kind: Service
  metadata: { name: web, project: shop }

  tocsin apply -f slos.yaml --dry-run   validate
  tocsin diff -f slos.yaml              show what would change
  tocsin apply -f slos.yaml             create or update
  tocsin get slos -o yaml               print as definitions
  tocsin delete -f slos.yaml            delete

Errors name the file, the document and the property. The reference of all kinds: /help/guides/definitions of a server.`,
}
