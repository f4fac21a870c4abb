import { type alertMethodHealth, alertMethods } from "@tocsin/api"
import {
  enableMethod,
  findMethodHealth,
  type MethodHealth,
  pauseMethod,
  previewAlertMethod,
  testAlertMethod,
  testProposedMethod,
} from "@tocsin/domain"
import { costly, costlyReadsPolicy, unitsOf } from "@tocsin/domain/rate-limit"
import * as Effect from "effect/Effect"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { readDefinition } from "../documents/ReadDefinition.ts"
import { documentMediaTypes } from "@tocsin/formats/documents"
import { ApiOptions } from "../frame/ApiOptions.ts"
import { readText } from "../frame/RequestBody.ts"
import { projectKeyOf } from "../frame/RequestParameters.ts"
import { serve } from "../serve/Serve.ts"

export const alertMethodsRoutes = serve(alertMethods, {
  previewAlertMethod: Effect.fnUntraced(function* ({ organization }, request) {
    const body = yield* readText(request, documentMediaTypes)
    const { baseUrl } = yield* ApiOptions
    const options = yield* DefinitionOptions
    return yield* Effect.flatMap(readDefinition(body), (definition) =>
      previewAlertMethod(organization, definition, { ...options, baseUrl }),
    ).pipe(costly(organization, costlyReadsPolicy, unitsOf(body.text)))
  }),
  testProposedAlertMethod: Effect.fnUntraced(function* ({ organization, body }) {
    const { baseUrl } = yield* ApiOptions
    return yield* testProposedMethod(organization, body, { ...(yield* DefinitionOptions), baseUrl })
  }),
  testAlertMethod: ({ organization, ...key }) =>
    Effect.flatMap(ApiOptions, (options) => testAlertMethod(organization, projectKeyOf(key), options)),
  findAlertMethodHealth: ({ organization, ...key }) =>
    Effect.map(findMethodHealth(organization, projectKeyOf(key)), healthOf),
  enableAlertMethod: ({ organization, ...key }) =>
    Effect.map(enableMethod(organization, projectKeyOf(key)), healthOf),
  pauseAlertMethod: ({ organization, ...key }) =>
    Effect.map(pauseMethod(organization, projectKeyOf(key), true), healthOf),
  resumeAlertMethod: ({ organization, ...key }) =>
    Effect.map(pauseMethod(organization, projectKeyOf(key), false), healthOf),
})

/** The health of an alert method as the API describes it. */
export const healthOf = ({
  health: { disabled, ...health },
  pause,
  isAllPaused,
}: MethodHealth): typeof alertMethodHealth.Type => ({
  ...health,
  isDisabled: disabled !== undefined,
  ...(disabled && { disabledAt: disabled.at, disabledBecause: disabled.because }),
  ...pause,
  isAllPaused,
})
