import {
  createOwnCredential,
  decodeCredentialRequest,
  deleteCredential,
  disableCredential,
  newCredential,
  requireOther,
  rotateSecret,
  rotation,
} from "@tocsin/domain"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { type Credential, CredentialStore } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { accessWithRole } from "../access/RequestAccess.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { emptyResponse, jsonResponse } from "../frame/ApiResponse.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { readJson } from "../frame/RequestBody.ts"
import { credentialToJson } from "./CredentialJson.ts"
import { CredentialsApi } from "./CredentialsApi.ts"

export const credentialsRoutes = routesOf(CredentialsApi, {
  listCredentials: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "admin")
    const credentials = yield* (yield* CredentialStore).list(organization)
    const now = yield* Clock.currentTimeMillis
    const data = credentials.map((credential) => credentialToJson(credential, now))
    return jsonResponse(200, JSON.stringify({ data }))
  }),

  createCredential: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "admin")
    const wanted = yield* Effect.flatMap(readJson(request), (body) =>
      Effect.fromResult(decodeCredentialRequest(newCredential, body)),
    )
    return yield* secretResponse(201, yield* createOwnCredential({ ...wanted, organization }))
  }),

  rotateCredential: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "admin")
    return yield* rotateCredentialOf(organization, request)
  }),

  disableCredential: Effect.fnUntraced(function* (request: ApiRequest) {
    const access = yield* accessWithRole(request, "admin")
    yield* requireOther(access, clientIdOf(request))
    yield* disableCredential(access.organization, clientIdOf(request))
    return emptyResponse(204)
  }),

  deleteCredential: Effect.fnUntraced(function* (request: ApiRequest) {
    const access = yield* accessWithRole(request, "admin")
    yield* requireOther(access, clientIdOf(request))
    yield* deleteCredential(access.organization, clientIdOf(request))
    return emptyResponse(204)
  }),
})

const clientIdOf = (request: ApiRequest): string => request.pathParams["clientId"] ?? ""

/** Rotates the secret of the credential that the path of a request names, as its body says. */
export const rotateCredentialOf = Effect.fnUntraced(function* (
  organization: OrganizationId,
  request: ApiRequest,
) {
  const { previousFor } = yield* Effect.flatMap(readJson(request), (body) =>
    Effect.fromResult(decodeCredentialRequest(rotation, body)),
  )
  return yield* secretResponse(
    200,
    yield* rotateSecret(organization, clientIdOf(request), previousFor?.ms ?? 0),
  )
})

/** Nothing on the way to the client may store the secret. */
export const secretResponse = (
  status: 200 | 201,
  { credential, clientSecret }: { readonly credential: Credential; readonly clientSecret: Redacted.Redacted },
) =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    jsonResponse(
      status,
      JSON.stringify({ ...credentialToJson(credential, now), clientSecret: Redacted.value(clientSecret) }),
      { "cache-control": "no-store" },
    ),
  )
