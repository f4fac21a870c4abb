import * as Result from "effect/Result"
import { type Codec, mapped } from "../codec/Codec.ts"
import type { Issue } from "../codec/Issue.ts"
import { string } from "../codec/Leaves.ts"
import { isLabelKey, labelKeyRule, type Labels } from "./Metadata.ts"

/** Most pairs of one label filter. */
export const labelFilterPairsMax = 100

/**
 * Parses the query parameter `labels`: comma-separated `key=value` or `key:value` pairs; a key without a value matches any
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
    const at = pair.search(/[:=]/)
    const key = (at === -1 ? pair : pair.slice(0, at)).trim()
    if (key === "") {
      return Result.fail({
        path: "labels",
        code: "invalid_format",
        message: "must be key=value pairs joined with commas, such as team=payments,env=prod",
      })
    }
    if (!isLabelKey(key)) {
      const message = `must have keys that labels can have, but has ${JSON.stringify(shortened(key))}; a label has ${labelKeyRule}`
      return Result.fail({ path: "labels", code: "invalid_format", message })
    }
    const values = filter.get(key) ?? []
    if (at !== -1) values.push(pair.slice(at + 1))
    filter.set(key, values)
  }
  return Result.succeed(Object.fromEntries(filter))
}

const shortened = (text: string): string => (text.length > 50 ? `${text.slice(0, 50)}…` : text)

/** Whether labels have every key of a filter, with one of its values if it has any. */
export const labelsMatch = (labels: Labels | undefined, filter: Labels): boolean =>
  Object.entries(filter).every(([key, values]) => {
    const held = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
    return held !== undefined && (values.length === 0 || values.some((value) => held.includes(value)))
  })

/** Longest label selector of a definition, in characters. */
const labelSelectorMaxCharacters = 4_096

/** A label filter in a definition, as written. It has at least one pair. */
export interface LabelSelector {
  /** As written, such as `team=payments`. */
  readonly text: string
  /** The values of each key, of which one must match. */
  readonly filter: Labels
}

/** Reads a label selector: the grammar of `parseLabelFilter`, and not empty. */
export const labelSelector: Codec<LabelSelector, unknown, string> = mapped(
  string({ max: labelSelectorMaxCharacters }),
  {
    decode: (text, path, issues) => {
      const filter = parseLabelFilter(text === "" ? "," : text)
      if (Result.isSuccess(filter)) return { text, filter: filter.success }
      return issues.add(path, filter.failure.code, filter.failure.message)
    },
    encode: ({ text }) => text,
  },
)

/** The index entry of a label key: JSON, as a label may contain U+0000, which PostgreSQL cannot store. */
export const labelKeyToken = (key: string): string => JSON.stringify([key])

/** The index entry of a label: `["team","payments"]`. */
export const labelToken = (key: string, value: string): string => JSON.stringify([key, value])

/** The index entries of labels: of each key, and of each key with each of its values. */
export const labelTokens = (labels: Labels = {}): ReadonlyArray<string> =>
  Object.entries(labels).flatMap(([key, values]) => [
    labelKeyToken(key),
    ...values.map((value) => labelToken(key, value)),
  ])

/** Index entries of which all labels that match a filter have one: those of its first key. */
export const filterTokens = (filter: Labels): ReadonlyArray<string> =>
  Object.entries(filter)
    .slice(0, 1)
    .flatMap(([key, values]) =>
      values.length === 0 ? [labelKeyToken(key)] : values.map((value) => labelToken(key, value)),
    )
