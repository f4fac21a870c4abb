import { Command } from "commander"
import { applyCommand } from "./command/ApplyCommand.ts"
import type { CommandContext } from "./command/CommandContext.ts"
import { convertCommand } from "./command/ConvertCommand.ts"
import { credentialsCommand } from "./command/CredentialsCommand.ts"
import { deleteCommand } from "./command/DeleteCommand.ts"
import { deliveriesCommand } from "./command/DeliveriesCommand.ts"
import { demoCommand } from "./command/DemoCommand.ts"
import { getCommand } from "./command/GetCommand.ts"
import { keysCommand } from "./command/KeysCommand.ts"
import { listenCommand } from "./command/ListenCommand.ts"
import { serveCommand } from "./command/ServeCommand.ts"
import { testCommand } from "./command/TestCommand.ts"
import { tokenCommand } from "./command/TokenCommand.ts"
import { version } from "./config/Version.ts"

/** The command line: reading arguments hands the work of the command that they name to `context.run`. */
export const tocsin = (context: CommandContext): Command => {
  const program = new Command("tocsin")
    .description(
      "Keeps SLOs, tells their status over an API, and rings your systems with signed webhooks.\nStart with `tocsin demo`.",
    )
    .version(version)
    .commandsGroup("Servers:")
    .addCommand(demoCommand(context))
    .addCommand(serveCommand(context))
    .commandsGroup("For the operator of a running server:")
    .addCommand(credentialsCommand(context))
    .addCommand(keysCommand(context))
    .commandsGroup("For users of a server:")
    .addCommand(applyCommand(context))
    .addCommand(convertCommand(context))
    .addCommand(getCommand(context))
    .addCommand(deleteCommand(context))
    .addCommand(testCommand(context))
    .addCommand(deliveriesCommand(context))
    .addCommand(tokenCommand(context))
    .commandsGroup("For receivers:")
    .addCommand(listenCommand(context))
  return withAdvice(program)
}

/** Has a slip told with how to get help, in the commands of a command too: they do not take it over from it. */
const withAdvice = (command: Command): Command => {
  for (const each of command.commands) withAdvice(each)
  return command.showHelpAfterError("Add --help for what there is.")
}
