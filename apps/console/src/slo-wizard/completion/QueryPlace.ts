import { groupingWords } from "./PromQlWords.ts"

/** What can be completed at a place of a query: the text from ≤ at < to is replaced, of which `typed` is before the cursor. */
export type QueryPlace = Span &
  (
    | { readonly kind: "expression" }
    | { readonly kind: "label"; readonly metric?: string }
    /** A label in brackets after a word such as `by`. */
    | { readonly kind: "grouping"; readonly metric?: string }
    /** The value of a label; `quote` is the mark that it begins with, if it does. */
    | { readonly kind: "value"; readonly label: string; readonly metric?: string; readonly quote?: string }
  )

interface Span {
  readonly from: number
  readonly to: number
  readonly typed: string
}

/** A bracket that is open at the cursor. */
interface Open {
  readonly bracket: string
  /** The name before it. */
  readonly name: string
  /** In braces: the label whose value comes next. */
  label?: string | undefined
  /** In braces: whether a value has ended, after which a comma is needed. */
  hasValue?: boolean
}

const closings: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" }

/**
 * Finds what can be completed at a cursor, from the text before it; `undefined` if that is nothing, as in comments, numbers
 * and ranges. The rest of the text only determines where a name ends, and which metric a grouping is about.
 *
 * | text, with the cursor as ‸ | place |
 * |---|---|
 * | `sum(ra‸` | an expression |
 * | `up{jo‸` | a label of `up` |
 * | `up{job="a‸` | a value of `job` of `up` |
 * | `sum by (‸` | a label |
 */
export const queryPlaceAt = (text: string, cursor: number): QueryPlace | undefined => {
  const open: Array<Open> = []
  /** The name that was read last, unless something else than space followed. */
  let name = ""
  let at = 0
  while (at < cursor) {
    const rest = text.slice(at, cursor)
    const inside = open.at(-1)
    const [comment] = /^#.*/.exec(rest) ?? []
    if (comment !== undefined) {
      at += comment.length
      if (at >= cursor) return undefined
      continue
    }
    const [quoted, quote = "", content = "", end] =
      /^(["'`])((?:(?!\1)(?:\\[^]|[^\\]))*\\?)(\1)?/.exec(rest) ?? []
    if (quoted !== undefined) {
      if (end === undefined) return quotedPlace(text, cursor, inside, quote, at + 1, content)
      if (inside?.bracket === "{" && inside.label !== undefined) {
        inside.label = undefined
        inside.hasValue = true
        name = ""
      } else name = content
      at += quoted.length
      continue
    }
    const [word] = /^[A-Za-z_:][\w:]*/.exec(rest) ?? /^\.?[0-9][\w.]*/.exec(rest) ?? []
    if (word !== undefined) {
      at += word.length
      if (at === cursor) return wordPlace(text, cursor, inside, word)
      name = word
      continue
    }
    const character = text.charAt(at)
    at += 1
    if (/\s/.test(character)) continue
    if (character in closings) open.push({ bracket: character, name })
    else if (inside !== undefined && character === closings[inside.bracket]) open.pop()
    else if (inside?.bracket === "{") {
      if (character === ",") Object.assign(inside, { label: undefined, hasValue: false })
      else if (character === "=" || character === "!") inside.label ??= name
    }
    name = ""
  }
  return wordPlace(text, cursor, open.at(-1), "")
}

const quotedPlace = (
  text: string,
  cursor: number,
  inside: Open | undefined,
  quote: string,
  from: number,
  typed: string,
): QueryPlace | undefined => {
  if (inside?.bracket !== "{" || inside.label === undefined) return undefined
  // A string that goes on is replaced up to its end, if that is near.
  const [rest] = new RegExp(`^[^${quote},{}\\n\\\\]*(?=${quote})`).exec(text.slice(cursor)) ?? [""]
  return {
    kind: "value",
    from,
    to: cursor + rest.length,
    typed,
    quote,
    label: inside.label,
    ...metricOf(inside.name),
  }
}

const wordPlace = (
  text: string,
  cursor: number,
  inside: Open | undefined,
  typed: string,
): QueryPlace | undefined => {
  if (/^[.0-9]/.test(typed) || inside?.bracket === "[") return undefined
  const [rest] = /^[\w:]*/.exec(text.slice(cursor)) ?? [""]
  const span = { from: cursor - typed.length, to: cursor + rest.length, typed }
  if (inside?.bracket === "{") {
    if (inside.hasValue === true) return undefined
    const metric = metricOf(inside.name)
    if (inside.label === undefined) return { kind: "label", ...span, ...metric }
    return { kind: "value", ...span, label: inside.label, ...metric }
  }
  if (inside?.bracket === "(" && groupingWords.includes(inside.name.toLowerCase())) {
    const [, metric = ""] = /([A-Za-z_:][\w:]*)\s*[{[]/.exec(text) ?? []
    return { kind: "grouping", ...span, ...metricOf(metric) }
  }
  // After `offset` comes a duration.
  if (/\boffset\s+[-\w]*$/i.test(text.slice(0, cursor))) return undefined
  return { kind: "expression", ...span }
}

const metricOf = (name: string) => (name === "" ? {} : { metric: name })
