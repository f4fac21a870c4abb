import { kindNames } from "@tocsin/domain/internal/metadata/ObjectKey"
import { Argument, type Command } from "commander"
import * as Effect from "effect/Effect"
import { ApiCommand, type CommandContext } from "./CommandContext.ts"

export const completionCommand = (context: CommandContext, program: Command): ApiCommand =>
  new ApiCommand("completion")
    .summary("print a script that completes commands in a shell")
    .description("Print a script that completes commands, flags, their values and kinds in a shell.")
    .addArgument(new Argument("<shell>", "shell").choices(["bash"]))
    .examples(
      "  # In this shell\n  $ source <(tocsin completion bash)\n\n  # In every shell\n  $ tocsin completion bash > ~/.local/share/bash-completion/completions/tocsin",
    )
    .action(() => context.run(Effect.sync(() => void process.stdout.write(bashScript(program)))))

/** What can follow the words of a command. */
interface CompletedCommand {
  /** Starts with a slash, which also separates the names; empty for the program. */
  readonly path: string
  readonly words: ReadonlyArray<string>
  /** By flag, in each of its forms. */
  readonly values: ReadonlyArray<readonly [flags: ReadonlyArray<string>, values: ReadonlyArray<string>]>
}

const completedCommands = (command: Command, path = ""): ReadonlyArray<CompletedCommand> => {
  const options = command.createHelp().visibleOptions(command)
  const below = command.commands.flatMap((each) => completedCommands(each, `${path}/${each.name()}`))
  const own: CompletedCommand = {
    path,
    words: [
      ...command.commands.map((each) => each.name()),
      ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
      ...(["/get", "/describe", "/edit", "/delete"].includes(path) ? [...kindNames()] : []),
      ...(["/get", "/describe"].includes(path) ? ["alerts"] : []),
      ...options.flatMap(({ long }) => long ?? []),
    ],
    values: options
      .filter(({ required, optional }) => required || optional)
      .map(({ short, long, argChoices = [] }) => [
        [short, long].filter((flag) => flag !== undefined),
        argChoices,
      ]),
  }
  return [own, ...below]
}

const bashScript = (program: Command): string => {
  const commands = completedCommands(program)
  const paths = commands.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`]))
  const values = commands.flatMap((command) =>
    command.values.map(
      ([flags, choices]) =>
        `    ${flags.map((flag) => `"${command.path}:${flag}"`).join(" | ")}) words="${choices.join(" ")}" ;;`,
    ),
  )
  return `# Completes \`tocsin\` in bash. File names complete what has no other values.
_tocsin() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  local path="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path/\${COMP_WORDS[i]}" in
    ${paths.join(" | ")}) path="$path/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path:$previous" in
${values.join("\n")}
    *)
      case "$path" in
${commands.map(({ path, words }) => `        "${path}") words="${words.join(" ")}" ;;`).join("\n")}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _tocsin tocsin
`
}
