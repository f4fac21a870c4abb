import { Box, Checkbox, Fieldset, Input, SegmentedControl } from "@mantine/core"
import { variableField, variables } from "@tocsin/domain/internal/template/Variable"
import { lazy } from "../components/Lazy.tsx"
import css from "./AlertMethodForm.module.css"
import { useFormContext } from "./FormContext.ts"
import type { FormIssue } from "./FormCheck.ts"
import { templateOfFields } from "./FormValues.ts"

const TemplateEditor = lazy(() => import("./TemplateEditor.tsx"), <Box h={260} />)

/** The content of a notification: predefined details or a JSON template. */
export const NotificationDetails = ({
  templateIssues,
}: {
  /** The issues of the current template; absent until it was checked. */
  readonly templateIssues: ReadonlyArray<FormIssue> | undefined
}) => {
  const form = useFormContext()
  const { mode, template, fields } = form.values
  return (
    <>
      <SegmentedControl
        aria-label="Notification details"
        fullWidth
        value={mode}
        data={[
          { value: "predefined", label: "Predefined details" },
          { value: "custom", label: "Custom JSON" },
        ]}
        onChange={(next) => {
          // The template starts with the same content as the list.
          if (next === "custom" && template === "") form.setFieldValue("template", templateOfFields(fields))
          form.setFieldValue("mode", next)
        }}
      />
      {mode === "predefined" ? (
        <Fields />
      ) : (
        <TemplateEditor
          start={template}
          issues={templateIssues}
          onChange={(value) => form.setFieldValue("template", value)}
        />
      )}
    </>
  )
}

const Fields = () => {
  const form = useFormContext()
  const { value: fields, error } = form.getInputProps("fields") as {
    readonly value: Array<string>
    readonly error?: string
  }
  return (
    <Fieldset
      variant="unstyled"
      legend={`${fields.length} of ${variables.length} details, in the order of selection`}
      id="fields"
      tabIndex={-1}
    >
      {error !== undefined && (
        <Input.Error mb="xs" role="alert">
          Select at least one detail. {error}
        </Input.Error>
      )}
      <Checkbox.Group value={fields} onChange={(next) => form.setFieldValue("fields", next)}>
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
