import * as Result from "effect/Result"
import { type DefinitionKey, definitionKeyText } from "../metadata/ObjectKey.ts"
import { decodeDefinition, decodeDefinitionKey, type DecodeOptions } from "./DecodeDefinition.ts"
import type { DefinitionDraft } from "./Definition.ts"
import { entryPath, IssueList } from "../codec/Issue.ts"

/** Most definitions in one request. */
export const definitionsMax = 1_000

/** A list of definitions, decoded as far as it can be. */
export interface DecodedDefinitions {
  /** Those that hold, each with the path that its issues stand under. */
  readonly drafts: ReadonlyArray<{ readonly path: string; readonly draft: DefinitionDraft }>
  /** Every object that the list names, those with issues included. */
  readonly keys: ReadonlySet<string>
  readonly issues: IssueList
}

/**
 * Decodes a list of definitions: when there are several, the paths of issues begin with their place, as `[2]`.
 *
 * Rejects duplicate objects, an empty list, and a list of more than `definitionsMax`.
 */
export const decodeDefinitions = (
  inputs: ReadonlyArray<unknown>,
  options: DecodeOptions,
): DecodedDefinitions => {
  const issues = new IssueList()
  const drafts: Array<{ readonly path: string; readonly draft: DefinitionDraft }> = []
  const keys = new Set<string>()
  for (const { path, input } of placed(inputs, issues)) {
    const decoded = decodeDefinition(input, options)
    const named = decodeDefinitionKey(input, options)
    if (Result.isSuccess(named)) takeKey(named.success, path, keys, issues)
    if (Result.isSuccess(decoded)) drafts.push({ path, draft: decoded.success })
    else issues.addAll(path, decoded.failure)
  }
  return { drafts, keys, issues }
}

/** Decodes the keys of a list of definitions, as `decodeDefinitions` does; their order is kept. */
export const decodeDefinitionKeys = (
  inputs: ReadonlyArray<unknown>,
  options: Pick<DecodeOptions, "vendorPrefix" | "defaultProject">,
): {
  readonly keys: ReadonlyArray<{ readonly path: string; readonly key: DefinitionKey }>
  readonly issues: IssueList
} => {
  const issues = new IssueList()
  const keys: Array<{ readonly path: string; readonly key: DefinitionKey }> = []
  const taken = new Set<string>()
  for (const { path, input } of placed(inputs, issues)) {
    const named = decodeDefinitionKey(input, options)
    if (Result.isFailure(named)) issues.addAll(path, named.failure)
    else if (takeKey(named.success, path, taken, issues)) keys.push({ path, key: named.success })
  }
  return { keys, issues }
}

/** Each entry with the path of its issues; none at all when there are too few or too many. */
const placed = (
  inputs: ReadonlyArray<unknown>,
  issues: IssueList,
): ReadonlyArray<{ readonly path: string; readonly input: unknown }> => {
  if (inputs.length === 0) issues.add("", "too_few", "must have at least one definition")
  if (inputs.length > definitionsMax) {
    issues.add("", "too_many", `must have at most ${definitionsMax} definitions in one request`)
    return []
  }
  return inputs.map((input, index) => ({ path: inputs.length > 1 ? entryPath("", index) : "", input }))
}

const takeKey = (key: DefinitionKey, path: string, keys: Set<string>, issues: IssueList): boolean => {
  const text = definitionKeyText(key)
  if (keys.has(text)) {
    const message = `is duplicated: an earlier definition of this request describes the same ${key.kind}`
    issues.addAll(path, [{ path: "metadata.name", code: "duplicate", message }])
    return false
  }
  keys.add(text)
  return true
}
