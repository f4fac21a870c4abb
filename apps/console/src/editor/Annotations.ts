import { t } from "../language/Text.tsx"
import { type ByPath, typedText } from "./Fields.ts"

/** An annotation as it is typed; its ID stays while it is edited. */
interface AnnotationRow {
  readonly id: string
  readonly key: string
  readonly value: string
}

type Rows = ReadonlyArray<AnnotationRow>

export const annotationsPath = "metadata.annotations"

/** Annotations as rows, without empty ones. */
export const annotationRows = {
  format: (annotations: unknown): Rows =>
    Object.entries((annotations ?? {}) as Readonly<Record<string, string>>).map(([key, value], at) => ({
      id: `annotation-${at}`,
      key,
      value,
    })),
  parse: (rows: Rows): Readonly<Record<string, string>> | undefined => {
    const entries = filledAnnotations(rows).map(({ key, value }) => [key, value] as const)
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  },
}

export const filledAnnotations = (rows: Rows): Rows =>
  rows.filter(({ key, value }) => key !== "" || value !== "")

/** Keys that occur twice, which a definition cannot say. */
export const duplicateAnnotations = (definition: unknown, typed: ByPath) =>
  filledAnnotations(typedText(definition, typed, annotationsPath, annotationRows)).flatMap(
    ({ id, key }, at, rows) =>
      rows.findIndex((each) => each.key === key) === at
        ? []
        : [{ path: `${annotationsPath}#${id}`, message: t("Is duplicated; use each key once.") }],
  )
