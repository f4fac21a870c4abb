import * as Data from "effect/Data"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { decode, named } from "../codec/Codec.ts"
import { object } from "../codec/Containers.ts"
import type { Issue } from "../codec/Issue.ts"
import { string } from "../codec/Leaves.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { BasicCredentials } from "./ProveCredential.ts"
import { nameMaxCharacters } from "../codec/NameFromDisplayName.ts"
import { clientIdMaxCharacters, requestBodyMaxBytes } from "./CredentialStore.ts"

/** The wire format of a sign-in. */
export const signInRequest = named(
  object({
    organization: string({
      max: nameMaxCharacters,
      format: { pattern: /^[!-~]+$/, message: "must be visible ASCII characters without spaces" },
    }),
    clientId: string({ max: clientIdMaxCharacters }),
    clientSecret: string({ max: requestBodyMaxBytes }),
  }),
  "SignIn",
)

/** What somebody signs in with. */
export interface SignIn {
  readonly organization: OrganizationId
  readonly credentials: BasicCredentials
}

/** What was sent to sign in with breaks rules. */
export class SignInIsInvalid extends Data.TaggedError("SignInIsInvalid")<{
  /** Every issue, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** Decodes a sign-in, parsed from JSON. Whether there is such an organization or credential is not checked here. */
export const decodeSignIn = (body: unknown): Result.Result<SignIn, SignInIsInvalid> =>
  Result.mapBoth(decode(signInRequest, body, undefined), {
    onSuccess: ({ organization, clientId, clientSecret }) => ({
      organization,
      credentials: { clientId, clientSecret: Redacted.make(clientSecret) },
    }),
    onFailure: (issues) => new SignInIsInvalid({ issues }),
  })
