import { detailsSelectedAtFirst, variableByName, variableField } from "@tocsin/domain/forms"
import type { Schemas } from "../api/Client.ts"
import { duplicateAnnotations } from "../editor/AnnotationRows.tsx"
import type { Draft, Issue } from "../editor/Draft.ts"
import { emptyGeneral, generalOf, type GeneralValues, metadataOf } from "../editor/General.tsx"
import { type HeaderRow, headerRows, headersOf } from "../editor/HeaderRows.tsx"
import type { IsSecret } from "../editor/Secrets.ts"
import { t } from "../language/Text.tsx"

/** The definition of an alert method. */
export type AlertMethodDefinition = Schemas["AlertMethodDefinition"]

/** The values of the form as they were typed. */
export interface FormValues extends GeneralValues {
  /** The hidden value: the stored one is kept. */
  readonly url: string
  readonly headers: ReadonlyArray<HeaderRow>
  readonly mode: "predefined" | "custom"
  /** The predefined details in the order in which they are sent. */
  readonly fields: ReadonlyArray<string>
  readonly template: string
  readonly sendResolution: boolean
}

/** An alert method that is being edited. */
export type MethodDraft = Draft<FormValues, AlertMethodDefinition>

/** The values of an empty form. */
export const newValues = (): FormValues => ({
  ...emptyGeneral,
  url: "",
  headers: [],
  mode: "predefined",
  fields: detailsSelectedAtFirst.flatMap((name) => {
    const variable = variableByName.get(name)
    return variable === undefined ? [] : [variableField(variable)]
  }),
  template: "",
  sendResolution: false,
})

/** The values of an alert method. */
export const valuesOf = (method: AlertMethodDefinition): FormValues => {
  const { url, template, templateFields, headers, sendResolution } = method.spec.webhook
  return {
    ...generalOf(method),
    url: url ?? "",
    headers: headerRows(headers),
    mode: template === undefined ? "predefined" : "custom",
    fields: [...(templateFields ?? [])],
    template: template ?? "",
    sendResolution: sendResolution ?? false,
  }
}

/** The definition that the values describe, valid or not. */
export const definitionOf = (values: FormValues, apiVersion: string): AlertMethodDefinition => {
  const { url, mode, template, fields, headers, sendResolution, description } = values
  return {
    apiVersion,
    kind: "AlertMethod",
    metadata: metadataOf(values),
    spec: {
      ...(description.trim() !== "" && { description }),
      webhook: {
        ...(url.trim() !== "" && { url: url.trim() }),
        ...(mode === "custom" ? { template } : { templateFields: [...fields] }),
        ...(headers.length > 0 && { headers: [...headersOf(headers)] }),
        ...(sendResolution && { sendResolution: true }),
      },
    },
  }
}

/** What the YAML of an alert method hides. */
export const isSecret: IsSecret = (path, parent) =>
  /^spec\.webhook\.headers\[.*\]\.value$/.test(path) && parent["isSecret"] === true

/** What the server cannot find, or finds only after everything else is valid. */
export const ownIssues = (values: FormValues): ReadonlyArray<Issue> => [
  ...duplicateAnnotations(values),
  ...(values.url.trim() === "" ? [{ path: "spec.webhook.url", message: t("Is required.") }] : []),
]

/** A definition with the same body: the body can be previewed before the rest is valid. */
export const bodyAlone = ({ apiVersion, kind, spec }: AlertMethodDefinition): AlertMethodDefinition => {
  const { template, templateFields } = spec.webhook ?? {}
  return {
    apiVersion,
    kind,
    metadata: { name: "preview", project: emptyGeneral.project },
    spec: {
      webhook: {
        url: "https://hooks.example.com/",
        ...(template !== undefined && { template }),
        ...(templateFields !== undefined && { templateFields }),
      },
    },
  }
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
