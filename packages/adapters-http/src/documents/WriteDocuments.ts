import { stringify } from "yaml"
import { type DocumentMediaType, documentMediaTypes } from "./ReadDocuments.ts"

/** How a list of documents is written, in parts that can be sent one after the other. */
export interface DocumentFormat {
  readonly contentType: string
  /** The text of some documents; `isFirst` if no others precede them. */
  readonly part: (documents: ReadonlyArray<object>, isFirst: boolean) => string
  /** What ends the list; `isEmpty` when there was no document at all. */
  readonly end: (isEmpty: boolean) => string
}

/** A JSON array, one document a line. */
export const jsonFormat: DocumentFormat = {
  contentType: "application/json",
  part: (documents, isFirst) => {
    const lines = documents.map((document) => JSON.stringify(document)).join(",\n")
    return isFirst ? `[${lines}` : documents.length === 0 ? "" : `,\n${lines}`
  },
  end: () => "]\n",
}

/** A YAML list. What older readers of YAML would take for something else than text is quoted. Source: RFC 9512. */
export const yamlFormat: DocumentFormat = {
  contentType: "application/yaml",
  part: (documents) => (documents.length === 0 ? "" : stringify(documents, yamlOptions)),
  end: (isEmpty) => (isEmpty ? "[]\n" : ""),
}

/** A whole list as one text. */
export const writeDocuments = (format: DocumentFormat, documents: ReadonlyArray<object>): string =>
  format.part(documents, true) + format.end(documents.length === 0)

/**
 * The format that an `Accept` header asks for: YAML when it names a type of it and not JSON with as much weight
 * before it; otherwise JSON.
 *
 * Source: RFC 9110 section 12.5.1.
 */
export const acceptedFormat = (accept: string | undefined): DocumentFormat => {
  let best: { readonly type: DocumentMediaType; readonly weight: number } | undefined
  for (const range of accept?.split(",") ?? []) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    const type = documentMediaTypes.find((known) => known === name)
    const weight = Number(parameters.find((each) => each.startsWith("q="))?.slice(2) ?? 1)
    if (type !== undefined && weight > (best?.weight ?? 0)) best = { type, weight }
  }
  return best === undefined || best.type === "application/json" ? jsonFormat : yamlFormat
}

const yamlOptions = { lineWidth: 0, aliasDuplicateObjects: false, compat: "yaml-1.1" } as const
