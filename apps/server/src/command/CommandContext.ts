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

/** What a command gets: the environment, and functions that run its work. */
export interface CommandContext {
  readonly environment: Environment
  /** Runs the work of the chosen command; the `message` of a failure is printed. */
  readonly run: (work: Effect.Effect<void, CommandFailure>) => void
  /** Runs work until the process gets SIGINT or SIGTERM, which is a success. */
  readonly runUntilStopped: (work: Effect.Effect<never, CommandFailure>) => void
}

/** `message` says what is wrong and how to fix it. */
export interface CommandFailure {
  readonly message: string
}

/** The API client that the flags and the environment configure. */
export const apiClient = (
  flags: ClientFlags,
  { environment }: CommandContext,
): Effect.Effect<ApiClient, ConfigIsInvalid> =>
  Effect.flatMap(Effect.fromResult(decodeClientConfig(flags, environment)), (config) =>
    makeApiClient(config, makeTokenCache(config, environment)),
  )

export const urlFlag = (): Flag =>
  new Flag("--url <url>", `URL of the server (env: TOCSIN_URL; default: ${defaultUrl})`)

export const organizationFlag = (): Flag =>
  new Flag("--organization <id>", "organization (env: TOCSIN_ORGANIZATION)")

export const projectFlag = (): Flag =>
  new Flag("-p, --project <name>", "project of the objects").default("default")

export const jsonFlag = (): Flag => new Flag("--json", "print JSON")

export const dryRunFlag = (): Flag =>
  new Flag("--dry-run", "validate the request without changing anything").default(false, "off")
