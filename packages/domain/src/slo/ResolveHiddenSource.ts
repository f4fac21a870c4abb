import * as Result from "effect/Result"
import { customHeadersAreTooLarge, tooLargeMessage } from "../alert-method/CustomHeader.ts"
import type { SourceUrl } from "../alert-method/WebhookUrl.ts"
import { hiddenValue, type SecretDraft } from "../codec/Codec.ts"
import { entryPath, type Issue, IssueList } from "../codec/Issue.ts"
import type { CustomHeader } from "../alert-method/CustomHeader.ts"
import type * as Redacted from "effect/Redacted"
import type { DataSource, DataSourceDraft } from "./DataSource.ts"

const at = "spec.prometheus"

/**
 * Replaces `[hidden]` by the stored values; headers match by name, ignoring case.
 *
 * A stored secret is not kept if the scheme, host or port of a URL that it is sent to changes, or if its header is no
 * longer secret. Fails with an issue for each of these, and for each value that is not stored.
 */
export const resolveHiddenSource = (
  draft: DataSourceDraft,
  stored: DataSource | undefined,
): Result.Result<DataSource, ReadonlyArray<Issue>> => {
  const issues = new IssueList()
  const { bearer, basic, oauth2, tls, headers, ...rest } = draft.spec.prometheus
  const before = stored?.spec.prometheus
  const isMoved = before !== undefined && originOf(before.url) !== originOf(rest.url)
  const isTokenMoved =
    isMoved ||
    (before?.oauth2 !== undefined &&
      oauth2 !== undefined &&
      originOf(before.oauth2.tokenUrl) !== originOf(oauth2.tokenUrl))

  const keep = (
    value: SecretDraft<string>,
    kept: Redacted.Redacted<string> | undefined,
    path: string,
    hasMoved = isMoved,
  ): Redacted.Redacted<string> | undefined => {
    if (value !== hiddenValue) return value
    if (kept === undefined) {
      return issues.add(path, "hidden_without_stored", "is required because no value is stored yet")
    }
    return hasMoved ? issues.add(path, "hidden_without_stored", movedMessage) : kept
  }

  const token = bearer && keep(bearer.token, before?.bearer?.token, `${at}.bearer.token`)
  const password = basic && keep(basic.password, before?.basic?.password, `${at}.basic.password`)
  const clientSecret =
    oauth2 &&
    keep(oauth2.clientSecret, before?.oauth2?.clientSecret, `${at}.oauth2.clientSecret`, isTokenMoved)
  const key = tls?.key && keep(tls.key, before?.tls?.key, `${at}.tls.key`)

  const storedHeaders = new Map(before?.headers.map((each) => [each.name.toLowerCase(), each]))
  const resolvedHeaders = headers.flatMap((header, index): ReadonlyArray<CustomHeader> => {
    const path = `${entryPath(`${at}.headers`, index)}.value`
    const kept = storedHeaders.get(header.name.toLowerCase())
    if (header.value === hiddenValue && kept?.isSecret === true && !header.isSecret) {
      const message = "must be specified again to make the header public"
      issues.add(path, "hidden_without_stored", message)
      return []
    }
    const value = keep(header.value, kept?.value, path, isMoved && kept?.isSecret === true)
    return value === undefined ? [] : [{ ...header, value }]
  })
  if (customHeadersAreTooLarge(resolvedHeaders)) issues.add(`${at}.headers`, "too_long", tooLargeMessage)
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

const originOf = ({ href, authority }: SourceUrl): string =>
  `${href.startsWith("http://") ? "http" : "https"}://${authority}`

const movedMessage =
  "must be specified again because the scheme, host or port of the URL changed: a stored secret is only sent to the server that it was specified for"
