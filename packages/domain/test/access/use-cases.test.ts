import { CredentialStoreMemory, RateLimiterMemory } from "@tocsin/adapters-memory"
import { AccessTokensJose, HashNode } from "@tocsin/adapters-http/crypto"
import * as SecureRandom from "effect/crypto/SecureRandom"
import {
  authenticate,
  createCredential,
  deleteCredential,
  disableCredential,
  isSameHash,
  issueAccessToken,
  issuePublicToken,
  requireRole,
} from "@tocsin/domain"
import { clientIdMaxCharacters } from "@tocsin/domain/limits"
import { CredentialStore } from "@tocsin/domain/ports"
import { accessTokenWindowMs } from "@tocsin/domain/rate-limit"
import { clientSecretBits } from "../../src/access/ManageCredentials.ts"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { failedCredentialsPerWindow } from "../../src/rate-limit/RateLimitPolicy.ts"

const ports = Layer.mergeAll(
  CredentialStoreMemory.layer,
  RateLimiterMemory.layer,
  HashNode.layer,
  SecureRandom.layerWebCrypto,
  AccessTokensJose.layer(Redacted.make(new Uint8Array(32))),
)

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => "ok" })

/** Creates a credential and gives what asks for a token with it, or with a wrong secret. */
const newClient = (organization: string) =>
  Effect.map(createCredential({ organization, role: "viewer" }), ({ credential, clientSecret }) => {
    const { clientId } = credential
    const ask = (secret: Redacted.Redacted, address: string) =>
      issueAccessToken(organization, { clientId, clientSecret: secret }, address)
    return {
      clientId,
      right: (address = "192.0.2.1") => ask(clientSecret, address),
      wrong: (address = "192.0.2.1") => ask(Redacted.make("wrong"), address),
    }
  })

describe("issuing an access token", () => {
  it.effect(
    "spec/rate-limits §1: the second request of an organization within 3 s is rejected, whichever client's it is",
    () =>
      Effect.gen(function* () {
        const first = yield* newClient("acme")
        const second = yield* newClient("acme")
        expect(yield* tagOf(first.right())).toBe("ok")
        yield* TestClock.adjust(accessTokenWindowMs - 1)
        expect(yield* tagOf(second.right("192.0.2.2"))).toBe("RateLimitIsExceeded")
        yield* TestClock.adjust(1)
        expect(yield* tagOf(second.right("192.0.2.2"))).toBe("ok")
      }).pipe(Effect.provide(ports)),
  )

  it.effect(
    "spec/rate-limits §3: wrong secrets never lock an organization out, not even from the same address",
    () =>
      Effect.gen(function* () {
        const client = yield* newClient("acme")
        const attempts = yield* Effect.replicateEffect(tagOf(client.wrong()), 50)
        expect(attempts.slice(0, failedCredentialsPerWindow)).toEqual(
          Array.from({ length: failedCredentialsPerWindow }, () => "CredentialsAreInvalid"),
        )
        expect(new Set(attempts.slice(failedCredentialsPerWindow))).toEqual(new Set(["RateLimitIsExceeded"]))
        expect(yield* tagOf(client.right())).toBe("ok")
      }).pipe(Effect.provide(ports)),
  )

  it.effect("spec/rate-limits §3: failed requests count for each client network, whatever they name", () =>
    Effect.gen(function* () {
      const client = yield* newClient("acme")
      const other = yield* newClient("other")
      yield* Effect.replicateEffect(tagOf(client.wrong()), failedCredentialsPerWindow)
      expect(yield* tagOf(client.wrong())).toBe("RateLimitIsExceeded")
      expect(yield* tagOf(client.wrong("192.0.2.2"))).toBe("CredentialsAreInvalid")
      expect(yield* tagOf(other.wrong())).toBe("RateLimitIsExceeded")
      const unknown = issueAccessToken(
        `unknown-${crypto.randomUUID()}`,
        { clientId: "me", clientSecret: Redacted.make("wrong") },
        "192.0.2.1",
      )
      expect(yield* tagOf(unknown)).toBe("RateLimitIsExceeded")
      expect(yield* tagOf(other.right())).toBe("ok")
      yield* TestClock.adjust(accessTokenWindowMs)
      expect(yield* tagOf(client.wrong())).toBe("CredentialsAreInvalid")
    }).pipe(Effect.provide(ports)),
  )

  it.effect(
    "spec/access §4: a credential of another organization, a disabled and a deleted one are as wrong as any",
    () =>
      Effect.gen(function* () {
        const client = yield* newClient("acme")
        const { credential, clientSecret } = yield* createCredential({
          organization: "other",
          role: "editor",
        })
        const foreign = issueAccessToken("acme", { clientId: credential.clientId, clientSecret }, "192.0.2.1")
        expect(yield* tagOf(foreign)).toBe("CredentialsAreInvalid")
        yield* disableCredential("acme", client.clientId)
        expect(yield* tagOf(client.right())).toBe("CredentialsAreInvalid")
        yield* deleteCredential("acme", client.clientId)
        expect(yield* tagOf(client.right())).toBe("CredentialsAreInvalid")
        expect(yield* tagOf(deleteCredential("acme", client.clientId))).toBe("CredentialNotFound")
        expect(yield* tagOf(disableCredential("acme", client.clientId))).toBe("CredentialNotFound")
      }).pipe(Effect.provide(ports)),
  )
})

describe("a failed request for a token", () => {
  it.effect(
    "spec/rate-limits §3: takes the same work whether or not the organization and the client exist",
    () =>
      Effect.gen(function* () {
        const client = yield* newClient("acme")
        const store = yield* CredentialStore
        const calls: Array<string> = []
        const counted = <A, E>(name: string, effect: Effect.Effect<A, E>) =>
          Effect.suspend(() => {
            calls.push(name)
            return effect
          })
        const counting = CredentialStore.of({
          ...store,
          find: (...call) => counted("find", store.find(...call)),
          read: (...call) => counted("read", store.read(...call)),
          readAnywhere: (...call) => counted("readAnywhere", store.readAnywhere(...call)),
          list: (...call) => counted("list", store.list(...call)),
        })
        const clientSecret = Redacted.make("wrong")
        for (const [organization, clientId] of [
          ["acme", client.clientId],
          ["acme", "unknown"],
          ["unknown", client.clientId],
        ] as const) {
          calls.length = 0
          const attempt = issueAccessToken(organization, { clientId, clientSecret }, "192.0.2.9")
          expect(yield* tagOf(attempt.pipe(Effect.provideService(CredentialStore, counting)))).toBe(
            "CredentialsAreInvalid",
          )
          expect(calls).toEqual(["read"])
          calls.length = 0
          const issuer = { issuer: "https://tocsin.example/oauth2/x", environment: "tocsin.example" }
          const ofPublicClient = issuePublicToken(
            organization,
            { clientId, clientSecret },
            "192.0.3.9",
            issuer,
          )
          expect(yield* tagOf(ofPublicClient.pipe(Effect.provideService(CredentialStore, counting)))).toBe(
            "CredentialsAreInvalid",
          )
          expect(calls).toEqual(["read"])
        }
      }).pipe(Effect.provide(ports)),
  )
})

describe("authenticating a request", () => {
  const newToken = (organization: string) =>
    Effect.gen(function* () {
      const client = yield* newClient(organization)
      const { accessToken } = yield* client.right()
      return { clientId: client.clientId, authorization: `Bearer ${accessToken}` }
    })

  it.effect("spec/access §2: the token says who it is, until the hour is over", () =>
    Effect.gen(function* () {
      const { authorization, clientId } = yield* newToken("acme")
      const ask = authenticate({ authorization, organization: "acme" })
      expect(yield* ask).toEqual({ organization: "acme", clientId, role: "viewer" })
      yield* TestClock.adjust("59 minutes")
      expect(yield* tagOf(ask)).toBe("ok")
      yield* TestClock.adjust("1 minute")
      expect(yield* tagOf(ask)).toBe("AccessTokenIsInvalid")
    }).pipe(Effect.provide(ports)),
  )

  it.effect("spec/errors §2: without a good token nothing else is looked at", () =>
    Effect.gen(function* () {
      const { authorization } = yield* newToken("acme")
      const tag = (authorization: string | undefined, organization: string | undefined) =>
        tagOf(authenticate({ authorization, organization }))
      expect(yield* tag(undefined, undefined)).toBe("AccessTokenIsMissing")
      expect(yield* tag("", "acme")).toBe("AccessTokenIsMissing")
      expect(yield* tag("Bearer", "acme")).toBe("AccessTokenIsMissing")
      expect(yield* tag("Basic Y2k6cw==", "acme")).toBe("AccessTokenIsMissing")
      expect(yield* tag("Bearer x", undefined)).toBe("AccessTokenIsInvalid")
      expect(yield* tag(authorization, undefined)).toBe("OrganizationIsInvalid")
      expect(yield* tag(authorization, "")).toBe("OrganizationIsInvalid")
      expect(yield* tag(authorization, "x".repeat(254))).toBe("OrganizationIsInvalid")
      expect(yield* tag(authorization, "a b")).toBe("OrganizationIsInvalid")
      expect(yield* tag(authorization, "other")).toBe("OrganizationDoesNotMatch")
      expect(yield* tag(authorization.replace("Bearer", "bearer "), "acme")).toBe("ok")
    }).pipe(Effect.provide(ports)),
  )

  it.effect(
    "spec/access §4: a token dies with its credential, and has the role that the credential has now",
    () =>
      Effect.gen(function* () {
        const { authorization, clientId } = yield* newToken("acme")
        const ask = authenticate({ authorization, organization: "acme" })
        const store = yield* CredentialStore
        const [credential] = yield* store.list("acme")
        yield* deleteCredential("acme", clientId)
        expect(yield* tagOf(ask)).toBe("AccessTokenIsInvalid")
        if (credential !== undefined) yield* store.create({ ...credential, role: "editor" })
        expect((yield* ask).role).toBe("editor")
        yield* disableCredential("acme", clientId)
        expect(yield* tagOf(ask)).toBe("AccessTokenIsInvalid")
      }).pipe(Effect.provide(ports)),
  )

  it.effect("spec/access §4: a token is not valid for a new credential with the same client ID", () =>
    Effect.gen(function* () {
      const { authorization, clientId } = yield* newToken("acme")
      yield* deleteCredential("acme", clientId)
      yield* TestClock.adjust(1)
      yield* createCredential({ organization: "acme", role: "admin", clientId })
      expect(yield* tagOf(authenticate({ authorization, organization: "acme" }))).toBe("AccessTokenIsInvalid")
    }).pipe(Effect.provide(ports)),
  )

  it.effect(
    "spec/access §4: a token of a new credential is valid while another process still has the one before in its cache",
    () =>
      Effect.gen(function* () {
        const { credential, clientSecret } = yield* createCredential({ organization: "acme", role: "viewer" })
        const { clientId } = credential
        const store = yield* CredentialStore
        const cached = yield* store.find("acme", clientId)
        yield* deleteCredential("acme", clientId)
        yield* TestClock.adjust(1)
        yield* createCredential({ organization: "acme", role: "admin", clientId, clientSecret })
        const { accessToken } = yield* issueAccessToken("acme", { clientId, clientSecret }, "192.0.2.1")
        const access = authenticate({ authorization: `Bearer ${accessToken}`, organization: "acme" })
        const stale = CredentialStore.of({ ...store, find: () => Effect.succeed(cached) })
        expect((yield* access.pipe(Effect.provideService(CredentialStore, stale))).role).toBe("admin")
      }).pipe(Effect.provide(ports)),
  )

  it.effect("spec/access §5: an editor may do what a viewer may, and not the other way round", () =>
    Effect.gen(function* () {
      const roleTag = (held: "viewer" | "editor", needed: "viewer" | "editor") =>
        tagOf(requireRole({ organization: "acme", clientId: "ci", role: held }, needed))
      expect(yield* roleTag("viewer", "viewer")).toBe("ok")
      expect(yield* roleTag("editor", "viewer")).toBe("ok")
      expect(yield* roleTag("editor", "editor")).toBe("ok")
      expect(yield* roleTag("viewer", "editor")).toBe("RoleIsInsufficient")
    }),
  )
})

describe("creating a credential", () => {
  it.effect("spec/access §4: the secret has 256 random bits, and the store has only its hash", () =>
    Effect.gen(function* () {
      const first = yield* createCredential({ organization: "acme", role: "viewer" })
      const second = yield* createCredential({ organization: "acme", role: "viewer" })
      const secret = Redacted.value(first.clientSecret)
      expect(Buffer.from(secret, "base64url")).toHaveLength(clientSecretBits / 8)
      expect(Redacted.value(second.clientSecret)).not.toBe(secret)
      const store = yield* CredentialStore
      expect(JSON.stringify(yield* store.list("acme"))).not.toContain(secret)
      expect(String(first.clientSecret)).not.toContain(secret)
    }).pipe(Effect.provide(ports)),
  )

  it.effect.each([
    ["the last client id allowed", { clientId: "x".repeat(clientIdMaxCharacters) }, "ok"],
    ["the first too long", { clientId: "x".repeat(clientIdMaxCharacters + 1) }, "ClientIdIsInvalid"],
    ["an empty one", { clientId: "" }, "ClientIdIsInvalid"],
    ["one with a colon", { clientId: "a:b" }, "ClientIdIsInvalid"],
    ["one with a space", { clientId: "a b" }, "ClientIdIsInvalid"],
    ["one that is not ASCII", { clientId: "é" }, "ClientIdIsInvalid"],
    ["32 bytes in base64", { secret: `${"+/".repeat(21)}A=` }, "ok"],
    ["32 bytes in base64url", { secret: `${"-_".repeat(21)}A` }, "ok"],
    ["more bytes", { secret: "a".repeat(64) }, "ok"],
    ["31 bytes", { secret: "a".repeat(41) + "A" }, "ClientSecretIsInvalid"],
    ["a secret that is not whole bytes", { secret: "a".repeat(45) }, "ClientSecretIsInvalid"],
    ["a password", { secret: "correct horse battery staple, and then some more" }, "ClientSecretIsInvalid"],
    ["an organization with a space", { organization: "a b" }, "OrganizationIsInvalid"],
  ] as ReadonlyArray<[string, { clientId?: string; secret?: string; organization?: string }, string]>)(
    "spec/access §4: %s",
    ([, { clientId, secret, organization = "acme" }, tag]) =>
      Effect.gen(function* () {
        const created = createCredential({
          organization,
          role: "viewer",
          ...(clientId !== undefined && { clientId }),
          ...(secret !== undefined && { clientSecret: Redacted.make(secret) }),
        })
        expect(yield* tagOf(created)).toBe(tag)
      }).pipe(Effect.provide(ports)),
  )

  it("spec/access §3: hashes are the same when every character is, and only then", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(isSameHash(a, b)).toBe(a === b)
        expect(isSameHash(a, `${a}`)).toBe(true)
        expect(isSameHash(a, `${a}x`)).toBe(false)
        expect(isSameHash(`${a}x`, a)).toBe(false)
      }),
    )
  })
})
