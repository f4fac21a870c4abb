import { nameFromDisplayName } from "@tocsin/domain/codec/NameFromDisplayName"
import { detailsTickedAtFirst, variableByName, variableField } from "@tocsin/domain/template/Variable"
import type { Schemas } from "../api/ApiTypes.ts"

/** The definition of an alert method, as the API takes and tells it. */
export type AlertMethodDefinition = Schemas["AlertMethodDefinition"]

/** A row of custom headers. */
export interface HeaderRow {
  readonly id: string
  readonly name: string
  readonly value: string
  readonly isSecret: boolean
  /** The value is the one that is stored, which nobody is shown. */
  readonly isKept: boolean
}

/** A row of annotations. */
export interface AnnotationRow {
  readonly id: string
  readonly key: string
  readonly value: string
}

/** What stands in the form, as it was typed. */
export interface Draft {
  readonly displayName: string
  readonly name: string
  /** Before, the name follows the display name. Source: contract section 2.1. */
  readonly isNameEdited: boolean
  readonly project: string
  readonly description: string
  readonly annotations: ReadonlyArray<AnnotationRow>
  readonly url: string
  readonly isUrlKept: boolean
  readonly headers: ReadonlyArray<HeaderRow>
  readonly mode: "predefined" | "custom"
  /** The predefined details in the order in which they are sent. */
  readonly fields: ReadonlyArray<string>
  readonly template: string
  readonly sendResolution: boolean
}

/** What a hidden value reads as, and what keeps it when it is written. Source: decision 0104. */
const hiddenValue = "[hidden]"

/** The project of an alert method for which none was chosen. Source: contract section 2.1. */
export const defaultProject = "default"

/** The form before anything is typed. Source: decision 0207. */
export const newDraft = (project = ""): Draft => ({
  displayName: "",
  name: "",
  isNameEdited: false,
  project,
  description: "",
  annotations: [],
  url: "",
  isUrlKept: false,
  headers: [],
  mode: "predefined",
  fields: detailsTickedAtFirst.flatMap((name) => {
    const variable = variableByName.get(name)
    return variable === undefined ? [] : [variableField(variable)]
  }),
  template: "",
  sendResolution: false,
})

/** The form of an alert method that is stored. */
export const draftOf = ({ metadata, spec }: AlertMethodDefinition): Draft => ({
  displayName: metadata.displayName ?? "",
  name: metadata.name,
  isNameEdited: true,
  project: metadata.project,
  description: spec.description ?? "",
  annotations: Object.entries(metadata.annotations ?? {}).map(([key, value]) => ({
    id: rowId(),
    key,
    value,
  })),
  url: "",
  isUrlKept: true,
  headers: (spec.webhook.headers ?? []).map(({ name, value, isSecret = false }) => ({
    id: rowId(),
    name,
    value: isSecret ? "" : value,
    isSecret,
    isKept: isSecret,
  })),
  mode: spec.webhook.template === undefined ? "predefined" : "custom",
  fields: spec.webhook.templateFields ?? [],
  template: spec.webhook.template ?? "",
  sendResolution: spec.webhook.sendResolution ?? false,
})

/** A new header to fill in. */
export const newHeader = (): HeaderRow => ({
  id: rowId(),
  name: "",
  value: "",
  isSecret: false,
  isKept: false,
})

/** A new annotation to fill in. */
export const newAnnotation = (): AnnotationRow => ({ id: rowId(), key: "", value: "" })

let rows = 0
const rowId = (): string => `row-${++rows}`

/** The draft with another display name, which the name follows unless it was edited. Source: contract section 2.1. */
export const withDisplayName = (draft: Draft, displayName: string): Draft => ({
  ...draft,
  displayName,
  ...(draft.isNameEdited ? {} : { name: nameFromDisplayName(displayName) }),
})

/** The headers that are sent: a row in which nothing stands yet is none. */
export const filledHeaders = (draft: Draft): ReadonlyArray<HeaderRow> =>
  draft.headers.filter(({ name, value, isKept }) => name !== "" || value !== "" || isKept)

/** The annotations that are sent. */
export const filledAnnotations = (draft: Draft): ReadonlyArray<AnnotationRow> =>
  draft.annotations.filter(({ key, value }) => key !== "" || value !== "")

/** The definition that the draft stands for, right or wrong. */
export const draftToDefinition = (draft: Draft, apiVersion: string): AlertMethodDefinition => {
  const annotations = filledAnnotations(draft)
  const headers = filledHeaders(draft)
  const url = draft.isUrlKept ? hiddenValue : draft.url.trim()
  return {
    apiVersion,
    kind: "AlertMethod",
    metadata: {
      name: draft.name,
      ...(draft.displayName.trim() !== "" && { displayName: draft.displayName.trim() }),
      project: draft.project.trim() || defaultProject,
      ...(annotations.length > 0 && {
        annotations: Object.fromEntries(annotations.map(({ key, value }) => [key, value])),
      }),
    },
    spec: {
      ...(draft.description.trim() !== "" && { description: draft.description }),
      webhook: {
        ...(url !== "" && { url }),
        ...(draft.mode === "custom" ? { template: draft.template } : { templateFields: draft.fields }),
        ...(headers.length > 0 && {
          headers: headers.map(({ name, value, isSecret, isKept }) => ({
            name,
            value: isKept ? hiddenValue : value,
            ...(isSecret && { isSecret }),
          })),
        }),
        ...(draft.sendResolution && { sendResolution: true }),
      },
    },
  }
}

/** The definition with its secrets hidden, to be shown and copied. */
export const withoutSecrets = (definition: AlertMethodDefinition): AlertMethodDefinition => {
  const { webhook } = definition.spec
  if (webhook.headers === undefined) return definition
  const headers = webhook.headers.map((header) =>
    header.isSecret ? { ...header, value: hiddenValue } : header,
  )
  return { ...definition, spec: { ...definition.spec, webhook: { ...webhook, headers } } }
}

/** A template that sends the same as the list of fields, for whoever goes on from it. */
export const templateOfFields = (fields: ReadonlyArray<string>): string => {
  const lines = fields.map((field) => {
    const isArray = field.endsWith("[]")
    const name = isArray ? field.slice(0, -2) : field
    return `  "${name}": ${isArray ? `$${field}` : `"$${field}"`}`
  })
  return `{\n${lines.join(",\n")}\n}\n`
}
