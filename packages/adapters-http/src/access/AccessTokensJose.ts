import type { Access } from "@tocsin/domain/access/Access"
import { AccessTokenIsInvalid, AccessTokens } from "@tocsin/domain/access/AccessTokens"
import { roles } from "@tocsin/domain/access/Role"
import { Effect, Layer, type Redacted, Schema } from "effect"
import { errors, jwtVerify, SignJWT } from "jose"
import { tokenKey } from "./TokenKey.ts"

/**
 * Access tokens as JWTs with HMAC SHA-256, under a key derived from the master key: every process with that master
 * key reads every other's tokens.
 *
 * A token that was verified is remembered until it expires, at most 10,000 of them, as a look-up costs a hundredth of
 * a verification. Nothing is allowed on top of the expiry; `iat` is not compared with the clock, so a process whose
 * clock is behind accepts the tokens of one that is ahead.
 *
 * Source: RFC 7519; contract section 5.1.
 */
export const make = (masterKey: Redacted.Redacted<Uint8Array>): AccessTokens["Type"] => {
  const key = tokenKey(masterKey, audience)
  const verified = new Map<string, VerifiedToken>()

  const remember = (token: string, read: VerifiedToken): VerifiedToken => {
    verified.delete(token)
    verified.set(token, read)
    if (verified.size > verifiedTokensMax) {
      const [oldest] = verified.keys()
      if (oldest !== undefined) verified.delete(oldest)
    }
    return read
  }

  const verifyUnknown = (token: string, now: number) =>
    Effect.tryPromise({
      try: () =>
        jwtVerify(token, key, {
          algorithms: ["HS256"],
          audience,
          currentDate: new Date(now),
          requiredClaims: ["exp"],
        }),
      catch: (cause) =>
        new AccessTokenIsInvalid({ reason: cause instanceof errors.JWTExpired ? "expired" : "malformed" }),
    }).pipe(
      Effect.flatMap(({ payload }) => decodeClaims(payload)),
      Effect.mapError((error) =>
        error._tag === "ParseError" ? new AccessTokenIsInvalid({ reason: "malformed" }) : error,
      ),
      Effect.map(({ exp, sub, organization, role }) =>
        remember(token, { access: { organization, clientId: sub, role }, expiresAt: exp * 1_000 }),
      ),
    )

  return {
    issue: ({ organization, clientId, role }, { issuedAt, expiresAt }) =>
      Effect.promise(() =>
        new SignJWT({ organization, role })
          .setProtectedHeader({ alg: "HS256", typ: "JWT" })
          .setAudience(audience)
          .setSubject(clientId)
          .setIssuedAt(Math.floor(issuedAt / 1_000))
          .setExpirationTime(Math.ceil(expiresAt / 1_000))
          .sign(key),
      ),
    verify: (token, now) => {
      const known = verified.get(token)
      if (known === undefined) return Effect.map(verifyUnknown(token, now), ({ access }) => access)
      if (known.expiresAt > now) return Effect.succeed(remember(token, known).access)
      verified.delete(token)
      return Effect.fail(new AccessTokenIsInvalid({ reason: "expired" }))
    },
  }
}

/** Access tokens under a master key. */
export const layer = (masterKey: Redacted.Redacted<Uint8Array>): Layer.Layer<AccessTokens> =>
  Layer.sync(AccessTokens, () => make(masterKey))

interface VerifiedToken {
  readonly access: Access
  /** Unix milliseconds. */
  readonly expiresAt: number
}

const audience = "api"
const verifiedTokensMax = 10_000
const decodeClaims = Schema.decodeUnknown(
  Schema.Struct({
    sub: Schema.String,
    organization: Schema.String,
    role: Schema.Literal(...roles),
    exp: Schema.Number,
  }),
)
