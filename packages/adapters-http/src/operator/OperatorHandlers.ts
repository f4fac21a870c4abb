import { credentialList, credentialWithSecret } from "@tocsin/api"
import {
  bearerToken,
  createCredential,
  deleteCredential,
  disableCredential,
  issueSignInLink,
  parseOrganization,
  roles,
  rotateSecret,
  rotateSigningKey,
  rotation,
} from "@tocsin/domain"
import { DeliveryQueue, SealedSecrets } from "@tocsin/domain/ports"
import { decode } from "@tocsin/domain/codec"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { OperatorTokens } from "../crypto/OperatorTokens.ts"
import { emptyResponse, jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { timeText } from "../frame/TimeText.ts"
import { NewCredentialIsInvalid } from "../credentials/CredentialErrors.ts"
import { OperatorApi } from "./OperatorApi.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import { BodyIsInvalid, readJson } from "../frame/RequestBody.ts"
import { listCredentials, withSecret } from "../credentials/CredentialsHandlers.ts"

export const operatorRoutes = routesOf(OperatorApi, {
  listCredentials: Effect.fnUntraced(function* (request: ApiRequest) {
    const organization = yield* organizationForOperator(request)
    return jsonResponse(200, JSON.stringify(encodeList(yield* listCredentials(organization))))
  }),

  createCredential: Effect.fnUntraced(function* (request: ApiRequest) {
    const organization = yield* organizationForOperator(request)
    const wanted = yield* Effect.mapError(Effect.flatMap(readJson(request), decodeNewCredential), (error) =>
      error._tag === "SchemaError" ? new NewCredentialIsInvalid() : error,
    )
    return yield* secretResponse(201, createCredential({ ...wanted, organization }))
  }),

  rotateCredential: Effect.fnUntraced(function* (request: ApiRequest) {
    const organization = yield* organizationForOperator(request)
    const decoded = decode(rotation, yield* readJson(request), undefined)
    if (Result.isFailure(decoded))
      return yield* new BodyIsInvalid({ title: "Invalid credential", issues: decoded.failure })
    const { previousFor } = decoded.success
    return yield* secretResponse(200, rotateSecret(organization, clientIdOf(request), previousFor?.ms ?? 0))
  }),

  disableCredential: Effect.fnUntraced(function* (request: ApiRequest) {
    const organization = yield* organizationForOperator(request)
    yield* disableCredential(organization, clientIdOf(request))
    return emptyResponse(204)
  }),

  deleteCredential: Effect.fnUntraced(function* (request: ApiRequest) {
    const organization = yield* organizationForOperator(request)
    yield* deleteCredential(organization, clientIdOf(request))
    return emptyResponse(204)
  }),

  createSignInLink: Effect.fnUntraced(function* (request: ApiRequest) {
    const organization = yield* organizationForOperator(request)
    const { token, expiresAt } = yield* issueSignInLink(organization, clientIdOf(request))
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

const encodeList = Schema.encodeSync(credentialList)

const encodeSecret = Schema.encodeSync(credentialWithSecret)

const secretResponse = <E, R>(
  status: 200 | 201,
  written: Effect.Effect<Parameters<typeof withSecret>[0], E, R>,
) =>
  Effect.map(Effect.flatMap(written, withSecret), (value) =>
    jsonResponse(status, JSON.stringify(encodeSecret(value))),
  )

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

const clientIdOf = (request: ApiRequest): string => request.pathParams["clientId"] ?? ""
