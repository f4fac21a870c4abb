import { createPublicKey, verify } from "node:crypto"
import { describe, expect, it } from "@tocsin/testing/internal/contract/EffectTest"
import { CredentialStore } from "@tocsin/domain/internal/access/CredentialStore"
import * as Option from "effect/Option"
import { publicTokensPerSecond } from "@tocsin/domain/internal/rate-limit/RateLimitPolicy"
import { createCredential, deleteCredential } from "@tocsin/domain/internal/access/ManageCredentials"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { apiServer, basicOf, errorsOf, send } from "./api-client.ts"

/** Of the options by default. */
const baseUrl = "http://localhost:8080"

const form = "grant_type=client_credentials&scope=m2m"

const ask = (
  server: string,
  headers: Readonly<Record<string, string>>,
  body = form,
  type = "application/x-www-form-urlencoded",
) =>
  send(`/oauth2/${server}/v1/token`, { method: "POST", headers: { ...headers, "content-type": type }, body })

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` })

describe("POST /oauth2/{server}/v1/token", () => {
  it.effect(
    "spec/clients §1: issues a token that the API accepts, and that others verify with the published keys",
    () =>
      Effect.gen(function* () {
        const { authorization, clientId } = yield* basicOf("acme")
        const answer = yield* ask("acme", { authorization })
        expect(answer.status).toBe(200)
        const { access_token: token, ...rest } = JSON.parse(answer.text)
        expect(rest).toEqual({ token_type: "Bearer", expires_in: 3600 })
        expect(answer.headers.get("cache-control")).toBe("no-store")
        const list = yield* send("/api/v2/slos", {
          headers: { authorization: `Bearer ${token}`, organization: "acme" },
        })
        expect(list.status).toBe(200)

        const discovery = JSON.parse((yield* send("/oauth2/acme/.well-known/openid-configuration")).text)
        expect(discovery).toMatchObject({
          issuer: `${baseUrl}/oauth2/acme`,
          token_endpoint: `${baseUrl}/oauth2/acme/v1/token`,
          jwks_uri: `${baseUrl}/oauth2/acme/v1/keys`,
        })
        const ofAny = JSON.parse((yield* send("/.well-known/openid-configuration")).text)
        expect(ofAny.jwks_uri).toBe(`${baseUrl}/oauth2/default/v1/keys`)
        expect((yield* send("/oauth2/default/v1/keys")).text).toBe((yield* send("/oauth2/acme/v1/keys")).text)
        const keys = JSON.parse((yield* send("/oauth2/acme/v1/keys")).text)
        const [header = "", claims = "", signature = ""] = token.split(".")
        const decoded = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString())
        const { kid, alg } = decoded(header)
        const key = createPublicKey({
          key: keys.keys.find((each: { kid: string }) => each.kid === kid),
          format: "jwk",
        })
        const isValid = verify(
          "sha256",
          Buffer.from(`${header}.${claims}`),
          { key, dsaEncoding: "ieee-p1363" },
          Buffer.from(signature, "base64url"),
        )
        expect([alg, isValid]).toEqual(["ES256", true])
        expect(decoded(claims)).toMatchObject({
          iss: discovery.issuer,
          cid: clientId,
          m2mProfile: { user: clientId, organization: "acme", environment: new URL(baseUrl).host },
          exp: 3600,
        })
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/clients §1: finds the organization whose credential it is", () =>
    Effect.gen(function* () {
      const { authorization, clientId } = yield* basicOf("acme")
      const answer = yield* ask("default", { authorization })
      expect(answer.status).toBe(200)
      const claims = JSON.parse(answer.text).access_token.split(".")[1]
      const { iss, organization } = JSON.parse(Buffer.from(claims, "base64url").toString())
      expect([iss, organization]).toEqual([`${baseUrl}/oauth2/default`, "acme"])
      // Another organization with the same client ID does not lock the client out, whichever organization is named.
      const store = yield* CredentialStore
      const acme = Option.getOrThrow(yield* store.read("acme", clientId))
      yield* store.create({ ...acme, organization: "globex", secretHash: "another" })
      for (const server of ["default", "globex", "acme"]) {
        const again = yield* ask(server, { authorization })
        expect([server, again.status]).toEqual([server, 200])
        const own = JSON.parse(
          Buffer.from(JSON.parse(again.text).access_token.split(".")[1], "base64url").toString(),
        )
        expect(own.organization).toBe("acme")
      }
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/clients §1: whether an organization exists cannot be told", () =>
    Effect.gen(function* () {
      yield* basicOf("globex")
      const { authorization, clientId } = yield* basicOf("acme")
      for (const server of ["globex", "initech", "not%20one"]) {
        expect([server, (yield* ask(server, { authorization })).status]).toEqual([server, 200])
      }
      for (const server of ["globex", "initech", "not%20one"]) {
        expect([server, (yield* ask(server, basic(`${clientId}:wrong`))).status]).toEqual([server, 401])
      }
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/access §4: a token is not valid for a new credential with the same client ID", () =>
    Effect.gen(function* () {
      const { authorization, clientId } = yield* basicOf("acme", "viewer")
      const { access_token } = JSON.parse((yield* ask("acme", { authorization })).text)
      const list = send("/api/v2/slos", {
        headers: { authorization: `Bearer ${access_token}`, organization: "acme" },
      })
      expect((yield* list).status).toBe(200)
      yield* deleteCredential("acme", clientId)
      expect((yield* list).status).toBe(401)
      yield* TestClock.adjust(1)
      yield* createCredential({ organization: "acme", role: "admin", clientId })
      expect((yield* list).status).toBe(401)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/clients §1: reports errors as OAuth 2.0 does", () =>
    Effect.gen(function* () {
      const { authorization } = yield* basicOf("acme")
      const errorOf = (text: string): string => JSON.parse(text).error
      for (const wrong of [{}, basic("nobody:secret"), { authorization: "Basic ?" }]) {
        const answer = yield* ask("acme", wrong)
        expect([answer.status, errorOf(answer.text)]).toEqual([401, "invalid_client"])
        expect(answer.headers.get("www-authenticate")).toMatch(/^Basic /)
      }
      const grant = yield* ask("acme", { authorization }, "grant_type=password")
      expect([grant.status, errorOf(grant.text)]).toEqual([400, "unsupported_grant_type"])
      const none = yield* ask("acme", { authorization }, "scope=m2m")
      expect([none.status, errorOf(none.text)]).toEqual([400, "invalid_request"])
      expect((yield* ask("acme", { authorization }, "{}", "application/json")).status).toBe(415)
      expect((yield* ask("acme", { authorization }, `${form}&x=${"x".repeat(9_000)}`)).status).toBe(413)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/clients §1: has a rate limit of its own", () =>
    Effect.gen(function* () {
      const { authorization } = yield* basicOf("acme")
      const own = { method: "POST", headers: { authorization, organization: "acme" } }
      expect((yield* send("/api/accessToken", own)).status).toBe(200)
      for (let turn = 0; turn < publicTokensPerSecond; turn++) {
        expect((yield* ask("acme", { authorization })).status).toBe(200)
      }
      const rejected = yield* ask("acme", { authorization })
      expect([rejected.status, errorsOf(rejected)[0]?.code]).toEqual([429, "rate_limit_exceeded"])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/clients §1: a token whose algorithm or key was changed is refused", () =>
    Effect.gen(function* () {
      const { authorization } = yield* basicOf("acme")
      const { access_token: token } = JSON.parse((yield* ask("acme", { authorization })).text)
      const [header = "", claims = "", signature = ""] = token.split(".")
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
      const { kid } = JSON.parse(Buffer.from(header, "base64url").toString())
      for (const altered of [
        `${encode({ alg: "none", kid })}.${claims}.`,
        `${encode({ alg: "HS256", kid })}.${claims}.${signature}`,
        `${encode({ alg: "ES256" })}.${claims}.${signature}`,
        `${header}.${claims}.${"A".repeat(86)}`,
      ]) {
        const headers = { authorization: `Bearer ${altered}`, organization: "acme" }
        expect((yield* send("/api/v2/slos", { headers })).status).toBe(401)
      }
    }).pipe(Effect.provide(apiServer)),
  )
})
