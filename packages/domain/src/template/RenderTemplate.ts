import type { Template } from "./Template.ts"
import type { VariableValues } from "./Variable.ts"

/**
 * Renders a template: fills each hole with its variable's value, escaped as JSON.
 *
 * The result is JSON for all values, quotes, line breaks and lone surrogates included (these stay escaped, so that
 * the bytes in UTF-8 parse back to the very same text), and a value that looks like a variable is not expanded.
 */
export const renderTemplate = (template: Template, values: VariableValues): string => {
  let body = template.start
  for (const { variable, after } of template.holes) {
    const value = values[variable]
    const json = JSON.stringify(value)
    body += typeof value === "string" ? json.slice(1, -1) : json
    body += after
  }
  return body
}
