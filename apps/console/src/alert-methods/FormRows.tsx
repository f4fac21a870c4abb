import { ActionIcon, Button, Fieldset, Input, Switch, TextInput, type TextInputProps } from "@mantine/core"
import { customHeadersMax } from "@tocsin/domain/internal/alert-method/CustomHeaderLimits"
import type { ReactNode } from "react"
import { Cross, Plus } from "../components/Icon.tsx"
import css from "./AlertMethodForm.module.css"
import { focusLater, useFormContext } from "./FormContext.ts"
import { type AnnotationRow, type HeaderRow, newAnnotation, newHeader } from "./FormValues.ts"

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
            pt={8}
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
  const { isKept = false, isSecret = false } = form.values.headers[at] ?? {}
  const label = `Value of header ${at + 1}`
  return isKept ? (
    <StoredInput
      {...form.getInputProps(field)}
      aria-label={`${label}, stored and hidden`}
      replaceLabel={`Replace value of header ${at + 1}`}
      onReplace={() => form.setFieldValue(`headers.${at}.isKept`, false)}
    />
  ) : (
    <TextInput
      {...form.getInputProps(field)}
      aria-label={label}
      placeholder="payments"
      type={isSecret ? "password" : "text"}
      autoComplete={isSecret ? "new-password" : "off"}
      spellCheck={false}
    />
  )
}

/** A stored secret, which the API never returns, with a button to enter another one. */
export const StoredInput = ({
  replaceLabel,
  onReplace,
  ...props
}: TextInputProps & { readonly replaceLabel: string; readonly onReplace: () => void }) => (
  <TextInput
    {...props}
    readOnly
    value="••••••••"
    rightSectionWidth={82}
    rightSection={
      <Button
        variant="subtle"
        size="compact-xs"
        aria-label={replaceLabel}
        onClick={() => {
          onReplace()
          focusLater(props.id ?? "")
        }}
      >
        Replace
      </Button>
    }
  />
)

/** A list of the form with buttons to add and remove rows. */
const FormRows = ({
  list,
  legend,
  itemName,
  firstField,
  newRow,
  max = Infinity,
  children,
}: {
  readonly list: "headers" | "annotations"
  readonly legend: string
  readonly itemName: string
  /** The field that is focused in a new row. */
  readonly firstField: string
  readonly newRow: () => HeaderRow | AnnotationRow
  readonly max?: number
  /** The fields of the row at an index. */
  readonly children: (at: number) => ReactNode
}) => {
  const form = useFormContext()
  const rows = form.values[list]
  const { error } = form.getInputProps(list) as { readonly error?: string }
  return (
    <Fieldset variant="unstyled" legend={legend} id={list} tabIndex={-1}>
      {rows.map((row, at) => (
        <div key={row.id} className={`${css.row} ${css[list]}`}>
          {children(at)}
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={`Remove ${itemName} ${at + 1}`}
            onClick={() => form.removeListItem(list, at)}
          >
            <Cross />
          </ActionIcon>
        </div>
      ))}
      {error !== undefined && <Input.Error mb="xs">{error}</Input.Error>}
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<Plus />}
        disabled={rows.length >= max}
        onClick={() => {
          form.insertListItem(list, newRow())
          focusLater(`${list}.${rows.length}.${firstField}`)
        }}
      >
        Add {itemName}
      </Button>
    </Fieldset>
  )
}
