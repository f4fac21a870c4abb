import type { ClientCall, ClientOf, Operations, Resource } from "@tocsin/api"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { type ApiClient, makeApiClient, operationsOf, send } from "../client/ApiClient.ts"
import {
  type ClientFlags,
  decodeClientConfig,
  isJson,
  organizationOf,
  serverUrl,
} from "../client/ClientConfig.ts"
import type { ConfigIsInvalid, Environment } from "../config/Environment.ts"
import { type ContextIsUnusable, withContext } from "../client/ContextFile.ts"
import { callAsOperator, type OperatorAccess } from "../client/OperatorClient.ts"
import { makeTokenCache } from "../client/TokenCache.ts"
import { printWarnings, warningsOfResponse } from "../client/Warnings.ts"
import { tableText } from "../terminal/Table.ts"
import { standardOutput } from "../terminal/Terminal.ts"
import { terminalText, textToSeconds } from "../terminal/TerminalText.ts"

export interface CommandContext {
  /** With the secrets of files, as `withSecretFiles`. */
  readonly environment: Environment
  /** As it was given. */
  readonly givenEnvironment: Environment
  /** Runs the work of the chosen command; the `message` of a failure is printed. `errorCode` is 1 unless it is given. */
  readonly run: (work: Effect.Effect<void, CommandFailure>, options?: { readonly errorCode: number }) => void
  /**
   * Runs work until the process gets SIGINT or SIGTERM, which is a success. The `message` of a failure is printed, or is a
   * line of a log in JSON.
   */
  readonly runUntilStopped: (
    work: Effect.Effect<never, { readonly message: string }>,
    logFormat?: "json" | "text",
  ) => void
  readonly operator: OperatorAccess
}

/** How a command fails. */
export interface CommandFailure {
  /** What is wrong and how to fix it; empty if nothing is to be printed. */
  readonly message: string
  /** The pages of the documentation about it, which people are shown at a terminal. */
  readonly help?: ReadonlyArray<string>
  /** Instead of that of errors. */
  readonly exitCode?: number
}

export class CommandFailed extends Data.TaggedError("CommandFailed")<CommandFailure> {}

export const apiClient = (
  flags: ClientFlags,
  { environment }: CommandContext,
): Effect.Effect<ApiClient, ConfigIsInvalid | ContextIsUnusable> =>
  Effect.gen(function* () {
    const config = yield* Effect.fromResult(decodeClientConfig(flags, yield* withContext(flags, environment)))
    return yield* makeApiClient(config, makeTokenCache(config, environment))
  })

/**
 * The operations of a resource. What they send says who calls as each of them finds it out: by the credential, by the master key, or
 * not at all.
 */
export const resourceClient = <const O extends Operations>(
  resource: Resource<O>,
  flags: ClientFlags,
  context: CommandContext,
): Effect.Effect<ClientOf<O, CommandFailure>> =>
  Effect.map(Effect.cached(apiClient(flags, context)), (connected) =>
    operationsOf(resource, (call: ClientCall): Effect.Effect<string, CommandFailure> =>
      Effect.gen(function* () {
        if (call.access === "token") return yield* (yield* connected).call(call)
        const environment = yield* withContext(flags, context.environment)
        if (call.access === "open") return yield* send(serverUrl(flags, environment), call)
        if (call.access === "server") return yield* callAsOperator(flags, context, call)
        const organization = yield* Effect.fromResult(organizationOf(flags, environment))
        return yield* callAsOperator(flags, context, { ...call, headers: { organization, ...call.headers } })
      }),
    ),
  )

/** Prints a text as it is, without a line break behind it. */
export const printText = (text: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stdout.write(text))

/** Prints the JSON of a response: as it is with `-o json`, as text otherwise, with its warnings on stderr. */
export const printJson = <A>(
  flags: ClientFlags,
  json: A,
  textOf: (json: A) => string,
): Effect.Effect<void> => {
  const text = JSON.stringify(json)
  return isJson(flags)
    ? Console.log(text)
    : Effect.andThen(
        Console.log(textToSeconds(terminalText(textOf(json)))),
        Effect.flatMap(warningsOfResponse(text), (warnings) =>
          // What is tested or proposed is a property of the request.
          printWarnings(warnings, (path) => path.replace(/^definition\./, "")),
        ),
      )
}

/** Prints a list: as `data` with `-o json`, otherwise as a table, or as what says that it is empty. */
export const printList = <A>(
  flags: ClientFlags,
  { environment }: CommandContext,
  items: ReadonlyArray<A>,
  empty: string,
  header: ReadonlyArray<string>,
  cellsOf: (item: A) => ReadonlyArray<string>,
): Effect.Effect<void> =>
  Effect.sync(() => {
    if (isJson(flags)) process.stdout.write(`${JSON.stringify({ data: items })}\n`)
    else if (items.length === 0) process.stdout.write(`${empty}\n`)
    else process.stdout.write(tableText(header, items.map(cellsOf), standardOutput(environment).width))
  })
