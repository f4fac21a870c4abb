import { Switch, TextInput } from "@mantine/core"
import { NameInput } from "./NameInput.tsx"
import css from "../components/Form.module.css"
import { t } from "../language/Text.tsx"
import type { DraftFields } from "./Fields.ts"
import { type Row, rowId, Rows } from "./Rows.tsx"
import { hiddenValue } from "@tocsin/domain/forms"
import { StoredInput } from "./StoredInput.tsx"

/** A header of a request. A stored secret has the hidden value, and stays until it is replaced. */
interface Header {
  readonly name: string
  readonly value: string
  readonly isSecret?: boolean
}

type HeaderRow = Row & Required<Header>

const filled = (rows: ReadonlyArray<HeaderRow>): ReadonlyArray<HeaderRow> =>
  rows.filter(({ name, value }) => name !== "" || value !== "")

/** Headers as rows, without empty ones. */
const headerRows = {
  format: (headers: unknown): ReadonlyArray<HeaderRow> =>
    ((headers ?? []) as ReadonlyArray<Header>).map((header, at) => ({
      isSecret: false,
      ...header,
      id: `header-${at}`,
    })),
  parse: (rows: ReadonlyArray<HeaderRow>): ReadonlyArray<Header> | undefined => {
    const headers = filled(rows).map(({ name, value, isSecret }) => ({
      name,
      value,
      ...(isSecret && { isSecret }),
    }))
    return headers.length === 0 ? undefined : headers
  },
}

/** The headers of a definition, at `path`. */
export const HeaderRows = ({
  draft: { typed, rules, errorOf },
  path,
  legend,
}: {
  readonly draft: DraftFields
  readonly path: string
  readonly legend: string
}) => {
  const [rows, change] = typed(path, headerRows)
  const places = filled(rows)
  return (
    <Rows
      id={path}
      legend={legend}
      rows={rows}
      newRow={() => ({ id: rowId(), name: "", value: "", isSecret: false })}
      firstField="name"
      addLabel={t("Add header")}
      removeLabel={(number) => t("Remove header {number}", { number })}
      className={css["headers"]}
      max={rules(path).max}
      onChange={change}
      error={undefined}
    >
      {({ id, name, value, isSecret }, number, changeRow) => {
        const at = places.findIndex((each) => each.id === id)
        const errorAt = (property: string) =>
          at < 0 ? undefined : errorOf(path, `${path}[${at}].${property}`)
        return (
          <>
            <NameInput
              id={`${id}.name`}
              aria-label={t("Name of header {number}", { number })}
              value={name}
              error={errorAt("name")}
              placeholder="X-Team"
              onChange={({ currentTarget }) => changeRow({ name: currentTarget.value })}
            />
            {value === hiddenValue ? (
              <StoredInput
                id={`${id}.value`}
                aria-label={t("Value of header {number}, stored and hidden", { number })}
                error={errorAt("value")}
                replaceLabel={t("Replace value of header {number}", { number })}
                onReplace={() => changeRow({ value: "" })}
              />
            ) : (
              <TextInput
                id={`${id}.value`}
                aria-label={t("Value of header {number}", { number })}
                value={value}
                error={errorAt("value")}
                placeholder="payments"
                type={isSecret ? "password" : "text"}
                autoComplete={isSecret ? "new-password" : "off"}
                spellCheck={false}
                onChange={({ currentTarget }) => changeRow({ value: currentTarget.value })}
              />
            )}
            <Switch
              pt="xs"
              label={t("Secret")}
              aria-label={t("Header {number} is secret", { number })}
              checked={isSecret}
              onChange={({ currentTarget }) => changeRow({ isSecret: currentTarget.checked })}
            />
          </>
        )
      }}
    </Rows>
  )
}
