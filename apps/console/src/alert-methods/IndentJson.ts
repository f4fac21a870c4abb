/** Compact JSON on many lines: every character stays as it is, also the digits of numbers. */
export const indentJson = (json: string): string => {
  let text = ""
  let depth = 0
  const line = (): string => `\n${"  ".repeat(depth)}`
  // A string, or one other character.
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
