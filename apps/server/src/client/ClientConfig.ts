import * as Result from "effect/Result"
import * as Data from "effect/Data"
import * as Redacted from "effect/Redacted"
import type { ApiClientConfig } from "./ApiClient.ts"
import type { ConfigIssue, Environment } from "../config/ServerConfig.ts"

/** Environment variables are missing or invalid. */
export class ConfigIsInvalid extends Data.TaggedError("ConfigIsInvalid")<{
  readonly issues: ReadonlyArray<ConfigIssue>
}> {
  override get message(): string {
    return this.issues.map(({ variable, message }) => `${variable} ${message}`).join("\n")
  }
}

/** Flags that override environment variables. */
export interface ClientFlags {
  readonly url?: string
  readonly organization?: string
}

export const defaultUrl = "http://127.0.0.1:8080"

/** The URL of the server that a command calls. */
export const serverUrl = ({ url }: ClientFlags, environment: Environment): string =>
  (url ?? (environment["TOCSIN_URL"] || defaultUrl)).replace(/\/+$/, "")

/**
 * The URL of the server, if it is safe to send secrets there: HTTPS, or a loopback address.
 */
export const privateServerUrl = (
  flags: ClientFlags,
  environment: Environment,
): Result.Result<string, ConfigIssue> => {
  const url = serverUrl(flags, environment)
  // An invalid URL fails when it is called.
  if (!URL.canParse(url)) return Result.succeed(url)
  const { protocol, hostname } = new URL(url)
  if (protocol !== "http:" || loopbackHost.test(hostname)) return Result.succeed(url)
  const message = `(or --url) must start with https://, because secrets are sent to ${hostname}`
  return Result.fail({ variable: "TOCSIN_URL", message })
}

const loopbackHost = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

export const organizationOf = (
  { organization }: ClientFlags,
  environment: Environment,
): Result.Result<string, ConfigIssue> => {
  const named = organization ?? environment["TOCSIN_ORGANIZATION"]
  return named
    ? Result.succeed(named)
    : Result.fail({ variable: "TOCSIN_ORGANIZATION", message: "(or --organization) is required" })
}

/**
 * Combines flags and environment variables. The secret comes from the environment only, since every user of a machine
 * can read the flags of its processes.
 */
export const decodeClientConfig = (
  flags: ClientFlags,
  environment: Environment,
): Result.Result<ApiClientConfig, ConfigIsInvalid> => {
  const organization = organizationOf(flags, environment)
  const clientId = environment["TOCSIN_CLIENT_ID"]
  const clientSecret = environment["TOCSIN_CLIENT_SECRET"]
  const url = privateServerUrl(flags, environment)
  if (Result.isSuccess(url) && Result.isSuccess(organization) && clientId && clientSecret)
    return Result.succeed({
      url: url.success,
      organization: organization.success,
      clientId,
      clientSecret: Redacted.make(clientSecret),
    })
  const message = "is required; create a credential with `tocsin credentials create`"
  return Result.fail(
    new ConfigIsInvalid({
      issues: [
        ...(Result.isSuccess(url) ? [] : [url.failure]),
        ...(Result.isSuccess(organization) ? [] : [organization.failure]),
        ...(clientId ? [] : [{ variable: "TOCSIN_CLIENT_ID", message }]),
        ...(clientSecret ? [] : [{ variable: "TOCSIN_CLIENT_SECRET", message }]),
      ],
    }),
  )
}
