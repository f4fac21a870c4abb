import { makeApiFetchHandler } from "@tocsin/adapters-http"
import { issueOperatorToken } from "@tocsin/adapters-http/server"
import { createCredential } from "@tocsin/domain"
import { Readiness } from "@tocsin/domain/adapter"
import { publicKeyPath, requestBodyMaxBytes } from "@tocsin/domain/limits"
import { CredentialStore } from "@tocsin/domain/ports"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { apiPorts, masterKey } from "../../../../test/http/api-ports.ts"

/** The API as a function, over ports that the test shares with it. */
const handlerWithPorts = Effect.gen(function* () {
  const ports = yield* Layer.build(apiPorts)
  const { handler } = yield* Effect.acquireRelease(
    Effect.sync(() => makeApiFetchHandler(Layer.succeedContext(ports))),
    ({ dispose }) => Effect.promise(dispose),
  )
  return { handler, ports }
})

const base = "https://embedded.example"

describe("the API as a Fetch handler", () => {
  it.live("issues tokens and accepts them, as the server does", () =>
    Effect.gen(function* () {
      const { handler, ports } = yield* handlerWithPorts
      const { credential, clientSecret } = yield* createCredential({
        organization: "acme",
        role: "viewer",
      }).pipe(Effect.provide(ports))
      const authorization = `Basic ${btoa(`${credential.clientId}:${Redacted.value(clientSecret)}`)}`
      const issued = yield* Effect.promise(() =>
        handler(
          new Request(`${base}/api/accessToken`, {
            method: "POST",
            headers: { authorization, organization: "acme" },
          }),
        ),
      )
      expect(issued.status).toBe(200)
      const { access_token } = (yield* Effect.promise(() => issued.json())) as { access_token: string }
      const listed = yield* Effect.promise(() =>
        handler(
          new Request(`${base}/api/v2/slos?limit=1#part`, {
            headers: { authorization: `Bearer ${access_token}`, organization: "acme" },
          }),
        ),
      )
      expect(listed.status).toBe(200)
      expect(listed.headers.get("trace-id")).toMatch(/^[0-9a-f]{32}$/)
      expect(yield* Effect.promise(() => listed.json())).toMatchObject({ data: [] })
    }),
  )

  it.live("spec/operations §5: reports background work of its layers that fails", () =>
    Effect.gen(function* () {
      const failing = Layer.effectDiscard(
        Effect.map(Readiness.Readiness, ({ register }) => register("Working failed", 0).failed(Date.now())),
      )
      const { handler } = yield* Effect.acquireRelease(
        Effect.sync(() => makeApiFetchHandler(Layer.merge(apiPorts, failing))),
        ({ dispose }) => Effect.promise(dispose),
      )
      const response = yield* Effect.promise(() => handler(new Request(`${base}/readyz`)))
      expect(response.status).toBe(503)
      expect(yield* Effect.promise(() => response.json())).toMatchObject({
        errors: [{ code: "background_work_failing", detail: expect.stringContaining("Working failed for ") }],
      })
    }),
  )

  it.live("spec/errors §1: rejects in the one shape", () =>
    Effect.gen(function* () {
      const { handler } = yield* handlerWithPorts
      const response = yield* Effect.promise(() => handler(new Request(`${base}/nothing`)))
      expect(response.status).toBe(404)
      expect(yield* Effect.promise(() => response.json())).toEqual({
        errors: [
          {
            title: "Not found",
            code: "not_found",
            detail: "There is no such path. All paths are in /openapi.json.",
          },
        ],
      })
    }),
  )

  it.live("spec/errors §2: reads at most 1 MiB of a body, whatever its Content-Length", () =>
    Effect.gen(function* () {
      const { handler, ports } = yield* handlerWithPorts
      const token = yield* issueOperatorToken(masterKey)
      let pulled = 0
      const endless = new ReadableStream({
        pull: (controller) => {
          pulled += 65_536
          controller.enqueue(new Uint8Array(65_536))
        },
      })
      const request = new Request(`${base}/api/operator/credentials`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, organization: "acme" },
        body: endless,
        duplex: "half",
      } as RequestInit)
      const response = yield* Effect.promise(() => handler(request))
      expect(response.status).toBe(413)
      expect(pulled).toBeLessThanOrEqual(requestBodyMaxBytes + 4 * 65_536)
      expect(yield* Context.get(ports, CredentialStore).list("acme")).toEqual([])
    }),
  )

  it.live("sends HEAD and 304 without a body", () =>
    Effect.gen(function* () {
      const { handler } = yield* handlerWithPorts
      const head = yield* Effect.promise(() => handler(new Request(`${base}/healthz`, { method: "HEAD" })))
      expect([head.status, head.body]).toEqual([200, null])
      const key = yield* Effect.promise(() => handler(new Request(`${base}${publicKeyPath}`)))
      const again = yield* Effect.promise(() =>
        handler(
          new Request(`${base}${publicKeyPath}`, {
            headers: { "if-none-match": key.headers.get("etag") ?? "" },
          }),
        ),
      )
      expect([again.status, again.body]).toEqual([304, null])
    }),
  )

  it.live("rejects when its layers cannot be built", () =>
    Effect.gen(function* () {
      const broken = Layer.effectDiscard(Effect.fail("no database" as const))
      const { handler, dispose } = makeApiFetchHandler(Layer.provideMerge(broken, apiPorts))
      const rejected = yield* Effect.flip(Effect.tryPromise(() => handler(new Request(`${base}/healthz`))))
      expect(String(rejected.cause)).toContain("no database")
      yield* Effect.promise(dispose)
    }),
  )
})
