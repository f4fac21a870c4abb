import * as Data from "effect/Data"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { Limits } from "../Limits.ts"
import type { Issue } from "../codec/Issue.ts"
import { objectOf } from "../codec/ObjectRule.ts"
import { decodeBy, type Rule, text } from "../codec/Rule.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { BasicCredentials } from "./ProveCredential.ts"

/** What somebody signs in with. Source: decision 0704. */
export interface SignIn {
  readonly organization: OrganizationId
  readonly credentials: BasicCredentials
}

/** What was sent to sign in with breaks rules. Source: decision 0704. */
export class SignInIsInvalid extends Data.TaggedError("SignInIsInvalid")<{
  /** Every issue, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/**
 * Reads `{organization, clientId, clientSecret}`, parsed from JSON, and tells every issue.
 *
 * Whether there is such an organization or credential is not looked at, and so not told.
 *
 * Source: decision 0704.
 */
export const decodeSignIn = (body: unknown): Result.Result<SignIn, SignInIsInvalid> =>
  Result.mapError(decodeBy(signInRule, body), (issues) => new SignInIsInvalid({ issues }))

const signInRule: Rule<SignIn> = objectOf((reader) => {
  const organization = reader.required("organization", organizationId)
  const clientId = reader.required("clientId", text({ max: Limits.clientIdMaxCharacters }))
  const clientSecret = reader.required("clientSecret", text({ max: Limits.requestBodyMaxBytes }))
  return organization === undefined || clientId === undefined || clientSecret === undefined
    ? undefined
    : { organization, credentials: { clientId, clientSecret: Redacted.make(clientSecret) } }
})

const organizationId = text({
  max: Limits.nameMaxCharacters,
  format: { pattern: /^[!-~]+$/, message: "must be visible ASCII characters without spaces" },
})
