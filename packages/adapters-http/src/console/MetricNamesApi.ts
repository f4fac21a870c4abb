import {
  listedNamesMax,
  metricNameMaxCharacters,
  nameListsPerWindow,
  nameListWindowMs,
  namesKeptSeconds,
} from "@tocsin/domain/limits"
import { metricFailures } from "@tocsin/domain/ports"
import * as Schema from "effect/Schema"
import { projectHeader, NotFound, organizationErrors, TooManyRequests, endpoint } from "@tocsin/api/openapi"
import * as examples from "./ConsoleExamples.ts"

const optionalName = (description: string) =>
  Schema.optionalKey(
    Schema.String.annotate({ description }).check(Schema.isMaxLength(metricNameMaxCharacters)),
  )

const MetricNamesSchema = Schema.Struct({
  names: Schema.Array(Schema.String).annotate({
    description: `At most ${listedNamesMax}, those that begin with the search first. Names of more than ${metricNameMaxCharacters} characters are left out`,
  }),
  isComplete: Schema.Boolean.annotate({ description: "Whether these are all that there are" }),
  problem: Schema.optionalKey(
    Schema.Struct({ reason: Schema.Literals(metricFailures), detail: Schema.String }).annotate({
      description: "Why the data source could not be read",
    }),
  ),
}).annotate({ identifier: "MetricNames" })

export const listMetricNames = endpoint.get("listMetricNames", "/api/console/datasources/:name/names", {
  params: Schema.Struct({ name: Schema.String }),
  headers: projectHeader("Project of the data source. Default: default"),
  query: Schema.Struct({
    label: optionalName(
      "The label whose values are listed; __name__ lists the names of metrics. Default: the names of labels are listed",
    ),
    metric: optionalName("Only of the series of this metric. Default: of all"),
    search: optionalName("Only names that contain this text, in any letter case. Default: all"),
  }),
  success: MetricNamesSchema,
  error: [...organizationErrors, NotFound, TooManyRequests],
  summary: "List names of metrics and labels",
  description: `Returns the names that a data source has had in the last day, to complete them in queries. What was read is used for up to ${namesKeptSeconds} s. At most ${nameListsPerWindow} requests in ${nameListWindowMs / 1_000} s. Requires the role editor.`,
  example: examples.listMetricNames,
})
