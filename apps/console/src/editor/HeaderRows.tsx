import { Switch, TextInput } from "@mantine/core"
import { customHeadersMax } from "@tocsin/domain/forms"
import css from "../components/Form.module.css"
import { t } from "../language/Text.tsx"
import type { Draft } from "./Draft.ts"
import { type Row, rowId, Rows } from "./Rows.tsx"
import { hiddenValue } from "./Secrets.ts"
import { StoredInput } from "./StoredInput.tsx"

/** A header of a request. A stored secret has the hidden value, and stays until it is replaced. */
export interface HeaderRow extends Row {
  readonly name: string
  readonly value: string
  readonly isSecret: boolean
}

interface Header {
  readonly name: string
  readonly value: string
  readonly isSecret?: boolean
}

const newHeader = (): HeaderRow => ({ id: rowId(), name: "", value: "", isSecret: false })

/** The rows of stored headers. */
export const headerRows = (headers: ReadonlyArray<Header> = []): ReadonlyArray<HeaderRow> =>
  headers.map(({ name, value, isSecret = false }) => ({ id: rowId(), name, value, isSecret }))

/** The headers of the rows that are not empty. */
export const headersOf = (rows: ReadonlyArray<HeaderRow>): ReadonlyArray<Header> =>
  filled(rows).map(({ name, value, isSecret }) => ({ name, value, ...(isSecret && { isSecret }) }))

const filled = (rows: ReadonlyArray<HeaderRow>): ReadonlyArray<HeaderRow> =>
  rows.filter(({ name, value }) => name !== "" || value !== "")

/** The headers of a definition, at `path`. */
export const HeaderRows = <V extends { readonly headers: ReadonlyArray<HeaderRow> }>({
  draft: { values, set, errorOf },
  path,
  legend,
}: {
  readonly draft: Draft<V, unknown>
  readonly path: string
  readonly legend: string
}) => {
  const places = filled(values.headers)
  return (
    <Rows
      id="headers"
      legend={legend}
      rows={values.headers}
      newRow={newHeader}
      firstField="name"
      addLabel={t("Add header")}
      removeLabel={(number) => t("Remove header {number}", { number })}
      className={css["headers"]}
      max={customHeadersMax}
      onChange={(headers) => set({ headers } as Partial<V>)}
      error={undefined}
    >
      {({ id, name, value, isSecret }, number, change) => {
        const at = places.findIndex((each) => each.id === id)
        const errorAt = (property: string) =>
          at < 0 ? undefined : errorOf("headers", `${path}[${at}].${property}`)
        return (
          <>
            <TextInput
              id={`${id}.name`}
              aria-label={t("Name of header {number}", { number })}
              value={name}
              error={errorAt("name")}
              placeholder="X-Team"
              autoCapitalize="none"
              spellCheck={false}
              onChange={({ currentTarget }) => change({ name: currentTarget.value })}
            />
            {value === hiddenValue ? (
              <StoredInput
                id={`${id}.value`}
                aria-label={t("Value of header {number}, stored and hidden", { number })}
                error={errorAt("value")}
                replaceLabel={t("Replace value of header {number}", { number })}
                onReplace={() => change({ value: "" })}
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
                onChange={({ currentTarget }) => change({ value: currentTarget.value })}
              />
            )}
            <Switch
              pt={8}
              label={t("Secret")}
              aria-label={t("Header {number} is secret", { number })}
              checked={isSecret}
              onChange={({ currentTarget }) => change({ isSecret: currentTarget.checked })}
            />
          </>
        )
      }}
    </Rows>
  )
}
