import { AccessTokenIsInvalid } from "@tocsin/domain"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { errors, jwtVerify, SignJWT } from "jose"
import { requireCanonical, tokenKey } from "./JsonWebTokens.ts"

/** Creates and verifies operator tokens, which require the master key. */
export class OperatorTokens extends Context.Service<
  OperatorTokens,
  { readonly verify: (token: string) => Effect.Effect<void, AccessTokenIsInvalid> }
>()("@tocsin/adapters-http/internal/crypto/OperatorTokens") {}

/**
 * Issues an operator token, valid for 60 s: a JWT with HMAC SHA-256 under a key derived from the master key. The command
 * line issues one for each call.
 */
export const issueOperatorToken = (masterKey: Redacted.Redacted<Uint8Array>): Effect.Effect<string> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.promise(() =>
      new SignJWT()
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setAudience(audience)
        .setIssuedAt(Math.floor(now / 1_000))
        .sign(tokenKey(masterKey, audience)),
    ),
  )

/** Verifies operator tokens issued with the same master key; tolerates a clock difference of 5 s. */
export const layer = (masterKey: Redacted.Redacted<Uint8Array>): Layer.Layer<OperatorTokens> =>
  Layer.sync(OperatorTokens, () => {
    const key = tokenKey(masterKey, audience)
    return {
      verify: (token) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.tryPromise({
            try: () => {
              requireCanonical(token)
              return jwtVerify(token, key, {
                algorithms: ["HS256"],
                audience,
                currentDate: new Date(now),
                maxTokenAge: lifetimeSeconds,
                clockTolerance: 5,
              })
            },
            catch: (cause) =>
              new AccessTokenIsInvalid({
                reason: cause instanceof errors.JWTExpired ? "expired" : "malformed",
              }),
          }),
        ).pipe(Effect.asVoid),
    }
  })

const audience = "operator"
const lifetimeSeconds = 60
