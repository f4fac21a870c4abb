import { ActionIcon, Button } from "@mantine/core"
import type { ReactNode } from "react"
import { Cross, Plus } from "../components/Icon.tsx"
import css from "./AlertMethodForm.module.css"
import { focusLater, useFormContext } from "./FormContext.ts"
import type { AnnotationRow, HeaderRow } from "./FormValues.ts"

/** A list of the form with buttons to add and remove rows. */
export const FormRows = ({
  list,
  legend,
  itemName,
  firstField,
  newRow,
  max = Infinity,
  className = "",
  children,
}: {
  readonly list: "headers" | "annotations"
  readonly legend: string
  readonly itemName: string
  /** The field that is focused in a new row. */
  readonly firstField: string
  readonly newRow: () => HeaderRow | AnnotationRow
  readonly max?: number
  readonly className?: string | undefined
  /** The fields of the row at an index. */
  readonly children: (at: number) => ReactNode
}) => {
  const form = useFormContext()
  const rows = form.values[list]
  const { error } = form.getInputProps(list) as { readonly error?: string }
  return (
    <fieldset className={css.rows} id={list} tabIndex={-1}>
      <legend>{legend}</legend>
      {rows.map((row, at) => (
        <div key={row.id} className={`${css.row} ${className}`}>
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
      {error !== undefined && <p className={css.error}>{error}</p>}
      <Button
        className={css.add ?? ""}
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
    </fieldset>
  )
}
