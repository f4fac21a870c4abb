import {
  type DocumentFormat,
  type DocumentMediaType,
  documentMediaTypes,
  jsonFormat,
  yamlFormat,
} from "@tocsin/formats/documents"

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
