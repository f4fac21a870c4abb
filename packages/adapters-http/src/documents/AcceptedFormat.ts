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
): Type | undefined => highestWeight(accept, types, (range) => range)

/** The known language with the highest weight in an `Accept-Language` header, of any region (RFC 9110, section 12.5.4). */
export const acceptedLanguage = <Language extends string>(
  accept: string | undefined,
  languages: ReadonlyArray<Language>,
): Language | undefined => highestWeight(accept, languages, (range) => range.split("-", 1)[0])

/** The first of the known names with the highest weight in a header; `nameOf` is the name that a range of the header asks for. */
const highestWeight = <Name extends string>(
  header: string | undefined,
  names: ReadonlyArray<Name>,
  nameOf: (range: string) => string | undefined,
): Name | undefined => {
  let best: { readonly name: Name; readonly weight: number } | undefined
  for (const part of header?.split(",") ?? []) {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
    const wanted = nameOf(range)
    const name = names.find((known) => known === wanted)
    const weight = Number(parameters.find((each) => each.startsWith("q="))?.slice(2) ?? 1)
    if (name !== undefined && weight > (best?.weight ?? 0)) best = { name, weight }
  }
  return best?.name
}
