import * as Result from "effect/Result"
import { type DefinitionKey, definitionKeyText } from "../metadata/ObjectKey.ts"
import { decodeDefinition, decodeDefinitionKey, type DecodeOptions } from "./DecodeDefinition.ts"
import type { DefinitionDraft } from "./Definition.ts"
import { entryPath, IssueList } from "../codec/Issue.ts"

export const definitionsMax = 1_000

export interface DecodedDefinitions {
  /** The valid ones, with the path prefix of their issues. */
  readonly drafts: ReadonlyArray<{ readonly path: string; readonly draft: DefinitionDraft }>
  /** Every object that the list names, valid or not. */
  readonly keys: ReadonlySet<string>
  readonly issues: IssueList
}

/**
 * Decodes a list of definitions; if there are several, paths begin with the index, as `[2]`.
 *
 * Rejects duplicate objects, an empty list, and more than `definitionsMax` entries.
 */
export const decodeDefinitions = (
  inputs: ReadonlyArray<unknown>,
  options: DecodeOptions,
): DecodedDefinitions => {
  const issues = new IssueList()
  const drafts: Array<{ readonly path: string; readonly draft: DefinitionDraft }> = []
  const keys = new Set<string>()
  for (const { path, input } of withPaths(inputs, issues)) {
    const decoded = decodeDefinition(input, options)
    const named = decodeDefinitionKey(input, options)
    if (Result.isSuccess(named)) takeKey(named.success, path, keys, issues)
    if (Result.isSuccess(decoded)) drafts.push({ path, draft: decoded.success })
    else issues.addAll(path, decoded.failure)
  }
  return { drafts, keys, issues }
}

/** Decodes only the keys, in order. */
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
  for (const { path, input } of withPaths(inputs, issues)) {
    const named = decodeDefinitionKey(input, options)
    if (Result.isFailure(named)) issues.addAll(path, named.failure)
    else if (takeKey(named.success, path, taken, issues)) keys.push({ path, key: named.success })
  }
  return { keys, issues }
}

const withPaths = (
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
