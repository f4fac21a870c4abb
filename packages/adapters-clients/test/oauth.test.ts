import { publicTokenPolicy } from "@tocsin/domain/rate-limit"
import { createPublicKey, type JsonWebKey, verify } from "node:crypto"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as fc from "fast-check"
import { NodeApiServer } from "@tocsin/adapters-http"
import * as Redacted from "effect/Redacted"
import { createCredential, deleteCredential } from "@tocsin/domain"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { apiServer, basicOf, send } from "../../../test/http/api-client.ts"
import { exchange } from "../../../test/http/raw-socket.ts"

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

interface KeySet {
  readonly keys: ReadonlyArray<JsonWebKey & { readonly kid: string }>
}

const decodedToken = (token: string) => {
  const [header, claims] = token.split(".").map((part) => Buffer.from(part, "base64url").toString())
  return { header: JSON.parse(header ?? ""), claims: JSON.parse(claims ?? "") }
}

/** Whether a key of the set signed a token, as another service verifies it. */
const isSignedBy = (token: string, { keys }: KeySet): boolean => {
  const [header = "", claims = "", signature = ""] = token.split(".")
  const found = keys.find(({ kid }) => kid === decodedToken(token).header.kid)
  if (found === undefined) return false
  const key = createPublicKey({ key: found, format: "jwk" })
  const signed = Buffer.from(`${header}.${claims}`)
  return verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url"))
}

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
        expect((yield* send("/oauth2/default/v1/keys")).text).not.toBe(
          (yield* send("/oauth2/acme/v1/keys")).text,
        )
        const keys = JSON.parse((yield* send("/oauth2/acme/v1/keys")).text)
        const { header, claims } = decodedToken(token)
        expect([header.alg, isSignedBy(token, keys)]).toEqual(["ES256", true])
        expect(claims).toMatchObject({
          iss: discovery.issuer,
          cid: clientId,
          m2mProfile: { user: clientId, organization: "acme", environment: new URL(baseUrl).host },
          exp: 3600,
        })
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect.prop(
    "spec/clients §1: a token is issued by the organization of its credential alone, whatever the path and the client ID",
    [
      fc.uniqueArray(fc.constantFrom("acme", "evil", "default", "a/b", "globex"), { minLength: 1 }),
      fc.constantFrom(
        "acme",
        "evil",
        "default",
        "a%2Fb",
        "globex",
        "%61cme",
        "initech",
        "not%20one",
        "acme%00",
      ),
      fc.constantFrom("acme-editor", "ci"),
    ],
    ([organizations, server, clientId]) =>
      Effect.gen(function* () {
        const keySets = new Map<string, KeySet>()
        for (const organization of organizations) {
          const path = `/oauth2/${encodeURIComponent(organization)}/v1/keys`
          keySets.set(organization, JSON.parse((yield* send(path)).text))
        }
        for (const organization of organizations) {
          const { clientSecret } = yield* createCredential({ organization, role: "editor", clientId })
          const response = yield* ask(server, basic(`${clientId}:${Redacted.value(clientSecret)}`))
          if (decodeURIComponent(server) !== organization) {
            expect([response.status, JSON.parse(response.text).error]).toEqual([401, "invalid_client"])
            continue
          }
          expect(response.status).toBe(200)
          const { access_token: token } = JSON.parse(response.text)
          const { claims } = decodedToken(token)
          const iss = `${baseUrl}/oauth2/${encodeURIComponent(organization)}`
          expect(claims).toMatchObject({ iss, organization })
          for (const [other, keySet] of keySets)
            expect([other, isSignedBy(token, keySet)]).toEqual([other, other === organization])
          for (const other of organizations) {
            const list = yield* send("/api/v2/slos", {
              headers: { authorization: `Bearer ${token}`, organization: other },
            })
            expect([other, list.status]).toEqual([other, other === organization ? 200 : 403])
          }
        }
      }).pipe(Effect.provide(apiServer)),
    { fastCheck: { numRuns: 25 } },
  )

  it.effect("spec/clients §1: whether an organization exists cannot be told", () =>
    Effect.gen(function* () {
      yield* basicOf("globex")
      const { authorization, clientId } = yield* basicOf("acme")
      for (const server of ["globex", "initech"])
        for (const headers of [{ authorization }, basic(`${clientId}:wrong`)])
          expect([server, (yield* ask(server, headers)).status]).toEqual([server, 401])
      for (const path of ["v1/keys", ".well-known/openid-configuration"])
        for (const server of ["a".repeat(2_000), "not%20one"])
          expect([path, (yield* send(`/oauth2/${server}/${path}`)).status]).toEqual([path, 404])
      for (const server of ["globex", "initech"])
        expect([server, (yield* send(`/oauth2/${server}/v1/keys`)).status]).toEqual([server, 200])
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
      for (const body of ["grant_type=", `${form}&grant_type=password`, `${form}&scope=a&scope=b`]) {
        const wrong = yield* ask("acme", { authorization }, body)
        expect([wrong.status, errorOf(wrong.text)]).toEqual([400, "invalid_request"])
      }
      const type = yield* ask("acme", { authorization }, "{}", "application/json")
      expect([type.status, errorOf(type.text)]).toEqual([415, "invalid_request"])
      const large = yield* ask("acme", { authorization }, `${form}&x=${"x".repeat(9_000)}`)
      expect([large.status, errorOf(large.text)]).toEqual([413, "invalid_request"])
      expect(Object.keys(JSON.parse(large.text))).toEqual(["error", "error_description"])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect.each([
    ["Expect: a-cup-of-tea", 417],
    ["Host: b", 400],
    ["Transfer-Encoding: gzip, chunked", 501],
  ] as const)("spec/clients §1: reports a request with the header %s as OAuth 2.0 does", ([header, status]) =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      const answer = (path: string) => exchange(port, `POST ${path} HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`)
      const text = yield* answer("/oauth2/acme/v1/token")
      const [head = "", body = ""] = text.split("\r\n\r\n")
      expect(head).toContain(`HTTP/1.1 ${status} `)
      expect(head.toLowerCase()).toContain("\r\nconnection: close")
      expect(head.toLowerCase()).toContain("\r\ncache-control: no-store")
      expect(JSON.parse(body)).toEqual({
        error: status < 500 ? "invalid_request" : "server_error",
        error_description: expect.any(String),
      })
      const [, ofPrometheus = ""] = (yield* answer("/api/prometheus/api/v1/query")).split("\r\n\r\n")
      expect(JSON.parse(ofPrometheus)).toMatchObject({ status: "error", error: expect.any(String) })
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/clients §1: has a rate limit of its own", () =>
    Effect.gen(function* () {
      const { authorization } = yield* basicOf("acme")
      const own = { method: "POST", headers: { authorization, organization: "acme" } }
      expect((yield* send("/api/accessToken", own)).status).toBe(200)
      for (let turn = 0; turn < publicTokenPolicy.limit; turn++) {
        expect((yield* ask("acme", { authorization })).status).toBe(200)
      }
      const rejected = yield* ask("acme", { authorization })
      expect([rejected.status, JSON.parse(rejected.text).error]).toEqual([429, "temporarily_unavailable"])
      expect(rejected.headers.get("retry-after")).toMatch(/^\d+$/)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/clients §1: a token has one text: its signature has the lower of two possible values", () =>
    Effect.gen(function* () {
      const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
      for (let turn = 0; turn < 8; turn++) {
        const { authorization } = yield* basicOf("acme")
        yield* TestClock.adjust("1 second")
        const { access_token: token } = JSON.parse((yield* ask("acme", { authorization })).text)
        const at = token.lastIndexOf(".") + 1
        const signature = Buffer.from(token.slice(at), "base64url")
        const s = BigInt(`0x${signature.subarray(32).toString("hex")}`)
        expect(s <= order / 2n).toBe(true)
        const high = Buffer.from((order - s).toString(16).padStart(64, "0"), "hex")
        const other =
          token.slice(0, at) + Buffer.concat([signature.subarray(0, 32), high]).toString("base64url")
        expect(isSignedBy(other, JSON.parse((yield* send("/oauth2/acme/v1/keys")).text))).toBe(true)
        for (const [text, status] of [
          [other, 401],
          [token, 200],
        ]) {
          const headers = { authorization: `Bearer ${text}`, organization: "acme" }
          expect((yield* send("/api/v2/slos", { headers })).status).toBe(status)
        }
      }
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
