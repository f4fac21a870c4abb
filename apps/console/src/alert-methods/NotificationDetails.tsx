import { Box, Checkbox, Fieldset, Input, SegmentedControl } from "@mantine/core"
import { variableField, variables } from "@tocsin/domain/forms"
import { lazy } from "../components/Lazy.tsx"
import css from "../components/Form.module.css"
import { t } from "../language/Text.tsx"
import type { Issue } from "../editor/Draft.ts"
import { type MethodDraft, templateOfFields } from "./FormValues.ts"

const TemplateEditor = lazy(() => import("./TemplateEditor.tsx"), <Box h={260} />)

/** The content of a notification: predefined details or a JSON template. */
export const NotificationDetails = ({ draft }: { readonly draft: MethodDraft }) => {
  const { values, set, issues, errorOf } = draft
  const { mode, template, fields } = values
  // Its issues are in the editor itself, at their lines.
  if (mode === "custom") errorOf("template", "spec.webhook.template", "spec.webhook")
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
        onChange={(next) =>
          set({
            mode: next as typeof mode,
            // The template starts with the same content as the list.
            ...(next === "custom" && template === "" && { template: templateOfFields(fields) }),
          })
        }
      />
      {mode === "predefined" ? (
        <Fields draft={draft} />
      ) : (
        <TemplateEditor
          key={draft.revision}
          start={template}
          issues={draft.isChecked ? issues.filter(isOfTemplate) : undefined}
          onChange={(value) => set({ template: value })}
        />
      )}
    </>
  )
}

const isOfTemplate = ({ path, code }: Issue): boolean =>
  path === "spec.webhook.template" && code !== "required"

const Fields = ({ draft: { values, set, errorOf } }: { readonly draft: MethodDraft }) => {
  const { fields } = values
  const error = errorOf("fields", "spec.webhook.templateFields", "spec.webhook")
  return (
    <Fieldset
      variant="unstyled"
      legend={t("{count} of {all} details, in the order of selection", {
        count: fields.length,
        all: variables.length,
      })}
      id="fields"
      tabIndex={-1}
    >
      {error !== undefined && (
        <Input.Error mb="xs" role="alert">
          {t("Select at least one detail.")} {error}
        </Input.Error>
      )}
      <Checkbox.Group value={[...fields]} onChange={(next) => set({ fields: next })}>
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
