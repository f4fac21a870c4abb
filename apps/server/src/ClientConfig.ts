import { Data, Redacted, type Option } from "effect"
import { err, ok, type Result } from "@tocsin/domain/Result"
import type { ApiClientConfig } from "./ApiClient.ts"
import type { ConfigIssue, Environment } from "./ServerConfig.ts"

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
  readonly url: Option.Option<string>
  readonly organization: Option.Option<string>
}

/** Where a server listens when nothing else is said. */
export const defaultUrl = "http://127.0.0.1:8080"

/** The address of the server that a command talks to. */
export const serverUrl = (flag: Option.Option<string>, environment: Environment): string =>
  (flag._tag === "Some" ? flag.value : environment["TOCSIN_URL"] || defaultUrl).replace(/\/+$/, "")

/**
 * Puts flags and environment together to whose server to talk to and as whom. The secret comes from the
 * environment alone, since flags can be read by every user of a machine.
 */
export const decodeClientConfig = (
  flags: ClientFlags,
  environment: Environment,
): Result<ApiClientConfig, ConfigIsInvalid> => {
  const organization =
    flags.organization._tag === "Some" ? flags.organization.value : environment["TOCSIN_ORGANIZATION"]
  const clientId = environment["TOCSIN_CLIENT_ID"]
  const clientSecret = environment["TOCSIN_CLIENT_SECRET"]
  if (organization && clientId && clientSecret)
    return ok({
      url: serverUrl(flags.url, environment),
      organization,
      clientId,
      clientSecret: Redacted.make(clientSecret),
    })
  const how = "as printed by `tocsin credentials create`"
  const issues: Array<ConfigIssue> = []
  if (!organization)
    issues.push({ variable: "TOCSIN_ORGANIZATION", message: "or --organization is required" })
  if (!clientId) issues.push({ variable: "TOCSIN_CLIENT_ID", message: `is required, ${how}` })
  if (!clientSecret) issues.push({ variable: "TOCSIN_CLIENT_SECRET", message: `is required, ${how}` })
  return err(new ConfigIsInvalid({ issues }))
}
