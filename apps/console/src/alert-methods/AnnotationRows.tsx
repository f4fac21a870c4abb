import { ActionIcon, Button, TextInput } from "@mantine/core"
import { Cross, Plus } from "../shell/Icon.tsx"
import type { FormPart } from "./AlertMethodForm.tsx"
import css from "./AlertMethodForm.module.css"
import { type AnnotationRow, newAnnotation } from "./Draft.ts"

/** The annotations, a row each. */
export const AnnotationRows = ({ draft, change, errorOf }: FormPart) => {
  const set = (id: string, field: string, next: Partial<AnnotationRow>): void =>
    change(field, (last) => ({
      ...last,
      annotations: last.annotations.map((row) => (row.id === id ? { ...row, ...next } : row)),
    }))
  return (
    <fieldset className={css.rows}>
      <legend>Annotations</legend>
      {draft.annotations.map((row, at) => (
        <div key={row.id} className={`${css.row} ${css.annotation}`}>
          <TextInput
            id={`annotations.${row.id}.key`}
            aria-label={`Key of annotation ${at + 1}`}
            placeholder="example.com/owner"
            autoCapitalize="none"
            spellCheck={false}
            value={row.key}
            error={errorOf(`annotations.${row.id}.key`)}
            onChange={({ currentTarget: { value } }) =>
              set(row.id, `annotations.${row.id}.key`, { key: value })
            }
          />
          <TextInput
            aria-label={`Value of annotation ${at + 1}`}
            placeholder="payments"
            value={row.value}
            onChange={({ currentTarget: { value } }) => set(row.id, `annotations.${row.id}.key`, { value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={`Remove annotation ${at + 1}`}
            onClick={() =>
              change("annotations", (last) => ({
                ...last,
                annotations: last.annotations.filter(({ id }) => id !== row.id),
              }))
            }
          >
            <Cross />
          </ActionIcon>
        </div>
      ))}
      {errorOf("annotations") !== undefined && <p className={css.error}>{errorOf("annotations")}</p>}
      <Button
        className={css.add ?? ""}
        variant="default"
        size="compact-sm"
        leftSection={<Plus />}
        onClick={() => {
          const row = newAnnotation()
          change("annotations", (last) => ({ ...last, annotations: [...last.annotations, row] }))
          focusNew(`annotations.${row.id}.key`)
        }}
      >
        Add an annotation
      </Button>
    </fieldset>
  )
}

/** Goes to what has just been added, once it is there. */
export const focusNew = (id: string): void => {
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(id)?.focus()))
}
