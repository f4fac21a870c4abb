import * as Data from "effect/Data"

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** An invalid environment variable. The message never contains a secret. */
export interface ConfigIssue {
  readonly variable: string
  readonly message: string
}

/** Environment variables are invalid or missing; each has its line in the message. */
export class ConfigIsInvalid extends Data.TaggedError("ConfigIsInvalid")<{
  readonly issues: ReadonlyArray<ConfigIssue>
}> {
  override get message(): string {
    return this.issues.map(({ variable, message }) => `${variable} ${message}`).join("\n")
  }
}

/** The variables of the commands that call a server. */
export const clientVariables = [
  "TOCSIN_URL",
  "TOCSIN_ORGANIZATION",
  "TOCSIN_CLIENT_ID",
  "TOCSIN_CLIENT_SECRET",
  "TOCSIN_CONFIG",
  "TOCSIN_CONTEXT",
] as const

/** The prefix of `apiVersion` in definitions without `TOCSIN_VENDOR_PREFIX`. */
export const defaultVendorPrefix = "tocsin"

/** The prefix of `apiVersion` in definitions. */
export const vendorPrefixOf = (environment: Environment): string =>
  environment["TOCSIN_VENDOR_PREFIX"] || defaultVendorPrefix
