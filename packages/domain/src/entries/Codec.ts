/** Codecs of documents, requests and settings: their types, how they decode and encode, the issues they find, and instants and durations. */
export {
  type Codec,
  decode,
  described,
  encode,
  type JsonOf,
  named,
  once,
  plain,
  type Reader,
  type SealedSecrets,
  type SecretDraft,
  stored,
  type Stored,
  StoredDocumentIsInvalid,
  type TypeOf,
  type WireSchema,
  type WriteOptions,
} from "../codec/Codec.ts"
export {
  eitherOf,
  entriesPerPart,
  exactOptional,
  type Fields,
  type FieldTypes,
  list,
  object,
  type ObjectPlace,
  optional,
  type OptionalField,
  record,
} from "../codec/Containers.ts"
export { parseDecimal, tidy } from "../codec/Decimal.ts"
export { type Duration, durationOf, durationToMs, normalDuration } from "../codec/Duration.ts"
export {
  entryPath,
  isPlainName,
  type Issue,
  type IssueCode,
  IssueList,
  joinPaths,
  propertyPath,
} from "../codec/Issue.ts"
export { anyString, boolean, isGiven, isObject, literals, number, oneOf, string } from "../codec/Leaves.ts"
export { type Instant, instant, utcInstant } from "../codec/Instant.ts"
export { dateTimeToMs, dayMs, dayOf, hourMs, hourOf, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
export { type MinuteRange, rangeText } from "../codec/MinuteRange.ts"
export { nameFromDisplayName, nameMaxCharacters } from "../codec/NameFromDisplayName.ts"
export { nearestName } from "../codec/NearestName.ts"
export { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
export type { NamedTimeZone, WallClockTime } from "../codec/WallClock.ts"
export { schemaOf } from "../codec/SchemaOf.ts"
export { warning, type Warning } from "../codec/Warning.ts"
export type { Recurrence } from "../codec/Recurrence.ts"
export { percentText } from "../codec/PercentText.ts"
