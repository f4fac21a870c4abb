import { DefinitionsAreInvalid } from "@tocsin/domain"
import {
  annotationToDocument,
  categoryOf,
  findAnnotations,
  gapCategory,
} from "@tocsin/domain/features/annotation"
import type { AnnotationPlace, SloAnnotation } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { type ClientRequest, projectOf } from "./ClientRequest.ts"

/** Annotations as entries of a list, which the service's public clients read beside the documents (spec/clients §5). */
export const annotationRoutes = [
  {
    method: "GET",
    path: "/api/annotations",
    access: "token",
    query: ["name", "slo", "from", "to", "category"],
    handler: Effect.fnUntraced(function* ({ access, parameters, header, list }: ClientRequest) {
      const categories = new Set(parameters.getAll("category"))
      if ([...categories].some((each) => !allCategories.has(each))) {
        const message = `must be one of ${[...allCategories].join(", ")}`
        return yield* new DefinitionsAreInvalid({
          issues: [{ path: "category", code: "not_allowed_value", message }],
        })
      }
      const project = projectOf(header)
      const readPage = yield* findAnnotations(access.organization, {
        ...(project !== undefined && { project }),
        slo: parameters.get("slo") ?? "",
        ids: parameters.getAll("name"),
        from: parameters.get("from") ?? "",
        to: parameters.get("to") ?? "",
      })
      return yield* list((after?: AnnotationPlace) =>
        Effect.map(readPage(after), ({ items, next }) => ({
          documents: items
            .filter(({ annotation }) => categories.size === 0 || categories.has(categoryOf(annotation)))
            .map(entryOf),
          next,
        })),
      )
    }),
  },
] as const

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

/** An annotation as an entry: what its document says, without its parts. */
const entryOf = (annotation: SloAnnotation): object => {
  const { metadata, spec, status } = annotationToDocument(annotation, "")
  const { name, project, labels } = metadata
  const { createdBy, ...said } = spec
  return { name, project, ...said, ...(labels !== undefined && { labels }), author: createdBy, status }
}
