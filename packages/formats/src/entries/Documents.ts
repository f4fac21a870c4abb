/** Definitions as JSON and YAML: reading texts, with the position of an error, and writing lists. */
export { jsonInOnePieceMax, type JsonRejection, parseJson } from "../documents/ReadJson.ts"
export type { JsonSyntaxError } from "../documents/JsonSyntax.ts"
export {
  type DocumentMediaType,
  documentMediaTypes,
  readDocuments,
  readDocumentsInParts,
} from "../documents/ReadDocuments.ts"
export { yamlIndicatorsOfOneMax } from "../documents/ReadYaml.ts"
export { type DocumentFormat, jsonFormat, writeDocuments, yamlFormat } from "../documents/WriteDocuments.ts"
