import * as Result from "effect/Result"
import * as Redacted from "effect/Redacted"
import { entryPath, type Issue, IssueList } from "../codec/Issue.ts"
import { hiddenValue } from "../codec/Codec.ts"
import type { AlertMethod, AlertMethodDraft } from "./AlertMethod.ts"
import { type CustomHeader, customHeadersAreTooLarge, tooLargeMessage } from "./CustomHeader.ts"
import type { WebhookUrl } from "./WebhookUrl.ts"

/**
 * Replaces `[hidden]` by the stored values; headers match by name, ignoring case.
 *
 * A stored secret is not kept if its header is no longer secret, since every viewer could read it, or if the
 * host or port of the URL changes, since the new receiver would get it. Fails with an issue for each of
 * these, and for each value that is not stored.
 */
export const resolveHidden = (
  draft: AlertMethodDraft,
  stored: AlertMethod | undefined,
): Result.Result<AlertMethod, ReadonlyArray<Issue>> => {
  const issues = new IssueList()
  const { webhook } = draft.spec
  const given = webhook.url === hiddenValue ? undefined : webhook.url
  const url = given ?? stored?.spec.webhook.url
  if (url === undefined) {
    issues.add("spec.webhook.url", "hidden_without_stored", "is required because no URL is stored yet")
  }
  const storedHeaders = new Map(stored?.spec.webhook.headers.map((each) => [each.name.toLowerCase(), each]))
  const isMoved =
    given !== undefined && stored !== undefined && authorityOf(given) !== authorityOf(stored.spec.webhook.url)
  const headers: Array<CustomHeader> = []
  for (const [index, { name, value, isSecret }] of webhook.headers.entries()) {
    const path = `${entryPath("spec.webhook.headers", index)}.value`
    const kept = storedHeaders.get(name.toLowerCase())
    if (value !== hiddenValue) headers.push({ name, value, isSecret })
    else if (kept === undefined) {
      issues.add(path, "hidden_without_stored", "is required because no header of this name is stored yet")
    } else if (kept.isSecret && !isSecret) {
      issues.add(path, "hidden_without_stored", "must be specified again to make the header public")
    } else if (kept.isSecret && isMoved) {
      issues.add(
        path,
        "hidden_without_stored",
        "must be specified again because the host or port of the URL changed: a stored secret is only sent to the receiver that it was specified for",
      )
    } else headers.push({ name, value: kept.value, isSecret })
  }
  const hadHidden = webhook.headers.some((header) => header.value === hiddenValue)
  if (hadHidden && customHeadersAreTooLarge(headers)) {
    issues.add("spec.webhook.headers", "too_long", tooLargeMessage)
  }
  if (url === undefined || !issues.isEmpty) return Result.fail(issues.sorted())
  return Result.succeed({ ...draft, spec: { ...draft.spec, webhook: { ...webhook, url, headers } } })
}

const authorityOf = (url: Redacted.Redacted<WebhookUrl>): string => Redacted.value(url).authority
