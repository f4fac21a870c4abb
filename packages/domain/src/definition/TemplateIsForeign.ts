import * as Result from "effect/Result"
import type { AlertMethodDraft } from "../alert-method/AlertMethod.ts"
import { type ForeignPlaceholder, foreignPlaceholders } from "../template/ForeignPlaceholder.ts"
import { parseTemplate } from "../template/Template.ts"
import type { Warning } from "../codec/Warning.ts"

/** Maximum number of placeholders of a template that are named. */
const namedMax = 5

/** A template with placeholders of another tool, such as one of Alertmanager or Grafana: they are sent as they are. */
export const templateIsForeign = ({ spec: { webhook } }: AlertMethodDraft): ReadonlyArray<Warning> => {
  if (!("text" in webhook.body)) return []
  const { text } = webhook.body
  const found = placeholdersIn(text)
  if (found.length === 0) return []
  const byText = new Map(found.map((each) => [each.text, each]))
  const named = Array.from(byText.values(), ({ text: written, variable }) =>
    variable === undefined ? written : `${written} (write $${variable})`,
  )
  const others = named.length > namedMax ? ` and ${named.length - namedMax} others` : ""
  const suggestion = rewritten(text, found)
  return [
    {
      path: "spec.webhook.template",
      code: "foreign_placeholder",
      message: `contains placeholders of another tool, which are sent as they are: ${named.slice(0, namedMax).join(", ")}${others}. Variables are written as $slo_name`,
      ...(suggestion !== undefined && { suggestion }),
    },
  ]
}

/** The strings of a template, which is JSON: nothing else in it can be a placeholder. */
const placeholdersIn = (template: string): ReadonlyArray<ForeignPlaceholder> =>
  Array.from(template.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g)).flatMap(({ 0: string, index }) =>
    foreignPlaceholders(string).map((each) => ({ ...each, from: each.from + index, to: each.to + index })),
  )

/** The template with variables, if there is one for each placeholder, and it is valid. */
const rewritten = (template: string, found: ReadonlyArray<ForeignPlaceholder>): string | undefined => {
  let [written, end] = ["", 0]
  for (const { from, to, variable } of found) {
    if (variable === undefined) return undefined
    // Letters behind a variable would be part of its name.
    if (/^[a-z_[]/.test(template.slice(to))) return undefined
    written += `${template.slice(end, from)}$${variable}`
    end = to
  }
  written += template.slice(end)
  return Result.isSuccess(parseTemplate(written)) && placeholdersIn(written).length === 0
    ? written
    : undefined
}
