/**
 * Makes PromQL that counts the events of one minute out of a query of an indicator; without an expression where that
 * cannot be done safely, with a note where there is something to know.
 *
 * A counter that is a selector, or the sum of one, is counted over the minute: `sum(x)` becomes
 * `sum(increase(x[1m]))`. A query that has a range of its own, or that is not said to be a counter, stays as it is.
 *
 * Source: OpenSLO v1, Ratio Metric.
 */
export const perMinuteExpression = (
  query: string,
  isCounter: boolean,
): { readonly expression?: string; readonly note?: string } => {
  const trimmed = query.trim()
  const code = trimmed.replaceAll(quoted, '""')
  if (/\{\{|\$\w|\$\{/.test(code)) {
    return { note: "is omitted: its query has a placeholder; it must be complete PromQL" }
  }
  if (code.includes("[")) {
    const note =
      "is unchanged because it has its own range; make sure that it returns the events of one minute, as increase(…[1m]) does"
    return { expression: trimmed, note }
  }
  if (!isCounter) {
    const note =
      "is unchanged because it is not declared as a counter; make sure that it returns the events of one minute"
    return { expression: trimmed, note }
  }
  const selector = counterSelector
    .exec(trimmed)
    ?.slice(1)
    .find((each) => each !== undefined)
  return selector === undefined
    ? {
        note: "is omitted: only a counter that is one selector, or the sum of one, can be counted per minute",
      }
    : { expression: `sum(increase(${selector}[1m]))` }
}

const text = `"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`[^\`]*\``
const quoted = new RegExp(text, "gs")
const selectorText = `[a-zA-Z_:][\\w:]*\\s*(?:\\{(?:[^{}"'\`]|${text})*\\})?`
const counterSelector = new RegExp(`^(?:sum\\s*\\(\\s*(${selectorText})\\s*\\)|(${selectorText}))$`, "s")
