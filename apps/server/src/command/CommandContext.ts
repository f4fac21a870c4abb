import { Option as Flag } from "commander"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { type ResponseIsMalformed, type ApiClient, makeApiClient, readResponse } from "../client/ApiClient.ts"
import {
  type ClientFlags,
  type ConfigIsInvalid,
  decodeClientConfig,
  defaultUrl,
} from "../client/ClientConfig.ts"
import type { Environment } from "../config/ServerConfig.ts"
import { makeTokenCache } from "../client/TokenCache.ts"

/** What a command gets: the environment, and functions that run its work. */
export interface CommandContext {
  readonly environment: Environment
  /** Runs the work of the chosen command; the `message` of a failure is printed. */
  readonly run: (work: Effect.Effect<void, { readonly message: string }>) => void
  /** Runs work until the process gets SIGINT or SIGTERM, which is a success. */
  readonly runUntilStopped: (work: Effect.Effect<never, { readonly message: string }>) => void
}

/** `message` says what is wrong and how to fix it. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{ readonly message: string }> {}

/** The API client that the flags and the environment configure. */
export const apiClient = (
  flags: ClientFlags,
  { environment }: CommandContext,
): Effect.Effect<ApiClient, ConfigIsInvalid> =>
  Effect.flatMap(Effect.fromResult(decodeClientConfig(flags, environment)), (config) =>
    makeApiClient(config, makeTokenCache(config, environment)),
  )

/** Prints a response: unchanged with `--json`, as text otherwise. */
export const printResponse = <A>(
  { json }: { readonly json?: boolean },
  response: string,
  schema: Schema.ConstraintDecoder<A>,
  textOf: (value: A) => string,
): Effect.Effect<void, ResponseIsMalformed> =>
  json === true
    ? Console.log(response)
    : Effect.flatMap(readResponse(schema, response), (value) => Console.log(textOf(value)))

export const urlFlag = (): Flag =>
  new Flag("--url <url>", `URL of the server (env: TOCSIN_URL; default: ${defaultUrl})`)

export const organizationFlag = (): Flag =>
  new Flag("--organization <id>", "organization (env: TOCSIN_ORGANIZATION)")

export const projectFlag = (): Flag =>
  new Flag("-p, --project <name>", "project of the objects").default("default")

export const jsonFlag = (): Flag => new Flag("--json", "print JSON")

export const dryRunFlag = (): Flag =>
  new Flag("--dry-run", "validate the request without changing anything").default(false, "off")
