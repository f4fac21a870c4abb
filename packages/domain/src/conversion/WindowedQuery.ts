import type { Rule } from "./ObjectRule.ts"
import { string } from "../codec/Leaves.ts"
import { promqlMaxCharacters } from "../slo/PromQlExpression.ts"

const quotedText = `"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`[^\`]*\``

/** String literals of PromQL. */
export const quoted = new RegExp(quotedText, "gs")

const selectorText = `(?:[a-zA-Z_:][\\w:]*\\s*(?:\\{(?:[^{}"'\`]|${quotedText})*\\})?|\\{(?:[^{}"'\`]|${quotedText})+\\})`

/** A vector selector without modifiers. */
export const selector = new RegExp(`^\\s*(${selectorText})\\s*$`, "s")

/** A counter that can be counted per minute: a selector, or the sum of one. */
export const counterSelector = new RegExp(
  `^(?:sum\\s*\\(\\s*(${selectorText})\\s*\\)|(${selectorText}))$`,
  "s",
)

/** The template variable of Sloth for the range of a query. */
const windowVariable = /\{\{-?\s*\.window\s*-?\}\}/g

export const hasWindowVariable = (query: string): boolean => query.search(windowVariable) !== -1

/** An expression, or why there is none. */
interface Converted {
  readonly expression?: string
  readonly note?: string
}

/**
 * Converts a query over a range `[{{.window}}]`, as Sloth reads it, to the events of one minute.
 *
 * Sloth divides two queries, so a rate per second is as good as a number of events; here only the number is: `rate`
 * becomes `increase`. For example `sum(rate(x[{{.window}}]))` becomes `sum(increase(x[1m]))`.
 */
export const eventsExpression = (query: string): Converted => {
  const { expression, note } = minuteExpression(query)
  if (expression === undefined) return { ...(note !== undefined && { note }) }
  if (/(?<![\w:])irate\s*\(/.test(expression.replaceAll(quoted, '""'))) {
    return { note: "is omitted: irate does not give a number of events" }
  }
  return {
    expression: outsideQuotes(expression, (code) => code.replaceAll(/(?<![\w:])rate(?=\s*\()/g, "increase")),
  }
}

/** Converts a query over a range `[{{.window}}]` to the same query over one minute. */
const minuteExpression = (query: string): Converted => {
  if (!hasWindowVariable(query)) return { note: "is omitted: its query has no range [{{.window}}]" }
  const expression = query.trim().replaceAll(windowVariable, "1m")
  return expression.includes("{{")
    ? { note: "is omitted: its query has a placeholder other than {{.window}}" }
    : { expression }
}

const ruleOf =
  (convert: (query: string) => Converted): Rule<string> =>
  (value, path, issues) => {
    const query = string({ max: promqlMaxCharacters }).read(value, path, issues, undefined)
    if (query === undefined) return undefined
    const { expression, note } = convert(query)
    if (note !== undefined) issues.add(path, "invalid_format", note)
    return expression
  }

export const eventsQuery = ruleOf(eventsExpression)

export const windowedQuery = ruleOf(minuteExpression)

/** Bad events: without any there may be no series of them at all. */
export const badOrNone = (bad: string): string => `(${bad}) or vector(0)`

const outsideQuotes = (query: string, change: (code: string) => string): string => {
  let result = ""
  let at = 0
  for (const { index, 0: literal } of query.matchAll(quoted)) {
    result += change(query.slice(at, index)) + literal
    at = index + literal.length
  }
  return result + change(query.slice(at))
}
