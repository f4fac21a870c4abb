import type { SignInIsInvalid } from "@tocsin/domain/internal/access/Session"
import * as Data from "effect/Data"
import { invalidCredentialsDetail, sessionChallenge, unauthorized } from "../access/AccessErrors.ts"
import { invalidBody, type StatusTable } from "../frame/ErrorResponse.ts"

export class SignInIsRejected extends Data.TaggedError("SignInIsRejected") {}

export class SessionIsMissing extends Data.TaggedError("SessionIsMissing") {}

export const sessionErrors: StatusTable<SignInIsInvalid | SignInIsRejected | SessionIsMissing> = {
  SignInIsInvalid: ({ issues }) => invalidBody("Invalid sign-in", issues),
  SignInIsRejected: () =>
    unauthorized(sessionChallenge, {
      title: "Invalid organization, client ID or secret",
      code: "invalid_credentials",
      detail: invalidCredentialsDetail,
    }),
  SessionIsMissing: () =>
    unauthorized(sessionChallenge, { title: "Not signed in", code: "session_missing", detail: "Sign in." }),
}
