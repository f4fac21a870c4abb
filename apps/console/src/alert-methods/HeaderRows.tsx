import { ActionIcon, Button, Switch, TextInput } from "@mantine/core"
import { Limits } from "@tocsin/domain/Limits"
import { Cross, Plus } from "../shell/Icon.tsx"
import type { FormPart } from "./AlertMethodForm.tsx"
import css from "./AlertMethodForm.module.css"
import { focusNew } from "./AnnotationRows.tsx"
import { type HeaderRow, newHeader } from "./Draft.ts"

/** The custom headers, a row each; a stored secret stays hidden, and stays as it is until it is replaced. */
export const HeaderRows = ({ draft, change, errorOf }: FormPart) => {
  const set = (id: string, field: string, next: Partial<HeaderRow>): void =>
    change(`headers.${id}.${field}`, (last) => ({
      ...last,
      headers: last.headers.map((row) => (row.id === id ? { ...row, ...next } : row)),
    }))
  return (
    <fieldset className={css.rows} id="headers" tabIndex={-1}>
      <legend>Custom headers</legend>
      {draft.headers.map((row, at) => (
        <div key={row.id} className={css.row}>
          <TextInput
            id={`headers.${row.id}.name`}
            aria-label={`Name of header ${at + 1}`}
            placeholder="X-Team"
            autoCapitalize="none"
            spellCheck={false}
            value={row.name}
            error={errorOf(`headers.${row.id}.name`)}
            onChange={({ currentTarget: { value } }) => set(row.id, "name", { name: value })}
          />
          {row.isKept ? (
            <KeptValue row={row} at={at} set={set} error={errorOf(`headers.${row.id}.value`)} />
          ) : (
            <TextInput
              id={`headers.${row.id}.value`}
              aria-label={`Value of header ${at + 1}`}
              placeholder="payments"
              type={row.isSecret ? "password" : "text"}
              autoComplete={row.isSecret ? "new-password" : "off"}
              spellCheck={false}
              value={row.value}
              error={errorOf(`headers.${row.id}.value`)}
              onChange={({ currentTarget: { value } }) => set(row.id, "value", { value })}
            />
          )}
          <Switch
            className={css.secret ?? ""}
            label="Secret"
            aria-label={`Header ${at + 1} is secret`}
            checked={row.isSecret}
            onChange={({ currentTarget: { checked } }) => set(row.id, "value", { isSecret: checked })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={`Remove header ${at + 1}`}
            onClick={() =>
              change("headers", (last) => ({
                ...last,
                headers: last.headers.filter(({ id }) => id !== row.id),
              }))
            }
          >
            <Cross />
          </ActionIcon>
        </div>
      ))}
      {errorOf("headers") !== undefined && <p className={css.error}>{errorOf("headers")}</p>}
      <Button
        className={css.add ?? ""}
        variant="default"
        size="compact-sm"
        leftSection={<Plus />}
        disabled={draft.headers.length >= Limits.customHeadersMax}
        onClick={() => {
          const row = newHeader()
          change("headers", (last) => ({ ...last, headers: [...last.headers, row] }))
          focusNew(`headers.${row.id}.name`)
        }}
      >
        Add a header
      </Button>
    </fieldset>
  )
}

const KeptValue = ({
  row,
  at,
  set,
  error,
}: {
  readonly row: HeaderRow
  readonly at: number
  readonly set: (id: string, field: string, next: Partial<HeaderRow>) => void
  readonly error: string | undefined
}) => (
  <TextInput
    id={`headers.${row.id}.value`}
    aria-label={`Value of header ${at + 1}, stored and hidden`}
    readOnly
    value="••••••••"
    error={error}
    rightSectionWidth={82}
    rightSection={
      <Button
        variant="subtle"
        size="compact-xs"
        aria-label={`Replace the value of header ${at + 1}`}
        onClick={() => {
          set(row.id, "value", { isKept: false, value: "" })
          focusNew(`headers.${row.id}.value`)
        }}
      >
        Replace
      </Button>
    }
  />
)
