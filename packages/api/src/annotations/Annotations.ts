import { alertStatuses } from "@tocsin/domain"
import { annotationKinds, annotationRequest } from "@tocsin/domain/definitions"
import { annotationsListedMax, historyRangeMaxDays } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import { dateTime, noContent, optionalText, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { projectOfSlo, sloNameParam } from "../slos/SloParameters.ts"

const times = {
  from: time("When it happened or began"),
  to: Schema.optionalKey(time("When it ended. Absent for one instant, and for an alert that is open")),
}

/** An annotation of an SLO. */
export const annotation = Schema.Struct({
  kind: Schema.Literals(annotationKinds),
  id: Schema.String,
  title: Schema.String,
  objective: optionalText("Absent if it is about the whole SLO"),
  labels: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String))),
  text: Schema.optionalKey(Schema.String),
  url: Schema.optionalKey(Schema.String),
  ...times,
  author: Schema.String.annotate({ description: "Client ID of the credential that wrote it" }),
  createdAt: time("When it was written"),
}).annotate({ identifier: "Annotation" })

/** The JSON of `annotation`. */
export type Annotation = (typeof annotation)["Encoded"]

const alertAnnotation = Schema.Struct({
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

const adjustmentAnnotation = Schema.Struct({
  kind: Schema.Literal("adjustment"),
  id: Schema.String.annotate({ description: "Project and name of the budget adjustment" }),
  title: Schema.String.annotate({ description: "The reason for the adjustment" }),
  ...times,
}).annotate({ identifier: "AdjustmentAnnotation" })

const gapAnnotation = Schema.Struct({
  kind: Schema.Literal("gap"),
  id: Schema.String,
  title: Schema.String.annotate({ description: "Says how long the gap is" }),
  ...times,
}).annotate({
  identifier: "GapAnnotation",
  description: "Minutes over which the events of a gap in the samples of counters are spread",
})

/** What happened to or around an SLO. */
export const sloEvent = Schema.Union([annotation, alertAnnotation, adjustmentAnnotation, gapAnnotation])

/** The annotations, alerts and adjustments of an SLO in a range of time. */
const annotationList = Schema.Struct({
  from: time("Start of the range"),
  to: time("End of the range"),
  isPartial: Schema.Boolean.annotate({
    description: `Whether older ones are left out: there are more than ${annotationsListedMax} of one origin`,
  }),
  annotations: Schema.Array(sloEvent).annotate({ description: "The latest start first" }),
}).annotate({ identifier: "AnnotationList" })

/** The JSON of `annotationList`. */
export type AnnotationList = (typeof annotationList)["Encoded"]

const ofSlo = { params: sloNameParam, headers: projectOfSlo } as const

/** Annotations of SLOs. */
export const annotations = resource("Annotations", {
  listAnnotations: {
    method: "GET",
    path: "/api/slos/:sloName/annotations",
    ...ofSlo,
    query: {
      from: Schema.optionalKey(dateTime("Start of the range, in UTC. Default: 7 days ago")),
      to: Schema.optionalKey(
        dateTime(`End of the range, in UTC, at most ${historyRangeMaxDays} days after from. Default: now`),
      ),
    },
    success: annotationList,
    errors: [404],
    summary: "List annotations",
    description:
      "Returns what happened to an SLO in a range: its annotations, its alerts, and the periods of its budget adjustments.",
  },
  createAnnotation: {
    method: "POST",
    path: "/api/slos/:sloName/annotations",
    role: "editor",
    ...ofSlo,
    body: annotationRequest,
    bodyAs: "json",
    success: { 201: annotation },
    errors: [404],
    summary: "Create an annotation",
    description: "Marks a deployment, an incident or anything else in the charts of an SLO.",
  },
  putAnnotation: {
    method: "PUT",
    path: "/api/slos/:sloName/annotations/:id",
    role: "editor",
    ...ofSlo,
    body: annotationRequest,
    bodyAs: "json",
    success: annotation,
    errors: [404],
    summary: "Create or replace an annotation",
    description:
      "Creates an annotation with an ID of your own, such as that of a deployment, or replaces it: a request can be repeated.",
  },
  deleteAnnotation: {
    method: "DELETE",
    path: "/api/slos/:sloName/annotations/:id",
    role: "editor",
    ...ofSlo,
    success: noContent,
    errors: [404],
    summary: "Delete an annotation",
  },
})
