import type * as Redacted from "effect/Redacted"
import { hiddenValue, type SecretDraft } from "../codec/Codec.ts"
import { entryPath, type IssueList } from "../codec/Issue.ts"
import {
  type CustomHeader,
  type CustomHeaderDraft,
  customHeadersAreTooLarge,
  tooLargeMessage,
} from "./CustomHeader.ts"

/** A stored value that `[hidden]` refers to. */
export interface KeptValue<A> {
  readonly value: Redacted.Redacted<A> | undefined
  /** Whether it would be sent to another server than the one that it was specified for. */
  readonly hasMoved: boolean
}

/**
 * Replaces `[hidden]` by the stored value. Without one, or if it would be sent to another server, adds an issue and returns
 * `undefined`.
 */
export const resolveHiddenValue = <A>(
  value: SecretDraft<A>,
  kept: KeptValue<A>,
  path: string,
  issues: IssueList,
  whatIsStored = "value",
): Redacted.Redacted<A> | undefined => {
  if (value !== hiddenValue) return value
  if (kept.value === undefined) {
    return issues.add(path, code, `is required because no ${whatIsStored} is stored yet`)
  }
  return kept.hasMoved ? issues.add(path, code, movedMessage) : kept.value
}

/**
 * Does the same with headers, which match by name, ignoring case. A stored secret is also not kept if its header is no longer
 * secret, since every viewer could read it.
 */
export const resolveHiddenHeaders = (
  headers: ReadonlyArray<CustomHeaderDraft>,
  stored: ReadonlyArray<CustomHeader> = [],
  hasMoved: boolean,
  path: string,
  issues: IssueList,
): ReadonlyArray<CustomHeader> => {
  const storedByName = new Map(stored.map((each) => [each.name.toLowerCase(), each]))
  const resolved = headers.flatMap((header, index): ReadonlyArray<CustomHeader> => {
    const at = `${entryPath(path, index)}.value`
    const known = storedByName.get(header.name.toLowerCase())
    const isSecret = known?.isSecret === true
    if (header.value === hiddenValue && isSecret && !header.isSecret) {
      issues.add(at, code, "must be specified again to make the header public")
      return []
    }
    const kept = { value: known?.value, hasMoved: hasMoved && isSecret }
    const value = resolveHiddenValue(header.value, kept, at, issues, "header of this name")
    return value === undefined ? [] : [{ ...header, value }]
  })
  if (customHeadersAreTooLarge(resolved)) issues.add(path, "too_long", tooLargeMessage)
  return resolved
}

const code = "hidden_without_stored"

const movedMessage =
  "must be specified again because the scheme, host, port or path of the URL changed: a stored secret is only sent to the server that it was specified for"
