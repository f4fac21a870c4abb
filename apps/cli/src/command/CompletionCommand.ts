import { kindNames } from "@tocsin/domain/definitions"
import { Argument, Command } from "commander"
import * as Effect from "effect/Effect"
import type { CommandContext } from "./CommandContext.ts"

const shells = ["bash", "zsh", "fish"] as const

export const completionCommand = (context: CommandContext, program: Command): Command =>
  new Command()
    .summary("print a script that completes commands in a shell")
    .description("Print a script that completes commands, flags, their values and kinds in a shell.")
    .addArgument(new Argument("<shell>", "shell").choices(shells))
    .addHelpText(
      "after",
      [
        "\nExamples:",
        "  # In this shell: bash or zsh",
        "  $ source <(tocsin completion bash)",
        "  $ source <(tocsin completion zsh)",
        "",
        "  # In every shell",
        "  $ tocsin completion bash > ~/.local/share/bash-completion/completions/tocsin",
        '  $ tocsin completion zsh > "${fpath[1]}/_tocsin"',
        "  $ tocsin completion fish > ~/.config/fish/completions/tocsin.fish",
      ].join("\n"),
    )
    .action((shell: (typeof shells)[number]) =>
      context.run(Effect.sync(() => void process.stdout.write(scripts[shell](completedCommands(program))))),
    )

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

type Script = (commands: ReadonlyArray<CompletedCommand>) => string

/** Flags with the command that they belong to, as the scripts compare them: `/get:--output`. */
const flagValues = (commands: ReadonlyArray<CompletedCommand>) =>
  commands.flatMap(({ path, values }) =>
    values.map(([flags, choices]) => ({ flags: flags.map((flag) => `${path}:${flag}`), choices })),
  )

const quoted = (texts: ReadonlyArray<string>): ReadonlyArray<string> => texts.map((text) => `"${text}"`)

const pathsOf = (commands: ReadonlyArray<CompletedCommand>): ReadonlyArray<string> =>
  quoted(commands.flatMap(({ path }) => (path === "" ? [] : [path])))

/** What bash and zsh have in common. */
const shellFunctions: Script = (commands) => `# The command that the words before the cursor name.
_tocsin_path() {
  local where="" word
  for word in "$@"; do
    case "$where/$word" in
    ${pathsOf(commands).join(" | ")}) where="$where/$word" ;;
    esac
  done
  printf '%s' "$where"
}

# What can follow: the values of the flag before the cursor, or what the command takes.
_tocsin_words() {
  case "$1:$2" in
${flagValues(commands)
  .map(
    ({ flags, choices }) => `  ${quoted(flags).join(" | ")}) printf '%s' "${choices.join(" ")}" && return ;;`,
  )
  .join("\n")}
  esac
  case "$1" in
${commands.map(({ path, words }) => `  "${path}") printf '%s' "${words.join(" ")}" ;;`).join("\n")}
  esac
}
`

const scripts: Readonly<Record<(typeof shells)[number], Script>> = {
  bash: (commands) => `# Completes \`tocsin\` in bash. File names complete what has no other values.
${shellFunctions(commands)}
_tocsin() {
  local words
  words="$(_tocsin_words "$(_tocsin_path "\${COMP_WORDS[@]:1:COMP_CWORD-1}")" "\${COMP_WORDS[COMP_CWORD-1]}")"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o bashdefault -o default -F _tocsin tocsin
`,
  zsh: (commands) => `#compdef tocsin
# Completes \`tocsin\` in zsh. File names complete what has no other values.
${shellFunctions(commands)}
_tocsin() {
  local -a candidates
  candidates=(\${=$(_tocsin_words "$(_tocsin_path "\${(@)words[2,CURRENT-1]}")" "\${words[CURRENT-1]}")})
  if (( $#candidates )); then compadd -a candidates; else _files; fi
}

if [[ "\${funcstack[1]}" = _tocsin ]]; then _tocsin "$@"; else compdef _tocsin tocsin; fi
`,
  fish: (commands) => `# Completes \`tocsin\` in fish. File names complete what has no other values.
function __tocsin_words
    set -l tokens (commandline -opc)
    set -l where ""
    for token in $tokens[2..-1]
        switch "$where/$token"
            case ${pathsOf(commands).join(" ")}
                set where "$where/$token"
        end
    end
    switch "$where:$tokens[-1]"
${flagValues(commands)
  .map(
    ({ flags, choices }) =>
      `        case ${quoted(flags).join(" ")}\n            printf '%s\\n' ${choices.join(" ")}\n            return`,
  )
  .join("\n")}
    end
    switch "$where"
${commands.map(({ path, words }) => `        case "${path}"\n            printf '%s\\n' ${words.join(" ")}`).join("\n")}
    end
end

complete -c tocsin -f -a '(__tocsin_words)'
complete -c tocsin -F -n 'test -z (__tocsin_words | string collect)'
`,
}
