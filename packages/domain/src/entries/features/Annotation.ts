/** Annotations: notes and events on the time axis of an SLO. */
export {
  annotationDocument,
  type AnnotationJson,
  annotationKind,
  annotationToDocument,
  categoryOf,
  gapCategory,
} from "../../annotation/AnnotationDocument.ts"
export {
  AnnotationIsInvalid,
  AnnotationNotFound,
  listAnnotations,
  type ListedAnnotations,
  putAnnotation,
  removeAnnotation,
  type SloEvent,
} from "../../annotation/Annotations.ts"
export {
  type AnnotationFilters,
  type AnnotationPage,
  findAnnotations,
} from "../../annotation/FindAnnotations.ts"
export { annotationPart, annotations } from "../../annotation/AnnotationParticipant.ts"
