/** In order of preference. */
export const contentCodings = ["br", "gzip"] as const

export type ContentCoding = (typeof contentCodings)[number]

/** The codings that `Accept-Encoding` allows, the preferred one first (RFC 9110 section 12.5.3). */
export const acceptedCodings = (header: string | undefined): ReadonlyArray<ContentCoding> => {
  if (header === undefined) return []
  const weights = new Map<string, number>()
  for (const part of header.split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice("q=".length)
    weights.set(name === "x-gzip" ? "gzip" : name, weight === undefined ? 1 : Number(weight))
  }
  const weightOf = (coding: ContentCoding): number => weights.get(coding) ?? weights.get("*") ?? 0
  return contentCodings
    .filter((coding) => weightOf(coding) > 0)
    .toSorted((one, other) => weightOf(other) - weightOf(one))
}
