// The pages of the documentation site that are generated from the code: commands, settings, error codes and the API.
import { type ErrorCodeText, errorTopics, failureReasonTexts, warningCodeTexts } from "@tocsin/api"
import type { Command } from "commander"
import { servedDocument } from "../packages/adapters-http/src/api/OpenApiDocuments.ts"
import { topics } from "../apps/cli/src/command/HelpCommand.ts"
import * as Result from "effect/Result"
import { tocsin } from "../apps/cli/src/Tocsin.ts"
import { describeServerConfig } from "../apps/server/src/config/ServerConfig.ts"
import { serverVariables, type Setting, settings, settingTopics } from "../apps/server/src/config/Settings.ts"
import { serverCommands } from "../apps/server/src/command/ServerCommands.ts"

interface Item {
  readonly text: string
  readonly link: string
}

interface Generated {
  /** Markdown by the path of the page, without an extension. */
  readonly pages: Readonly<Record<string, string>>
  readonly commands: ReadonlyArray<Item>
  readonly api: ReadonlyArray<Item>
  readonly errors: ReadonlyArray<Item>
}

/** Writes all generated pages. */
export const generate = async (): Promise<Generated> => {
  const commands = await commandPages()
  const errors = errorPages()
  const api = apiPages()
  return {
    pages: { ...commands.pages, ...errors.pages, ...api.pages, settings: settingsPage() },
    commands: commands.items,
    api: api.items,
    errors: errors.topics,
  }
}

const commandPages = async () => {
  const program = await tocsin({} as never, serverCommands)
  const named = program.commands
  const pages = named.map((command) => [
    `commands/${command.name()}`,
    lines(`# tocsin ${command.name()}`, ...commandText(command, `tocsin ${command.name()}`, 2)),
  ])
  const topicText = Object.entries(topics).flatMap(([name, text]) => [`## ${name}`, fence(text)])
  const help = program.createHelp()
  const table = named.map(
    (command) =>
      `| [\`${command.name()}\`](/commands/${command.name()}) | ${cell(help.subcommandDescription(command))} |`,
  )
  return {
    pages: {
      ...Object.fromEntries(pages),
      "commands/index": lines(
        "# Commands",
        "The command line `tocsin`. `tocsin help COMMAND` prints the same help. See also [variables, contexts, output and exit codes](/commands/topics), and the [guide](/guides/command-line).",
        ["| Command | What it does |", "| --- | --- |", ...table].join("\n"),
      ),
      "commands/topics": lines(
        "# Topics of the command line",
        "`tocsin help TOPIC` prints the same text.",
        ...topicText,
      ),
    },
    items: [
      ...named.map((command) => ({ text: command.name(), link: `/commands/${command.name()}` })),
      { text: "Topics", link: "/commands/topics" },
    ],
  }
}

/** The sections of a command and of its subcommands. */
const commandText = (command: Command, path: string, level: number): ReadonlyArray<string> => {
  const help = command.createHelp()
  const heading = "#".repeat(level)
  const options = help.visibleOptions(command)
  const inner = help.visibleCommands(command).filter((each) => each.name() !== "help")
  const values = command.registeredArguments
  return [
    prose(command.description()),
    fence(
      `tocsin ${help
        .commandUsage(command)
        .replace(/^(?:tocsin )?/, "")
        .replace(/^.*?(?=\[|<|$)/, `${path.slice("tocsin ".length)} `)}`,
    ),
    ...(values.length === 0
      ? []
      : [
          [
            "| Argument | Description |",
            "| --- | --- |",
            ...values.map((value) => `| \`${value.name()}\` | ${cell(help.argumentDescription(value))} |`),
          ].join("\n"),
        ]),
    ...(options.length === 0
      ? []
      : [
          [
            "| Option | Description |",
            "| --- | --- |",
            ...options.map((option) => `| \`${option.flags}\` | ${cell(help.optionDescription(option))} |`),
          ].join("\n"),
        ]),
    ...examplesOf(command),
    ...inner.flatMap((each) => [
      `${heading} ${path} ${each.name()}`,
      ...commandText(each, `${path} ${each.name()}`, level + 1),
    ]),
  ]
}

/** What a command prints after its help, such as examples. */
const examplesOf = (command: Command): ReadonlyArray<string> => {
  let text = ""
  command.configureOutput({ writeOut: (part) => (text += part) })
  command.outputHelp()
  const after = text.slice(command.helpInformation().length).trim()
  const examples = after.replace(/^Examples:\n/, "")
  if (after === "") return []
  const indent = Math.min(...examples.split("\n").flatMap((line) => (line === "" ? [] : [line.search(/\S/)])))
  return [
    examples === after ? "" : "Examples:",
    fence(
      examples
        .split("\n")
        .map((line) => line.slice(indent))
        .join("\n"),
    ),
  ]
}

const errorPages = () => {
  const all = {
    ...errorTopics,
    Warnings: warningCodeTexts as Readonly<Record<string, ErrorCodeText>>,
    "Failed attempts": failureReasonTexts,
  }
  const pages = Object.entries(all).flatMap(([topic, codes]) =>
    Object.entries(codes).map(([code, text]) => [`errors/${code}`, errorPage(code, text, topic)]),
  )
  const list = Object.entries(all).flatMap(([topic, codes]) => [
    `## ${topic}`,
    ...(topic === "Warnings" ? ["A definition with warnings is valid and is stored."] : []),
    ...(topic === "Failed attempts" ? ["The `reason` of an attempt to deliver a notification."] : []),
    [
      "| Code | Meaning |",
      "| --- | --- |",
      ...Object.entries(codes).map(
        ([code, { meaning }]) => `| [\`${code}\`](/errors/${code}) | ${cell(meaning)} |`,
      ),
    ].join("\n"),
  ])
  return {
    pages: {
      ...Object.fromEntries(pages),
      "errors/index": lines(
        "# Error codes",
        "The codes in API responses. A response links to the pages of its errors in the `Link` header, the command line prints the link at a terminal, and `tocsin help CODE` prints the text. See also [the body and the status codes](/spec/errors).",
        ...list,
      ),
    },
    topics: Object.keys(all).map((text) => ({ text, link: `/errors/#${slug(text)}` })),
  }
}

const errorPage = (code: string, { meaning, fix, see }: ErrorCodeText, topic: string): string =>
  lines(
    `# ${code}`,
    topic === "Failed attempts"
      ? "A reason for a [failed delivery attempt](/guides/delivery#why-an-attempt-failed)."
      : `${topic === "Warnings" ? "A warning" : "An error"} of the [API](/errors/).`,
    "## What it means",
    meaning,
    "## What to do",
    fix,
    ...(see === undefined ? [] : [`More: [${see}](/${see})`]),
  )

/** A heading for each setting, to which other pages link. */
const settingsPage = (): string => {
  const defaults = new Map(
    Result.getOrThrow(describeServerConfig({})).map(({ variable, value }) => [variable as string, value]),
  )
  return lines(
    "# Settings",
    "The environment variables of the server, by topic. See also [how they are read](/guides/configuration) and the [variables of the command line](/commands/topics#environment).",
    ...settingTopics.flatMap((topic) => [
      `## ${topic}`,
      ...serverVariables
        .filter((variable) => settings[variable].topic === topic)
        .flatMap((variable) => {
          const { otherwise, description }: Setting<unknown> = settings[variable]
          const value = defaults.get(variable)
          return [
            `### ${variable}`,
            description,
            `Default: ${otherwise ?? (value === undefined ? "none" : `\`${value}\``)}`,
          ]
        }),
    ]),
  )
}

interface Media {
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>
}

interface Described {
  readonly tags?: ReadonlyArray<string>
  readonly summary?: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
  }>
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, Media>> }>
  >
}

const apiPages = () => {
  const { paths } = servedDocument(() => true)
  const byTag = new Map<string, Array<string>>()
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods as Readonly<Record<string, Described>>)) {
      if (!("responses" in operation)) continue
      const tag = operation.tags?.[0] ?? "Other"
      byTag.set(tag, [...(byTag.get(tag) ?? []), ...operationText(method, path, operation)])
    }
  }
  const items = [...byTag.keys()].map((text) => ({
    text,
    link: `/api/${text.toLowerCase().replaceAll(/\W+/g, "-")}`,
  }))
  return {
    items,
    pages: {
      ...Object.fromEntries(
        items.map(({ text, link }) => [link.slice(1), lines(`# ${text}`, ...(byTag.get(text) ?? []))]),
      ),
      "api/index": lines(
        "# API",
        "The operations of the HTTP API, by resource. A running server has the same as one page at `/docs`, and for client generators as an OpenAPI document at `/openapi.json`. Start with the [guide](/guides/api).",
        items.map(({ text, link }) => `- [${text}](${link})`).join("\n"),
      ),
    },
  }
}

const operationText = (
  method: string,
  path: string,
  { summary, description, parameters = [], requestBody, responses }: Described,
): ReadonlyArray<string> => [
  `## ${summary ?? path}`,
  fence(`${method.toUpperCase()} ${path}`),
  ...(description === undefined ? [] : [prose(description)]),
  ...(parameters.length === 0
    ? []
    : [
        [
          "| Parameter | In | Description |",
          "| --- | --- | --- |",
          ...parameters.map(
            (each) =>
              `| \`${each.name}\`${each.required === true ? ", required" : ""} | ${each.in} | ${cell(each.description ?? "")} |`,
          ),
        ].join("\n"),
      ]),
  ...exampleOf("Request:", requestBody?.content),
  [
    "| Status | Meaning |",
    "| --- | --- |",
    ...Object.entries(responses).map(([status, { description }]) => `| ${status} | ${cell(description)} |`),
  ].join("\n"),
  ...Object.entries(responses).flatMap(([status, { content }]) =>
    Number(status) < 300 ? exampleOf("Response:", content) : [],
  ),
]

const exampleOf = (
  title: string,
  content: Readonly<Record<string, Media>> | undefined,
): ReadonlyArray<string> => {
  const [media] = Object.values(content ?? {})
  const value = media?.example ?? Object.values(media?.examples ?? {})[0]?.value
  return value === undefined
    ? []
    : [title, typeof value === "string" ? fence(value) : fence(JSON.stringify(value, undefined, 2), "json")]
}

const lines = (...parts: ReadonlyArray<string>): string =>
  `${parts.filter((part) => part !== "").join("\n\n")}\n`
const fence = (text: string, language = "text"): string => `\`\`\`\`${language}\n${text}\n\`\`\`\``

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-")

/** Text that is no Markdown. */
const prose = (text: string): string => text.replaceAll(/(?<![`\w])[[\]*_](?![`\w])/g, "\\$&")
const cell = (text: string): string => prose(text).replaceAll("|", "\\|").replaceAll("\n", " ")
