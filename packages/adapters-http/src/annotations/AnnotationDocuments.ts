import { DefinitionsAreInvalid } from "@tocsin/domain"
import {
  annotationToDocument,
  annotationToEntry,
  categoryOf,
  gapCategory,
} from "@tocsin/domain/features/annotation"
import { dateTimeToMs } from "@tocsin/domain/codec"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { pageSizeMax } from "@tocsin/domain/pagination"
import { type AnnotationPlace, AnnotationStore, type SloAnnotation } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { accessOf } from "../access/RequestAccess.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { streamedListResponse } from "../documents/ListResponse.ts"
import { yamlFormat } from "@tocsin/formats/documents"
import { acceptedFormat } from "../documents/AcceptedFormat.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { costly, costlyListUnits, costlyReadsPolicy } from "@tocsin/domain/rate-limit"
import { everyProject, onlyKnownQuery, projectOf } from "../frame/RequestParameters.ts"

export const isAnnotationKind = (kind: string): boolean => /^annotations?$/i.test(kind)

/** Lists annotations as documents, which can be applied. */
export const listAnnotationDocuments = Effect.fnUntraced(function* (
  organization: OrganizationId,
  request: ApiRequest,
) {
  yield* onlyKnownQuery(request, [...queryNames, "user_annotations", "system_annotations"])
  const user = yield* booleanOf(request, "user_annotations")
  const system = yield* booleanOf(request, "system_annotations")
  const { vendorPrefix } = yield* DefinitionOptions
  return yield* listIn(
    organization,
    request,
    (annotation) => annotationToDocument(annotation, vendorPrefix),
    ({ annotation }) => (annotation.kind === "gap" ? (system ?? user !== true) : (user ?? system !== true)),
  )
})

/** The list of annotations of the service's public clients (spec/clients §5). */
export const annotationListRoutes = [
  {
    method: "GET",
    path: "/api/annotations",
    handler: Effect.fnUntraced(function* (request: ApiRequest) {
      const { organization } = yield* accessOf(request)
      yield* onlyKnownQuery(request, [...queryNames, "category"])
      const categories = new Set(request.query.getAll("category"))
      const unknown = [...categories].filter((each) => !allCategories.has(each))
      if (unknown.length > 0) {
        const message = `must be one of ${[...allCategories].join(", ")}`
        return yield* invalid("category", message)
      }
      return yield* listIn(
        organization,
        request,
        annotationToEntry,
        ({ annotation }) => categories.size === 0 || categories.has(categoryOf(annotation)),
      )
    }),
  },
] as const

const queryNames = ["name", "slo", "from", "to"]

/** The categories that clients ask for; annotations have only the first three. */
const allCategories = new Set([
  "Comment",
  "ReviewNote",
  gapCategory,
  "SloEdit",
  "Alert",
  "Adjustment",
  "IncrementalMismatchAnomaly",
  "NoBurnAnomaly",
  "ConstantBurnAnomaly",
  "GoodOverTotalAnomaly",
])

const listIn = Effect.fnUntraced(function* (
  organization: OrganizationId,
  request: ApiRequest,
  toJson: (annotation: SloAnnotation) => object,
  isWanted: (annotation: SloAnnotation) => boolean,
) {
  const from = yield* timeOf(request, "from")
  const to = yield* timeOf(request, "to")
  const project = projectOf(request)
  const slo = request.query.get("slo") ?? ""
  const ids = request.query.getAll("name")
  const query = {
    ...(project !== everyProject && { project }),
    ...(slo !== "" && { slo }),
    ...(ids.length > 0 && { ids }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }
  const store = yield* AnnotationStore
  const readPage = (after?: AnnotationPlace) =>
    Effect.map(
      store.find(organization, query, { limit: pageSizeMax, ...(after !== undefined && { after }) }),
      ({ items, hasMore }) => {
        const last = items.at(-1)
        return {
          documents: items
            .filter(
              (each) => isWanted(each) && (each.annotation.to ?? each.annotation.from) <= (to ?? Infinity),
            )
            .map(toJson),
          next:
            hasMore && last !== undefined
              ? { project: last.slo.project, slo: last.slo.name, id: last.annotation.id }
              : undefined,
        }
      },
    )
  const format = acceptedFormat(request.header("accept"))
  const response = Effect.flatMap(readPage(), (first) =>
    streamedListResponse(format, first, readPage, request.traceId),
  )
  return yield* format === yamlFormat
    ? costly(organization, costlyReadsPolicy, costlyListUnits)(response)
    : response
})

const timeOf = (request: ApiRequest, name: "from" | "to") => {
  const text = request.query.get(name) ?? ""
  const ms = dateTimeToMs(text.replace(" ", "+"))
  return text === "" || ms !== undefined
    ? Effect.succeed(ms)
    : invalid(name, "must be a date-time such as 2026-01-30T12:00:00Z")
}

const booleanOf = (request: ApiRequest, name: string) => {
  const text = request.query.get(name) ?? ""
  if (text === "") return Effect.succeed(undefined)
  return text === "true" || text === "false"
    ? Effect.succeed(text === "true")
    : invalid(name, "must be true or false")
}

const invalid = (path: string, message: string) =>
  Effect.fail(new DefinitionsAreInvalid({ issues: [{ path, code: "not_allowed_value", message }] }))
