import * as AccessTokensJose from "../../src/crypto/AccessTokensJose.ts"
import { issueOperatorToken, OperatorTokens } from "@tocsin/adapters-http/server"
import { layer as operatorLayer } from "../../src/crypto/OperatorTokens.ts"
import { tokenKey } from "../../src/crypto/JsonWebTokens.ts"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { createHmac } from "node:crypto"
import { accessTokenLifetimeSeconds } from "@tocsin/domain/limits"
import type { TokenClaims } from "@tocsin/domain/ports"

const masterKey = Redacted.make(new Uint8Array(32).fill(1))
const otherMasterKey = Redacted.make(new Uint8Array(32).fill(2))
const now = 1_767_225_600_500
const access: TokenClaims = {
  organization: "acme",
  clientId: "ci",
  role: "viewer",
  credentialCreatedAt: now - 60_000,
}
const hour = accessTokenLifetimeSeconds * 1_000
const issue = AccessTokensJose.make(masterKey).issue(access, { issuedAt: now, expiresAt: now + hour })

/** What a fresh reader says to a token, once and then again, from what it remembers. */
const verdictsOf = (token: string, at: number) =>
  Effect.gen(function* () {
    const tokens = AccessTokensJose.make(masterKey)
    const verify = Effect.match(tokens.verify(token, at), {
      onFailure: ({ reason }): unknown => reason,
      onSuccess: (claims): unknown => claims,
    })
    return [yield* verify, yield* verify]
  })

describe("access tokens", () => {
  it.effect("spec/access §2: one says whose it is, to every process with the same master key", () =>
    Effect.gen(function* () {
      expect(yield* verdictsOf(yield* issue, now)).toEqual([access, access])
    }),
  )

  it.effect(
    "a token of the previous master key is valid until it expires; new tokens use the current key",
    () =>
      Effect.gen(function* () {
        const token = yield* issue
        const tokens = AccessTokensJose.make(otherMasterKey, [masterKey])
        expect(yield* tokens.verify(token, now)).toEqual(access)
        const fresh = AccessTokensJose.make(otherMasterKey, [masterKey])
        expect(yield* Effect.flip(fresh.verify(token, now + hour + 1_000))).toMatchObject({
          reason: "expired",
        })
        const issued = yield* tokens.issue(access, { issuedAt: now, expiresAt: now + hour })
        expect(yield* verdictsOf(issued, now)).toEqual(["malformed", "malformed"])
        expect(yield* AccessTokensJose.make(otherMasterKey).verify(issued, now)).toEqual(access)
      }),
  )

  it.effect("spec/access §2: an access token is valid for 1 hour", () =>
    Effect.gen(function* () {
      const token = yield* issue
      expect(yield* verdictsOf(token, now + hour - 1)).toEqual([access, access])
      expect(yield* verdictsOf(token, now + hour + 1_000)).toEqual(["expired", "expired"])
    }),
  )

  it.effect("spec/access §2: one that is remembered expires all the same", () =>
    Effect.gen(function* () {
      const tokens = AccessTokensJose.make(masterKey)
      const token = yield* issue
      expect(yield* tokens.verify(token, now)).toEqual(access)
      const refused = yield* Effect.flip(tokens.verify(token, now + hour + 1_000))
      expect(refused.reason).toBe("expired")
    }),
  )

  it.effect("a process whose clock is behind accepts the tokens of one that is ahead", () =>
    Effect.gen(function* () {
      expect(yield* verdictsOf(yield* issue, now - 60_000)).toEqual([access, access])
    }),
  )

  it.effect(
    "spec/access §2: one that was issued while the clock was ahead does not outlive its lifetime",
    () =>
      Effect.gen(function* () {
        const token = yield* issue
        expect(yield* verdictsOf(token, now - hour)).toEqual(["expired", "expired"])
        const tokens = AccessTokensJose.make(masterKey)
        expect(yield* tokens.verify(token, now)).toEqual(access)
        expect((yield* Effect.flip(tokens.verify(token, now - hour))).reason).toBe("expired")
      }),
  )

  it.effect("spec/access §2: another base64url spelling of a token is invalid", () =>
    Effect.gen(function* () {
      const token = yield* issue
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      // 32 bytes leave two bits of the last character unused.
      const last = alphabet.indexOf(token.at(-1) ?? "")
      const others = [1, 2, 3].map((bits) => token.slice(0, -1) + alphabet[last + bits])
      for (const other of [`${token}=`, `${token}==`, `${token.replace(".", "=.")}`, ...others]) {
        expect(Buffer.from(other.split(".")[2] ?? "", "base64url")).toEqual(
          Buffer.from(token.split(".")[2] ?? "", "base64url"),
        )
        expect(yield* verdictsOf(other, now)).toEqual(["malformed", "malformed"])
      }
      expect(yield* verdictsOf(`${token} `, now)).toEqual(["malformed", "malformed"])
    }),
  )

  it.effect("spec/errors §2: flipping any character of one makes it invalid", () =>
    Effect.gen(function* () {
      const token = yield* issue
      for (let index = 0; index < token.length; index += 7) {
        const flipped = token[index] === "A" ? "B" : "A"
        const damaged = token.slice(0, index) + flipped + token.slice(index + 1)
        expect(yield* verdictsOf(damaged, now)).toEqual(["malformed", "malformed"])
      }
    }),
  )

  it.effect("spec/errors §2: one of another master key, algorithm, audience or shape is invalid", () =>
    Effect.gen(function* () {
      const { organization, role, clientId: sub, credentialCreatedAt } = access
      const good = { organization, role, sub, credentialCreatedAt, aud: "api", exp: now / 1_000 + 60 }
      const signed = (claims: Record<string, unknown>, alg = "HS256", key = masterKey) => {
        const content = [{ alg }, { ...good, ...claims }]
          .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
          .join(".")
        const hmac = createHmac(alg === "HS512" ? "sha512" : "sha256", tokenKey(key, "api"))
        return `${content}.${alg === "none" ? "" : hmac.update(content).digest("base64url")}`
      }
      expect(yield* verdictsOf(signed({}), now)).toEqual([access, access])
      for (const token of [
        signed({}, "HS256", otherMasterKey),
        signed({}, "HS512"),
        signed({}, "none"),
        signed({ aud: "operator" }),
        signed({ role: "owner" }),
        signed({ organization: 1 }),
        signed({ exp: undefined }),
        signed({ sub: undefined }),
        signed({ credentialCreatedAt: undefined }),
        "",
        "a.b.c",
      ]) {
        expect(yield* verdictsOf(token, now)).toEqual(["malformed", "malformed"])
      }
    }),
  )
})

describe("operator tokens", () => {
  const verify = (token: string) =>
    Effect.exit(Effect.flatMap(OperatorTokens, (tokens) => tokens.verify(token)))

  it.effect("spec/access §6: an operator's token is good for 60 s, and for clocks 5 s apart", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const token = yield* issueOperatorToken(masterKey)
      for (const [at, isGood] of [
        [now - 5_000, true],
        [now - 6_000, false],
        [now + 60_000, true],
        [now + 66_000, false],
      ] as const) {
        yield* TestClock.setTime(at)
        expect([at - now, Exit.isSuccess(yield* verify(token))]).toEqual([at - now, isGood])
      }
    }).pipe(Effect.provide(operatorLayer(masterKey))),
  )

  it.effect("an access token, or a token of another master key, is rejected", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      expect(Exit.isSuccess(yield* verify(yield* issue))).toBe(false)
      expect(Exit.isSuccess(yield* verify(yield* issueOperatorToken(otherMasterKey)))).toBe(false)
      const token = yield* issueOperatorToken(masterKey)
      expect(Exit.isSuccess(yield* verify(token))).toBe(true)
      expect(Exit.isSuccess(yield* verify(`${token}=`))).toBe(false)
    }).pipe(Effect.provide(operatorLayer(masterKey))),
  )
})
