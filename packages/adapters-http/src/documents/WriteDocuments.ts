import { writeYamlItems } from "@tocsin/domain/codec"
import { type DocumentMediaType, documentMediaTypes } from "./ReadDocuments.ts"

/** Writes a list of documents in parts, for streaming. */
export interface DocumentFormat {
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

/** The format with the highest weight in an `Accept` header; JSON by default. */
export const acceptedFormat = (accept: string | undefined): DocumentFormat => {
  const type = acceptedMediaType<DocumentMediaType>(accept, documentMediaTypes)
  return type === undefined || type === "application/json" ? jsonFormat : yamlFormat
}

/** The known media type with the highest weight in an `Accept` header (RFC 9110, section 12.5.1). */
export const acceptedMediaType = <Type extends string>(
  accept: string | undefined,
  types: ReadonlyArray<Type>,
): Type | undefined => {
  let best: { readonly type: Type; readonly weight: number } | undefined
  for (const range of accept?.split(",") ?? []) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    const type = types.find((known) => known === name)
    const weight = Number(parameters.find((each) => each.startsWith("q="))?.slice(2) ?? 1)
    if (type !== undefined && weight > (best?.weight ?? 0)) best = { type, weight }
  }
  return best?.type
}
