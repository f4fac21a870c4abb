import { type consoleSession, session } from "@tocsin/api"
import { closeSession, openSession, openSessionByLink, type SessionAccess } from "@tocsin/domain"
import { apiVersionOf } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { sessionOf } from "../access/RequestAccess.ts"
import { clientAddressOf } from "../frame/ClientAddress.ts"
import { clearedSessionCookie, sessionCookie, sessionTokenOf } from "../access/SessionCookie.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { serve, withHeaders } from "../serve/Serve.ts"
import { SignInIsRejected, SignInLinkIsRejected } from "./SessionErrors.ts"

export const sessionRoutes = serve(session, {
  openSession: Effect.fnUntraced(function* ({ body }, request) {
    const { organization, clientId, clientSecret } = body
    const clientAddress = yield* clientAddressOf(request)
    const credentials = { clientId, clientSecret: Redacted.make(clientSecret) }
    const opened = yield* Effect.catchTag(
      openSession(organization, credentials, clientAddress),
      "CredentialsAreInvalid",
      () => new SignInIsRejected(),
    )
    return yield* signedIn(request, opened)
  }),
  openSessionByLink: Effect.fnUntraced(function* ({ body }, request) {
    const clientAddress = yield* clientAddressOf(request)
    const opened = yield* Effect.catchTag(
      openSessionByLink(body.token, clientAddress),
      "SessionIsInvalid",
      () => new SignInLinkIsRejected(),
    )
    return yield* signedIn(request, opened)
  }),
  findSession: Effect.fnUntraced(function* (_input, request) {
    const token = yield* sessionTokenOf(request)
    if (token === undefined) return { status: 204, value: undefined } as const
    const value = yield* asSession(yield* sessionOf(request, token))
    return { status: 200, value } as const
  }),
  closeSession: Effect.fnUntraced(function* (_input, request) {
    const token = yield* sessionTokenOf(request)
    if (token !== undefined) yield* closeSession(token)
    return withHeaders(undefined, { "set-cookie": yield* clearedSessionCookie(request) })
  }),
})

const signedIn = (request: ApiRequest, opened: Effect.Success<ReturnType<typeof openSession>>) =>
  Effect.zipWith(asSession(opened.session), sessionCookie(request, opened.token), (value, cookie) =>
    withHeaders(value, { "set-cookie": cookie }),
  )

const asSession = Effect.fnUntraced(function* ({ organization, clientId, role, expiresAt }: SessionAccess) {
  const { baseUrl } = yield* ApiOptions
  const { vendorPrefix } = yield* DefinitionOptions
  const value: typeof consoleSession.Type = {
    organization,
    clientId,
    role,
    expiresAt,
    apiVersion: apiVersionOf(vendorPrefix),
    baseUrl,
  }
  return value
})
