import { productVersion } from "@tocsin/api"
import { Command } from "commander"
import type { CommandContext } from "./command/CommandContext.ts"

/** Makes a command. All of them get the whole program, which some describe. */
type MakeCommand = (context: CommandContext, program: Command) => Command

/** The modules of commands by name. Only the modules of what runs are loaded. */
export type CommandGroup = Readonly<Record<string, () => Promise<MakeCommand>>>

/** The commands of this package, by group. */
const clientGroups: Readonly<Record<string, CommandGroup>> = {
  "Credentials and keys (some commands need the master key):": {
    credentials: async () => (await import("./command/CredentialsCommand.ts")).credentialsCommand,
    keys: async () => (await import("./command/KeysCommand.ts")).keysCommand,
  },
  "User commands (need a credential):": {
    login: async () => (await import("./command/LoginCommand.ts")).loginCommand,
    apply: async () => (await import("./command/ApplyCommand.ts")).applyCommand,
    diff: async () => (await import("./command/DiffCommand.ts")).diffCommand,
    convert: async () => (await import("./command/ConvertCommand.ts")).convertCommand,
    generate: async () => (await import("./command/GenerateCommand.ts")).generateCommand,
    import: async () => (await import("./command/ImportCommand.ts")).importCommand,
    get: async () => (await import("./command/GetCommand.ts")).getCommand,
    describe: async () => (await import("./command/DescribeCommand.ts")).describeCommand,
    status: async () => (await import("./command/StatusCommand.ts")).statusCommand,
    edit: async () => (await import("./command/EditCommand.ts")).editCommand,
    wait: async () => (await import("./command/WaitCommand.ts")).waitCommand,
    delete: async () => (await import("./command/DeleteCommand.ts")).deleteCommand,
    slo: async () => (await import("./command/SloCommand.ts")).sloCommand,
    alert: async () => (await import("./command/AlertCommand.ts")).alertCommand,
    silence: async () => (await import("./command/SilenceCommand.ts")).silenceCommand,
    alertmethod: async () => (await import("./command/AlertMethodCommand.ts")).alertMethodCommand,
    delivery: async () => (await import("./command/DeliveryCommand.ts")).deliveryCommand,
    resend: async () => (await import("./command/ResendCommand.ts")).resendCommand,
    datasource: async () => (await import("./command/DataSourceCommand.ts")).dataSourceCommand,
    annotation: async () => (await import("./command/AnnotationCommand.ts")).annotationCommand,
    incident: async () => (await import("./command/IncidentCommand.ts")).incidentCommand,
    adjust: async () => (await import("./command/AdjustCommand.ts")).adjustCommand,
    backfill: async () => (await import("./command/BackfillCommand.ts")).backfillCommand,
    backtest: async () => (await import("./command/BacktestCommand.ts")).backtestCommand,
    report: async () => (await import("./command/ReportCommand.ts")).reportCommand,
    review: async () => (await import("./command/ReviewCommand.ts")).reviewCommand,
    subscription: async () => (await import("./command/SubscriptionCommand.ts")).subscriptionCommand,
    token: async () => (await import("./command/TokenCommand.ts")).tokenCommand,
  },
  "Receiver commands:": {
    listen: async () => (await import("./command/ListenCommand.ts")).listenCommand,
  },
  "Other commands:": {
    version: async () => (await import("./command/VersionCommand.ts")).versionCommand,
    completion: async () => (await import("./command/CompletionCommand.ts")).completionCommand,
    help: async () => (await import("./command/HelpCommand.ts")).helpCommand,
  },
}

/** They describe all commands, and so need them. */
const describesAll: ReadonlyArray<string> = ["completion", "help"]

/**
 * The program, with the commands of a server, and with the command that the first argument names. Without one it has all
 * commands, which its help, its completions and the error for an unknown name list; the version alone needs none.
 */
export const tocsin = async (
  context: CommandContext,
  serverCommands: CommandGroup,
  [first = ""]: ReadonlyArray<string> = [],
): Promise<Command> => {
  const program = new Command("tocsin")
    .description(
      "Self-hosted SLO tracking with a status API and signed webhook alerts.\n\nTo see it work, run `tocsin demo`.",
    )
    .version(productVersion)
    .helpCommand(false)
  if (["-V", "--version"].includes(first)) return program
  const groups = { "Server commands:": serverCommands, ...clientGroups }
  const isKnown = Object.values(groups).some((group) => Object.hasOwn(group, first))
  const isNeeded = (name: string): boolean => !isKnown || describesAll.includes(first) || name === first
  for (const [heading, group] of Object.entries(groups)) {
    program.commandsGroup(heading)
    const needed = Object.entries(group).filter(([name]) => isNeeded(name))
    const made = await Promise.all(needed.map(async ([name, load]) => [name, await load()] as const))
    for (const [name, make] of made) program.addCommand(make(context, program).name(name))
  }
  return withHint(program)
}

/** Kinds that `tocsin get` lists, by the command whose group has no `list`. */
const listedKinds: Readonly<Record<string, string>> = {
  alert: "alerts",
  alertmethod: "alertmethods",
  silence: "alertsilences",
  slo: "slos",
}

/** Adds a hint to usage errors. Subcommands do not inherit it. */
const withHint = (command: Command): Command => {
  for (const each of command.commands) withHint(each)
  const listed = listedKinds[command.name()]
  const names = command.parent === null ? [] : command.commands.map((each) => each.name())
  const hints = [
    ...(names.length === 0 ? [] : [`The subcommands are ${names.join(", ")}.`]),
    ...(listed === undefined ? [] : [`\`tocsin get ${listed}\` lists ${listed}.`]),
    "Run the command with --help for usage.",
  ]
  return command.showHelpAfterError(hints.join(" "))
}
