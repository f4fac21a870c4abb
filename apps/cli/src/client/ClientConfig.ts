import { parseOrganization } from "@tocsin/domain"
import { nameMaxCharacters } from "@tocsin/domain/limits"
import * as Result from "effect/Result"
import * as Redacted from "effect/Redacted"
import type { ApiClientConfig } from "./ApiClient.ts"
import { secretFileIssue } from "../config/SecretVariables.ts"
import { ConfigIsInvalid, type Environment } from "../config/Environment.ts"

export interface ClientFlags {
  readonly url?: string | undefined
  readonly organization?: string | undefined
  /** Of commands that print text: `json` for the response as it is. */
  readonly output?: string | undefined
}

export const defaultUrl = "http://127.0.0.1:8080"

export const isJson = ({ output }: ClientFlags): boolean => output === "json"

export const serverUrl = ({ url }: ClientFlags, environment: Environment): string =>
  (url ?? (environment["TOCSIN_URL"] || defaultUrl)).replace(/\/+$/, "")

/**
 * The URL of the server, if it is one, and it is safe to send secrets there: HTTPS, or a loopback address.
 */
export const privateServerUrl = (
  flags: ClientFlags,
  environment: Environment,
): Result.Result<string, ConfigIsInvalid> => {
  const url = serverUrl(flags, environment)
  const invalid = (message: string) =>
    Result.fail(
      new ConfigIsInvalid({ issues: [{ variable: "TOCSIN_URL", message: `(or --url) ${message}` }] }),
    )
  if (!URL.canParse(url)) return invalid(`must be a URL such as https://tocsin.example.com, but is "${url}"`)
  const { protocol, hostname, pathname } = new URL(url)
  if (protocol !== "https:" && protocol !== "http:")
    return invalid(`must start with https:// or http://, but starts with ${protocol}//`)
  const [served] = /^\/(?:api|docs|help)(?:\/.*)?$/.exec(pathname) ?? []
  if (served !== undefined) return invalid(`must be the URL of the server, without the path ${served}`)
  if (protocol !== "http:" || loopbackHost.test(hostname)) return Result.succeed(url)
  return invalid(`must start with https://, because secrets are sent to ${hostname}`)
}

const loopbackHost = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

export const organizationOf = (
  { organization }: ClientFlags,
  environment: Environment,
): Result.Result<string, ConfigIsInvalid> =>
  Result.flatMap(
    required(
      "TOCSIN_ORGANIZATION",
      organization ?? environment["TOCSIN_ORGANIZATION"],
      "(or --organization) is required",
    ),
    (given) =>
      Result.mapError(parseOrganization(given), () => {
        const message = `(or --organization) must be 1 to ${nameMaxCharacters} visible ASCII characters, without spaces`
        return new ConfigIsInvalid({ issues: [{ variable: "TOCSIN_ORGANIZATION", message }] })
      }),
  )

/** The secret comes from the environment only, since every user of a machine can read the flags of its processes. */
export const decodeClientConfig = (
  flags: ClientFlags,
  environment: Environment,
  advice = "sign in with `tocsin login`, or create a credential with `tocsin credentials create`",
): Result.Result<ApiClientConfig, ConfigIsInvalid> => {
  const ofCredential = (variable: string): Result.Result<string, ConfigIsInvalid> => {
    const fileIssue = secretFileIssue(environment, variable)
    if (fileIssue !== undefined) return Result.fail(new ConfigIsInvalid({ issues: [fileIssue] }))
    return required(variable, environment[variable], `is required; ${advice}`)
  }
  const config = {
    url: privateServerUrl(flags, environment),
    organization: organizationOf(flags, environment),
    clientId: ofCredential("TOCSIN_CLIENT_ID"),
    clientSecret: Result.map(ofCredential("TOCSIN_CLIENT_SECRET"), (secret) => Redacted.make(secret)),
  }
  const parts: ReadonlyArray<Result.Result<unknown, ConfigIsInvalid>> = Object.values(config)
  const issues = parts.flatMap((part) => (Result.isFailure(part) ? part.failure.issues : []))
  return Result.mapError(Result.all(config), () => new ConfigIsInvalid({ issues }))
}

const required = (
  variable: string,
  value: string | undefined,
  message: string,
): Result.Result<string, ConfigIsInvalid> =>
  value ? Result.succeed(value) : Result.fail(new ConfigIsInvalid({ issues: [{ variable, message }] }))
