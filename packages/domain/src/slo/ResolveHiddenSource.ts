import * as Result from "effect/Result"
import { resolveHiddenHeaders, resolveHiddenValue } from "../alert-method/HiddenValues.ts"
import type { SourceUrl } from "../alert-method/WebhookUrl.ts"
import type { SecretDraft } from "../codec/Codec.ts"
import { type Issue, IssueList } from "../codec/Issue.ts"
import type * as Redacted from "effect/Redacted"
import type { DataSource, DataSourceDraft } from "./DataSource.ts"

const at = "spec.prometheus"

/**
 * Replaces `[hidden]` in a data source by the stored values.
 *
 * A secret is not kept if the scheme, host, port or path of a URL that it is sent to changes. Fails with an issue for each value that
 * cannot be kept.
 */
export const resolveHiddenSource = (
  draft: DataSourceDraft,
  stored: DataSource | undefined,
): Result.Result<DataSource, ReadonlyArray<Issue>> => {
  const issues = new IssueList()
  const { bearer, basic, oauth2, tls, headers, ...rest } = draft.spec.prometheus
  const before = stored?.spec.prometheus
  const isMoved = before !== undefined && receiverOf(before.url) !== receiverOf(rest.url)
  const isTokenMoved =
    isMoved ||
    (before?.oauth2 !== undefined &&
      oauth2 !== undefined &&
      receiverOf(before.oauth2.tokenUrl) !== receiverOf(oauth2.tokenUrl))

  const keep = (
    value: SecretDraft<string>,
    kept: Redacted.Redacted<string> | undefined,
    path: string,
    hasMoved = isMoved,
  ) => resolveHiddenValue(value, { value: kept, hasMoved }, `${at}.${path}`, issues)

  const token = bearer && keep(bearer.token, before?.bearer?.token, "bearer.token")
  const password = basic && keep(basic.password, before?.basic?.password, "basic.password")
  const clientSecret =
    oauth2 && keep(oauth2.clientSecret, before?.oauth2?.clientSecret, "oauth2.clientSecret", isTokenMoved)
  const key = tls?.key && keep(tls.key, before?.tls?.key, "tls.key")

  const resolvedHeaders = resolveHiddenHeaders(headers, before?.headers, isMoved, `${at}.headers`, issues)
  if (!issues.isEmpty) return Result.fail(issues.sorted())
  const { key: _key, ...publicTls } = tls ?? {}
  return Result.succeed({
    ...draft,
    spec: {
      ...draft.spec,
      prometheus: {
        ...rest,
        headers: resolvedHeaders,
        ...(token !== undefined && { bearer: { token } }),
        ...(basic !== undefined && password !== undefined && { basic: { ...basic, password } }),
        ...(oauth2 !== undefined && clientSecret !== undefined && { oauth2: { ...oauth2, clientSecret } }),
        ...(tls !== undefined && { tls: { ...publicTls, ...(key !== undefined && { key }) } }),
      },
    },
  })
}

const receiverOf = ({ href, authority, path }: SourceUrl): string =>
  `${href.startsWith("http://") ? "http" : "https"}://${authority}${path.replace(/\/$/, "")}`
