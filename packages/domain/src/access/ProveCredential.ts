import * as Clock from "effect/Clock"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { failedCredentialsPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import { base64ToBytes } from "../signature/Base64.ts"
import { Sha256 } from "../signature/Sha256.ts"
import { clientNetwork } from "./ClientNetwork.ts"
import {
  clientOrganizationsMax,
  type Credential,
  CredentialStore,
  lastUsedResolutionMs,
} from "./CredentialStore.ts"
import { hashClientSecret, isSameHash } from "./ManageCredentials.ts"
import { count } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"

export interface BasicCredentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/**
 * Parses an `Authorization` header with the Basic scheme (RFC 7617, section 2).
 *
 * The name of the scheme is case-insensitive. The decoded value is UTF-8 and is split at its first colon, so that a secret
 * may contain colons. `Basic Y2k6czNjcmV0` has the client ID `ci` and the secret `s3cret`.
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

/** A request has no `Authorization` header, or one that is not in the Basic scheme. */
export class BasicCredentialsAreInvalid extends TaggedError("BasicCredentialsAreInvalid")<{
  /** `malformed`: another scheme, invalid base64 or UTF-8, no colon, or an empty client ID. */
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
 * Returns the credential of a client that knows its secret, or the one before the latest rotation while that still works.
 * Records the use.
 *
 * Other requests count against the limit of their client's network. They fail with `CredentialsAreInvalid` or, beyond the
 * limit, with `RateLimitIsExceeded`. The secret is checked before the limit, so that failed requests of others never block
 * a client.
 *
 * Does the same work whether the organization and the client exist, and writes nothing for a failed request.
 */
export const proveCredential = Effect.fnUntraced(function* (
  organization: OrganizationId,
  credentials: BasicCredentials,
  clientAddress: string,
) {
  const store = yield* CredentialStore
  const found = yield* store.read(organization, credentials.clientId)
  return yield* proveOneOf(Option.toArray(found), 1, credentials, clientAddress)
})

/**
 * As `proveCredential`, of a client that does not name its organization: its secret tells which of the organizations with this
 * client ID it is, of the first `clientOrganizationsMax` that created one. So nobody locks the client out by creating
 * another credential with the same client ID.
 */
export const proveCredentialAnywhere = Effect.fnUntraced(function* (
  credentials: BasicCredentials,
  clientAddress: string,
) {
  const found = yield* (yield* CredentialStore).readAnywhere(credentials.clientId)
  return yield* proveOneOf(found, clientOrganizationsMax, credentials, clientAddress)
})

/** Returns the first of at most `max` credentials whose secret is known; makes as many comparisons if there are fewer. */
const proveOneOf = Effect.fnUntraced(function* (
  found: ReadonlyArray<Credential>,
  max: number,
  credentials: BasicCredentials,
  clientAddress: string,
) {
  const { sha256 } = yield* Sha256
  const hash = hashClientSecret(sha256, credentials.clientId, credentials.clientSecret)
  const now = yield* Clock.currentTimeMillis
  const isProven = ({ secretHash, previousSecret = noPreviousSecret, isDisabled }: Secrets): boolean => {
    // Both are compared in any case, in constant time.
    const isCurrent = isSameHash(secretHash, hash)
    const isPrevious = isSameHash(previousSecret.hash, hash) && now < previousSecret.until
    return !isDisabled && (isCurrent || isPrevious)
  }
  const proven = found.filter(isProven)
  for (let missing = max - found.length; missing > 0; missing--) isProven(noCredential)
  const [credential] = proven
  if (credential === undefined) {
    yield* limitFailedCredentials(clientAddress)
    return yield* new CredentialsAreInvalid()
  }
  yield* recordUse(credential, now)
  return credential
})

/** Records the use of a credential's secret at `now`, at most once in `lastUsedResolutionMs`. */
const recordUse = Effect.fnUntraced(function* (
  { organization, clientId, lastUsedAt = 0 }: Credential,
  now: number,
) {
  if (now - lastUsedAt < lastUsedResolutionMs) return
  const store = yield* CredentialStore
  yield* store.markUsed(organization, clientId, now)
})

/** Counts a request without valid credentials against the limit of its client's network; fails with `RateLimitIsExceeded`. */
export const limitFailedCredentials = (clientAddress: string) =>
  Effect.andThen(
    count(metrics.signInsRejected.of()),
    enforceRateLimit(anyOrganization, failedCredentialsPolicy, clientNetwork(clientAddress)),
  )

/** Invalid client ID or secret, or a disabled credential; callers cannot distinguish these. */
export class CredentialsAreInvalid extends TaggedError("CredentialsAreInvalid") {}

/** One window for all organizations. */
const anyOrganization = ""

type Secrets = Pick<Credential, "secretHash" | "previousSecret" | "isDisabled">

/** Compared if there is no credential, so that the response takes as long as for a wrong secret. */
const noCredential: Secrets = {
  secretHash: "-".repeat(43),
  isDisabled: true,
}

const noPreviousSecret = { hash: "-".repeat(43), until: 0 }
