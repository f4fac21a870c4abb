import {
  closeSession,
  decodeSignIn,
  decodeSignInLink,
  openSession,
  openSessionByLink,
  type SessionAccess,
} from "@tocsin/domain"
import { signInBodyMaxBytes } from "@tocsin/domain/limits"
import * as Effect from "effect/Effect"
import { ConsoleOptions } from "../console-files/ConsoleFiles.ts"
import { emptyResponse, jsonResponse } from "../frame/ApiResponse.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { PathNotFound, routesOf } from "../frame/ApiRouter.ts"
import { rejectCrossSite } from "../access/CrossSiteGuard.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { timeText } from "../frame/TimeText.ts"
import { clientAddressOf, sessionOf } from "../access/RequestAccess.ts"
import { readJson } from "../frame/RequestBody.ts"
import { clearedSessionCookie, sessionCookie, sessionTokenOf } from "../access/SessionCookie.ts"
import { SignInIsRejected, SignInLinkIsRejected } from "./SessionErrors.ts"
import { SessionApi } from "./SessionApi.ts"

export const sessionRoutes = routesOf(SessionApi, {
  openSession: Effect.fnUntraced(function* (request: ApiRequest) {
    yield* requireConsole
    // Otherwise another site could sign a person in to an organization of its own.
    yield* rejectCrossSite(request)
    const { organization, credentials } = yield* Effect.flatMap(
      readJson(request, signInBodyMaxBytes),
      (body) => Effect.fromResult(decodeSignIn(body)),
    )
    const clientAddress = yield* clientAddressOf(request)
    const { token, session } = yield* Effect.catchTag(
      openSession(organization, credentials, clientAddress),
      "CredentialsAreInvalid",
      () => new SignInIsRejected(),
    )
    const cookie = yield* sessionCookie(request, token)
    return jsonResponse(200, yield* sessionJson(session), { "set-cookie": cookie })
  }),

  openSessionByLink: Effect.fnUntraced(function* (request: ApiRequest) {
    yield* requireConsole
    yield* rejectCrossSite(request)
    const linkToken = yield* Effect.flatMap(readJson(request, signInBodyMaxBytes), (body) =>
      Effect.fromResult(decodeSignInLink(body)),
    )
    const clientAddress = yield* clientAddressOf(request)
    const { token, session } = yield* Effect.catchTag(
      openSessionByLink(linkToken, clientAddress),
      "SessionIsInvalid",
      () => new SignInLinkIsRejected(),
    )
    const cookie = yield* sessionCookie(request, token)
    return jsonResponse(200, yield* sessionJson(session), { "set-cookie": cookie })
  }),

  findSession: Effect.fnUntraced(function* (request: ApiRequest) {
    yield* requireConsole
    const token = yield* sessionTokenOf(request)
    if (token === undefined) return emptyResponse(204)
    return jsonResponse(200, yield* sessionJson(yield* sessionOf(request, token)))
  }),

  closeSession: Effect.fnUntraced(function* (request: ApiRequest) {
    yield* requireConsole
    yield* rejectCrossSite(request)
    const token = yield* sessionTokenOf(request)
    if (token !== undefined) yield* closeSession(token)
    return emptyResponse(204, { "set-cookie": yield* clearedSessionCookie(request) })
  }),
})

const requireConsole = Effect.flatMap(ConsoleOptions, ({ files }) =>
  files === undefined ? Effect.fail(new PathNotFound()) : Effect.void,
)

const sessionJson = ({ organization, clientId, role, expiresAt }: SessionAccess) =>
  Effect.gen(function* () {
    const { baseUrl } = yield* ApiOptions
    const { vendorPrefix } = yield* DefinitionOptions
    return JSON.stringify({
      organization,
      clientId,
      role,
      expiresAt: timeText(expiresAt),
      apiVersion: `${vendorPrefix}/v1alpha`,
      baseUrl,
    })
  })
