/** Names, labels, kinds and keys of definitions, and the ID of an organization: what every other entry uses. */
export type { DefinitionKey, Kind } from "../definition/Kinds.ts"
export { apiVersionOf, unstoredRevision } from "../metadata/Envelope.ts"
export {
  labelKeyToken,
  labelSelector,
  type LabelSelector,
  labelsMatch,
  labelToken,
  labelTokens,
  parseLabelFilter,
} from "../metadata/LabelFilter.ts"
export {
  type Annotations,
  annotations,
  description,
  descriptionSpec,
  displayName,
  isLabelKey,
  labelKeyRule,
  type Labels,
  labels,
  namePattern,
  objectName,
  projectKey,
  sloName,
} from "../metadata/Metadata.ts"
export { sloNameMaxCharacters } from "../metadata/MetadataLimits.ts"
export {
  compareProjectKeys,
  definitionKeyText,
  type OrganizationId,
  organizationKeyText,
  type ProjectKey,
  projectKeyText,
} from "../metadata/ObjectKey.ts"
