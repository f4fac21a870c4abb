import {
  isObject,
  IssueList,
  nameMaxCharacters,
  optional,
  propertyPath,
  string,
  type TypeOf,
} from "@tocsin/domain/codec"
import { annotations, type Annotations, displayName, type Labels, labels } from "@tocsin/domain/kernel"
import { foreign, foreignObject, lost } from "./Foreign.ts"

export const writtenName = string({ max: nameMaxCharacters })

/** The name is as written. */
export type OpenSloMetadata = TypeOf<ReturnType<typeof openSloMetadata>>

export const openSloMetadata = ({ hasLabels }: { readonly hasLabels: boolean }) =>
  foreignObject({
    name: writtenName,
    displayName: optional(displayName),
    labels: hasLabels ? optional(convertedLabels) : lost<Labels>("is omitted: alert methods have no labels"),
    annotations: optional(convertedAnnotations),
  })

const merged = lost("is omitted: the object is merged into another object")

/** The metadata of a document that becomes part of another object: only the name is used. */
export const partMetadata = foreignObject({
  name: writtenName,
  displayName: merged,
  labels: merged,
  annotations: merged,
})

/** Converts labels one by one, so that an invalid label does not affect the others. */
export const convertedLabels = foreign<Labels>((value, path, issues) => {
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
})

export const convertedAnnotations = foreign<Annotations>((value, path, issues) => {
  if (!isObject(value)) return issues.add(path, "wrong_type", "is omitted: it is not a map")
  const kept = Object.entries(value).flatMap(([key, each]) => {
    // The rule says the path of the key itself.
    const read = annotations.read({ [key]: scalarToText(each) }, path, issues, undefined)
    return read === undefined ? [] : Object.entries(read)
  })
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
})

const labelKey = (written: string): string =>
  written
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .replace(/[^a-z0-9]+$/, "")

/** YAML parses `1` and `true` as scalars that are not strings. */
const scalarToText = (value: unknown): unknown =>
  typeof value === "number" || typeof value === "boolean" ? String(value) : value
