import { useDebouncedValue } from "@mantine/hooks"
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query"
import { useRef } from "react"
import { bodyOf, client, type ErrorItem } from "../api/Client.ts"
import { issuesOr, ruleText } from "../api/Issues.ts"
import {
  type AlertMethodDefinition,
  defaultProject,
  definitionOf,
  filledAnnotations,
  filledHeaders,
  type FormValues,
} from "./FormValues.ts"

/** An error in the form; without a field it concerns the whole definition. */
export interface FormIssue {
  readonly field: string | undefined
  readonly code: string | undefined
  /** A sentence. */
  readonly message: string
}

/** Checks happen after a pause in typing. */
const debounceMs = 250

/** A dry run and a preview of the values. They may contain secrets, so nothing of them is cached. */
export const checkOptions = (values: FormValues, apiVersion: string, isNew: boolean) =>
  queryOptions({
    queryKey: ["alert-method-check", values, apiVersion, isNew],
    queryFn: ({ signal }) => check(values, apiVersion, isNew, signal),
    structuralSharing: false,
    gcTime: 0,
  })

/** Checks the values while they are edited. The last valid preview stays until there is another one. */
export const useFormCheck = (values: FormValues, apiVersion: string, isNew: boolean) => {
  const [settled] = useDebouncedValue(values, debounceMs)
  const { data, error } = useQuery({
    ...checkOptions(settled, apiVersion, isNew),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  })
  const lastPreview = useRef(data)
  if (data?.preview !== undefined) lastPreview.current = data
  return {
    issues: data?.issues ?? [],
    checkedTemplate: data?.values.template,
    preview: lastPreview.current?.preview,
    isBodyOnly: lastPreview.current?.isBodyOnly ?? false,
    /** The preview is that of earlier values. */
    isStale: data !== lastPreview.current,
    error,
  }
}

const check = async (values: FormValues, apiVersion: string, isNew: boolean, signal: AbortSignal) => {
  const definition = definitionOf(values, apiVersion)
  const previewOf = (body: AlertMethodDefinition) =>
    issuesOr(bodyOf(client.POST("/api/alertmethods/preview", { body, signal })))
  const [applied, whole] = await Promise.all([
    issuesOr(
      bodyOf(client.PUT("/api/apply", { params: { query: { dry_run: "true" } }, body: definition, signal })),
    ),
    previewOf(definition),
  ])
  const isBodyOnly = "errors" in whole
  const preview = isBodyOnly ? await previewOf(bodyAlone(definition)) : whole
  // The dry run reports everything that the preview reports.
  const issues = issuesOf(values, "errors" in applied ? applied.errors : [])
  const isTaken = isNew && "data" in applied && applied.data[0]?.outcome !== "created"
  return {
    values,
    issues: isTaken ? [...issues, nameTaken] : issues,
    /** The notification that would be sent; absent while what it contains is invalid. */
    preview: "errors" in preview ? undefined : preview,
    /** Something else is invalid, so that only the body of the preview is correct. */
    isBodyOnly,
  }
}

/** A valid definition with the same body: the body can be previewed before the rest is valid. */
const bodyAlone = ({
  apiVersion,
  kind,
  spec: { webhook },
}: AlertMethodDefinition): AlertMethodDefinition => ({
  apiVersion,
  kind,
  metadata: { name: "preview", project: defaultProject },
  spec: {
    webhook: {
      url: "https://hooks.example.com/",
      ...(webhook.template !== undefined && { template: webhook.template }),
      ...(webhook.templateFields !== undefined && { templateFields: webhook.templateFields }),
    },
  },
})

const issue = (field: string | undefined, code: string | undefined, rule: string): FormIssue => ({
  field,
  code,
  message: ruleText(rule),
})

/**
 * The issues that the server found, and those that it cannot find: a definition contains each key only once, and
 * whether a URL is stored is checked after everything else.
 */
const issuesOf = (values: FormValues, errors: ReadonlyArray<ErrorItem>): ReadonlyArray<FormIssue> => {
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
const nameTaken = issue("name", "taken", "is already the name of an alert method in this project")

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
