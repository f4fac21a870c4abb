import * as Result from "effect/Result"
import { nearestName } from "../codec/NearestName.ts"
import { type Template, templateIssuesMax } from "./Template.ts"
import { type Variable, variableByName, variableField, type VariableName, variables } from "./Variable.ts"

/** An issue of the field at `index`; `message` and `hint` are sentences. */
export interface TemplateFieldIssue {
  readonly code: "variable_unknown" | "duplicate"
  readonly index: number
  readonly message: string
  readonly hint?: string
}

/**
 * Builds the template of a list of fields: one flat object with a key for each field, in the order listed.
 *
 * A field is a variable's name, with `[]` for the array; its key is the name without `[]`. An empty list gives `{}`. Fails
 * with an issue for each unknown or duplicate field.
 */
export const templateFieldsToTemplate = (
  fields: ReadonlyArray<string>,
): Result.Result<Template, ReadonlyArray<TemplateFieldIssue>> => {
  const issues: Array<TemplateFieldIssue> = []
  const listed = new Set<Variable>()
  let start = "{"
  const holes: Array<{ readonly variable: VariableName; after: string }> = []
  for (const [index, field] of fields.entries()) {
    if (issues.length === templateIssuesMax) break
    const variable = variableByField.get(field)
    if (variable === undefined) {
      issues.push(unknownField(field, index))
    } else if (listed.has(variable)) {
      issues.push({
        code: "duplicate",
        index,
        message: `The template field ${field} is listed twice.`,
        hint: "Remove one of the two.",
      })
    } else {
      listed.add(variable)
      const quote = variable.type === "text" ? '"' : ""
      const key = `"${variable.name}":${quote}`
      const previous = holes.at(-1)
      if (previous === undefined) start += key
      else previous.after += `,${key}`
      holes.push({ variable: variable.name, after: quote })
    }
  }
  if (issues.length > 0) return Result.fail(issues)
  const last = holes.at(-1)
  if (last === undefined) return Result.succeed({ start: "{}", holes })
  last.after += "}"
  return Result.succeed({ start, holes })
}

const variableByField = new Map(variables.map((variable) => [variableField(variable), variable]))

const unknownField = (field: string, index: number): TemplateFieldIssue => {
  const name = field.replaceAll(/[$[\]]/g, "")
  const nearest = nearestName(name, variableByName.keys())
  const meant = nearest === undefined ? undefined : variableByName.get(nearest)
  return {
    code: "variable_unknown",
    index,
    message: `There is no template field ${JSON.stringify(field.slice(0, 64))}.`,
    hint:
      meant === undefined
        ? `The fields are ${[...variableByField.keys()].join(", ")}.`
        : `Did you mean ${variableField(meant)}?`,
  }
}
