import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { failedCredentialsPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import { base64ToBytes } from "../signature/Base64.ts"
import { Sha256 } from "../signature/Sha256.ts"
import { CredentialStore } from "./CredentialStore.ts"
import { hashClientSecret, isSameHash } from "./ManageCredentials.ts"

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
 * Source: RFC 7617 section 2; spec/access §2, spec/access §3.
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

/** There are no Basic credentials in the request, or they cannot be read. */
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

/**
 * The credential that a client proves to have by its secret.
 *
 * A request that does not do so counts against the window of its organization and client address, and is refused with
 * `CredentialsAreInvalid` or, beyond that window's limit, with `RateLimitIsExceeded`. The credentials are looked at
 * first, so that no stranger, at whatever address, can keep a client out. A secret of 256 bits needs no window against
 * guessing.
 */
export const proveCredential = Effect.fnUntraced(function* (
  organization: OrganizationId,
  credentials: BasicCredentials,
  clientAddress: string,
) {
  const store = yield* CredentialStore
  const { sha256 } = yield* Sha256
  const found = yield* store.find(organization, credentials.clientId)
  const stored = Option.getOrElse(found, () => noCredential)
  const hash = hashClientSecret(sha256, credentials.clientId, credentials.clientSecret)
  const isProved = isSameHash(stored.secretHash, hash) && !stored.isDisabled
  if (Option.isNone(found) || !isProved) {
    yield* enforceRateLimit(organization, failedCredentialsPolicy, clientAddress)
    return yield* new CredentialsAreInvalid()
  }
  return found.value
})

/** Invalid client ID or secret, or a disabled credential; callers cannot distinguish these. */
export class CredentialsAreInvalid extends Data.TaggedError("CredentialsAreInvalid") {}

/** Compared when there is no credential, so that its absence takes as long to find out as a wrong secret. */
const noCredential = { secretHash: "-".repeat(43), isDisabled: true }
