/** Annotations: notes and events on the time axis of an SLO. */
export { annotationDocument, annotationToEntry } from "../../annotation/AnnotationDocument.ts"
export {
  AnnotationIsInvalid,
  AnnotationNotFound,
  listAnnotations,
  type ListedAnnotations,
  putAnnotation,
  removeAnnotation,
  type SloEvent,
} from "../../annotation/Annotations.ts"
export { applyDocuments } from "../../annotation/ApplyDocuments.ts"
export { deleteAnnotations, deleteDocuments } from "../../annotation/DeleteDocuments.ts"
