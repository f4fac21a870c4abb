/** The documents of the service's public clients, to and from definitions. */
export { issuePublicToken } from "../access/AccessToken.ts"
export { annotationToDocument, categoryOf, gapCategory } from "../annotation/AnnotationDocument.ts"
export { isEventsForm } from "../slo/BudgetAdjustment.ts"
export { isSourceType, unsupportedText } from "../slo/SourceType.ts"
export { withMetricSource } from "../slo/StoredIndicator.ts"
export { foreignKinds } from "../definition/ForeignKinds.ts"
