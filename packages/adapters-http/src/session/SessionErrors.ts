import type { SignInIsInvalid } from "@tocsin/domain/access/Session"
import * as Data from "effect/Data"
import { invalidCredentialsDetail, sessionChallenge } from "../access/AccessErrors.ts"
import { invalidBody, oneError, type StatusTable } from "../frame/ErrorResponse.ts"

/** The credentials of a sign-in are invalid. */
export class SignInIsRejected extends Data.TaggedError("SignInIsRejected") {}

/** The request has no session cookie. */
export class SessionIsMissing extends Data.TaggedError("SessionIsMissing") {}

export const sessionErrors: StatusTable<SignInIsInvalid | SignInIsRejected | SessionIsMissing> = {
  SignInIsInvalid: ({ issues }) => invalidBody("Invalid sign-in", issues),
  SignInIsRejected: () =>
    oneError(
      401,
      {
        title: "Invalid organization, client ID or secret",
        code: "invalid_credentials",
        detail: invalidCredentialsDetail,
      },
      sessionChallenge,
    ),
  SessionIsMissing: () =>
    oneError(401, { title: "Not signed in", code: "session_missing", detail: "Sign in." }, sessionChallenge),
}
