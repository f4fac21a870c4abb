import type { DefinitionDocument } from "@tocsin/api"
import { detailsSelectedAtFirst, variableByName, variableField } from "@tocsin/domain/forms"
import type { Draft, Issue } from "../editor/Draft.ts"
import { defaultProject, newMetadata } from "../editor/General.tsx"
import type { IsSecret } from "../editor/Secrets.ts"
import { t } from "../language/Text.tsx"

/** The definition of an alert method. */
export type AlertMethodDefinition = DefinitionDocument<"AlertMethod">

/** An alert method that is being edited. */
export type MethodDraft = Draft<AlertMethodDefinition>

/** A new alert method, with its properties in the order of its YAML. */
export const newMethod = (apiVersion: string) =>
  ({
    apiVersion,
    kind: "AlertMethod",
    metadata: newMetadata(),
    spec: {
      description: undefined,
      webhook: {
        url: undefined,
        template: undefined,
        templateFields: detailsSelectedAtFirst.flatMap((name) => {
          const variable = variableByName.get(name)
          return variable === undefined ? [] : [variableField(variable)]
        }),
        headers: undefined,
        sendResolution: undefined,
      },
    },
  }) as object as AlertMethodDefinition

/** What the YAML of an alert method hides. */
export const isSecret: IsSecret = (path, parent) =>
  /^spec\.webhook\.headers\[.*\]\.value$/.test(path) && parent["isSecret"] === true

/** What the server finds only after everything else is valid. */
export const ownIssues = ({ spec }: AlertMethodDefinition): ReadonlyArray<Issue> =>
  (spec.webhook?.url ?? "") === "" ? [{ path: "spec.webhook.url", message: t("Is required.") }] : []

/** A definition with the same body: the body can be previewed before the rest is valid. */
export const bodyAlone = ({ apiVersion, kind, spec }: AlertMethodDefinition): AlertMethodDefinition => {
  const { template, templateFields } = spec.webhook ?? {}
  return {
    apiVersion,
    kind,
    metadata: { name: "preview", project: defaultProject },
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
