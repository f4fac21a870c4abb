import { useDebouncedValue } from "@mantine/hooks"
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query"
import { useRef } from "react"
import { ApiError, bodyOf, client, type Schemas } from "../api/Client.ts"
import { type FormIssue, issuesOf, nameTaken } from "./FormIssues.ts"
import { type AlertMethodDefinition, defaultProject, definitionOf, type FormValues } from "./FormValues.ts"

/** What the server reports about the values of the form. */
export interface FormCheck {
  readonly values: FormValues
  readonly issues: ReadonlyArray<FormIssue>
  /** The notification that would be sent; absent while what it contains is invalid. */
  readonly preview: Schemas["AlertMethodPreview"] | undefined
  /** Something else is invalid, so that only the body of the preview is correct. */
  readonly isBodyOnly: boolean
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

const check = async (
  values: FormValues,
  apiVersion: string,
  isNew: boolean,
  signal: AbortSignal,
): Promise<FormCheck> => {
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
    preview: "errors" in preview ? undefined : preview,
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

/** An invalid definition is a result of a check, not an error. */
const issuesOr = <T>(response: Promise<T>) =>
  response.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 400) return { errors: error.errors }
    throw error
  })
