import { TextInput } from "@mantine/core"
import { NameInput } from "./NameInput.tsx"
import css from "../components/Form.module.css"
import { t } from "../language/Text.tsx"
import { annotationRows, annotationsPath as path, filledAnnotations } from "./Annotations.ts"
import type { DraftFields } from "./Fields.ts"
import { rowId, Rows } from "./Rows.tsx"

/** The annotations of a definition. */
export const AnnotationRows = ({ draft: { typed, issues, errorOf } }: { readonly draft: DraftFields }) => {
  const [annotations, change] = typed(path, annotationRows)
  const paths = issues.map((issue) => issue.path).filter((each) => each.startsWith(path))
  const rows = filledAnnotations(annotations)
  const rowOf = (issue: string) => rows.find(({ key }) => key.startsWith(keyIn(issue)))
  return (
    <Rows
      id={path}
      legend={t("Annotations")}
      rows={annotations}
      newRow={() => ({ id: rowId(), key: "", value: "" })}
      firstField="key"
      addLabel={t("Add annotation")}
      removeLabel={(number) => t("Remove annotation {number}", { number })}
      className={css["annotations"]}
      onChange={change}
      error={errorOf(
        path,
        `${path}#`,
        ...paths.filter((each) => !each.includes("#") && rowOf(each) === undefined),
      )}
    >
      {({ id, key, value }, number, changeRow) => (
        <>
          <NameInput
            id={`${id}.key`}
            aria-label={t("Key of annotation {number}", { number })}
            value={key}
            error={errorOf(
              path,
              `${path}#${id}`,
              ...paths.filter((each) => !each.includes("#") && rowOf(each)?.id === id),
            )}
            placeholder="example.com/owner"
            onChange={({ currentTarget }) => changeRow({ key: currentTarget.value })}
          />
          <TextInput
            id={`${id}.value`}
            aria-label={t("Value of annotation {number}", { number })}
            value={value}
            placeholder="payments"
            onChange={({ currentTarget }) => changeRow({ value: currentTarget.value })}
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
