import {
  bearerToken,
  createCredential,
  deleteCredential,
  disableCredential,
  issueSignInLink,
  parseOrganization,
  roles,
  rotateSigningKey,
} from "@tocsin/domain"
import { CredentialStore, DeliveryQueue, SealedSecrets } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { OperatorTokens } from "../crypto/OperatorTokens.ts"
import { emptyResponse, jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { timeText } from "../frame/TimeText.ts"
import { NewCredentialIsInvalid } from "../credentials/CredentialErrors.ts"
import { OperatorApi } from "./OperatorApi.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import { readJson } from "../frame/RequestBody.ts"
import { credentialToJson } from "../credentials/CredentialJson.ts"
import { rotateCredentialOf, secretResponse } from "../credentials/CredentialsHandlers.ts"

export const operatorRoutes = routesOf(OperatorApi, {
  listCredentials: Effect.fnUntraced(function* (request: ApiRequest) {
    const organization = yield* organizationForOperator(request)
    const store = yield* CredentialStore
    const credentials = yield* store.list(organization)
    const now = yield* Clock.currentTimeMillis
    const data = credentials.map((credential) => credentialToJson(credential, now))
    return jsonResponse(200, JSON.stringify({ data }))
  }),

  createCredential: Effect.fnUntraced(function* (request: ApiRequest) {
    const organization = yield* organizationForOperator(request)
    const wanted = yield* Effect.mapError(Effect.flatMap(readJson(request), decodeNewCredential), (error) =>
      error._tag === "SchemaError" ? new NewCredentialIsInvalid() : error,
    )
    return yield* secretResponse(201, yield* createCredential({ ...wanted, organization }))
  }),

  rotateCredential: Effect.fnUntraced(function* (request: ApiRequest) {
    const organization = yield* organizationForOperator(request)
    return yield* rotateCredentialOf(organization, request)
  }),

  disableCredential: Effect.fnUntraced(function* (request: ApiRequest) {
    const organization = yield* organizationForOperator(request)
    yield* disableCredential(organization, request.pathParams["clientId"] ?? "")
    return emptyResponse(204)
  }),

  deleteCredential: Effect.fnUntraced(function* (request: ApiRequest) {
    const organization = yield* organizationForOperator(request)
    yield* deleteCredential(organization, request.pathParams["clientId"] ?? "")
    return emptyResponse(204)
  }),

  createSignInLink: Effect.fnUntraced(function* (request: ApiRequest) {
    const organization = yield* organizationForOperator(request)
    const { token, expiresAt } = yield* issueSignInLink(organization, request.pathParams["clientId"] ?? "")
    const { baseUrl } = yield* ApiOptions
    // The fragment is not sent, so that no log of a server or a proxy has it.
    const url = `${baseUrl}/sign-in#link=${token}`
    return jsonResponse(201, JSON.stringify({ url, expiresAt: timeText(expiresAt) }))
  }),

  rotateKeys: Effect.fnUntraced(function* (request: ApiRequest) {
    yield* requireOperator(request)
    return jsonResponse(200, JSON.stringify(yield* rotateSigningKey))
  }),

  resealSecrets: Effect.fnUntraced(function* (request: ApiRequest) {
    yield* requireOperator(request)
    const secrets = yield* SealedSecrets
    return jsonResponse(200, JSON.stringify({ resealed: yield* secrets.reseal }))
  }),

  findPause: Effect.fnUntraced(function* (request: ApiRequest) {
    yield* requireOperator(request)
    return yield* pauseOfAll
  }),

  pauseAll: (request: ApiRequest) => setAllPaused(request, true),

  resumeAll: (request: ApiRequest) => setAllPaused(request, false),
})

const requireOperator = Effect.fnUntraced(function* (request: ApiRequest) {
  const token = yield* Effect.fromResult(bearerToken(request.header("authorization")))
  const tokens = yield* OperatorTokens
  yield* tokens.verify(token)
})

const setAllPaused = Effect.fnUntraced(function* (request: ApiRequest, isPaused: boolean) {
  yield* requireOperator(request)
  yield* (yield* DeliveryQueue).setPaused(isPaused)
  return yield* pauseOfAll
})

const pauseOfAll = Effect.gen(function* () {
  return jsonResponse(200, JSON.stringify(yield* (yield* DeliveryQueue).pauseState))
})

const organizationForOperator = (request: ApiRequest) =>
  Effect.andThen(
    requireOperator(request),
    Effect.fromResult(parseOrganization(request.header("organization"))),
  )

const decodeNewCredential = Schema.decodeUnknownEffect(
  Schema.Struct({
    role: Schema.Literals(roles),
    clientId: Schema.optionalKey(Schema.String),
    clientSecret: Schema.optionalKey(Schema.RedactedFromValue(Schema.String)),
  }),
)
