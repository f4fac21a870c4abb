import { TaggedError } from "@tocsin/domain/adapter"
import { invalidCredentialsDetail, sessionChallenge, unauthorized } from "../access/AccessErrors.ts"
import type { StatusTable } from "../frame/ErrorResponse.ts"

export class SignInIsRejected extends TaggedError("SignInIsRejected") {}

/** A sign-in link is malformed, used or expired, or its credential is disabled. */
export class SignInLinkIsRejected extends TaggedError("SignInLinkIsRejected") {}

export const sessionErrors: StatusTable<SignInIsRejected | SignInLinkIsRejected> = {
  SignInIsRejected: () =>
    unauthorized(sessionChallenge, {
      title: "Invalid organization, client ID or secret",
      code: "invalid_credentials",
      detail: invalidCredentialsDetail,
    }),
  SignInLinkIsRejected: () =>
    unauthorized(sessionChallenge, {
      title: "Invalid sign-in link",
      code: "invalid_sign_in_link",
      detail:
        "The link was used, or it has expired. Sign in with a client ID and secret, or ask for a new link.",
    }),
}
