import { makeApiFetchHandler } from "@tocsin/adapters-http"
import { AccessLog, issueOperatorToken } from "@tocsin/adapters-http/server"
import * as SessionTokensJose from "../../src/crypto/SessionTokensJose.ts"
import { ConsoleOptions } from "../../src/console-files/ConsoleFiles.ts"
import { NodeApiServer } from "../../src/server/NodeApiServer.ts"
import { createCredential, deleteCredential, disableCredential } from "@tocsin/domain"
import { CredentialStore } from "@tocsin/domain/ports"
import { failedCredentialsPolicy, listSlosPerSecond, openSessionPolicy } from "@tocsin/domain/rate-limit"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import {
  apiServer,
  type ReceivedResponse,
  errorsOf,
  headersOf,
  send,
} from "../../../../test/http/api-client.ts"
import { apiPorts, masterKey } from "../../../../test/http/api-ports.ts"
import {
  consoleServer,
  cookieOf,
  fromConsole,
  newSignIn,
  signedIn,
  signIn,
} from "../../../../test/http/console-server.ts"

const server = consoleServer()

const session = (headers: Readonly<Record<string, string>>) => send("/api/console/session", { headers })

const codeOf = (answer: ReceivedResponse) => [answer.status, errorsOf(answer)[0]?.code]

const project = (name: string) =>
  JSON.stringify([{ apiVersion: "tocsin/v1alpha", kind: "Project", metadata: { name } }])

const apply = (headers: Readonly<Record<string, string>>) =>
  send("/api/apply", {
    method: "PUT",
    headers: { "content-type": "application/json", ...headers },
    body: project("new"),
  })

describe("signing in", () => {
  it.effect("spec/console §1: a credential opens a session of 12 hours, which only its cookie carries", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12, 0, 0, 250))
      const credential = yield* newSignIn("acme", "viewer")
      const opened = yield* signIn(credential)
      expect(opened.status).toBe(200)
      expect(JSON.parse(opened.text)).toEqual({
        organization: "acme",
        clientId: credential.clientId,
        role: "viewer",
        expiresAt: "2026-01-31T00:00:00.000Z",
        apiVersion: "tocsin/v1alpha",
        baseUrl: "http://localhost:8080",
      })
      expect(opened.headers.get("cache-control")).toBe("no-store")
      expect(opened.headers.get("set-cookie")).toMatch(
        /^tocsin_session=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
      )
      const read = yield* session({ cookie: cookieOf(opened) })
      expect([read.status, read.text]).toEqual([200, opened.text])
      expect(read.headers.get("set-cookie")).toBeNull()
    }).pipe(Effect.provide(server)),
  )

  it.effect(
    "spec/console §1: over TLS, as the base address says, the cookie is kept to TLS and to this host",
    () =>
      Effect.gen(function* () {
        const opened = yield* signIn(yield* newSignIn("acme"))
        expect(opened.headers.get("set-cookie")).toMatch(
          /^__Host-tocsin_session=[^;]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
        )
        const cookie = cookieOf(opened)
        expect((yield* session({ cookie })).status).toBe(200)
        const withoutPrefix = cookie.replace("__Host-", "")
        expect((yield* session({ cookie: withoutPrefix })).status).toBe(204)
        const besideAnother = yield* session({ cookie: `${withoutPrefix}x; ${cookie}` })
        expect(besideAnother.status).toBe(200)
      }).pipe(Effect.provide(consoleServer({ baseUrl: "https://tocsin.example" }))),
  )

  it.effect("spec/console §1: X-Forwarded-Proto is believed of a trusted proxy, and of nobody else", () =>
    Effect.gen(function* () {
      const isSecure = (trustedProxies: number, proto: string) =>
        Effect.gen(function* () {
          const opened = yield* signIn(yield* newSignIn("acme"), { "x-forwarded-proto": proto })
          return opened.headers.get("set-cookie")?.endsWith("; Secure")
        }).pipe(Effect.provide(consoleServer({ trustedProxies })))
      expect(yield* isSecure(1, "https")).toBe(true)
      expect(yield* isSecure(1, "http")).toBe(false)
      expect(yield* isSecure(0, "https")).toBe(false)
    }),
  )

  it.live("spec/console §1: a host that mounts the handler signals TLS by the URL of the request", () =>
    Effect.gen(function* () {
      const ports = yield* Layer.build(
        Layer.merge(apiPorts, Layer.succeed(ConsoleOptions, { files: new Map() })),
      )
      const { handler } = yield* Effect.acquireRelease(
        Effect.sync(() => makeApiFetchHandler(Layer.succeedContext(ports))),
        ({ dispose }) => Effect.promise(dispose),
      )
      const body = JSON.stringify(yield* Effect.provide(newSignIn("acme"), ports))
      const opened = yield* Effect.promise(() =>
        handler(
          new Request("https://embedded.example/api/console/session", {
            method: "POST",
            headers: { ...fromConsole, "content-type": "application/json" },
            body,
          }),
        ),
      )
      expect(opened.headers.get("set-cookie")).toMatch(/^__Host-tocsin_session=.*; Secure$/)
    }),
  )

  it.effect(
    "spec/console §1: every issue of the body is reported at once, without repeating its values",
    () =>
      Effect.gen(function* () {
        const rejectionOf = (body: unknown) =>
          Effect.map(signIn(body), (answer) => ({
            status: answer.status,
            text: answer.text,
            issues: (
              JSON.parse(answer.text) as {
                errors: ReadonlyArray<{ code: string; source?: { propertyName: string } }>
              }
            ).errors.map(({ code, source }) => `${source?.propertyName} ${code}`),
          }))
        expect(yield* rejectionOf({})).toMatchObject({
          status: 400,
          issues: ["clientId required", "clientSecret required", "organization required"],
        })
        const odd = yield* rejectionOf({
          organization: "a b",
          clientId: 1,
          clientSecret: ["s3cr3t"],
          "s3cr3t x": "s3cr3t",
        })
        expect(odd.issues).toEqual([
          "undefined unknown_property",
          "clientId wrong_type",
          "clientSecret wrong_type",
          "organization invalid_format",
        ])
        expect(odd.text).not.toContain("s3cr3t")
        expect((yield* rejectionOf([])).issues).toEqual(["undefined wrong_type"])
        const headers = { ...fromConsole, "content-type": "text/plain" }
        const text = yield* send("/api/console/session", { method: "POST", headers, body: "{}" })
        expect(codeOf(text)).toEqual([415, "unsupported_media_type"])
      }).pipe(Effect.provide(server)),
  )

  it.effect(
    "spec/console §1: the response does not reveal which of the three is wrong, and no browser prompts for a password",
    () =>
      Effect.gen(function* () {
        const credential = yield* newSignIn("acme")
        const disabled = yield* newSignIn("acme")
        yield* disableCredential("acme", disabled.clientId)
        const answers = yield* Effect.forEach(
          [
            { ...credential, clientSecret: "wrong" },
            { ...credential, clientId: "wrong" },
            { ...credential, organization: "wrong" },
            disabled,
          ],
          (body) => signIn(body),
        )
        for (const answer of answers) {
          expect(codeOf(answer)).toEqual([401, "invalid_credentials"])
          expect(answer.text).toBe(answers[0]?.text)
          expect(answer.headers.get("www-authenticate")).toBe('Cookie realm="tocsin"')
          expect(answer.headers.get("set-cookie")).toBeNull()
        }
      }).pipe(Effect.provide(server)),
  )

  it.effect(
    "spec/rate-limits §3, spec/console §1: failed sign-ins share the window of failed requests for a token, per address",
    () =>
      Effect.gen(function* () {
        const credential = yield* newSignIn("acme")
        const wrong = { ...credential, clientSecret: "wrong" }
        for (let attempt = 0; attempt < failedCredentialsPolicy.limit; attempt++) {
          expect((yield* signIn(wrong)).status).toBe(401)
        }
        const rejected = yield* signIn(wrong)
        expect([...codeOf(rejected), rejected.headers.get("retry-after")]).toEqual([
          429,
          "rate_limit_exceeded",
          "3",
        ])
        const token = (clientSecret: string) =>
          send("/api/accessToken", {
            method: "POST",
            headers: {
              organization: "acme",
              authorization: `Basic ${btoa(`${credential.clientId}:${clientSecret}`)}`,
            },
          })
        expect((yield* token("wrong")).status).toBe(429)
        expect((yield* signIn(credential)).status).toBe(200)
        expect((yield* signIn(credential)).status).toBe(200)
        expect((yield* token(credential.clientSecret)).status).toBe(200)
      }).pipe(Effect.provide(server)),
  )
})

describe("a session", () => {
  it.effect("spec/console §1: ends after 12 hours, whatever is done meanwhile", () =>
    Effect.gen(function* () {
      const headers = yield* signedIn("acme")
      yield* TestClock.adjust("6 hours")
      expect((yield* session(headers)).status).toBe(200)
      yield* TestClock.adjust("5 hours")
      yield* TestClock.adjust("59 minutes")
      expect((yield* session(headers)).status).toBe(200)
      yield* TestClock.adjust("1 minute")
      const ended = yield* session(headers)
      expect(codeOf(ended)).toEqual([401, "session_expired"])
      expect(ended.headers.get("www-authenticate")).toBe('Cookie realm="tocsin"')
      expect(codeOf(yield* send("/api/v2/slos", { headers }))).toEqual([401, "session_expired"])
    }).pipe(Effect.provide(server)),
  )

  it.effect(
    "spec/console §1: is invalid once its credential is deleted, also when one is created again with the same client ID",
    () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const credential = yield* newSignIn("acme")
        const cookie = cookieOf(yield* signIn(credential))
        const [stored] = yield* store.list("acme")
        yield* deleteCredential("acme", credential.clientId)
        expect(codeOf(yield* session({ cookie }))).toEqual([401, "session_invalid"])
        yield* TestClock.adjust(1)
        yield* createCredential({
          organization: "acme",
          clientId: credential.clientId,
          clientSecret: Redacted.make(credential.clientSecret),
          role: "editor",
        })
        expect(codeOf(yield* session({ cookie }))).toEqual([401, "session_invalid"])
        yield* deleteCredential("acme", credential.clientId)
        if (stored !== undefined) yield* store.create({ ...stored, role: "viewer" })
        expect(JSON.parse((yield* session({ cookie })).text)).toMatchObject({ role: "viewer" })
        yield* disableCredential("acme", credential.clientId)
        expect(codeOf(yield* session({ cookie }))).toEqual([401, "session_invalid"])
      }).pipe(Effect.provide(server)),
  )

  it.effect("spec/console §1: signing out deletes the cookie, as often as one likes", () =>
    Effect.gen(function* () {
      for (const headers of [yield* signedIn("acme"), fromConsole]) {
        const closed = yield* send("/api/console/session", { method: "DELETE", headers })
        expect([closed.status, closed.text]).toEqual([204, ""])
        expect(closed.headers.get("set-cookie")).toBe(
          "tocsin_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
        )
      }
      expect((yield* session({})).status).toBe(204)
      expect(codeOf(yield* session({ cookie: "tocsin_session=" }))).toEqual([401, "session_invalid"])
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/console §1: signing out ends the session at once, for whoever has the cookie", () =>
    Effect.gen(function* () {
      const credential = yield* newSignIn("acme")
      const headers = { ...fromConsole, cookie: cookieOf(yield* signIn(credential)) }
      const other = { ...fromConsole, cookie: cookieOf(yield* signIn(credential)) }
      expect((yield* send("/api/v2/slos", { headers })).status).toBe(200)
      const closed = yield* send("/api/console/session", { method: "DELETE", headers })
      expect(closed.status).toBe(204)
      expect(codeOf(yield* session(headers))).toEqual([401, "session_invalid"])
      expect(codeOf(yield* send("/api/v2/slos", { headers }))).toEqual([401, "session_invalid"])
      expect(codeOf(yield* apply(headers))).toEqual([401, "session_invalid"])
      expect((yield* send("/api/console/session", { method: "DELETE", headers })).status).toBe(204)
      // Another session of the same credential goes on.
      expect((yield* session(other)).status).toBe(200)
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/console §1: another site cannot sign a person out", () =>
    Effect.gen(function* () {
      const { cookie, ...headers } = yield* signedIn("acme")
      const foreign = yield* send("/api/console/session", { method: "DELETE", headers: { cookie } })
      expect(codeOf(foreign)).toEqual([403, "cross_site_request"])
      expect((yield* session({ ...headers, cookie })).status).toBe(200)
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/rate-limits §1: 20 sessions of a credential open in 10 s", () =>
    Effect.gen(function* () {
      const credential = yield* newSignIn("acme")
      const open = Effect.map(signIn(credential), ({ status }) => status)
      const statuses = yield* Effect.replicateEffect(open, openSessionPolicy.limit + 1)
      expect(statuses).toEqual([...Array.from({ length: openSessionPolicy.limit }, () => 200), 429])
      expect((yield* signIn(yield* newSignIn("acme"))).status).toBe(200)
      yield* TestClock.adjust(openSessionPolicy.windowMs)
      expect(yield* open).toBe(200)
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/console §1: is taken by every process of the master key, and of the previous one", () =>
    Effect.gen(function* () {
      const headers = yield* signedIn("acme")
      const token = headers.cookie.slice("tocsin_session=".length)
      const otherKey = Redacted.make(new Uint8Array(32).fill(8))
      const verdict = (tokens: ReturnType<typeof SessionTokensJose.make>) =>
        Effect.match(tokens.verify(token, 0), {
          onFailure: ({ reason }) => reason,
          onSuccess: ({ organization }) => organization,
        })
      expect(yield* verdict(SessionTokensJose.make(masterKey))).toBe("acme")
      expect(yield* verdict(SessionTokensJose.make(otherKey, [masterKey]))).toBe("acme")
      expect(yield* verdict(SessionTokensJose.make(otherKey))).toBe("malformed")
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/console §1: flipping any character of its token ends it", () =>
    Effect.gen(function* () {
      const { cookie } = yield* signedIn("acme")
      for (let index = "tocsin_session=".length; index < cookie.length; index += 7) {
        const flipped = cookie[index] === "A" ? "B" : "A"
        const damaged = cookie.slice(0, index) + flipped + cookie.slice(index + 1)
        expect(codeOf(yield* session({ cookie: damaged }))).toEqual([401, "session_invalid"])
      }
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/console §1: no token is taken for one of another kind", () =>
    Effect.gen(function* () {
      const { cookie } = yield* signedIn("acme")
      const sessionToken = cookie.slice("tocsin_session=".length)
      const { authorization } = yield* headersOf("acme")
      const accessToken = authorization.slice("Bearer ".length)
      const operatorToken = yield* issueOperatorToken(masterKey)
      for (const token of [accessToken, operatorToken]) {
        const rejected = yield* session({ cookie: `tocsin_session=${token}` })
        expect(codeOf(rejected)).toEqual([401, "session_invalid"])
      }
      for (const path of ["/api/v2/slos", "/api/operator/credentials"]) {
        const headers = { authorization: `Bearer ${sessionToken}`, organization: "acme" }
        expect(codeOf(yield* send(path, { headers }))).toEqual([401, "access_token_invalid"])
      }
      const operator = yield* send("/api/operator/credentials", { headers: { cookie, organization: "acme" } })
      expect(codeOf(operator)).toEqual([401, "access_token_missing"])
    }).pipe(Effect.provide(server)),
  )

  it.effect(
    "spec/console §1: two cookies of the name are as good as none, as a neighbouring host may have set one",
    () =>
      Effect.gen(function* () {
        const { cookie } = yield* signedIn("acme")
        const { cookie: foreign } = yield* signedIn("evil")
        expect((yield* session({ cookie: `a=1; ${cookie};b=2` })).status).toBe(200)
        for (const both of [`${foreign}; ${cookie}`, `${cookie}; ${foreign}`, `${cookie}; tocsin_session=`]) {
          expect((yield* session({ cookie: both })).status).toBe(204)
        }
        expect((yield* session({ cookie: `x${cookie}` })).status).toBe(204)
      }).pipe(Effect.provide(server)),
  )
})

describe("the calls of the API in a session", () => {
  it.effect("spec/console §2: a check has its status 400 or 404 in a header", () =>
    Effect.gen(function* () {
      const check = { ...(yield* signedIn("acme")), "x-tocsin-check": "1" }
      const invalid = (headers: Readonly<Record<string, string>>) =>
        send("/api/apply?dry_run=true", {
          method: "PUT",
          headers: { "content-type": "application/json", ...headers },
          body: project("Not a name"),
        })
      const checked = yield* invalid(check)
      expect([checked.status, checked.headers.get("x-tocsin-status")]).toEqual([200, "400"])
      expect(errorsOf(checked)[0]?.source?.propertyName).toContain("metadata.name")
      const usual = yield* invalid({ ...check, "x-tocsin-check": "0" })
      expect([usual.status, usual.headers.get("x-tocsin-status"), errorsOf(usual)]).toEqual([
        400,
        null,
        errorsOf(checked),
      ])
      const other = yield* send("/api/slos/absent/forecast", { headers: { ...check, project: "default" } })
      expect([other.status, other.headers.get("x-tocsin-status")]).toEqual([200, "404"])
      const signedOut = yield* send("/api/slos/absent/forecast", { headers: { "x-tocsin-check": "1" } })
      expect(signedOut.status).toBe(401)
      const page = (cookie: object) =>
        Effect.map(
          send("/status/nothing", { headers: { accept: "text/html", "x-tocsin-check": "1", ...cookie } }),
          ({ status, headers }) => [status, headers.get("cache-control")],
        )
      expect(yield* page({})).toEqual([404, "public, max-age=60"])
      expect(yield* page({ cookie: "tocsin_session=a.b.c" })).toEqual([404, "public, max-age=60"])
      expect(yield* page({ cookie: check.cookie })).toEqual([200, "no-store"])
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/console §2: take the cookie for the access token and the header Organization", () =>
    Effect.gen(function* () {
      const headers = yield* signedIn("acme")
      expect((yield* apply(headers)).status).toBe(200)
      const read = yield* send("/api/get/projects?name=new", { headers: { cookie: headers.cookie } })
      expect([read.status, JSON.parse(read.text)]).toMatchObject([200, [{ metadata: { name: "new" } }]])
      const other = yield* send("/api/get/projects?name=new", { headers: yield* signedIn("other") })
      expect(JSON.parse(other.text)).toEqual([])
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/console §2: reject a header Organization that names another one than the session's", () =>
    Effect.gen(function* () {
      const headers = yield* signedIn("acme")
      expect((yield* apply({ ...headers, organization: "acme" })).status).toBe(200)
      const foreign = { ...headers, organization: "other" }
      expect(codeOf(yield* apply(foreign))).toEqual([403, "organization_mismatch"])
      expect(codeOf(yield* session(foreign))).toEqual([403, "organization_mismatch"])
      // A link cannot send the header.
      for (const of of ["reports", "reviews"]) {
        const path = `/api/${of}/none?format=html&organization=`
        expect(codeOf(yield* send(`${path}other`, { headers }))).toEqual([403, "organization_mismatch"])
        expect((yield* send(`${path}acme`, { headers })).status).toBe(404)
      }
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/console §2: a viewer reads everything and changes nothing", () =>
    Effect.gen(function* () {
      const headers = yield* signedIn("acme", "viewer")
      expect((yield* send("/api/get/projects", { headers })).status).toBe(200)
      expect(codeOf(yield* apply(headers))).toEqual([403, "insufficient_permissions"])
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/console §2: go by an access token where there is one, and by nothing but it", () =>
    Effect.gen(function* () {
      const { cookie } = yield* signedIn("acme")
      const token = yield* headersOf("other", "viewer")
      // Without the console's header: what no browser adds by itself needs no guard.
      expect(codeOf(yield* apply({ ...token, cookie }))).toEqual([403, "insufficient_permissions"])
      const wrong = { authorization: "Bearer wrong", organization: "acme", cookie }
      expect(codeOf(yield* send("/api/v2/slos", { headers: wrong }))).toEqual([401, "access_token_invalid"])
      // A proxy that asks for a password of its own makes the browser send Basic.
      const basic = { authorization: "Basic YTpi", cookie }
      expect((yield* send("/api/v2/slos", { headers: basic })).status).toBe(200)
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/console §2: reading SLOs in a session counts in windows of its own", () =>
    Effect.gen(function* () {
      const headers = yield* signedIn("acme")
      const client = yield* headersOf("acme")
      const list = (of: Readonly<Record<string, string>>) => send("/api/v2/slos", { headers: of })
      for (let count = 0; count < listSlosPerSecond; count++) {
        const answer = yield* list(headers)
        expect([answer.status, answer.headers.get("ratelimit-policy")]).toEqual([
          200,
          '"list-slos-console";q=10;w=1',
        ])
      }
      expect((yield* list(headers)).status).toBe(429)
      expect((yield* list(client)).status).toBe(200)
      const one = yield* send("/api/v2/slos/none", { headers: { ...headers, project: "default" } })
      expect(one.status).toBe(404)
      const v1 = yield* send("/api/v1/slos", { headers })
      expect(v1.headers.get("ratelimit-policy")).toBe('"list-slos-v1-console";q=10;w=1')
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/console §3: without a console nobody can sign in, and no cookie is looked at", () =>
    Effect.gen(function* () {
      const credential = yield* newSignIn("acme")
      const tokens = SessionTokensJose.make(masterKey)
      const [stored] = yield* (yield* CredentialStore).list("acme")
      const token = yield* tokens.issue({
        id: "any",
        organization: "acme",
        clientId: credential.clientId,
        credentialCreatedAt: stored?.createdAt ?? -1,
        expiresAt: 1_000_000,
      })
      const headers = { ...fromConsole, cookie: `tocsin_session=${token}` }
      expect(codeOf(yield* signIn(credential))).toEqual([404, "not_found"])
      expect(codeOf(yield* session(headers))).toEqual([404, "not_found"])
      const closed = yield* send("/api/console/session", { method: "DELETE", headers })
      expect(codeOf(closed)).toEqual([404, "not_found"])
      expect(codeOf(yield* send("/api/v2/slos", { headers }))).toEqual([401, "access_token_missing"])
    }).pipe(Effect.provide(apiServer)),
  )
})

describe("a request of another site", () => {
  const rejected = "cross_site_request"
  const own = "https://tocsin.example"

  /** What a browser says of where a request comes from; over plain HTTP, and over TLS behind a proxy. */
  const cases: ReadonlyArray<
    readonly [name: string, headers: Readonly<Record<string, string>>, read: string, change: string]
  > = [
    ["nothing", {}, "ok", rejected],
    ["the header of the console", fromConsole, "ok", "ok"],
    ["another value of that header", { "x-tocsin-console": "true" }, "ok", rejected],
    ["the same origin", { ...fromConsole, "sec-fetch-site": "same-origin" }, "ok", "ok"],
    ["the same origin, but not the header", { "sec-fetch-site": "same-origin" }, "ok", rejected],
    ["an address that was typed", { ...fromConsole, "sec-fetch-site": "none" }, "ok", rejected],
    ["a neighbouring host", { ...fromConsole, "sec-fetch-site": "same-site" }, rejected, rejected],
    ["another site", { ...fromConsole, "sec-fetch-site": "cross-site" }, rejected, rejected],
    ["the origin of the base address", { ...fromConsole, origin: own }, "ok", "ok"],
    ["that origin without TLS", { ...fromConsole, origin: "http://tocsin.example" }, rejected, rejected],
    ["another origin", { ...fromConsole, origin: "https://evil.example" }, rejected, rejected],
    ["a longer one", { ...fromConsole, origin: `${own}.evil.example` }, rejected, rejected],
    ["another port", { ...fromConsole, origin: `${own}:444` }, rejected, rejected],
    ["an opaque origin", { ...fromConsole, origin: "null" }, rejected, rejected],
    ["an invalid origin", { ...fromConsole, origin: "tocsin.example" }, rejected, rejected],
    [
      "the same origin by name, and another by site",
      { ...fromConsole, origin: own, "sec-fetch-site": "cross-site" },
      rejected,
      rejected,
    ],
  ]

  it.effect.each(cases)(
    "spec/console §2: with a cookie and %s reads and changes as it may",
    ([, headers, read, change]) =>
      Effect.gen(function* () {
        const { cookie } = yield* signedIn("acme")
        const outcome = (answer: ReceivedResponse) =>
          answer.status === 403 ? errorsOf(answer)[0]?.code : answer.status < 300 ? "ok" : answer.status
        expect(outcome(yield* send("/api/get/projects", { headers: { ...headers, cookie } }))).toBe(read)
        expect(outcome(yield* session({ ...headers, cookie }))).toBe(read)
        expect(outcome(yield* apply({ ...headers, cookie }))).toBe(change)
        const credential = yield* newSignIn("acme")
        const signing = yield* send("/api/console/session", {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify(credential),
        })
        expect(outcome(signing)).toBe(change)
        expect(signing.headers.has("set-cookie")).toBe(change === "ok")
        const closing = yield* send("/api/console/session", {
          method: "DELETE",
          headers: { ...headers, cookie },
        })
        expect(outcome(closing)).toBe(change)
        const preflight = yield* send("/api/apply", { method: "OPTIONS", headers })
        expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([405, null])
      }).pipe(Effect.provide(consoleServer({ baseUrl: own }))),
  )

  it.effect("spec/console §2: is recognized by the Host of the request where the base address differs", () =>
    Effect.gen(function* () {
      const headers = yield* signedIn("acme")
      const { host } = new URL((yield* NodeApiServer).url)
      expect((yield* apply({ ...headers, origin: `http://${host}` })).status).toBe(200)
      expect((yield* apply({ ...headers, origin: `https://${host}` })).status).toBe(200)
      expect(codeOf(yield* apply({ ...headers, origin: `ftp://${host}` }))).toEqual([403, rejected])
      expect(codeOf(yield* apply({ ...headers, origin: "http://127.0.0.1" }))).toEqual([403, rejected])
    }).pipe(Effect.provide(server)),
  )
})

describe("what is kept of signing in", () => {
  it.effect("spec/console §1: neither the secret nor the session is in a log or a response's body", () => {
    const lines: Array<string> = []
    const logger = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => lines.push(line))])
    const logged = consoleServer().pipe(
      Layer.provide(AccessLog.layer((text) => lines.push(text))),
      Layer.provide(Layer.merge(logger, Layer.succeed(References.MinimumLogLevel, "All"))),
    )
    return Effect.gen(function* () {
      const texts: Array<string> = []
      const secrets = yield* Effect.gen(function* () {
        const credential = yield* newSignIn("acme")
        const opened = yield* signIn(credential)
        const cookie = cookieOf(opened)
        const wrong = yield* signIn({ ...credential, clientSecret: "a-secret-that-is-wrong" })
        const bad = yield* signIn({ ...credential, clientId: 1 })
        const damaged = yield* session({ cookie: `${cookie}x` })
        const query = yield* send(`/api/console/session?${cookie}`, { headers: { cookie } })
        texts.push(...[opened, wrong, bad, damaged, query].map(({ text }) => text))
        return [credential.clientSecret, "a-secret-that-is-wrong", cookie.slice("tocsin_session=".length)]
      }).pipe(Effect.provide(logged))
      expect(lines.join("")).toContain('"path":"/api/console/session"')
      for (const secret of secrets) {
        expect(secret.length).toBeGreaterThan(10)
        expect(lines.join("")).not.toContain(secret)
        expect(texts.join("")).not.toContain(secret)
      }
    })
  })
})
