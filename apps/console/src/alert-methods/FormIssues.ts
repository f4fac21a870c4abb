import type { ErrorItem } from "../api/Client.ts"
import { filledAnnotations, filledHeaders, type FormValues } from "./FormValues.ts"

/** An error in the form; without a field it concerns the whole definition. */
export interface FormIssue {
  readonly field: string | undefined
  readonly code: string | undefined
  /** A sentence. */
  readonly message: string
}

/** An issue from a rule that is a fragment without its path: `must not be empty`. */
const issue = (field: string | undefined, code: string | undefined, rule: string): FormIssue => {
  const text = rule.charAt(0).toUpperCase() + rule.slice(1)
  return { field, code, message: /[.!?/]$/.test(text) ? text : `${text}.` }
}

/**
 * The issues that the server found, and those that it cannot find: a definition contains each key only once, and
 * whether a URL is stored is checked after everything else.
 */
export const issuesOf = (values: FormValues, errors: ReadonlyArray<ErrorItem>): ReadonlyArray<FormIssue> => {
  const found = errors.map(({ title, code, source }) =>
    issue(fieldOf(values, source?.propertyName ?? ""), code, title),
  )
  const lacksUrl =
    !values.isUrlKept && values.url.trim() === "" && !found.some(({ field }) => field === "url")
  return [
    ...found,
    ...duplicateAnnotations(values),
    ...(lacksUrl ? [issue("url", "required", "is required")] : []),
  ]
}

/** A new alert method must not replace another one. */
export const nameTaken = issue("name", "taken", "is already the name of an alert method in this project")

const duplicateAnnotations = (values: FormValues): ReadonlyArray<FormIssue> =>
  filledAnnotations(values).flatMap((row, at, rows) =>
    rows.findIndex(({ key }) => key === row.key) === at
      ? []
      : [
          issue(
            `annotations.${values.annotations.indexOf(row)}.key`,
            "duplicate",
            "is duplicated; use each key once",
          ),
        ],
  )

/** The field of a path in the definition. */
const fieldOf = (values: FormValues, path: string): string | undefined => {
  const field = fieldByPath.get(path)
  if (field !== undefined) return field
  const header = /^spec\.webhook\.headers\[(\d+)\]\.?(\w*)/.exec(path)
  if (header !== null) {
    const row = filledHeaders(values)[Number(header[1])]
    if (row === undefined) return "headers"
    return `headers.${values.headers.indexOf(row)}.${header[2] === "value" ? "value" : "name"}`
  }
  if (path.startsWith("spec.webhook.templateFields")) return "fields"
  if (path === "spec.webhook") return values.mode === "custom" ? "template" : "fields"
  const annotation = /^metadata\.annotations(?:\.([\w-]+)$|\[(".*")\]$)?/.exec(path)
  if (annotation === null) return undefined
  const key = annotation[1] ?? (annotation[2] === undefined ? undefined : parsed(annotation[2]))
  // A long key is abbreviated in its path.
  const row = filledAnnotations(values).find((each) => key !== undefined && each.key.startsWith(key))
  return row === undefined ? "annotations" : `annotations.${values.annotations.indexOf(row)}.key`
}

const fieldByPath: ReadonlyMap<string, string> = new Map([
  ["metadata.name", "name"],
  ["metadata.displayName", "displayName"],
  ["metadata.project", "project"],
  ["spec.description", "description"],
  ["spec.webhook.url", "url"],
  ["spec.webhook.template", "template"],
  ["spec.webhook.headers", "headers"],
])

const parsed = (quoted: string): string | undefined => {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return undefined
  }
}
