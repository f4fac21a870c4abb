import { Button, Switch, TextInput } from "@mantine/core"
import { focusLater, useFormContext } from "./FormContext.ts"
import css from "./AlertMethodForm.module.css"
import { FormRows } from "./FormRows.tsx"
import { newHeader } from "./FormValues.ts"
import { customHeadersMax } from "@tocsin/domain/alert-method/CustomHeaderLimits"

/** The custom headers. A stored secret value is not shown and stays until it is replaced. */
export const HeaderRows = () => {
  const form = useFormContext()
  return (
    <FormRows
      list="headers"
      legend="Custom headers"
      itemName="header"
      firstField="name"
      newRow={newHeader}
      max={customHeadersMax}
    >
      {(at) => (
        <>
          <TextInput
            {...form.getInputProps(`headers.${at}.name`)}
            aria-label={`Name of header ${at + 1}`}
            placeholder="X-Team"
            autoCapitalize="none"
            spellCheck={false}
          />
          <HeaderValue at={at} />
          <Switch
            {...form.getInputProps(`headers.${at}.isSecret`, { type: "checkbox" })}
            className={css.secret ?? ""}
            label="Secret"
            aria-label={`Header ${at + 1} is secret`}
          />
        </>
      )}
    </FormRows>
  )
}

const HeaderValue = ({ at }: { readonly at: number }) => {
  const form = useFormContext()
  const field = `headers.${at}.value`
  const row = form.values.headers[at]
  const label = `Value of header ${at + 1}`
  const props = form.getInputProps(field)
  return row?.isKept ? (
    <TextInput
      {...props}
      aria-label={`${label}, stored and hidden`}
      readOnly
      value="••••••••"
      rightSectionWidth={82}
      rightSection={
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={`Replace value of header ${at + 1}`}
          onClick={() => {
            form.setFieldValue(`headers.${at}.isKept`, false)
            focusLater(field)
          }}
        >
          Replace
        </Button>
      }
    />
  ) : (
    <TextInput
      {...props}
      aria-label={label}
      placeholder="payments"
      type={row?.isSecret ? "password" : "text"}
      autoComplete={row?.isSecret ? "new-password" : "off"}
      spellCheck={false}
    />
  )
}
