import { type Command, InvalidArgumentError, Option } from "commander"
import { defaultUrl } from "../client/ClientConfig.ts"

/** A flag, whose value is an `A`. */
export interface Flag<A> {
  /** The option of commander; `name` is as on the command line. */
  readonly optionOf: (name: string) => Option
  /** Only its type is used. */
  readonly value?: A
}

/** Flags by name: `allProjects` is `--all-projects` on the command line. */
export type Flags = Readonly<Record<string, Flag<unknown>>>

/** Adds flags to a command. */
export const addFlags = (command: Command, flags: Flags): void => {
  for (const [name, { optionOf }] of Object.entries(flags)) command.addOption(optionOf(dashed(name)))
}

/** `allProjects` as `all-projects`. */
export const dashed = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The values of flags by name. */
export type ValuesOf<F> = { readonly [N in keyof F]: F[N] extends Flag<infer A> ? A : never }

const flag = <A>(description: string, value: string, short?: string, change = (option: Option) => option) =>
  ({
    optionOf: (name) =>
      change(new Option(`${short === undefined ? "" : `-${short}, `}--${name}${value}`, description)),
  }) satisfies Flag<A> as Flag<A>

/** A text, such as `<name>`. */
export const text = (value: string, description: string, short?: string): Flag<string | undefined> =>
  flag(description, ` ${value}`, short)

/** A text without which the command fails. */
export const required = (value: string, description: string, short?: string): Flag<string> =>
  flag(description, ` ${value}`, short, (option) => option.makeOptionMandatory())

/** A text that has a default. */
export const defaulted = (
  value: string,
  description: string,
  byDefault: string,
  short?: string,
): Flag<string> => flag(description, ` ${value}`, short, (option) => option.default(byDefault))

/** One of several texts. */
export const oneOf = <A extends string>(
  value: string,
  description: string,
  choices: ReadonlyArray<A>,
  short?: string,
): Flag<A | undefined> => flag(description, ` ${value}`, short, (option) => option.choices(choices))

/** One of several texts, with a default. */
export const oneOfDefault = <A extends string>(
  value: string,
  description: string,
  choices: ReadonlyArray<A>,
  byDefault: A,
  short?: string,
): Flag<A> => flag(description, ` ${value}`, short, (option) => option.choices(choices).default(byDefault))

/** Some of several texts: `<state...>`. */
export const someOf = <A extends string>(
  value: string,
  description: string,
  choices: ReadonlyArray<A>,
  short?: string,
): Flag<ReadonlyArray<A> | undefined> =>
  flag(description, ` ${value}`, short, (option) => option.choices(choices))

/** Several texts: `<name...>`. */
export const texts = (value: string, description: string): Flag<ReadonlyArray<string> | undefined> =>
  flag(description, ` ${value}`)

/** Several texts without which the command fails. */
export const requiredTexts = (
  value: string,
  description: string,
  short?: string,
): Flag<ReadonlyArray<string>> =>
  flag(description, ` ${value}`, short, (option) => option.makeOptionMandatory())

/** What is read from a text; `read` throws `InvalidArgumentError`. */
export const parsed = <A>(
  value: string,
  description: string,
  read: (text: string) => A,
): Flag<A | undefined> => flag(description, ` ${value}`, undefined, (option) => option.argParser(read))

/** What is read from a text without which the command fails. */
export const requiredParsed = <A>(value: string, description: string, read: (text: string) => A): Flag<A> =>
  flag(description, ` ${value}`, undefined, (option) => option.argParser(read).makeOptionMandatory())

/** What is read from a text, with a default text. */
export const parsedDefault = <A>(
  value: string,
  description: string,
  read: (text: string) => A,
  byDefault: string,
): Flag<A> =>
  flag(description, ` ${value}`, undefined, (option) =>
    option.argParser(read).default(read(byDefault), byDefault),
  )

/** A whole number from 1, with a default. */
export const count = (value: string, description: string, byDefault: number): Flag<number> =>
  flag(description, ` ${value}`, undefined, (option) => option.argParser(positiveInteger).default(byDefault))

/** Given or not. */
export const given = (description: string, short?: string): Flag<true | undefined> =>
  flag(description, "", short)

const positiveInteger = (written: string): number => {
  if (/^[1-9]\d{0,8}$/.test(written)) return Number(written)
  throw new InvalidArgumentError("It must be a whole number from 1.")
}

/** `-o json`; `--json` is the same. */
export const output = {
  output: flag<string>("output format", " <format>", "o", (option) =>
    option.choices(["text", "json"]).default("text"),
  ),
  json: flag<true | undefined>("", "", undefined, (option) => option.hideHelp().implies({ output: "json" })),
}

/** The organization of the call. */
export const organization = { organization: text("<id>", "organization (env: TOCSIN_ORGANIZATION)") }

/** The server of the call. */
export const url = { url: text("<url>", `URL of the server (env: TOCSIN_URL; default: ${defaultUrl})`) }

/** `--server-dry-run`, the name that others have for `--dry-run`. */
export const serverDryRun = {
  serverDryRun: flag<true | undefined>("", "", undefined, (option) =>
    option.hideHelp().implies({ dryRun: true }),
  ),
}

/** The flags of every command that calls the API as a user and prints text. */
export const client = { ...output, ...organization, ...url }

/** The project of what the arguments name. */
export const project = { project: defaulted("<name>", "project of the objects", "default", "p") }

/** `-f` and `-R`; `content` is what the files have. */
export const files = (content: string) => ({
  file: requiredTexts("<file...>", filesText(content), "f"),
  ...recursive,
})

/** As `files`, for a command that does without. */
export const optionalFiles = (content: string) => ({
  file: flag<ReadonlyArray<string> | undefined>(filesText(content), " <file...>", "f"),
  ...recursive,
})

const filesText = (content: string): string =>
  `YAML or JSON file with ${content}, or a directory, a quoted glob or a URL of such files; - reads stdin`

const recursive = { recursive: given("read the subdirectories of directories too", "R") }

/** `-y`, as `DeletionFlags`. */
export const yes = {
  yes: given("delete without a prompt; prompts are skipped when stdin is not a terminal", "y"),
}

/** `--labels`, which selects objects. */
export const labels = (description: string) => ({ labels: text("<key=value,...>", description, "l") })

/** `--dry-run`. */
export const dryRun = (description = "validate the request without changing anything") => ({
  dryRun: flag<boolean>(description, "", undefined, (option) => option.default(false, "off")),
})
