import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { Limits } from "../Limits.ts"
import { enforceRateLimit } from "../rate-limit/EnforceRateLimit.ts"
import { accessTokenPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { AccessTokens } from "./AccessTokens.ts"
import type { BasicCredentials } from "./BasicCredentials.ts"
import { proveCredential } from "./ProveCredential.ts"

/**
 * Issues an access token of one hour to a client that proves its credentials.
 *
 * Only a request that does so counts against the organization's window; any other fails as `proveCredential` does.
 *
 * Source: contract sections 4.1, 5.1 and 8; decisions 0503, 0513 and 0516.
 */
export const issueAccessToken = Effect.fn("issueAccessToken")(function* (
  organization: OrganizationId,
  credentials: BasicCredentials,
  clientAddress: string,
) {
  const tokens = yield* AccessTokens
  const { clientId, role } = yield* proveCredential(organization, credentials, clientAddress)
  const rateLimit = yield* enforceRateLimit(organization, accessTokenPolicy)
  const issuedAt = yield* Clock.currentTimeMillis
  const expiresAt = issuedAt + Limits.accessTokenLifetimeSeconds * 1_000
  const accessToken = yield* tokens.issue({ organization, clientId, role }, { issuedAt, expiresAt })
  return { accessToken, rateLimit }
})
