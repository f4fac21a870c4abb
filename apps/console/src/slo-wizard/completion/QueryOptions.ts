import { groupingWords, operatorWords, promQlAggregations, promQlFunctions } from "./PromQlWords.ts"
import type { QueryPlace } from "./QueryPlace.ts"

/** Something that a query can be completed with. */
export interface QueryOption {
  readonly text: string
  readonly kind: "metric" | "function" | "aggregation" | "keyword" | "label" | "value"
}

const optionsOf = (kind: QueryOption["kind"], texts: ReadonlyArray<string>): ReadonlyArray<QueryOption> =>
  texts.map((text) => ({ kind, text }))

const words: ReadonlyArray<QueryOption> = [
  ...optionsOf("aggregation", promQlAggregations),
  ...optionsOf("function", promQlFunctions),
  ...optionsOf("keyword", [...groupingWords, ...operatorWords]),
]

/** Maximum number of options. */
const optionsMax = 50

/**
 * What can be completed at a place with the names that a data source has: first what begins with the typed text, then what
 * contains it. `isSeries`: the query is a series alone, without functions.
 */
export const queryOptions = (
  place: QueryPlace,
  names: ReadonlyArray<string>,
  isSeries: boolean,
): ReadonlyArray<QueryOption> => {
  const kind = place.kind === "expression" ? "metric" : place.kind === "value" ? "value" : "label"
  const listed = kind === "label" ? names.filter((name) => name !== "__name__") : names
  const all = [
    ...(place.kind === "expression" && !isSeries && place.typed !== "" ? words : []),
    ...optionsOf(kind, listed),
    ...(place.kind === "expression" && !isSeries && place.typed === "" ? words : []),
  ]
  const typed = place.typed.toLowerCase()
  const matching = all.filter(({ text }) => text.toLowerCase().includes(typed))
  const rankOf = ({ text }: QueryOption): number =>
    text === place.typed ? 0 : text.toLowerCase().startsWith(typed) ? 1 : 2
  return matching.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, optionsMax)
}

/** A change of the text of a query, and where the cursor is then. */
export interface Insertion {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly cursor: number
}

/** How an option is written at its place. */
export const insertionOf = (query: string, place: QueryPlace, { kind, text }: QueryOption): Insertion => {
  const { from, to } = place
  const rest = query.slice(to)
  const write = (before: string, after = ""): Insertion => ({
    from,
    to,
    text: before + after,
    cursor: from + before.length,
  })
  const named = /^[A-Za-z_:][\w:]*$/.test(text) ? text : JSON.stringify(text)
  switch (kind) {
    case "function":
    case "aggregation":
      return /^\s*\(/.test(rest) ? write(text) : write(`${text}(`, ")")
    case "keyword":
      if (!groupingWords.includes(text)) return write(/^\s/.test(rest) ? text : `${text} `)
      return /^\s*\(/.test(rest) ? write(text) : write(`${text} (`, ")")
    case "metric":
      return write(named === text ? text : `{${named}}`)
    case "label":
      return place.kind === "grouping" || /^\s*[=!]/.test(rest) ? write(named) : write(`${named}="`, '"')
    case "value": {
      const { quote } = place as { readonly quote?: string }
      if (quote === undefined) return write(JSON.stringify(text))
      const closed = `${escapedIn(quote, text)}${quote}`
      return { from, to: rest.startsWith(quote) ? to + 1 : to, text: closed, cursor: from + closed.length }
    }
  }
}

/** A text in a string of PromQL with this quotation mark. */
const escapedIn = (quote: string, text: string): string => {
  if (quote === "`") return text
  const escaped = JSON.stringify(text).slice(1, -1)
  return quote === "'" ? escaped.replaceAll('\\"', '"').replaceAll("'", "\\'") : escaped
}
