import type { AnnotationIsInvalid, AnnotationNotFound } from "@tocsin/domain/features/annotation"
import { invalidBody, oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const annotationErrors: StatusTable<AnnotationIsInvalid | AnnotationNotFound> = {
  AnnotationIsInvalid: ({ issues }) => invalidBody("Invalid annotation", issues),
  AnnotationNotFound: ({ id }) =>
    oneError(404, {
      title: "Annotation not found",
      code: "annotation_not_found",
      detail: "The SLO has no annotation with this ID. GET /api/slos/{sloName}/annotations lists them.",
      source: { propertyName: "id", propertyValue: id },
    }),
}
