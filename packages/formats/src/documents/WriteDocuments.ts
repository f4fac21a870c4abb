import { writeYamlItems } from "./WriteYaml.ts"

/** Writes a list of documents in parts, for streaming. */
export interface DocumentFormat {
  /** The media type of the text. */
  readonly contentType: string
  /** The text of some documents; `isFirst` if no others precede them. */
  readonly part: (documents: ReadonlyArray<object>, isFirst: boolean) => string
  /** What ends the list; `isEmpty` when there was no document at all. */
  readonly end: (isEmpty: boolean) => string
}

/** A JSON array with one document per line. */
export const jsonFormat: DocumentFormat = {
  contentType: "application/json",
  part: (documents, isFirst) => {
    const lines = documents.map((document) => JSON.stringify(document)).join(",\n")
    return isFirst ? `[${lines}` : documents.length === 0 ? "" : `,\n${lines}`
  },
  end: () => "]\n",
}

/** A YAML list. Strings that YAML 1.1 would read as another type are quoted. */
export const yamlFormat: DocumentFormat = {
  contentType: "application/yaml",
  part: (documents) => writeYamlItems(documents),
  end: (isEmpty) => (isEmpty ? "[]\n" : ""),
}

/** Writes definitions in a format, in parts between which other work is done. */
export const writeDocuments = (format: DocumentFormat, documents: ReadonlyArray<object>): string =>
  format.part(documents, true) + format.end(documents.length === 0)
