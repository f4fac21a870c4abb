import * as Result from "effect/Result"
import * as Data from "effect/Data"
import * as Redacted from "effect/Redacted"
import { base64ToBytes } from "../signature/Base64.ts"

/** What the Basic scheme carries. */
export interface BasicCredentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/**
 * Reads the value of an `Authorization` header with the Basic scheme.
 *
 * The name of the scheme is read in any case; the decoded text is UTF-8 and splits at its first colon, so that a
 * secret may contain colons. Fails with `BasicCredentialsAreInvalid` when any of that does not hold.
 *
 * Source: RFC 7617 section 2; contract section 4.1; decision 0516.
 */
export const parseBasicCredentials = (
  authorization: string | undefined,
): Result.Result<BasicCredentials, BasicCredentialsAreInvalid> => {
  if (authorization === undefined) return Result.fail(new BasicCredentialsAreInvalid({ reason: "missing" }))
  const encoded = /^basic +(\S+)$/i.exec(authorization)?.[1]
  const bytes = encoded === undefined ? undefined : base64ToBytes(encoded)
  const text = bytes === undefined ? undefined : decodeUtf8(bytes)
  const colon = text?.indexOf(":") ?? -1
  if (text === undefined || colon < 1)
    return Result.fail(new BasicCredentialsAreInvalid({ reason: "malformed" }))
  return Result.succeed({
    clientId: text.slice(0, colon),
    clientSecret: Redacted.make(text.slice(colon + 1)),
  })
}

/** There are no Basic credentials in the request, or they cannot be read. Source: decision 0502. */
export class BasicCredentialsAreInvalid extends Data.TaggedError("BasicCredentialsAreInvalid")<{
  readonly reason: "missing" | "malformed"
}> {}

const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
