/** Indents compact JSON without parsing it, so that every token stays as it is, such as the digits of numbers. */
export const indentJson = (json: string): string => {
  let text = ""
  let depth = 0
  const line = (): string => `\n${"  ".repeat(depth)}`
  // A string or any other single character.
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[^]/g)) {
    if (token === "{" || token === "[") {
      depth += 1
      text += token + line()
    } else if (token === "}" || token === "]") {
      depth -= 1
      text = /[{[]\s*$/.test(text) ? text.trimEnd() + token : text + line() + token
    } else if (token === ",") text += token + line()
    else if (token === ":") text += ": "
    else text += token
  }
  return text
}
