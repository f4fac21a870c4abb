import { silences } from "@tocsin/api"
import { previewSilence } from "@tocsin/domain"
import { apiVersionOf } from "@tocsin/domain/kernel"
import { costly, costlyReadsPolicy } from "@tocsin/domain/rate-limit"
import * as Effect from "effect/Effect"
import { alertToDocument } from "../alerts/AlertDocuments.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { readDefinition } from "../documents/ReadDefinition.ts"
import { documentMediaTypes } from "@tocsin/formats/documents"
import { readText } from "../frame/RequestBody.ts"
import { serve } from "../serve/Serve.ts"

/** Units of costly requests for which the preview of a silence counts. */
const silencePreviewUnits = 5

export const silencesRoutes = serve(silences, {
  previewSilence: Effect.fnUntraced(function* ({ organization }, request) {
    const body = yield* readText(request, documentMediaTypes)
    const options = yield* DefinitionOptions
    const { slos, alerts, periods, ...preview } = yield* Effect.flatMap(readDefinition(body), (definition) =>
      previewSilence(organization, definition, options),
    ).pipe(costly(organization, costlyReadsPolicy, silencePreviewUnits))
    const apiVersion = apiVersionOf(options.vendorPrefix)
    return {
      ...preview,
      slos: slos.map(({ metadata: { project, name, displayName } }) => ({
        project,
        name,
        ...(displayName !== undefined && { displayName }),
      })),
      alerts: alerts.map((alert) => alertToDocument(alert, apiVersion)),
      periods: periods.map(({ from, to }) => ({ startTime: from, endTime: to })),
    }
  }),
})
