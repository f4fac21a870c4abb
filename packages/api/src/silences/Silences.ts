import { alertSilence } from "@tocsin/domain"
import { silenceForecastDays, silencePeriodsMax, silencePreviewMax } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import { alertDocument } from "../alerts/Alerts.ts"
import { time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { warnings } from "../operation/Warnings.ts"

/** The periods of a silence, and the alerts that it would silence. */
const silencePreview = Schema.Struct({
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
  periods: Schema.Array(Schema.Struct({ startTime: time("Inclusive"), endTime: time("Exclusive") })).annotate(
    {
      description: `The current period and the next ones, at most ${silencePeriodsMax} within ${silenceForecastDays} days. Empty if the silence has ended`,
    },
  ),
  warnings,
}).annotate({ identifier: "SilencePreview" })

/** The JSON of `silencePreview`. */
export type SilencePreview = (typeof silencePreview)["Encoded"]

/** Alert silences: what they cover, and when. */
export const silences = resource("Alert silences", {
  previewSilence: {
    method: "POST",
    path: "/api/alertsilences/preview",
    body: alertSilence,
    bodyAs: "unread",
    isYaml: true,
    success: silencePreview,
    summary: "Preview an alert silence",
    description:
      "Returns the SLOs and open alerts that an alert silence covers now, and when it is active. It need not be applied. Nothing is stored.",
  },
})
