import { annotations, type sloEvent } from "@tocsin/api"
import {
  listAnnotations,
  putAnnotation,
  removeAnnotation,
  type SloEvent,
} from "@tocsin/domain/features/annotation"
import { projectKeyText } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import { serve } from "../serve/Serve.ts"

export const annotationsRoutes = serve(annotations, {
  listAnnotations: ({ organization, sloName: name, ...query }) =>
    Effect.map(listAnnotations(organization, { ...query, name }), ({ range, isPartial, events }) => ({
      ...range,
      isPartial,
      annotations: events.map(eventOf),
    })),
  createAnnotation: ({ organization, caller, sloName: name, body, ...slo }) =>
    Effect.map(
      putAnnotation(organization, { ...slo, name }, { body, author: caller.clientId }),
      ({ annotation }) => ({
        status: 201,
        value: annotation,
      }),
    ),
  putAnnotation: ({ organization, caller, sloName: name, id, body, ...slo }) =>
    Effect.map(
      putAnnotation(organization, { ...slo, name }, { id, body, author: caller.clientId }),
      ({ annotation }) => annotation,
    ),
  deleteAnnotation: ({ organization, sloName: name, id, ...slo }) =>
    removeAnnotation(organization, { ...slo, name }, id),
})

const eventOf = (event: SloEvent): typeof sloEvent.Type => {
  switch (event.kind) {
    case "annotation":
      return event.annotation
    case "alert": {
      const { id, subject, displayNames, anomaly, status, triggeredAt, resolvedAt } = event.alert
      const other = anomaly === undefined ? "external alert" : "no data"
      return {
        kind: "alert",
        id,
        title: displayNames?.alertPolicy ?? subject.alertPolicy?.name ?? other,
        ...(subject.objective !== undefined && { objective: subject.objective }),
        status,
        from: triggeredAt,
        ...(resolvedAt !== undefined && { to: resolvedAt }),
      }
    }
    case "adjustment": {
      const { metadata, spec } = event.adjustment
      return { kind: "adjustment", id: projectKeyText(metadata), title: spec.reason, ...event.range }
    }
  }
}
