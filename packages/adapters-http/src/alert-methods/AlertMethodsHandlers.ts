import {
  type AlertMethodTest,
  enableMethod,
  findMethodHealth,
  pauseMethod,
  previewAlertMethod,
  testAlertMethod,
  testProposedMethod,
} from "@tocsin/domain"
import type { ProjectKey } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import { readDefinition } from "../documents/ReadDefinition.ts"
import { documentMediaTypes } from "../documents/ReadDocuments.ts"
import { AlertMethodsApi } from "./AlertMethodsApi.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { attemptToJson } from "../deliveries/DeliveryJson.ts"
import { healthToJson } from "./AlertMethodJson.ts"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import { costly, costlyReadsPolicy, unitsOf } from "@tocsin/domain/rate-limit"
import { readJson, readText } from "../frame/RequestBody.ts"
import { projectOf } from "../frame/RequestParameters.ts"

export const alertMethodsRoutes = routesOf(AlertMethodsApi, {
  previewAlertMethod: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const body = yield* readText(request, documentMediaTypes)
    const { baseUrl } = yield* ApiOptions
    const options = yield* DefinitionOptions
    const preview = yield* Effect.flatMap(readDefinition(body), (definition) =>
      previewAlertMethod(organization, definition, { ...options, baseUrl }),
    ).pipe(costly(organization, costlyReadsPolicy, unitsOf(body.text)))
    const headers = preview.headers.map(([name, value]) => ({ name, value }))
    return jsonResponse(200, JSON.stringify({ ...preview, headers }))
  }),

  testAlertMethod: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const { baseUrl } = yield* ApiOptions
    const test = yield* testAlertMethod(organization, keyOf(request), { baseUrl })
    return jsonResponse(200, JSON.stringify(testToJson(test)))
  }),

  testProposedAlertMethod: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const { baseUrl } = yield* ApiOptions
    const body = yield* readJson(request)
    const test = yield* testProposedMethod(organization, body, { ...(yield* DefinitionOptions), baseUrl })
    return jsonResponse(200, JSON.stringify(testToJson(test)))
  }),

  findAlertMethodHealth: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const health = yield* findMethodHealth(organization, keyOf(request))
    return jsonResponse(200, JSON.stringify(healthToJson(health)))
  }),

  enableAlertMethod: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const health = yield* enableMethod(organization, keyOf(request))
    return jsonResponse(200, JSON.stringify(healthToJson(health)))
  }),

  pauseAlertMethod: (request: ApiRequest) => setPaused(request, true),

  resumeAlertMethod: (request: ApiRequest) => setPaused(request, false),
})

const testToJson = ({ attempt, request, ...test }: AlertMethodTest): object => ({
  ...test,
  attempt: attemptToJson(attempt),
  ...(request && {
    request: { ...request, headers: request.headers.map(([name, value]) => ({ name, value })) },
  }),
})

const setPaused = Effect.fnUntraced(function* (request: ApiRequest, isPaused: boolean) {
  const { organization } = yield* accessWithRole(request, "editor")
  const health = yield* pauseMethod(organization, keyOf(request), isPaused)
  return jsonResponse(200, JSON.stringify(healthToJson(health)))
})

const keyOf = (request: ApiRequest): ProjectKey => ({
  project: projectOf(request),
  name: request.pathParams["name"] ?? "",
})
