import { Command } from "commander"
import type { CommandContext } from "./CommandContext.ts"
import { contextCommands } from "./ContextCommands.ts"

export const configCommand = (context: CommandContext): Command => {
  const command = new Command("config")
    .summary("choose a server and credential")
    .description("Choose the server and the credential that commands use, from the contexts of a file.")
  for (const each of contextCommands(context)) command.addCommand(each)
  return command
}
