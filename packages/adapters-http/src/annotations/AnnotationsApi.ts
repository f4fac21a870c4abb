import { projectOfSlo, sloNameParam } from "@tocsin/api"
import { alertStatuses } from "@tocsin/domain"
import { annotationKinds, annotationRequest } from "@tocsin/domain/definitions"
import { annotationsListedMax, historyRangeMaxDays } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  BearerAccess,
  bodyErrors,
  NotFound,
  organizationErrors,
  endpoint,
  dateTime,
  optionalText,
  OrganizationHeader,
} from "@tocsin/api/openapi"
import * as examples from "./AnnotationExamples.ts"

const ProjectHeader = Schema.Struct({ ...OrganizationHeader.fields, ...projectOfSlo })

const times = {
  from: dateTime("When it happened or began"),
  to: Schema.optionalKey(dateTime("When it ended. Absent for one instant, and for an alert that is open")),
}

/** An annotation of an SLO as it is returned. */
export const AnnotationSchema = Schema.Struct({
  kind: Schema.Literals(annotationKinds),
  id: Schema.String,
  title: Schema.String,
  objective: optionalText("Absent if it is about the whole SLO"),
  labels: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String))),
  text: Schema.optionalKey(Schema.String),
  url: Schema.optionalKey(Schema.String),
  ...times,
  author: Schema.String.annotate({ description: "Client ID of the credential that wrote it" }),
  createdAt: dateTime("When it was written"),
}).annotate({ identifier: "Annotation" })

const AlertAnnotation = Schema.Struct({
  kind: Schema.Literal("alert"),
  id: Schema.String.annotate({ description: "ID of the alert" }),
  title: Schema.String.annotate({
    description:
      "Display name of the alert policy when the alert was triggered, otherwise its name. Without one: no data, or external alert",
  }),
  objective: optionalText("Absent for the legacy composite"),
  status: Schema.Literals(alertStatuses),
  ...times,
}).annotate({ identifier: "AlertAnnotation" })

const AdjustmentAnnotation = Schema.Struct({
  kind: Schema.Literal("adjustment"),
  id: Schema.String.annotate({ description: "Project and name of the budget adjustment" }),
  title: Schema.String.annotate({ description: "The reason for the adjustment" }),
  ...times,
}).annotate({ identifier: "AdjustmentAnnotation" })

const GapAnnotation = Schema.Struct({
  kind: Schema.Literal("gap"),
  id: Schema.String,
  title: Schema.String.annotate({ description: "Says how long the gap is" }),
  ...times,
}).annotate({
  identifier: "GapAnnotation",
  description: "Minutes over which the events of a gap in the samples of counters are spread",
})

/** The annotations, alerts and adjustments of an SLO in a range of time. */
export const AnnotationListSchema = Schema.Struct({
  from: dateTime("Start of the range"),
  to: dateTime("End of the range"),
  isPartial: Schema.Boolean.annotate({
    description: `Whether older ones are left out: there are more than ${annotationsListedMax} of one origin`,
  }),
  annotations: Schema.Array(
    Schema.Union([AnnotationSchema, AlertAnnotation, AdjustmentAnnotation, GapAnnotation]),
  ).annotate({
    description: "The latest start first",
  }),
}).annotate({ identifier: "AnnotationList" })

const slo = Schema.Struct({ sloName: sloNameParam.sloName })
const one = Schema.Struct({ sloName: sloNameParam.sloName, id: Schema.String })

export const AnnotationsApi = HttpApiGroup.make("annotations")
  .add(
    endpoint.get("listAnnotations", "/api/slos/:sloName/annotations", {
      params: slo,
      headers: ProjectHeader,
      query: Schema.Struct({
        from: Schema.optionalKey(dateTime("Start of the range, in UTC. Default: 7 days ago")),
        to: Schema.optionalKey(
          dateTime(`End of the range, in UTC, at most ${historyRangeMaxDays} days after from. Default: now`),
        ),
      }),
      success: AnnotationListSchema,
      error: [...organizationErrors, NotFound],
      summary: "List annotations",
      description:
        "Returns what happened to an SLO in a range: its annotations, its alerts, and the periods of its budget adjustments.",
      example: examples.listAnnotations,
    }),
    endpoint.post("createAnnotation", "/api/slos/:sloName/annotations", {
      params: slo,
      headers: ProjectHeader,
      payload: annotationRequest.schema(),
      success: AnnotationSchema.pipe(HttpApiSchema.status(201)),
      error: [...organizationErrors, NotFound, ...bodyErrors],
      summary: "Create an annotation",
      description:
        "Marks a deployment, an incident or anything else in the charts of an SLO. Requires the role editor.",
      example: examples.createAnnotation,
    }),
    endpoint.put("putAnnotation", "/api/slos/:sloName/annotations/:id", {
      params: one,
      headers: ProjectHeader,
      payload: annotationRequest.schema(),
      success: AnnotationSchema,
      error: [...organizationErrors, NotFound, ...bodyErrors],
      summary: "Create or replace an annotation",
      description:
        "Creates an annotation with an ID of your own, such as that of a deployment, or replaces it: a request can be repeated. Requires the role editor.",
      example: examples.putAnnotation,
    }),
    endpoint.delete("deleteAnnotation", "/api/slos/:sloName/annotations/:id", {
      params: one,
      headers: ProjectHeader,
      success: HttpApiSchema.NoContent,
      error: [...organizationErrors, NotFound],
      summary: "Delete an annotation",
      description: "Requires the role editor.",
      example: examples.deleteAnnotation,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Annotations")
