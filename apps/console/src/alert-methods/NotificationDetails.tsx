import { Box, Checkbox, Fieldset, Input, SegmentedControl } from "@mantine/core"
import { variableField, variables } from "@tocsin/domain/forms"
import { lazy } from "../components/Lazy.tsx"
import css from "../components/Form.module.css"
import { t } from "../language/Text.tsx"
import type { Issue } from "../editor/Fields.ts"
import { type MethodDraft, templateOfFields } from "./FormValues.ts"

const TemplateEditor = lazy(() => import("./TemplateEditor.tsx"), <Box h={260} />)

/** The content of a notification: predefined details or a JSON template. */
export const NotificationDetails = ({ draft }: { readonly draft: MethodDraft }) => {
  const { at, put, swap, issues, errorOf } = draft
  const template = at(templatePath) as string | undefined
  const mode = template === undefined ? "predefined" : "custom"
  const change = (next: string): void => {
    if (next === mode) return
    const fields = (at(fieldsPath) ?? []) as ReadonlyArray<string>
    // The template starts with the same content as the list.
    if (next === "custom") swap([fieldsPath], { [templatePath]: templateOfFields(fields) })
    else swap([templatePath], { [fieldsPath]: [] })
  }
  // Its issues are in the editor itself, at their lines.
  if (mode === "custom") errorOf(templatePath, templatePath, "spec.webhook")
  return (
    <>
      <SegmentedControl
        aria-label={t("Notification details")}
        fullWidth
        value={mode}
        data={[
          { value: "predefined", label: t("Predefined details") },
          { value: "custom", label: t("Custom JSON") },
        ]}
        onChange={change}
      />
      {template === undefined ? (
        <Fields draft={draft} />
      ) : (
        <TemplateEditor
          key={draft.revision}
          start={template}
          issues={draft.isChecked ? issues.filter(isOfTemplate) : undefined}
          onChange={(value) => put({ [templatePath]: value })}
        />
      )}
    </>
  )
}

const templatePath = "spec.webhook.template"
const fieldsPath = "spec.webhook.templateFields"

const isOfTemplate = ({ path, code }: Issue): boolean => path === templatePath && code !== "required"

const Fields = ({ draft: { at, put, errorOf } }: { readonly draft: MethodDraft }) => {
  const fields = (at(fieldsPath) ?? []) as ReadonlyArray<string>
  const error = errorOf(fieldsPath, fieldsPath, "spec.webhook")
  return (
    <Fieldset
      variant="unstyled"
      legend={t("{count} of {all} details, in the order of selection", {
        count: fields.length,
        all: variables.length,
      })}
      id={fieldsPath}
      tabIndex={-1}
    >
      {error !== undefined && (
        <Input.Error mb="xs" role="alert">
          {t("Select at least one detail.")} {error}
        </Input.Error>
      )}
      <Checkbox.Group value={[...fields]} onChange={(next) => put({ [fieldsPath]: next })}>
        <div className={css.checks}>
          {variables.map((variable) => (
            <Checkbox
              key={variableField(variable)}
              value={variableField(variable)}
              label={variableField(variable)}
              description={variable.description}
            />
          ))}
        </div>
      </Checkbox.Group>
    </Fieldset>
  )
}
