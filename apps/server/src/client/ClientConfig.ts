import * as Result from "effect/Result"
import * as Data from "effect/Data"
import * as Redacted from "effect/Redacted"
import type { ApiClientConfig } from "./ApiClient.ts"
import type { ConfigIssue, Environment } from "../config/ServerConfig.ts"

/** Settings are missing or wrong; each is told with what would be right. */
export class ConfigIsInvalid extends Data.TaggedError("ConfigIsInvalid")<{
  readonly issues: ReadonlyArray<ConfigIssue>
}> {
  override get message(): string {
    return this.issues.map(({ variable, message }) => `${variable} ${message}`).join("\n")
  }
}

/** What the flags of a command say; each goes before its variable. */
export interface ClientFlags {
  readonly url?: string
  readonly organization?: string
}

/** Where a server listens when nothing else is said. */
export const defaultUrl = "http://127.0.0.1:8080"

/** The address of the server that a command talks to. */
export const serverUrl = ({ url }: ClientFlags, environment: Environment): string =>
  (url ?? (environment["TOCSIN_URL"] || defaultUrl)).replace(/\/+$/, "")

/**
 * The address of the server, when a secret may be sent there: over TLS, or on this machine. Anybody between could read
 * it otherwise.
 */
export const privateServerUrl = (
  flags: ClientFlags,
  environment: Environment,
): Result.Result<string, ConfigIssue> => {
  const url = serverUrl(flags, environment)
  // What is no URL at all reaches nobody.
  if (!URL.canParse(url)) return Result.succeed(url)
  const { protocol, hostname } = new URL(url)
  if (protocol !== "http:" || loopbackHost.test(hostname)) return Result.succeed(url)
  const message = `or --url must start with https://, since ${hostname} is not this machine and secrets are sent there`
  return Result.fail({ variable: "TOCSIN_URL", message })
}

const loopbackHost = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** The organization that a command speaks for. */
export const organizationOf = (
  { organization }: ClientFlags,
  environment: Environment,
): Result.Result<string, ConfigIssue> => {
  const named = organization ?? environment["TOCSIN_ORGANIZATION"]
  return named
    ? Result.succeed(named)
    : Result.fail({ variable: "TOCSIN_ORGANIZATION", message: "or --organization is required" })
}

/**
 * Puts flags and environment together to whose server to talk to and as whom. The secret comes from the
 * environment alone, since flags can be read by every user of a machine.
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
  const message = "is required, as printed by `tocsin credentials create`"
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
