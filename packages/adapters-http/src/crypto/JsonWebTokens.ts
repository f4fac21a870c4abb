import { base64UrlToBytes } from "@tocsin/domain/signature"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { deriveKey } from "./DeriveKey.ts"
import { onceForEach } from "./OnceForEach.ts"
import { decodeJwt, errors, type JWTPayload, jwtVerify, type JWTVerifyResult, SignJWT } from "jose"
import { createSecretKey, type KeyObject } from "node:crypto"

export interface TokenKind<A, E> {
  readonly audience: string
  /** The keys of an owner's tokens of this kind under a master key. */
  readonly keysOf: (masterKey: Redacted.Redacted<Uint8Array>, owner: string) => TokenKeys
  /** The owner of a token's keys, by its claims, which are not verified yet; `undefined` if they are invalid. Default: one for all. */
  readonly ownerOf?: (payload: JWTPayload) => string | undefined
  /** The lifetime of a token: no valid one expires later than this from now. */
  readonly lifetimeMs: number
  readonly readClaims: (payload: JWTPayload) => Option.Option<A>
  readonly reject: (reason: "malformed" | "expired") => E
}

/** What tokens are signed and verified with. */
export interface TokenKeys {
  readonly algorithm: "HS256" | "ES256"
  readonly signing: KeyObject
  readonly verifying: KeyObject
  /** Names the key in tokens whose key others know too. */
  readonly keyId?: string
}

/** Issues and verifies tokens. Times are Unix milliseconds. */
export interface JsonWebTokens<A, E> {
  /** `expiresAt` is rounded up to a second. */
  readonly sign: (payload: JWTPayload & { readonly sub: string }, expiresAt: number) => Effect.Effect<string>
  readonly verify: (token: string, now: number) => Effect.Effect<A, E>
  /** As `verify`, of a token that was verified before; `undefined` of others. */
  readonly verifyKnown: (token: string, now: number) => Effect.Effect<A, E> | undefined
}

/**
 * JWTs (RFC 7519) under a key derived from the master key, which all processes share. Tokens under a previous master key stay
 * valid, so that a key change signs nobody out.
 *
 * Caches at most 10,000 verified tokens, as a look-up costs a hundredth of a verification. Expiry has no tolerance. A
 * token that was issued by a clock more than `tokenClockSkewMs` ahead counts as expired: otherwise it would outlive its
 * lifetime after the clock was set back.
 */
export const makeJsonWebTokens = <A, E>(
  { audience, keysOf, ownerOf = () => "", lifetimeMs, readClaims, reject }: TokenKind<A, E>,
  masterKey: Redacted.Redacted<Uint8Array>,
  previous: ReadonlyArray<Redacted.Redacted<Uint8Array>>,
): JsonWebTokens<A, E> => {
  const keysOfOwner = onceForEach((owner) => [
    keysOf(masterKey, owner),
    ...previous.map((key) => keysOf(key, owner)),
  ])
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
      try: async () => {
        requireCanonical(token)
        const owner = ownerOf(decodeJwt(token))
        if (owner === undefined) throw new errors.JWTInvalid()
        const read = await verifyUnderOneOf(keysOfOwner(owner), token, audience, now)
        // ECDSA accepts a second signature for each, so that one token would have two texts.
        if (read.protectedHeader.alg === "ES256" && withLowS(token) !== token) throw new errors.JWSInvalid()
        return read
      },
      catch: (cause) => reject(cause instanceof errors.JWTExpired ? "expired" : "malformed"),
    }).pipe(
      Effect.flatMap(({ payload }) =>
        Option.match(readClaims(payload), {
          onNone: () => Effect.fail(reject("malformed")),
          onSome: (claims) => {
            const verified = { claims, expiresAt: Number(payload.exp) * 1_000 }
            remember(token, verified)
            return claimsAt(verified, now)
          },
        }),
      ),
    )

  const claimsAt = ({ claims, expiresAt }: VerifiedToken<A>, now: number) =>
    expiresAt > now && expiresAt <= now + lifetimeMs + tokenClockSkewMs
      ? Effect.succeed(claims)
      : Effect.fail(reject("expired"))

  const verifyKnown = (token: string, now: number) => {
    const known = recall(token)
    return known === undefined ? undefined : claimsAt(known, now)
  }

  return {
    sign: (payload, expiresAt) =>
      Effect.promise(async () => {
        const [current] = keysOfOwner(ownerOf(payload) ?? "") as [TokenKeys]
        return new SignJWT(payload)
          .setProtectedHeader({
            alg: current.algorithm,
            typ: "JWT",
            ...(current.keyId !== undefined && { kid: current.keyId }),
          })
          .setAudience(audience)
          .setExpirationTime(Math.ceil(expiresAt / 1_000))
          .sign(current.signing)
          .then((token) => (current.algorithm === "ES256" ? withLowS(token) : token))
      }),
    verify: (token, now) => verifyKnown(token, now) ?? verifyUnknown(token, now),
    verifyKnown,
  }
}

/** Largest difference between the clocks of two processes that accept each other's tokens, in milliseconds. */
const tokenClockSkewMs = 300_000

/**
 * Throws unless each part of a token is canonical base64url without padding (RFC 7515, section 2). Decoders accept other
 * spellings of the same bytes, so that several texts would be one token.
 */
export const requireCanonical = (token: string): void => {
  if (token.split(".").some((part) => base64UrlToBytes(part) === undefined)) throw new errors.JWSInvalid()
}

/** Keys of tokens that only this server verifies: HMAC SHA-256, another key for each audience. */
export const sharedTokenKeys =
  (audience: string) =>
  (masterKey: Redacted.Redacted<Uint8Array>): TokenKeys => {
    const key = tokenKey(masterKey, audience)
    return { algorithm: "HS256", signing: key, verifying: key }
  }

/** The HMAC key of one audience (RFC 7518 section 3.2). */
export const tokenKey = (masterKey: Redacted.Redacted<Uint8Array>, audience: string): KeyObject =>
  createSecretKey(Redacted.value(deriveKey(masterKey, `${audience} token`)))

const verifyUnderOneOf = async (
  [key, ...others]: ReadonlyArray<TokenKeys>,
  token: string,
  audience: string,
  now: number,
): Promise<JWTVerifyResult> => {
  try {
    const { algorithm, verifying } = key as TokenKeys
    return await jwtVerify(token, verifying, {
      algorithms: [algorithm],
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

/** The order of P-256 (SP 800-186, section 3.2.1.3). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** A token of ES256 whose `s`, the second half of its signature, is at most half of the order of the curve. */
const withLowS = (token: string): string => {
  const at = token.lastIndexOf(".") + 1
  const signature = Buffer.from(token.slice(at), "base64url")
  const s = BigInt(`0x${signature.subarray(32).toString("hex")}`)
  if (s <= order / 2n) return token
  const low = Buffer.from((order - s).toString(16).padStart(64, "0"), "hex")
  return token.slice(0, at) + Buffer.concat([signature.subarray(0, 32), low]).toString("base64url")
}
