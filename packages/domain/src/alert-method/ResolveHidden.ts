import * as Result from "effect/Result"
import type * as Redacted from "effect/Redacted"
import { reveal } from "../secret/SharedRedacted.ts"
import { type Issue, IssueList } from "../codec/Issue.ts"
import { hiddenValue } from "../codec/Codec.ts"
import type { AlertMethod, AlertMethodDraft } from "./AlertMethod.ts"
import { resolveHiddenHeaders, resolveHiddenValue } from "./HiddenValues.ts"
import type { WebhookUrl } from "./WebhookUrl.ts"

/**
 * Replaces `[hidden]` in an alert method by the stored values, and a URL that is omitted.
 *
 * The secret headers are not kept if the host, port or path of the URL changes. Fails with an issue for each value that cannot be
 * kept.
 */
export const resolveHidden = (
  draft: AlertMethodDraft,
  stored: AlertMethod | undefined,
): Result.Result<AlertMethod, ReadonlyArray<Issue>> => {
  const issues = new IssueList()
  const { webhook } = draft.spec
  const before = stored?.spec.webhook
  const given = webhook.url ?? hiddenValue
  const kept = { value: before?.url, hasMoved: false }
  const url = resolveHiddenValue(given, kept, "spec.webhook.url", issues, "URL")
  const hasMoved =
    given !== hiddenValue && before !== undefined && receiverOf(given) !== receiverOf(before.url)
  const path = "spec.webhook.headers"
  const headers = resolveHiddenHeaders(webhook.headers, before?.headers, hasMoved, path, issues)
  if (url === undefined || !issues.isEmpty) return Result.fail(issues.sorted())
  return Result.succeed({ ...draft, spec: { ...draft.spec, webhook: { ...webhook, url, headers } } })
}

/** Whoever may change the URL must not send a secret that is hidden from them to another receiver. */
const receiverOf = (url: Redacted.Redacted<WebhookUrl>): string => {
  const { authority, path } = reveal(url)
  return authority + path
}
