import { TextInput } from "@mantine/core"
import css from "../components/Form.module.css"
import { t } from "../language/Text.tsx"
import type { Draft, Issue } from "./Draft.ts"
import { type Row, rowId, Rows } from "./Rows.tsx"

/** An annotation of a definition. */
export interface AnnotationRow extends Row {
  readonly key: string
  readonly value: string
}

interface Values {
  readonly annotations: ReadonlyArray<AnnotationRow>
}

const path = "metadata.annotations"

const newAnnotation = (): AnnotationRow => ({ id: rowId(), key: "", value: "" })

/** The rows of stored annotations. */
export const annotationRows = (
  annotations: Readonly<Record<string, string>> = {},
): ReadonlyArray<AnnotationRow> =>
  Object.entries(annotations).map(([key, value]) => ({ id: rowId(), key, value }))

/** The annotations of the rows that are not empty. */
export const annotationsOf = (rows: ReadonlyArray<AnnotationRow>): Record<string, string> | undefined => {
  const entries = filled(rows).map(({ key, value }) => [key, value] as const)
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

const filled = (rows: ReadonlyArray<AnnotationRow>): ReadonlyArray<AnnotationRow> =>
  rows.filter(({ key, value }) => key !== "" || value !== "")

/** Keys that occur twice, which a definition cannot say. */
export const duplicateAnnotations = ({ annotations }: Values): ReadonlyArray<Issue> =>
  filled(annotations).flatMap(({ id, key }, at, rows) =>
    rows.findIndex((each) => each.key === key) === at
      ? []
      : [{ path: `${path}#${id}`, message: t("Is duplicated; use each key once.") }],
  )

/** The annotations of a definition. */
export const AnnotationRows = <V extends Values>({
  draft: { values, set, issues, errorOf },
}: {
  readonly draft: Draft<V, unknown>
}) => {
  const paths = issues.map((issue) => issue.path).filter((each) => each.startsWith(path))
  const rows = filled(values.annotations)
  const rowOf = (issue: string): AnnotationRow | undefined =>
    rows.find(({ key }) => key.startsWith(keyIn(issue)))
  return (
    <Rows
      id="annotations"
      legend={t("Annotations")}
      rows={values.annotations}
      newRow={newAnnotation}
      firstField="key"
      addLabel={t("Add annotation")}
      removeLabel={(number) => t("Remove annotation {number}", { number })}
      className={css["annotations"]}
      onChange={(annotations) => set({ annotations } as Partial<V>)}
      error={errorOf(
        "annotations",
        ...paths.filter((each) => !each.includes("#") && rowOf(each) === undefined),
      )}
    >
      {({ id, key, value }, number, change) => (
        <>
          <TextInput
            id={`${id}.key`}
            aria-label={t("Key of annotation {number}", { number })}
            value={key}
            error={errorOf(
              "annotations",
              `${path}#${id}`,
              ...paths.filter((each) => !each.includes("#") && rowOf(each)?.id === id),
            )}
            placeholder="example.com/owner"
            autoCapitalize="none"
            spellCheck={false}
            onChange={({ currentTarget }) => change({ key: currentTarget.value })}
          />
          <TextInput
            id={`${id}.value`}
            aria-label={t("Value of annotation {number}", { number })}
            value={value}
            placeholder="payments"
            onChange={({ currentTarget }) => change({ value: currentTarget.value })}
          />
        </>
      )}
    </Rows>
  )
}

/** The key in the path of an issue, of which a long one is cut short. */
const keyIn = (issue: string): string => {
  const [, plain, quoted] = /^metadata\.annotations(?:\.([\w-]+)$|\[(".*")\]$)?/.exec(issue) ?? []
  try {
    return plain ?? (quoted === undefined ? issue : String(JSON.parse(quoted)))
  } catch {
    return issue
  }
}
