import { isObject, IssueList, nameMaxCharacters, propertyPath, string } from "@tocsin/domain/codec"
import { annotations, type Annotations, displayName, type Labels, labels } from "@tocsin/domain/kernel"
import { objectOf, type ObjectReader, type Rule } from "./ObjectRule.ts"

/** The name is as written. */
export interface OpenSloMetadata {
  readonly name: string
  readonly displayName?: string
  readonly labels?: Labels
  readonly annotations?: Annotations
}

export const writtenName: Rule<string> = string({ max: nameMaxCharacters }).read

export const openSloMetadata = ({ hasLabels }: { readonly hasLabels: boolean }): Rule<OpenSloMetadata> =>
  objectOf((reader) => {
    const name = reader.required("name", writtenName)
    const shown = reader.optional("displayName", displayName.read)
    if (!hasLabels) logLost(reader, ["labels"], "is omitted: alert methods have no labels")
    const labelMap = hasLabels ? reader.optional("labels", convertedLabels) : undefined
    const annotationMap = reader.optional("annotations", convertedAnnotations)
    if (name === undefined) return undefined
    return {
      name,
      ...(shown !== undefined && { displayName: shown }),
      ...(labelMap !== undefined && { labels: labelMap }),
      ...(annotationMap !== undefined && { annotations: annotationMap }),
    }
  })

/** The metadata of a document that becomes part of another object: only the name is used. */
export const partMetadata: Rule<{ readonly name: string }> = objectOf((reader) => {
  const name = reader.required("name", writtenName)
  logLost(
    reader,
    ["displayName", "labels", "annotations"],
    "is omitted: the object is merged into another object",
  )
  return name === undefined ? undefined : { name }
})

/** Notes that these properties, if present, are not in the result. */
export const logLost = (reader: ObjectReader, names: ReadonlyArray<string>, message: string): void => {
  for (const name of names) {
    if (reader.has(name)) reader.issues.add(reader.at(name), "not_allowed_value", message)
  }
}

/** Converts labels one by one, so that an invalid label does not affect the others. */
export const convertedLabels: Rule<Labels> = (value, path, issues) => {
  if (!isObject(value)) return issues.add(path, "wrong_type", "is omitted: it is not a map")
  const kept: Record<string, ReadonlyArray<string>> = {}
  for (const [written, each] of Object.entries(value)) {
    const at = propertyPath(path, written)
    const key = labelKey(written)
    const values = (Array.isArray(each) ? each : [each]).map(scalarToText)
    const found = new IssueList()
    const read = labels.read({ [key]: [...new Set(values)] }, "", found, undefined)
    if (read === undefined) {
      for (const { code, message } of found.sorted()) issues.add(at, code, `is omitted: it ${message}`)
      continue
    }
    if (Object.hasOwn(kept, key)) {
      issues.add(at, "duplicate", `is omitted: another label already becomes ${key}`)
      continue
    }
    if (key !== written) {
      const message = `becomes ${key}: label keys have lowercase letters, digits, - and _, and begin with a letter`
      issues.add(at, "invalid_format", message)
    }
    Object.assign(kept, read)
  }
  return Object.keys(kept).length > 0 ? kept : undefined
}

export const convertedAnnotations: Rule<Annotations> = (value, path, issues) => {
  if (!isObject(value)) return issues.add(path, "wrong_type", "is omitted: it is not a map")
  const kept = Object.entries(value).flatMap(([key, each]) => {
    // The rule says the path of the key itself.
    const read = annotations.read({ [key]: scalarToText(each) }, path, issues, undefined)
    return read === undefined ? [] : Object.entries(read)
  })
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}

const labelKey = (written: string): string =>
  written
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .replace(/[^a-z0-9]+$/, "")

/** YAML parses `1` and `true` as scalars that are not strings. */
const scalarToText = (value: unknown): unknown =>
  typeof value === "number" || typeof value === "boolean" ? String(value) : value
