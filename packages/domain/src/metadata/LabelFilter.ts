import * as Result from "effect/Result"
import type { Labels } from "./Metadata.ts"
import type { Issue } from "../codec/Issue.ts"

/** Most pairs of one label filter. */
export const labelFilterPairsMax = 100

/**
 * Parses the query parameter `labels`: comma-separated `key:value` pairs; a key without a value matches any
 * value.
 *
 * Several pairs with the same key match one of the values; an empty parameter matches everything. At most
 * `labelFilterPairsMax` pairs: each is compared with the labels of every definition.
 */
export const parseLabelFilter = (text: string): Result.Result<Labels, Issue> => {
  const filter = new Map<string, Array<string>>()
  const pairs = text === "" ? [] : text.split(",")
  if (pairs.length > labelFilterPairsMax) {
    const message = `must have at most ${labelFilterPairsMax} pairs`
    return Result.fail({ path: "labels", code: "too_many", message })
  }
  for (const pair of pairs) {
    const at = pair.indexOf(":")
    const key = (at === -1 ? pair : pair.slice(0, at)).trim()
    if (key === "") {
      return Result.fail({
        path: "labels",
        code: "invalid_format",
        message: "must be key:value pairs joined with commas, such as team:payments,env:prod",
      })
    }
    const values = filter.get(key) ?? []
    if (at !== -1) values.push(pair.slice(at + 1))
    filter.set(key, values)
  }
  return Result.succeed(Object.fromEntries(filter))
}

/** Whether labels have every key of a filter, with one of its values if it has any. */
export const labelsMatch = (labels: Labels | undefined, filter: Labels): boolean =>
  Object.entries(filter).every(([key, values]) => {
    const held = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
    return held !== undefined && (values.length === 0 || values.some((value) => held.includes(value)))
  })
