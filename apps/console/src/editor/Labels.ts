import type { Typing } from "./Fields.ts"

/** Labels as definitions have them: values by key. */
type Labels = Readonly<Record<string, ReadonlyArray<string>>>

/**
 * Labels as they are typed: comma-separated pairs of key and value, as in `team=payments, note="eu, us"`. A colon in place
 * of the equals sign, as in labels that notifications show, is understood too.
 *
 * A value that would not be read as it is, such as one with a comma, is a JSON string. A key alone has an empty value, and
 * `key=[]` has no values.
 */
const labelsText = (labels: Labels | undefined = {}): string =>
  Object.entries(labels)
    .flatMap(([key, values]) =>
      values.length === 0 ? `${key}=[]` : values.map((value) => labelText(`${key}=${value}`)),
    )
    .join(", ")

/** The text of a label that is given as its key and value, as in `team=payments`. */
export const labelText = (label: string): string => {
  const at = label.indexOf("=")
  const value = label.slice(at + 1)
  return value === "" ? label.slice(0, at) : `${label.slice(0, at)}=${labelValueText(value)}`
}

/** A value as it is typed: in quotes if it would not be read as it is. An input removes line breaks. */
export const labelValueText = (value: string): string =>
  /^[\s"]|[,\r\n]|\s$|^\[\]$/.test(value) ? JSON.stringify(value) : value

/** A pair: a key, and a value that is quoted or has no comma. A value with quotes that do not end has no comma either. */
const pairPattern = /(?:([^=:,]*)[=:]\s*("(?:[^"\\]|\\.)*")\s*(?=,|$))|[^,]+/g

/** The labels of a typed text, valid or not. What is quoted wrong is a key, which no label can have. */
export const labelsOf = (text: string): { [key: string]: Array<string> } => {
  const labels = new Map<string, Array<string>>()
  for (const [pair, quotedKey, quoted] of text.matchAll(pairPattern)) {
    if (pair.trim() === "") continue
    const at = pair.search(/[=:]/)
    const typed = at < 0 ? "" : pair.slice(at + 1).trim()
    const value = quoted === undefined ? (typed.startsWith('"') ? undefined : typed) : unquoted(quoted)
    const key = value === undefined || at < 0 ? pair : (quotedKey ?? pair.slice(0, at))
    const values = labels.get(key.trim()) ?? []
    labels.set(key.trim(), values)
    if (quoted !== undefined || value !== "[]") values.push(value ?? "")
  }
  return Object.fromEntries(labels)
}

const unquoted = (text: string): string | undefined => {
  try {
    return JSON.parse(text) as string
  } catch {
    return undefined
  }
}

/** The labels of a typed text, each as its key and value. */
export const labelList = (text: string): ReadonlyArray<string> =>
  Object.entries(labelsOf(text)).flatMap(([key, values]) => values.map((value) => `${key}=${value}`))

/** Labels as they are typed; empty text has no labels. */
export const labelTyping: Typing<string> = {
  format: (labels) => labelsText(labels as Labels | undefined),
  parse: (text) => (text.trim() === "" ? undefined : labelsOf(text)),
}
