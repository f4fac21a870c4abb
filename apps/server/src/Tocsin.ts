import { Command } from "commander"
import { acknowledgeCommand } from "./command/AcknowledgeCommand.ts"
import { applyCommand } from "./command/ApplyCommand.ts"
import { dataSourceCommand } from "./command/DataSourceCommand.ts"
import { sloCommand } from "./command/SloCommand.ts"
import { adjustmentsCommand } from "./command/AdjustmentsCommand.ts"
import { annotateCommand } from "./command/AnnotateCommand.ts"
import { backtestCommand } from "./command/BacktestCommand.ts"
import type { CommandContext } from "./command/CommandContext.ts"
import { completionCommand } from "./command/CompletionCommand.ts"
import { configCommand } from "./command/ConfigCommand.ts"
import { convertCommand } from "./command/ConvertCommand.ts"
import { credentialsCommand } from "./command/CredentialsCommand.ts"
import { databaseCommand } from "./command/DatabaseCommand.ts"
import { deleteCommand } from "./command/DeleteCommand.ts"
import { deliveriesCommand } from "./command/DeliveriesCommand.ts"
import { demoCommand } from "./command/DemoCommand.ts"
import { generateCommand } from "./command/GenerateCommand.ts"
import { getCommand } from "./command/GetCommand.ts"
import { helpCommand } from "./command/HelpCommand.ts"
import { importCommand } from "./command/ImportCommand.ts"
import { keysCommand } from "./command/KeysCommand.ts"
import { listenCommand } from "./command/ListenCommand.ts"
import { loginCommand } from "./command/LoginCommand.ts"
import { replayCommand } from "./command/ReplayCommand.ts"
import { reportsCommand } from "./command/ReportsCommand.ts"
import { serveCommand } from "./command/ServeCommand.ts"
import { silenceCommand } from "./command/SilenceCommand.ts"
import { statusCommand } from "./command/StatusCommand.ts"
import { testCommand } from "./command/TestCommand.ts"
import { tokenCommand } from "./command/TokenCommand.ts"
import { versionCommand } from "./command/VersionCommand.ts"
import { version } from "./config/Version.ts"

export const tocsin = (context: CommandContext): Command => {
  const program = new Command("tocsin")
    .description(
      "Self-hosted SLO tracking with a status API and signed webhook alerts.\n\nTo see it work, run `tocsin demo`.",
    )
    .version(version)
    .commandsGroup("Server commands:")
    .addCommand(demoCommand(context))
    .addCommand(serveCommand(context))
    .addCommand(configCommand(context))
    .addCommand(databaseCommand(context))
    .commandsGroup("Operator commands (need the master key):")
    .addCommand(credentialsCommand(context))
    .addCommand(keysCommand(context))
    .commandsGroup("User commands (need a credential):")
    .addCommand(loginCommand(context))
    .addCommand(applyCommand(context))
    .addCommand(convertCommand(context))
    .addCommand(generateCommand(context))
    .addCommand(importCommand(context))
    .addCommand(getCommand(context))
    .addCommand(statusCommand(context))
    .addCommand(deleteCommand(context))
    .addCommand(acknowledgeCommand(context))
    .addCommand(testCommand(context))
    .addCommand(adjustmentsCommand(context))
    .addCommand(annotateCommand(context))
    .addCommand(backtestCommand(context))
    .addCommand(sloCommand(context))
    .addCommand(dataSourceCommand(context))
    .addCommand(replayCommand(context))
    .addCommand(reportsCommand(context))
    .addCommand(silenceCommand(context))
    .addCommand(deliveriesCommand(context))
    .addCommand(tokenCommand(context))
    .commandsGroup("Receiver commands:")
    .addCommand(listenCommand(context))
    .commandsGroup("Other commands:")
    .addCommand(versionCommand(context))
    .helpCommand(false)
  program.addCommand(completionCommand(program, context)).addCommand(helpCommand(program, context))
  return withHint(program)
}

/** Adds a hint to usage errors. Subcommands do not inherit it. */
const withHint = (command: Command): Command => {
  for (const each of command.commands) withHint(each)
  return command.showHelpAfterError("Run the command with --help for usage.")
}
