import { annotationToDocument, findAnnotations } from "@tocsin/domain/features/annotation"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type { AnnotationPlace } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { acceptedList } from "../documents/ListResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import {
  everyProject,
  onlyKnownQuery,
  ParametersAreInvalid,
  projectOf,
  queryOf,
} from "../frame/RequestParameters.ts"

export const isAnnotationKind = (kind: string): boolean => /^annotations?$/i.test(kind)

/** Lists annotations as documents, which can be applied. */
export const listAnnotationDocuments = Effect.fnUntraced(function* (
  organization: OrganizationId,
  request: ApiRequest,
) {
  yield* onlyKnownQuery(request, ["name", "slo", "from", "to", "user_annotations", "system_annotations"])
  const user = yield* booleanOf(request, "user_annotations")
  const system = yield* booleanOf(request, "system_annotations")
  const { vendorPrefix } = yield* DefinitionOptions
  const project = projectOf(request)
  const readPage = yield* findAnnotations(organization, {
    ...(project !== everyProject && { project }),
    ...queryOf(request, ["slo", "from", "to"]),
    ids: request.query.getAll("name"),
  })
  return yield* acceptedList(organization, request, (after?: AnnotationPlace) =>
    Effect.map(readPage(after), ({ items, next }) => ({
      documents: items
        .filter(({ annotation }) =>
          annotation.kind === "gap" ? (system ?? user !== true) : (user ?? system !== true),
        )
        .map((each) => annotationToDocument(each, vendorPrefix)),
      next,
    })),
  )
})

const booleanOf = (request: ApiRequest, name: string) => {
  const text = request.query.get(name) ?? ""
  if (text === "" || text === "true" || text === "false")
    return Effect.succeed(text === "" ? undefined : text === "true")
  const issue = { path: name, code: "not_allowed_value", message: "must be true or false" } as const
  return Effect.fail(new ParametersAreInvalid({ issues: [issue] }))
}
