import type { Access } from "@tocsin/domain/access/Access"
import { AccessTokenIsInvalid, AccessTokens } from "@tocsin/domain/access/AccessTokens"
import { roles } from "@tocsin/domain/access/Role"
import { Effect, Layer, type Redacted, Schema } from "effect"
import { errors, jwtVerify, type JWTVerifyResult, SignJWT } from "jose"
import type { KeyObject } from "node:crypto"
import { tokenKey } from "./TokenKey.ts"

/**
 * Access tokens as JWTs with HMAC SHA-256, under a key derived from the master key: every process with that master
 * key reads every other's tokens. Those under a previous master key are read too, so that a change of it logs nobody
 * out.
 *
 * The tokens that were verified last are remembered, at most 10,000 of them, as a look-up costs a hundredth of a
 * verification. Nothing is allowed on top of the expiry; `iat` is not compared with the clock, so a process whose
 * clock is behind accepts the tokens of one that is ahead.
 *
 * Source: RFC 7519; contract section 5.1.
 */
export const make = (
  masterKey: Redacted.Redacted<Uint8Array>,
  previous: ReadonlyArray<Redacted.Redacted<Uint8Array>> = [],
): AccessTokens["Type"] => {
  const key = tokenKey(masterKey, audience)
  const keys = [key, ...previous.map((each) => tokenKey(each, audience))]
  // Two generations: what was used since the last turn, and since the one before. A look-up costs no more than that.
  let recent = new Map<string, VerifiedToken>()
  let older = new Map<string, VerifiedToken>()

  const remember = (token: string, read: VerifiedToken): void => {
    recent.set(token, read)
    if (recent.size < generationMax) return
    older = recent
    recent = new Map()
  }

  const recall = (token: string): VerifiedToken | undefined => {
    const known = recent.get(token)
    if (known !== undefined) return known
    const once = older.get(token)
    if (once !== undefined) remember(token, once)
    return once
  }

  const verifyUnknown = (token: string, now: number) =>
    Effect.tryPromise({
      try: () => verifyUnderOneOf(keys, token, now),
      catch: (cause) =>
        new AccessTokenIsInvalid({ reason: cause instanceof errors.JWTExpired ? "expired" : "malformed" }),
    }).pipe(
      Effect.flatMap(({ payload }) => decodeClaims(payload)),
      Effect.mapError((error) =>
        error._tag === "ParseError" ? new AccessTokenIsInvalid({ reason: "malformed" }) : error,
      ),
      Effect.map(({ exp, sub, organization, role }) => {
        const access: Access = { organization, clientId: sub, role }
        remember(token, { access, expiresAt: exp * 1_000 })
        return access
      }),
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
      const known = recall(token)
      if (known === undefined) return verifyUnknown(token, now)
      return known.expiresAt > now
        ? Effect.succeed(known.access)
        : Effect.fail(new AccessTokenIsInvalid({ reason: "expired" }))
    },
  }
}

/** Access tokens under a master key. */
export const layer = (
  masterKey: Redacted.Redacted<Uint8Array>,
  previous: ReadonlyArray<Redacted.Redacted<Uint8Array>> = [],
): Layer.Layer<AccessTokens> => Layer.sync(AccessTokens, () => make(masterKey, previous))

const verifyUnderOneOf = async (
  [key, ...others]: ReadonlyArray<KeyObject>,
  token: string,
  now: number,
): Promise<JWTVerifyResult> => {
  try {
    return await jwtVerify(token, key as KeyObject, {
      algorithms: ["HS256"],
      audience,
      currentDate: new Date(now),
      requiredClaims: ["exp"],
    })
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed && others.length > 0)
      return verifyUnderOneOf(others, token, now)
    throw error
  }
}

interface VerifiedToken {
  readonly access: Access
  /** Unix milliseconds. */
  readonly expiresAt: number
}

const audience = "api"
const generationMax = 5_000
const decodeClaims = Schema.decodeUnknown(
  Schema.Struct({
    sub: Schema.String,
    organization: Schema.String,
    role: Schema.Literal(...roles),
    exp: Schema.Number,
  }),
)
