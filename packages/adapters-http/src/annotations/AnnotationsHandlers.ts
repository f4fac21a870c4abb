import type { Annotation } from "@tocsin/domain/definitions"
import {
  listAnnotations,
  type ListedAnnotations,
  putAnnotation,
  removeAnnotation,
  type SloEvent,
} from "@tocsin/domain/features/annotation"
import { projectKeyText } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { emptyResponse, jsonResponse } from "../frame/ApiResponse.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { readJson } from "../frame/RequestBody.ts"
import { queryOf } from "../frame/RequestParameters.ts"
import { timeText } from "../frame/TimeText.ts"
import { AnnotationsApi } from "./AnnotationsApi.ts"

export const annotationsRoutes = routesOf(AnnotationsApi, {
  listAnnotations: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const listed = yield* listAnnotations(organization, {
      ...sloOf(request),
      ...queryOf(request, ["from", "to"]),
    })
    return jsonResponse(200, JSON.stringify(listedToJson(listed)))
  }),
  createAnnotation: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization, clientId: author } = yield* accessWithRole(request, "editor")
    const body = yield* readJson(request)
    const { annotation } = yield* putAnnotation(organization, sloOf(request), { body, author })
    return jsonResponse(201, JSON.stringify(annotationToJson(annotation)))
  }),
  putAnnotation: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization, clientId: author } = yield* accessWithRole(request, "editor")
    const body = yield* readJson(request)
    const id = request.pathParams["id"] ?? ""
    const { annotation } = yield* putAnnotation(organization, sloOf(request), { id, body, author })
    return jsonResponse(200, JSON.stringify(annotationToJson(annotation)))
  }),
  deleteAnnotation: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    yield* removeAnnotation(organization, sloOf(request), request.pathParams["id"] ?? "")
    return emptyResponse(204)
  }),
})

const sloOf = (request: ApiRequest) => {
  const project = request.header("project")
  return { name: request.pathParams["sloName"] ?? "", ...(project !== undefined && { project }) }
}

const listedToJson = ({ range, isPartial, events }: ListedAnnotations) => ({
  from: timeText(range.from),
  to: timeText(range.to),
  isPartial,
  annotations: events.map(eventToJson),
})

const eventToJson = (event: SloEvent) => {
  switch (event.kind) {
    case "annotation": {
      const { kind, id, title, from, to } = event.annotation
      return kind === "gap"
        ? { kind, id, title, from: timeText(from), ...(to !== undefined && { to: timeText(to) }) }
        : annotationToJson(event.annotation)
    }
    case "alert": {
      const { id, subject, displayNames, anomaly, status, triggeredAt, resolvedAt } = event.alert
      const other = anomaly === undefined ? "external alert" : "no data"
      return {
        kind: "alert",
        id,
        title: displayNames?.alertPolicy ?? subject.alertPolicy?.name ?? other,
        ...(subject.objective !== undefined && { objective: subject.objective }),
        status,
        from: timeText(triggeredAt),
        ...(resolvedAt !== undefined && { to: timeText(resolvedAt) }),
      }
    }
    case "adjustment": {
      const { metadata, spec } = event.adjustment
      return {
        kind: "adjustment",
        id: projectKeyText(metadata),
        title: spec.reason,
        from: timeText(event.range.from),
        to: timeText(event.range.to),
      }
    }
  }
}

const annotationToJson = ({ from, to, createdAt, ...rest }: Annotation) => ({
  ...rest,
  from: timeText(from),
  ...(to !== undefined && { to: timeText(to) }),
  createdAt: timeText(createdAt),
})
