import { ActionIcon, Fieldset, Input } from "@mantine/core"
import type { ReactNode } from "react"
import { AddButton } from "../components/AddButton.tsx"
import css from "../components/Form.module.css"
import { Cross } from "../components/Icon.tsx"
import { focusLater } from "./Focus.ts"

/** A row of a list; its ID stays while it is edited. */
export interface Row {
  readonly id: string
}

let count = 0

/** An ID of a new row. */
export const rowId = (): string => `row-${++count}`

/** A list of a form with buttons to add and remove rows. */
export const Rows = <R extends Row>({
  id,
  legend,
  rows,
  newRow,
  firstField,
  addLabel,
  removeLabel,
  className = "",
  max = Infinity,
  error,
  onChange,
  children,
}: {
  readonly id: string
  readonly legend: string
  readonly rows: ReadonlyArray<R>
  readonly newRow: () => R
  /** The field of a new row that is focused: its ID is the row's ID and this. */
  readonly firstField: string
  readonly addLabel: string
  readonly removeLabel: (number: number) => string
  /** Of each row. */
  readonly className?: string | undefined
  readonly max?: number | undefined
  readonly error: string | undefined
  readonly onChange: (rows: ReadonlyArray<R>) => void
  /** The fields of a row. */
  readonly children: (row: R, number: number, change: (part: Partial<R>) => void) => ReactNode
}) => (
  <Fieldset variant="unstyled" legend={legend} id={id} tabIndex={-1}>
    {rows.map((row, at) => (
      <div key={row.id} className={`${css.row} ${className}`}>
        {children(row, at + 1, (part) =>
          onChange(rows.map((each) => (each.id === row.id ? { ...each, ...part } : each))),
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={removeLabel(at + 1)}
          onClick={() => onChange(rows.filter((each) => each.id !== row.id))}
        >
          <Cross />
        </ActionIcon>
      </div>
    ))}
    {error !== undefined && (
      <Input.Error mb="xs" role="alert">
        {error}
      </Input.Error>
    )}
    <AddButton
      disabled={rows.length >= max}
      onClick={() => {
        const added = newRow()
        onChange([...rows, added])
        focusLater(`${added.id}.${firstField}`)
      }}
    >
      {addLabel}
    </AddButton>
  </Fieldset>
)
