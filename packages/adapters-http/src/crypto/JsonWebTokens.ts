import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { deriveKey } from "./DeriveKey.ts"
import { errors, type JWTPayload, jwtVerify, type JWTVerifyResult, SignJWT } from "jose"
import { createSecretKey, type KeyObject } from "node:crypto"

export interface TokenKind<A, E> {
  /** Each audience has its own key. */
  readonly audience: string
  readonly readClaims: (payload: JWTPayload) => Option.Option<A>
  readonly reject: (reason: "malformed" | "expired") => E
}

/** Issues and verifies tokens. Times are Unix milliseconds. */
export interface JsonWebTokens<A, E> {
  /** `expiresAt` is rounded up to a second. */
  readonly sign: (payload: JWTPayload & { readonly sub: string }, expiresAt: number) => Effect.Effect<string>
  readonly verify: (token: string, now: number) => Effect.Effect<A, E>
}

/**
 * JWTs (RFC 7519) with HMAC SHA-256 under a key derived from the master key, which all processes share. Tokens under a
 * previous master key stay valid, so that a key change signs nobody out.
 *
 * Caches at most 10,000 verified tokens, as a look-up costs a hundredth of a verification. Expiry has no tolerance;
 * `iat` is not compared with the clock, so processes accept the tokens of one whose clock is ahead.
 */
export const makeJsonWebTokens = <A, E>(
  { audience, readClaims, reject }: TokenKind<A, E>,
  masterKey: Redacted.Redacted<Uint8Array>,
  previous: ReadonlyArray<Redacted.Redacted<Uint8Array>>,
): JsonWebTokens<A, E> => {
  const key = tokenKey(masterKey, audience)
  const keys = [key, ...previous.map((each) => tokenKey(each, audience))]
  // Two generations: once the recent one is full, it replaces the older one.
  let recent = new Map<string, VerifiedToken<A>>()
  let older = new Map<string, VerifiedToken<A>>()

  const remember = (token: string, read: VerifiedToken<A>): void => {
    recent.set(token, read)
    if (recent.size < generationMax) return
    older = recent
    recent = new Map()
  }

  const recall = (token: string): VerifiedToken<A> | undefined => {
    const known = recent.get(token)
    if (known !== undefined) return known
    const once = older.get(token)
    if (once !== undefined) remember(token, once)
    return once
  }

  const verifyUnknown = (token: string, now: number) =>
    Effect.tryPromise({
      try: () => verifyUnderOneOf(keys, token, audience, now),
      catch: (cause) => reject(cause instanceof errors.JWTExpired ? "expired" : "malformed"),
    }).pipe(
      Effect.flatMap(({ payload }) =>
        Option.match(readClaims(payload), {
          onNone: () => Effect.fail(reject("malformed")),
          onSome: (claims) => {
            remember(token, { claims, expiresAt: Number(payload.exp) * 1_000 })
            return Effect.succeed(claims)
          },
        }),
      ),
    )

  return {
    sign: (payload, expiresAt) =>
      Effect.promise(() =>
        new SignJWT(payload)
          .setProtectedHeader({ alg: "HS256", typ: "JWT" })
          .setAudience(audience)
          .setExpirationTime(Math.ceil(expiresAt / 1_000))
          .sign(key),
      ),
    verify: (token, now) => {
      const known = recall(token)
      if (known === undefined) return verifyUnknown(token, now)
      return known.expiresAt > now ? Effect.succeed(known.claims) : Effect.fail(reject("expired"))
    },
  }
}

/** The HMAC key of one audience (RFC 7518 section 3.2). */
export const tokenKey = (masterKey: Redacted.Redacted<Uint8Array>, audience: string): KeyObject =>
  createSecretKey(Redacted.value(deriveKey(masterKey, `${audience} token`)))

const verifyUnderOneOf = async (
  [key, ...others]: ReadonlyArray<KeyObject>,
  token: string,
  audience: string,
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
      return verifyUnderOneOf(others, token, audience, now)
    throw error
  }
}

interface VerifiedToken<A> {
  readonly claims: A
  /** Unix milliseconds. */
  readonly expiresAt: number
}

const generationMax = 5_000
