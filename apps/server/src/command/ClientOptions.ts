import { Options } from "@effect/cli"
import { Effect } from "effect"
import { resultToEffect } from "@tocsin/domain/Result"
import { makeApiClient, type ApiClient } from "../ApiClient.ts"
import { type ConfigIsInvalid, decodeClientConfig, defaultUrl, type ClientFlags } from "../ClientConfig.ts"
import type { Environment } from "../ServerConfig.ts"

/** `--url`: the server to talk to. */
export const urlOption = Options.text("url").pipe(
  Options.withDescription(`Address of the server; otherwise TOCSIN_URL, or ${defaultUrl}.`),
  Options.optional,
)

/** `--organization`: whose objects are meant. */
export const organizationOption = Options.text("organization").pipe(
  Options.withDescription("ID of the organization; otherwise TOCSIN_ORGANIZATION."),
  Options.optional,
)

/** `--project`, `-p`: whose objects are meant within the organization. */
export const projectOption = Options.text("project").pipe(
  Options.withAlias("p"),
  Options.withDescription("Project of the objects."),
  Options.withDefault("default"),
)

/** `--json`: an answer for programs. */
export const jsonOption = Options.boolean("json").pipe(
  Options.withDescription("Print JSON, for programs to read."),
)

/** The flags that every command with a client has. */
export const clientOptions = { url: urlOption, organization: organizationOption }

/** The client that a command's flags and environment name. */
export const apiClient = (
  flags: ClientFlags,
  environment: Environment,
): Effect.Effect<ApiClient, ConfigIsInvalid> =>
  Effect.flatMap(resultToEffect(decodeClientConfig(flags, environment)), makeApiClient)
