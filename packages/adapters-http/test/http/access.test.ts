import { failedCredentialsPolicy } from "@tocsin/domain/rate-limit"
import { NodeApiServer } from "@tocsin/adapters-http"
import product from "../../../../package.json" with { type: "json" }
import { disableCredential } from "@tocsin/domain"
import { Readiness } from "@tocsin/domain/adapter"
import { CredentialStore, StoreIsUnavailable } from "@tocsin/domain/ports"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import * as References from "effect/References"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { apiServer, basicOf, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"
import { apiPorts } from "../../../../test/http/api-ports.ts"

const ask = (headers: Readonly<Record<string, string>>) =>
  send("/api/accessToken", { method: "POST", headers })

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` })

describe("POST /api/accessToken", () => {
  it.effect("spec/access §2: Basic credentials and Organization get an access token that lists SLOs", () =>
    Effect.gen(function* () {
      const { authorization } = yield* basicOf("acme")
      const answer = yield* ask({
        authorization,
        organization: "acme",
        accept: "application/json; version=v1alpha",
      })
      expect(answer.status).toBe(200)
      const { access_token } = JSON.parse(answer.text)
      const list = yield* send("/api/v2/slos", {
        headers: { authorization: `Bearer ${access_token}`, organization: "acme" },
      })
      expect(list.status).toBe(200)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/access §2: the response has the token's type and lifetime, and must not be stored", () =>
    Effect.gen(function* () {
      const { authorization } = yield* basicOf("acme")
      const answer = yield* ask({ authorization, organization: "acme" })
      const { access_token, ...rest } = JSON.parse(answer.text)
      expect(access_token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
      expect(rest).toEqual({ token_type: "Bearer", expires_in: 3600 })
      expect(answer.headers.get("content-type")).toBe("application/json")
      expect(answer.headers.get("cache-control")).toBe("no-store")
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/rate-limits §4: more than the allowed requests is 429, with Retry-After and the RateLimit headers",
    () =>
      Effect.gen(function* () {
        const { authorization } = yield* basicOf("acme")
        const headers = { authorization, organization: "acme" }
        const accepted = yield* ask(headers)
        expect(accepted.headers.get("ratelimit-policy")).toBe('"access-token";q=1;w=3')
        expect(accepted.headers.get("ratelimit")).toBe('"access-token";r=0;t=3')
        expect(accepted.headers.get("retry-after")).toBeNull()
        yield* TestClock.adjust("1 second")
        const rejected = yield* ask(headers)
        expect([rejected.status, errorsOf(rejected)[0]?.code]).toEqual([429, "rate_limit_exceeded"])
        expect(rejected.headers.get("retry-after")).toBe("2")
        expect(rejected.headers.get("ratelimit-policy")).toBe('"access-token";q=1;w=3')
        expect(rejected.headers.get("ratelimit")).toBe('"access-token";r=0;t=2')
        yield* TestClock.adjust("2 seconds")
        expect((yield* ask(headers)).status).toBe(200)
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/rate-limits §1: organizations have separate windows", () =>
    Effect.gen(function* () {
      for (const organization of ["acme", "other"]) {
        const { authorization } = yield* basicOf(organization)
        expect((yield* ask({ authorization, organization })).status).toBe(200)
      }
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/access §2: a token lasts 1 hour, then it is 401 access_token_expired", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme")
      const list = send("/api/v2/slos", { headers })
      yield* TestClock.adjust("59 minutes")
      expect((yield* list).status).toBe(200)
      yield* TestClock.adjust("1 minute")
      const rejected = yield* list
      expect([rejected.status, errorsOf(rejected)[0]?.code]).toEqual([401, "access_token_expired"])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/rate-limits §3: wrong secrets are 401, then 429, and never lock out the organization", () =>
    Effect.gen(function* () {
      const { authorization, clientId } = yield* basicOf("acme")
      const wrong = ask({ ...basic(`${clientId}:wrong`), organization: "acme" })
      for (let attempt = 0; attempt < failedCredentialsPolicy.limit; attempt++) {
        const answer = yield* wrong
        expect([answer.status, errorsOf(answer)[0]?.code]).toEqual([401, "invalid_credentials"])
        expect(errorsOf(answer)[0]?.detail).toMatch(
          /no credential with this client ID and secret, or the credential is disabled/,
        )
      }
      const rejected = yield* wrong
      expect([rejected.status, rejected.headers.get("retry-after")]).toEqual([429, "3"])
      expect(rejected.headers.get("ratelimit-policy")).toBe('"failed-credentials";q=5;w=3')
      expect((yield* ask({ authorization, organization: "acme" })).status).toBe(200)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/access §3: the secret is UTF-8 and may have colons; what cannot be read is 401 with WWW-Authenticate",
    () =>
      Effect.gen(function* () {
        for (const headers of [
          {},
          basic("no colon"),
          basic("unknown:secret"),
          { authorization: "Basic !" },
          { authorization: "Bearer x" },
        ]) {
          const answer = yield* ask({ ...headers, organization: "acme" })
          expect(answer.status).toBe(401)
          expect(answer.headers.get("www-authenticate")).toBe('Basic realm="tocsin", charset="UTF-8"')
        }
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/access §2: Organization is required", () =>
    Effect.gen(function* () {
      const { authorization } = yield* basicOf("acme")
      const missing = yield* ask({ authorization })
      expect([missing.status, errorsOf(missing)[0]?.code]).toEqual([400, "organization_missing"])
      const malformed = yield* ask({ authorization, organization: "a b" })
      expect([malformed.status, errorsOf(malformed)[0]?.code]).toEqual([400, "organization_malformed"])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/errors §2: an Accept version other than v1alpha is 406", () =>
    Effect.gen(function* () {
      const { authorization } = yield* basicOf("acme")
      const accept = "application/json; version=v2"
      expect((yield* ask({ authorization, organization: "acme", accept })).status).toBe(406)
    }).pipe(Effect.provide(apiServer)),
  )
})

describe("the bearer token", () => {
  it.effect(
    "spec/errors §2: none, a wrong one and one whose credential is disabled are 401 with WWW-Authenticate",
    () =>
      Effect.gen(function* () {
        const headers = yield* headersOf("acme")
        const challenge = (sent: Readonly<Record<string, string>>) =>
          Effect.map(send("/api/v2/slos", { headers: sent }), (answer) => [
            answer.status,
            answer.headers.get("www-authenticate"),
          ])
        const invalid = 'Bearer realm="tocsin", error="invalid_token"'
        expect(yield* challenge({ organization: "acme" })).toEqual([401, 'Bearer realm="tocsin"'])
        expect(yield* challenge({ ...headers, authorization: "Bearer x" })).toEqual([401, invalid])
        const store = yield* CredentialStore
        for (const { clientId } of yield* store.list("acme")) yield* disableCredential("acme", clientId)
        expect(yield* challenge(headers)).toEqual([401, invalid])
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/errors §2: one of another organization is 403, and Organization is required", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme")
      const foreign = yield* send("/api/v2/slos", { headers: { ...headers, organization: "other" } })
      expect([foreign.status, errorsOf(foreign)[0]?.code]).toEqual([403, "organization_mismatch"])
      const missing = yield* send("/api/v2/slos", { headers: { authorization: headers.authorization } })
      expect([missing.status, errorsOf(missing)[0]?.code]).toEqual([400, "organization_missing"])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/errors §2: a role that is too low is 403", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme", "viewer")
      const answer = yield* send("/api/apply", {
        method: "PUT",
        headers: { ...headers, "content-type": "application/json" },
        body: "[]",
      })
      expect([answer.status, errorsOf(answer)[0]?.code]).toEqual([403, "insufficient_permissions"])
    }).pipe(Effect.provide(apiServer)),
  )
})

describe("health", () => {
  it.effect("both checks return 200 while the store is there", () =>
    Effect.gen(function* () {
      for (const path of ["/healthz", "/readyz"]) {
        const answer = yield* send(path)
        expect([answer.status, JSON.parse(answer.text)]).toMatchObject([200, { status: "ok" }])
      }
      expect(JSON.parse((yield* send("/healthz")).text)).toEqual({ status: "ok", version: product.version })
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/operations §5: reports each reason for not being ready, and is ready again without one",
    () => {
      const server = NodeApiServer.layer({ host: "127.0.0.1", port: 0 }).pipe(
        Layer.provide(apiPorts),
        Layer.provideMerge(Readiness.layer),
        Layer.provide(Layer.succeed(References.MinimumLogLevel, "None")),
      )
      return Effect.gen(function* () {
        const readiness = yield* Readiness.Readiness
        const work = readiness.register("Claiming deliveries failed", 30_000)
        const now = yield* Clock.currentTimeMillis
        work.failed(now - 42_000)
        const answer = yield* send("/readyz")
        expect(answer.status).toBe(503)
        expect(answer.headers.get("retry-after")).toBe("5")
        const failing = {
          title: "Service unavailable",
          code: "background_work_failing",
          detail: "Claiming deliveries failed for 42 s.",
        }
        expect(errorsOf(answer)).toEqual([failing])
        expect((yield* send("/healthz")).status).toBe(200)
        readiness.beginShutdown()
        expect(errorsOf(yield* send("/readyz"))).toEqual([
          { title: "Service unavailable", code: "shutting_down", detail: "The server is shutting down." },
          failing,
        ])
        work.succeeded()
        expect(errorsOf(yield* send("/readyz"))).toMatchObject([{ code: "shutting_down" }])
      }).pipe(Effect.provide(server))
    },
  )

  it.effect(
    "spec/errors §2: while it is unavailable the process is healthy but not ready, and the API is 503 with Retry-After",
    () => {
      const away = Effect.fail(
        new StoreIsUnavailable({
          store: "CredentialStore",
          operation: "find",
          isRetryable: true,
          cause: "gone",
        }),
      )
      const storeIsAway = Layer.succeed(CredentialStore, {
        create: () => away,
        find: () => away,
        read: () => away,
        closeSession: () => away,
        isSessionClosed: () => away,
        readAnywhere: () => away,
        list: () => away,
        replaceSecret: () => away,
        markUsed: () => away,
        disable: () => away,
        delete: () => away,
      })
      const server = NodeApiServer.layer({ host: "127.0.0.1", port: 0 }).pipe(
        Layer.provide(storeIsAway),
        Layer.provide(apiPorts),
        Layer.provide(Layer.succeed(References.MinimumLogLevel, "None")),
      )
      return Effect.gen(function* () {
        expect((yield* send("/healthz")).status).toBe(200)
        const token = yield* ask({ ...basic("ci:secret"), organization: "acme" })
        for (const answer of [yield* send("/readyz"), token]) {
          expect([answer.status, errorsOf(answer)[0]?.code]).toEqual([503, "unavailable"])
          expect(answer.headers.get("retry-after")).toBe("5")
        }
      }).pipe(Effect.provide(server))
    },
  )
})
