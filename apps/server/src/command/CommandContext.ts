import { Option as Flag } from "commander"
import * as Effect from "effect/Effect"
import { makeApiClient, type ApiClient } from "../client/ApiClient.ts"
import {
  type ClientFlags,
  type ConfigIsInvalid,
  decodeClientConfig,
  defaultUrl,
} from "../client/ClientConfig.ts"
import type { Environment } from "../config/ServerConfig.ts"
import { makeTokenCache } from "../client/TokenCache.ts"

/** What a command gets: the environment, and where its work goes once the arguments are read. */
export interface CommandContext {
  readonly environment: Environment
  /** Takes the work of the one command that the arguments name; a failure is printed by its `message`. */
  readonly run: (work: Effect.Effect<void, CommandFailure>) => void
  /** The same for work that goes on until it is told to stop, which is its good end. */
  readonly runUntilStopped: (work: Effect.Effect<never, CommandFailure>) => void
}

/** Every failure of a command says in `message`, to a person, what is wrong and what to do. */
export interface CommandFailure {
  readonly message: string
}

/** The client that a command's flags and environment name. */
export const apiClient = (
  flags: ClientFlags,
  { environment }: CommandContext,
): Effect.Effect<ApiClient, ConfigIsInvalid> =>
  Effect.flatMap(Effect.fromResult(decodeClientConfig(flags, environment)), (config) =>
    makeApiClient(config, makeTokenCache(config, environment)),
  )

/** `--url`: the server to talk to. */
export const urlFlag = (): Flag =>
  new Flag("--url <url>", `address of the server (or TOCSIN_URL; ${defaultUrl})`)

/** `--organization`: whose objects are meant. */
export const organizationFlag = (): Flag =>
  new Flag("--organization <id>", "organization (or TOCSIN_ORGANIZATION)")

/** `--project`: which project's objects are meant within the organization. */
export const projectFlag = (): Flag =>
  new Flag("-p, --project <name>", "project of the objects").default("default")

/** `--json`: an answer for programs. */
export const jsonFlag = (): Flag => new Flag("--json", "print JSON, for programs to read")

/** `--dry-run`: checks everything and changes nothing. */
export const dryRunFlag = (): Flag =>
  new Flag("--dry-run", "check everything and change nothing").default(false, "off")
