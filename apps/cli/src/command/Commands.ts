import type { CallOf, JsonOf, Operation, Operations, PageOf, Resource } from "@tocsin/api"
import { nearestName } from "@tocsin/domain/codec"
import { Command } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { ApiRejected } from "../client/ApiClient.ts"
import { isJson } from "../client/ClientConfig.ts"
import { readAll } from "../client/Pages.ts"
import {
  type CommandContext,
  type CommandFailure,
  printJson,
  printList,
  resourceClient,
} from "./CommandContext.ts"
import { addFlags, dashed, type Flags, type ValuesOf } from "./Flags.ts"

/** A command without its name. */
export type MakeCommand = (context: CommandContext) => Command

/** What a command says of itself, and takes. */
interface Described<A extends Arguments, F extends Flags> {
  readonly summary: string
  readonly description: string
  readonly arguments?: A
  readonly flags: F
  /** Lines of the help, indented by two spaces. */
  readonly examples?: string
  /** The flags that set properties of what is sent, whose names differ. */
  readonly flagOf?: Readonly<Record<string, keyof F & string>>
  /** Default: 1. */
  readonly errorCode?: number
}

/** Descriptions of the arguments, by name; an optional argument ends with `?`, a repeated one with `...`, both with `?...`. */
type Arguments = Readonly<Record<string, string>>

/** The values of arguments and flags by name. */
type Given<A, F> = {
  readonly [N in keyof A as N extends `${string}${"?" | "..."}` ? never : N]: string
} & {
  readonly [
    N in keyof A as N extends `${infer Name}?...` ? Name : N extends `${infer Name}...` ? Name : never
  ]: ReadonlyArray<string>
} & {
  readonly [N in keyof A as N extends `${infer Name}?` ? Name : never]: string | undefined
} & ValuesOf<F>

/** What is sent: what is given, if the parameters of the operation have these names. */
type Requested<C, G> =
  Pick<G, keyof G & keyof C> extends C
    ? { readonly request?: Request<C, G> }
    : { readonly request: Request<C, G> }

type Request<C, G> = (given: G, context: CommandContext) => C | Effect.Effect<C, CommandFailure>

/** The commands of a topic. */
export const commands =
  (summary: string, description: string, subcommands: Readonly<Record<string, MakeCommand>>): MakeCommand =>
  (context) => {
    const command = new Command().summary(summary).description(description)
    for (const [name, make] of Object.entries(subcommands))
      command.addCommand(make(context).name(dashed(name)))
    return command
  }

/** A command that calls an operation, and prints its response: as text, or as it is with `-o json`. */
export const printed = <
  O extends Operations,
  N extends keyof O & string,
  F extends Flags,
  A extends Arguments = Readonly<Record<never, never>>,
>(
  resource:
    | Resource<O>
    | ((given: ValuesOf<F>, context: CommandContext) => Effect.Effect<Resource<O>, CommandFailure>),
  operation: N,
  spec: Described<A, F> &
    Requested<CallOf<O[N]>, Given<A, F>> & {
      readonly text: (json: JsonOf<O[N]["success"]>, given: Given<A, F>) => string
      /** What is said on stderr beside the text. */
      readonly note?: string
    },
): MakeCommand =>
  work(spec, (given, context) =>
    Effect.gen(function* () {
      const asked = yield* requestOf<CallOf<O[N]>, Given<A, F>>(spec, given, context)
      const chosen = typeof resource === "function" ? yield* resource(given, context) : resource
      const api = yield* resourceClient(chosen, given, context)
      const json = yield* api[operation](asked)
      yield* printJson(given, json, (printed) => spec.text(printed, given))
      if (spec.note !== undefined && !isJson(given)) yield* Console.error(spec.note)
    }),
  )

/** A command that calls an operation for a list, and prints it as a table: the whole list, or as many as `--limit`. */
export const listed = <
  O extends Operations,
  N extends keyof O & string,
  F extends Flags,
  A extends Arguments = Readonly<Record<never, never>>,
>(
  resource: Resource<O>,
  operation: N,
  spec: Described<A, F> &
    Requested<CallOf<O[N]>, Given<A, F>> & {
      /** What is printed without a table. */
      readonly empty: string
      /** Runs if the list is empty, and fails if a filter names something that does not exist. */
      readonly checkEmpty?: (
        given: Given<A, F>,
        context: CommandContext,
      ) => Effect.Effect<void, CommandFailure>
      /** The cells by the title of their column. */
      readonly columns: Readonly<Record<string, (item: ItemOf<O[N]>) => string | undefined>>
    },
): MakeCommand =>
  work(spec, (given, context) =>
    Effect.gen(function* () {
      const asked = yield* requestOf<CallOf<O[N]>, Given<A, F>>(spec, given, context)
      const api = yield* resourceClient(resource, given, context)
      const items = yield* readAll<ItemOf<O[N]>, CommandFailure>(
        (page) => api[operation]({ ...asked, ...page }) as never,
        (asked as { readonly limit?: number }).limit,
      )
      if (items.length === 0) yield* spec.checkEmpty?.(given, context) ?? Effect.void
      const cells = Object.values(spec.columns)
      yield* printList(given, context, items, spec.empty, Object.keys(spec.columns), (item) =>
        cells.map((cellOf) => cellOf(item) ?? ""),
      )
    }),
  )

/** An item of a list as JSON. */
type ItemOf<O extends Operation> = O["success"] extends PageOf<infer Item> ? Item["Encoded"] : never

const requestOf = <C, G>(
  spec: Requested<C, G>,
  given: G,
  context: CommandContext,
): Effect.Effect<C, CommandFailure> => {
  const { request = (all: unknown) => all as C } = spec as { readonly request?: Request<C, G> }
  const asked = request(given, context)
  return Effect.isEffect(asked) ? (asked as Effect.Effect<C, CommandFailure>) : Effect.succeed(asked)
}

/** A command that does more than one call, or none. */
export const work =
  <F extends Flags, A extends Arguments = Readonly<Record<never, never>>>(
    { summary, description, arguments: args, flags, flagOf, examples, errorCode }: Described<A, F>,
    run: (given: Given<A, F>, context: CommandContext) => Effect.Effect<void, CommandFailure>,
  ): MakeCommand =>
  (context) => {
    const command = new Command().summary(summary).description(description)
    const all = Object.entries(args ?? {})
    for (const [each, about] of all) command.argument(argumentText(each), about)
    addFlags(command, flags)
    if ("file" in flags && all.length === 0)
      command.configureOutput({
        outputError: (message, write) => write(withFileHint(message, command)),
      })
    if (examples !== undefined) command.addHelpText("after", `\nExamples:\n${examples}`)
    if (errorCode !== undefined)
      command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : errorCode))
    return command.action((...values: ReadonlyArray<unknown>) => {
      const empty = all.find((_, index) => [values[index]].flat().includes(""))
      if (empty !== undefined)
        return command.error(`error: argument ${argumentText(empty[0])} must not be empty`)
      const named = all.map(([each], index) => [each.replace(/[?.]+$/, ""), values[index]])
      const given = { ...(values[all.length] as object), ...Object.fromEntries(named) }
      const names = { ...Object.fromEntries(Object.keys(flags).map((name) => [name, name])), ...flagOf }
      const flagTexts = Record.map(names, (name) => `--${dashed(name)}`)
      context.run(
        Effect.mapError(run(given as Given<A, F>, context), (failure) =>
          failure instanceof ApiRejected ? failure.withFlags(flagTexts) : failure,
        ),
        errorCode === undefined ? undefined : { errorCode },
      )
    })
  }

/** Files are given with -f, and not as arguments or with a misspelled flag. */
const withFileHint = (message: string, { args, options }: Command): string => {
  const [given = "-"] = args
  const [flag = given] = given.split("=", 1)
  return message.replace(/^(error: required option '-f,.*?)\n/, (_, error: string) => {
    if (!given.startsWith("-")) return `${error}; did you mean -f ${given}?\n`
    const known = options.flatMap(({ long }) => long ?? [])
    const nearest = flag.startsWith("--") && !known.includes(flag) ? nearestName(flag, known) : undefined
    return nearest === undefined
      ? `${error}\n`
      : `error: unknown option '${flag}'; did you mean ${nearest}?\n`
  })
}

const argumentText = (name: string): string => {
  const [, word = "", isOptional, several = ""] = /^(.+?)(\?)?(\.\.\.)?$/.exec(name) ?? []
  const text = `${dashed(word)}${several}`
  return isOptional === undefined ? `<${text}>` : `[${text}]`
}
