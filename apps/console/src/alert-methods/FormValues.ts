import {
  detailsSelectedAtFirst,
  variableByName,
  variableField,
} from "@tocsin/domain/internal/template/Variable"
import type { Schemas } from "../api/Client.ts"

/** The definition of an alert method. */
export type AlertMethodDefinition = Schemas["AlertMethodDefinition"]

/** A custom header. */
export interface HeaderRow {
  readonly id: string
  readonly name: string
  readonly value: string
  readonly isSecret: boolean
  /** The stored secret value is kept; the API never returns it. */
  readonly isKept: boolean
}

/** An annotation. */
export interface AnnotationRow {
  readonly id: string
  readonly key: string
  readonly value: string
}

/** The values of the form as they were typed. */
export interface FormValues {
  displayName: string
  name: string
  project: string
  description: string
  annotations: Array<AnnotationRow>
  url: string
  isUrlKept: boolean
  headers: Array<HeaderRow>
  mode: "predefined" | "custom"
  /** The predefined details in the order in which they are sent. */
  fields: Array<string>
  template: string
  sendResolution: boolean
}

/** What the API returns for a secret value, and what keeps the stored value in a write. */
export const hiddenValue = "[hidden]"

/** The project of an alert method when none is entered. */
export const defaultProject = "default"

/** The values of an empty form. */
export const newValues = (): FormValues => ({
  displayName: "",
  name: "",
  project: "",
  description: "",
  annotations: [],
  url: "",
  isUrlKept: false,
  headers: [],
  mode: "predefined",
  fields: detailsSelectedAtFirst.flatMap((name) => {
    const variable = variableByName.get(name)
    return variable === undefined ? [] : [variableField(variable)]
  }),
  template: "",
  sendResolution: false,
})

/** The values of a stored alert method. */
export const valuesOf = ({ metadata, spec }: AlertMethodDefinition): FormValues => ({
  displayName: metadata.displayName ?? "",
  name: metadata.name,
  project: metadata.project,
  description: spec.description ?? "",
  annotations: Object.entries(metadata.annotations ?? {}).map(([key, value]) => ({
    ...newAnnotation(),
    key,
    value,
  })),
  url: "",
  isUrlKept: true,
  headers: (spec.webhook.headers ?? []).map(({ name, value, isSecret = false }) => ({
    ...newHeader(),
    name,
    value: isSecret ? "" : value,
    isSecret,
    isKept: isSecret,
  })),
  mode: spec.webhook.template === undefined ? "predefined" : "custom",
  fields: [...(spec.webhook.templateFields ?? [])],
  template: spec.webhook.template ?? "",
  sendResolution: spec.webhook.sendResolution ?? false,
})

/** An empty header. */
export const newHeader = (): HeaderRow => ({
  id: rowId(),
  name: "",
  value: "",
  isSecret: false,
  isKept: false,
})

/** An empty annotation. */
export const newAnnotation = (): AnnotationRow => ({ id: rowId(), key: "", value: "" })

let rows = 0
const rowId = (): string => `row-${++rows}`

/** The headers that are not empty. */
export const filledHeaders = ({ headers }: FormValues): ReadonlyArray<HeaderRow> =>
  headers.filter(({ name, value, isKept }) => name !== "" || value !== "" || isKept)

/** The annotations that are not empty. */
export const filledAnnotations = ({ annotations }: FormValues): ReadonlyArray<AnnotationRow> =>
  annotations.filter(({ key, value }) => key !== "" || value !== "")

/** The definition that the values describe, valid or not. */
export const definitionOf = (values: FormValues, apiVersion: string): AlertMethodDefinition => {
  const annotations = filledAnnotations(values)
  const headers = filledHeaders(values)
  const url = values.isUrlKept ? hiddenValue : values.url.trim()
  return {
    apiVersion,
    kind: "AlertMethod",
    metadata: {
      name: values.name,
      ...(values.displayName.trim() !== "" && { displayName: values.displayName.trim() }),
      project: values.project.trim() || defaultProject,
      ...(annotations.length > 0 && {
        annotations: Object.fromEntries(annotations.map(({ key, value }) => [key, value])),
      }),
    },
    spec: {
      ...(values.description.trim() !== "" && { description: values.description }),
      webhook: {
        ...(url !== "" && { url }),
        ...(values.mode === "custom" ? { template: values.template } : { templateFields: values.fields }),
        ...(headers.length > 0 && {
          headers: headers.map(({ name, value, isSecret, isKept }) => ({
            name,
            value: isKept ? hiddenValue : value,
            ...(isSecret && { isSecret }),
          })),
        }),
        ...(values.sendResolution && { sendResolution: true }),
      },
    },
  }
}

/** The definition with its secret values hidden. */
export const withoutSecrets = (definition: AlertMethodDefinition): AlertMethodDefinition => {
  const { webhook } = definition.spec
  if (webhook.headers === undefined) return definition
  const headers = webhook.headers.map((header) =>
    header.isSecret ? { ...header, value: hiddenValue } : header,
  )
  return { ...definition, spec: { ...definition.spec, webhook: { ...webhook, headers } } }
}

/** The template that sends the same as a list of fields. */
export const templateOfFields = (fields: ReadonlyArray<string>): string => {
  const lines = fields.map((field) => {
    const isArray = field.endsWith("[]")
    const name = isArray ? field.slice(0, -2) : field
    return `  "${name}": ${isArray ? `$${field}` : `"$${field}"`}`
  })
  return `{\n${lines.join(",\n")}\n}\n`
}
