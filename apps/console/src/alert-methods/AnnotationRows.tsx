import { TextInput } from "@mantine/core"
import { FormRows } from "./FormRows.tsx"
import { useFormContext } from "./FormContext.ts"
import css from "./AlertMethodForm.module.css"
import { newAnnotation } from "./FormValues.ts"

/** The annotations. */
export const AnnotationRows = () => {
  const form = useFormContext()
  return (
    <FormRows
      list="annotations"
      legend="Annotations"
      itemName="annotation"
      firstField="key"
      newRow={newAnnotation}
      className={css.annotation}
    >
      {(at) => (
        <>
          <TextInput
            {...form.getInputProps(`annotations.${at}.key`)}
            aria-label={`Key of annotation ${at + 1}`}
            placeholder="example.com/owner"
            autoCapitalize="none"
            spellCheck={false}
          />
          <TextInput
            {...form.getInputProps(`annotations.${at}.value`)}
            aria-label={`Value of annotation ${at + 1}`}
            placeholder="payments"
          />
        </>
      )}
    </FormRows>
  )
}
