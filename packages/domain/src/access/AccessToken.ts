import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { accessTokenPolicy, publicTokenPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import { type Access, type OrganizationIsInvalid, parseOrganization } from "./Access.ts"
import { type Credential, CredentialStore } from "./CredentialStore.ts"
import { type BasicCredentials, proveCredential } from "./ProveCredential.ts"
import { count } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Lifetime of an access token, in seconds. */
export const accessTokenLifetimeSeconds = 3_600

/** Port: issues and verifies access tokens. */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    /** Both times are in Unix milliseconds. */
    readonly issue: (
      claims: TokenClaims,
      validity: { readonly issuedAt: number; readonly expiresAt: number },
    ) => Effect.Effect<string>
    /**
     * Issues an access token that others can verify too: it names who issued it, and has a profile of
     * the credential.
     */
    readonly issuePublic: (
      claims: TokenClaims,
      issuer: TokenIssuer,
      validity: { readonly issuedAt: number; readonly expiresAt: number },
    ) => Effect.Effect<string>
    /** The keys that verify such tokens of an organization, the current one first. No two organizations have the same. */
    readonly publicKeys: (organization: OrganizationId) => ReadonlyArray<TokenKey>
    /** The claims of a token that this server issued and that is valid at `now` (Unix milliseconds). */
    readonly verify: (token: string, now: number) => Effect.Effect<TokenClaims, AccessTokenIsInvalid>
  }
>()("@tocsin/domain/internal/access/AccessTokens") {}

/** What a token says of the credential that it was issued for. */
export interface TokenClaims extends Access {
  /** When the credential was created, in Unix milliseconds; distinguishes a new credential with the same client ID. */
  readonly credentialCreatedAt: number
}

/** Who issues a token that others can verify. */
export interface TokenIssuer {
  /** The claim `iss`. */
  readonly issuer: string
  /** The host of the API, and its port unless that is the default. */
  readonly environment: string
}

/** A public key as a JSON Web Key (RFC 7517). */
export interface TokenKey {
  /** Elliptic curve (RFC 7518, section 6.1). */
  readonly kty: "EC"
  /** The NIST curve P-256 (RFC 7518, section 6.2.1.1). */
  readonly crv: "P-256"
  /** The x coordinate, 32 bytes in base64url without padding. */
  readonly x: string
  /** The y coordinate, 32 bytes in base64url without padding. */
  readonly y: string
  /** RFC 7638 thumbprint. */
  readonly kid: string
  /** The key verifies signatures (RFC 7517, section 4.2). */
  readonly use: "sig"
  /** ECDSA with P-256 and SHA-256 (RFC 7518, section 3.4). */
  readonly alg: "ES256"
}

/** The bearer token is invalid or expired, or its credential was deleted or disabled. */
export class AccessTokenIsInvalid extends TaggedError("AccessTokenIsInvalid")<{
  /** What is wrong with it. */
  readonly reason: "malformed" | "expired" | "credential_disabled"
}> {}

/**
 * Issues an access token, valid for one hour, to a client that proves a credential; fails as `proveCredential` does.
 *
 * Only requests with valid credentials count against the organization's limit.
 */
export const issueAccessToken = Effect.fn("issueAccessToken")(function* (
  organization: OrganizationId,
  credentials: BasicCredentials,
  clientAddress: string,
) {
  const tokens = yield* AccessTokens
  const credential = yield* proveCredential(organization, credentials, clientAddress)
  const rateLimit = yield* enforceRateLimit(organization, accessTokenPolicy)
  const issuedAt = yield* Clock.currentTimeMillis
  const expiresAt = issuedAt + accessTokenLifetimeSeconds * 1_000
  const accessToken = yield* tokens.issue(claimsOf(credential), { issuedAt, expiresAt })
  yield* count(metrics.tokensIssued.of())
  return { accessToken, rateLimit }
})

/**
 * Issues a token that others can verify too (RFC 6749 section 4.4), valid for one hour; fails as `proveCredential` does.
 *
 * `issuer` is the issuer of this organization's tokens. Only requests with valid credentials count against the organization's
 * limit.
 */
export const issuePublicToken = Effect.fn("issuePublicToken")(function* (
  organization: OrganizationId,
  credentials: BasicCredentials,
  clientAddress: string,
  issuer: TokenIssuer,
) {
  const tokens = yield* AccessTokens
  const credential = yield* proveCredential(organization, credentials, clientAddress)
  yield* enforceRateLimit(organization, publicTokenPolicy)
  const issuedAt = yield* Clock.currentTimeMillis
  const validity = { issuedAt, expiresAt: issuedAt + accessTokenLifetimeSeconds * 1_000 }
  const accessToken = yield* tokens.issuePublic(claimsOf(credential), issuer, validity)
  yield* count(metrics.tokensIssued.of())
  return accessToken
})

const claimsOf = ({ organization, clientId, role, createdAt }: Credential): TokenClaims => ({
  organization,
  clientId,
  role,
  credentialCreatedAt: createdAt,
})

/**
 * The credential that a token was issued for, unless it was deleted or disabled. A new credential with the same client ID is
 * another one.
 */
export const credentialOfToken = (
  { find, read }: CredentialStore["Service"],
  {
    organization,
    clientId,
    credentialCreatedAt,
  }: Pick<TokenClaims, "organization" | "clientId" | "credentialCreatedAt">,
): Effect.Effect<Credential | undefined, StoreIsUnavailable> => {
  const isItself = ({ createdAt }: Credential) => createdAt === credentialCreatedAt
  const usable = (current: Option.Option<Credential>): Credential | undefined =>
    Option.isSome(current) && !current.value.isDisabled && isItself(current.value) ? current.value : undefined
  return Effect.flatMap(find(organization, clientId), (found) =>
    Option.isNone(found) || isItself(found.value)
      ? Effect.succeed(usable(found))
      : // The one that was found may be from before another process deleted it and created a new one.
        Effect.map(read(organization, clientId), usable),
  )
}

/**
 * Authenticates a request by its `Authorization` and `Organization` headers. With `isNamedByToken`, the organization may be
 * absent: it is that of the token.
 *
 * Checks the token first, so that an unauthenticated caller learns nothing else. Reads the credential on every call: a
 * deleted or disabled credential invalidates its tokens, and the role is the current one.
 *
 * Fails with `AccessTokenIsMissing`, `AccessTokenIsInvalid`, `OrganizationIsInvalid`, or `OrganizationDoesNotMatch`
 * when the token belongs to another organization.
 */
export const authenticate = (headers: {
  readonly authorization: string | undefined
  readonly organization: string | undefined
  readonly isNamedByToken?: true
}): Effect.Effect<Access, AuthenticationFailure, AccessTokens | CredentialStore> =>
  // No generator: every request is authenticated here.
  Effect.contextWith((services: Context.Context<AccessTokens | CredentialStore>) => {
    const token = bearerToken(headers.authorization)
    if (Result.isFailure(token)) return Effect.fail(token.failure)
    const now = Context.get(services, Clock.Clock).currentTimeMillisUnsafe()
    return Effect.flatMap(
      Context.get(services, AccessTokens).verify(token.success, now),
      (claims): Effect.Effect<Access, AuthenticationFailure> => {
        const organization = parseOrganization(
          headers.isNamedByToken === true
            ? (headers.organization ?? claims.organization)
            : headers.organization,
        )
        if (Result.isFailure(organization)) return Effect.fail(organization.failure)
        if (organization.success !== claims.organization) return Effect.fail(new OrganizationDoesNotMatch())
        const store = Context.get(services, CredentialStore)
        return Effect.flatMap(credentialOfToken(store, claims), (credential) => {
          if (credential === undefined) {
            return Effect.fail(new AccessTokenIsInvalid({ reason: "credential_disabled" }))
          }
          return Effect.succeed({
            organization: claims.organization,
            clientId: claims.clientId,
            role: credential.role,
            ...(claims.hasPublicToken === true && { hasPublicToken: true }),
          })
        })
      },
    )
  })

type AuthenticationFailure =
  | AccessTokenIsMissing
  | AccessTokenIsInvalid
  | OrganizationIsInvalid
  | OrganizationDoesNotMatch
  | StoreIsUnavailable

/** The token of an `Authorization` header with the Bearer scheme (RFC 6750, section 2.1). */
export const bearerToken = (
  authorization: string | undefined,
): Result.Result<string, AccessTokenIsMissing> => {
  const token = /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1]
  return token === undefined ? Result.fail(new AccessTokenIsMissing()) : Result.succeed(token)
}

/** The request has no `Authorization` header with the Bearer scheme. */
export class AccessTokenIsMissing extends TaggedError("AccessTokenIsMissing") {}

/** The token is valid, but for another organization than the header names. */
export class OrganizationDoesNotMatch extends TaggedError("OrganizationDoesNotMatch") {}
