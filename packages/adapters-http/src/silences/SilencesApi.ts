import { alertSilence } from "@tocsin/domain"
import { silenceForecastDays, silencePeriodsMax, silencePreviewMax } from "@tocsin/domain/limits"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import {
  BearerAccess,
  OrganizationHeader,
  bodyErrors,
  organizationErrors,
  endpoint,
  dateTime,
  warnings,
} from "@tocsin/api/openapi"
import { alertDocument } from "@tocsin/api"
import * as examples from "./SilenceExamples.ts"

/** The periods of a silence, and the alerts that it would silence. */
export const SilencePreviewSchema = Schema.Struct({
  slos: Schema.Array(
    Schema.Struct({
      project: Schema.String,
      name: Schema.String,
      displayName: Schema.optionalKey(Schema.String),
    }),
  ).annotate({ description: `Sorted by name, at most ${silencePreviewMax}` }),
  hasMoreSlos: Schema.Boolean,
  alerts: Schema.Array(alertDocument).annotate({
    description: `Open alerts of these SLOs whose notifications it suppresses while it is active, the latest first, at most ${silencePreviewMax}`,
  }),
  hasMoreAlerts: Schema.Boolean,
  periods: Schema.Array(
    Schema.Struct({ startTime: dateTime("Inclusive"), endTime: dateTime("Exclusive") }),
  ).annotate({
    description: `The current period and the next ones, at most ${silencePeriodsMax} within ${silenceForecastDays} days. Empty if the silence has ended`,
  }),
  warnings,
}).annotate({ identifier: "SilencePreview" })

export const SilencesApi = HttpApiGroup.make("silences")
  .add(
    endpoint.post("previewSilence", "/api/alertsilences/preview", {
      headers: OrganizationHeader,
      payload: alertSilence.schema(),
      success: SilencePreviewSchema,
      error: [...organizationErrors, ...bodyErrors],
      summary: "Preview an alert silence",
      description:
        "Returns the SLOs and open alerts that an alert silence covers now, and when it is active. It need not be applied. Nothing is stored.",
      isYaml: true,
      example: examples.previewSilence,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Alert silences")
