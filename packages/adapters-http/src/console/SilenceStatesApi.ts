import { silenceStatuses } from "@tocsin/domain"
import { silenceForecastDays } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import {
  OrganizationHeader,
  NotFound,
  organizationErrors,
  TooManyRequests,
  endpoint,
  KeySchema,
  optionalText,
  PageParams,
  pageSchema,
} from "@tocsin/api/openapi"
import * as examples from "./ConsoleExamples.ts"

const optionalTime = (description: string) =>
  Schema.optionalKey(Schema.String.annotate({ description, format: "date-time" }))

const ListedSilence = Schema.Struct({
  ...KeySchema.fields,
  displayName: optionalText("Omitted if there is none"),
  alertPolicy: Schema.optionalKey(
    KeySchema.annotate({ description: "Omitted if the silence is of all alert policies" }),
  ),
  isRecurring: Schema.Boolean,
  state: Schema.Literals(silenceStatuses).annotate({
    description: "`scheduled`: it begins later, perhaps again; `ended`: it is never active again",
  }),
  startTime: optionalTime(
    `Start of the current or next period, inclusive. Omitted if the silence has ended, or does not begin within ${silenceForecastDays} days`,
  ),
  endTime: optionalTime(
    `End of the same period, exclusive, or of the one that has ended. Omitted if it is not known to end within ${silenceForecastDays} days`,
  ),
}).annotate({ identifier: "ListedSilence" })

export const listConsoleSilences = endpoint.get("listConsoleSilences", "/api/console/silences", {
  headers: OrganizationHeader,
  query: Schema.Struct({
    ...PageParams.fields,
    project: optionalText("Name of the project. Default: all projects"),
    name: optionalText("Name of the silence. Default: all"),
    slo: optionalText(
      "Name of an SLO of the project, which is then required: only silences of this SLO that have not ended, by its name and labels",
    ),
  }),
  success: pageSchema(ListedSilence, "SilencePage"),
  error: [...organizationErrors, NotFound, TooManyRequests],
  summary: "List alert silences with their state",
  description: "Sorted by project and name.",
  example: examples.listConsoleSilences,
})
