import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { enforceRateLimit } from "../rate-limit/EnforceRateLimit.ts"
import { failedCredentialsPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { Sha256 } from "../signature/Sha256.ts"
import type { BasicCredentials } from "./BasicCredentials.ts"
import { hashClientSecret, isSameHash } from "./ClientSecret.ts"
import { CredentialStore } from "./CredentialStore.ts"

/**
 * The credential that a client proves to have by its secret.
 *
 * A request that does not do so counts against the window of its organization and client address, and is refused with
 * `CredentialsAreInvalid` or, beyond that window's limit, with `RateLimitIsExceeded`. The credentials are looked at
 * first, so that no stranger, at whatever address, can keep a client out. A secret of 256 bits needs no window against
 * guessing.
 *
 * Source: decisions 0513 and 0516.
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

/** There is no such credential, its secret is another one, or it is disabled: which of these is not told. */
export class CredentialsAreInvalid extends Data.TaggedError("CredentialsAreInvalid") {}

/** Compared when there is no credential, so that its absence takes as long to find out as a wrong secret. */
const noCredential = { secretHash: "-".repeat(43), isDisabled: true }
