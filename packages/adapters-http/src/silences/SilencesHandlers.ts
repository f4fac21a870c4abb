import { previewSilence } from "@tocsin/domain"
import type { SilencePreview } from "@tocsin/domain/alerting"
import { apiVersionOf } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import { accessOf } from "../access/RequestAccess.ts"
import { alertToDocument } from "../alerts/AlertDocuments.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { readDefinition } from "../documents/ReadDefinition.ts"
import { documentMediaTypes } from "../documents/ReadDocuments.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { costly, costlyReadsPolicy } from "@tocsin/domain/rate-limit"
import { readText } from "../frame/RequestBody.ts"
import { timeText } from "../frame/TimeText.ts"
import { SilencesApi } from "./SilencesApi.ts"

/** Units of costly requests for which the preview of a silence counts. */
export const silencePreviewUnits = 5

export const silencesRoutes = routesOf(SilencesApi, {
  previewSilence: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const body = yield* readText(request, documentMediaTypes)
    const options = yield* DefinitionOptions
    const preview = yield* Effect.flatMap(readDefinition(body), (definition) =>
      previewSilence(organization, definition, options),
    ).pipe(costly(organization, costlyReadsPolicy, silencePreviewUnits))
    return jsonResponse(200, JSON.stringify(previewToJson(preview, apiVersionOf(options.vendorPrefix))))
  }),
})

const previewToJson = ({ slos, alerts, periods, ...preview }: SilencePreview, apiVersion: string) => ({
  ...preview,
  slos: slos.map(({ metadata: { project, name, displayName } }) => ({
    project,
    name,
    ...(displayName !== undefined && { displayName }),
  })),
  alerts: alerts.map((alert) => alertToDocument(alert, apiVersion)),
  periods: periods.map(({ from, to }) => ({ startTime: timeText(from), endTime: timeText(to) })),
})
