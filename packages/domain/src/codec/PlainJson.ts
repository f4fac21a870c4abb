import * as Schema from "effect/Schema"
import { type Codec, plain } from "./Codec.ts"
import { isObject, isStorable, notStorableMessage } from "./Leaves.ts"
import type { IssueList } from "./Issue.ts"

/** Deepest nesting of JSON that is kept without a schema. */
const plainJsonDepthMax = 20

/** Largest JSON that is kept without a schema, in characters. */
const plainJsonMaxCharacters = 65_536

/** A JSON object that is kept as it was written, with its keys in the order of code points. */
export type PlainJson = Readonly<Record<string, unknown>>

/** A JSON object without a schema: bounded, and of strings that every store can represent. */
export const plainJson: Codec<PlainJson> = plain(
  () => Schema.Record(Schema.String, Schema.Unknown),
  (value, path, issues) => {
    if (!isObject(value)) return issues.add(path, "wrong_type", "must be an object")
    if (!isKeepable(value, path, issues, 1)) return undefined
    if (JSON.stringify(value).length <= plainJsonMaxCharacters) return sorted(value) as PlainJson
    return issues.add(path, "too_long", `must have at most ${plainJsonMaxCharacters} characters as JSON`)
  },
)

const isKeepable = (value: unknown, path: string, issues: IssueList, depth: number): boolean => {
  if (typeof value === "string") {
    return isStorable(value) || issues.add(path, "invalid_format", notStorableMessage) !== undefined
  }
  if (typeof value !== "object" || value === null) return true
  if (depth > plainJsonDepthMax) {
    issues.add(path, "too_deep", `must be nested at most ${plainJsonDepthMax} levels deep`)
    return false
  }
  return Object.entries(value).every(
    ([name, each]) => isKeepable(name, path, issues, depth) && isKeepable(each, path, issues, depth + 1),
  )
}

/** The order in which clients write keys means nothing. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  )
}
