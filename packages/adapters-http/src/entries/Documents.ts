/** Definitions as JSON and YAML: reading documents of requests and files, and writing lists. */
export { DefinitionOptions } from "../documents/DefinitionOptions.ts"
export { readDocuments } from "../documents/ReadDocuments.ts"
export { jsonFormat, writeDocuments, yamlFormat } from "../documents/WriteDocuments.ts"
