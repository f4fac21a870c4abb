import type { ErrorItem } from "../api/Call.ts"
import { type Draft, filledAnnotations, filledHeaders } from "./Draft.ts"

/** One thing that is wrong with the draft, and the field of the form that it is about, if there is one. */
export interface DraftIssue {
  readonly field: string | undefined
  readonly code: string | undefined
  readonly message: string
}

const issuesOf = (draft: Draft, errors: ReadonlyArray<ErrorItem>): ReadonlyArray<DraftIssue> =>
  errors.map(({ title, code, source }) => ({
    field: fieldOf(draft, source?.propertyName ?? ""),
    code,
    message: title,
  }))

/**
 * The server's errors with what it cannot see, or does not yet: a definition holds each key once, and whether a URL is
 * stored already is looked up when all else is right.
 */
export const allIssues = (draft: Draft, errors: ReadonlyArray<ErrorItem>): ReadonlyArray<DraftIssue> => {
  const told = issuesOf(draft, errors)
  const lacksUrl = !draft.isUrlKept && draft.url.trim() === "" && !told.some(({ field }) => field === "url")
  return [
    ...told,
    ...repeatedAnnotations(draft),
    ...(lacksUrl ? [{ field: "url", code: "required", message: "is required" }] : []),
  ]
}

const repeatedAnnotations = (draft: Draft): ReadonlyArray<DraftIssue> => {
  const seen = new Set<string>()
  return filledAnnotations(draft).flatMap(({ id, key }) => {
    const isRepeated = seen.has(key)
    seen.add(key)
    const message = "stands above already; each key stands once"
    return isRepeated ? [{ field: `annotations.${id}.key`, code: "duplicate", message }] : []
  })
}

const fieldOf = (draft: Draft, path: string): string | undefined => {
  const known = fieldByPath.get(path)
  if (known !== undefined) return known
  const header = /^spec\.webhook\.headers\[(\d+)\]\.?(\w*)/.exec(path)
  if (header !== null) {
    const row = filledHeaders(draft)[Number(header[1])]
    return row === undefined ? "headers" : `headers.${row.id}.${header[2] === "value" ? "value" : "name"}`
  }
  if (path.startsWith("spec.webhook.templateFields")) return "fields"
  if (path === "spec.webhook") return draft.mode === "custom" ? "template" : "fields"
  const annotation = /^metadata\.annotations(?:\.([\w-]+)$|\[(".*")\]$)?/.exec(path)
  if (annotation !== null) {
    const key = annotation[1] ?? (annotation[2] === undefined ? undefined : keyOf(annotation[2]))
    // A key is shortened in a path that it makes too long.
    const row = filledAnnotations(draft).find((each) => key !== undefined && each.key.startsWith(key))
    if (row === undefined) return "annotations"
    return `annotations.${row.id}.key`
  }
  return undefined
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

const keyOf = (quoted: string): string | undefined => {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return undefined
  }
}
